"""Calls of functions of arrays that an older JAX is lent, by the names that they are calls of."""

import jax
import jax.numpy as jnp
import jax.scipy.stats
import numpy as np
from jax import lax, nn
from jax.scipy import linalg, special, stats

x = np.array([3, 1, 2, 1], np.float32)
i = np.array([3, 1, 2, 1], np.int32)
m = np.arange(6, dtype=np.float32).reshape(2, 3)
cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7
both = np.array([-2.5, -1, -0.5, 0, 0.3, 1, 2.5], np.float32)
unit = np.array([-0.1, 0, 0.25, 1, 1.5], np.float32)
# No two dimensions of a size, real and imaginary parts apart: what takes one for another shows.
signed = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 7
other = np.cos(signed)
complex_signed = (signed + 1j * other).astype(np.complex64)
la = jnp.linalg


def dnums():
    return lax.ScatterDimensionNumbers((), (0,), (0,))


def failing(call, *arguments, **keywords):
    """What it gives, or the class of what it raises; callbridge's own and XLA's are
    RuntimeErrors."""
    try:
        return call(*arguments, **keywords)
    except Exception as error:
        return type(error).__name__


def products(function, *shapes):
    """Of conjugates, batches, and arrays that do not fit."""
    pairs = [[a[shape] for a, shape in zip((complex_signed, complex_signed * 1j), shapes)]]
    pairs.append([a.real for a in pairs[0]])
    found = [failing(function, *pair) for pair in pairs]
    found.append(failing(function, signed[0, 0], signed[0, 0]))
    return [*found, *(failing(function, a[..., 1:], b) for a, b in pairs)]


def dot_products(vecdot):
    found = [
        failing(vecdot, a, b, axis=axis)
        for a, b in ((complex_signed, complex_signed[::-1] * 1j), (signed, other))
        for axis in (0, 1, -1)
    ]
    for options in ({"preferred_element_type": np.int32}, {"precision": "highest"}):
        found.append(failing(vecdot, signed, np.flip(signed), **options))
    found.append(failing(vecdot, signed, signed[0]))
    return [*found, failing(vecdot, signed, signed[:, 1:], axis=1)]


def converted(astype):
    bits = np.array([0, 1, 3], np.int32)
    found = [
        failing(astype, a, dtype, **options)
        for a in (signed[0, 0] / 3, bits, bits > 1)
        for dtype in ("float32", "int32", "bool", "complex64")
        for options in ({}, {"copy": True}, {"device": jax.devices()[1]})
    ]
    placed = astype(bits, "float32", device=jax.devices()[1])
    array = jnp.asarray(bits)
    return [*found, [d.id for d in placed.devices()], astype(array, "int32", copy=True) is array]


def joined(concat):
    return [failing(concat, (signed, other), axis=axis) for axis in (0, 1, -1, None)]


def placed(make, *operands):
    """An array made on another device than the first."""
    made = make(*operands, device=jax.devices()[1])
    return made.shape, str(made.dtype), [device.id for device in made.devices()]


def print_options():
    before = jnp.get_printoptions()["precision"]
    with jnp.printoptions(precision=3):
        seen = [before, jnp.get_printoptions()["precision"]]
    jnp.set_printoptions(precision=5)
    seen.append(jnp.get_printoptions()["precision"])
    jnp.set_printoptions(precision=before)
    return [*seen, jnp.get_printoptions()["precision"]]


CALLS = {
    "jax.numpy.unique_all": lambda: jnp.unique_all(m % 2),
    "jax.numpy.unique_counts": lambda: jnp.unique_counts(x, size=4, fill_value=9),
    "jax.numpy.unique_inverse": lambda: jnp.unique_inverse(m % 2),
    "jax.numpy.unique_values": lambda: jnp.unique_values(x),
    "jax.numpy.trapezoid": lambda: [
        jnp.trapezoid(m),
        jnp.trapezoid(m, axis=0, dx=2.0),
        jnp.trapezoid(m, m * m),
        jnp.trapezoid(i),
        jnp.trapezoid(cube, np.array([0.0, 1, 3]), axis=1),
    ],
    "jax.numpy.isdtype": lambda: [
        jnp.isdtype(np.dtype("int8"), ("signed integer", np.dtype("float32"))),
        jnp.isdtype(np.dtype("float32"), "integral"),
        jnp.isdtype(jnp.bfloat16, "real floating"),
        failing(lambda: jnp.isdtype(np.dtype("int8"), "x")),
    ],
    "jax.numpy.cumulative_sum": lambda: [
        jnp.cumulative_sum(x),
        jnp.cumulative_sum(m, axis=1, include_initial=True),
        jnp.cumulative_sum(m, axis=-2, include_initial=True),
        failing(lambda: jnp.cumulative_sum(m)),
    ],
    "jax.numpy.cumulative_prod": lambda: jnp.cumulative_prod(cube, axis=1, include_initial=True),
    "jax.numpy.bitwise_count": lambda: jnp.bitwise_count(np.array([-7, 0, 255, 1], np.int32)),
    "jax.numpy.unstack": lambda: jnp.unstack(cube, axis=1),
    "jax.numpy.fill_diagonal": lambda: [
        jnp.fill_diagonal(m, 9, inplace=False),
        jnp.fill_diagonal(m.T, x[:2], inplace=False),
        jnp.fill_diagonal(np.zeros((2, 2, 2)), 1, inplace=False),
        failing(lambda: jnp.fill_diagonal(m, 9)),
    ],
    "jax.numpy.put_along_axis": lambda: [
        jnp.put_along_axis(m, np.array([[0], [2]]), 9, axis=1, inplace=False),
        jnp.put_along_axis(m, np.array([0, 5]), np.array([7, 8]), axis=None, inplace=False),
        failing(lambda: jnp.put_along_axis(m, np.array([[0], [2]]), 9, axis=1)),
    ],
    "jax.numpy.spacing": lambda: jnp.spacing(both),
    "jax.numpy.ndim jax.numpy.shape jax.numpy.size": lambda: [
        jnp.ndim(cube),
        jnp.shape(cube),
        jnp.size(cube),
        jnp.size(cube, 1),
    ],
    "jax.numpy.linalg.cross": lambda: la.cross(cube[:, :, 0], cube[:, :, 1]),
    "jax.numpy.linalg.diagonal": lambda: la.diagonal(cube, offset=1),
    "jax.numpy.linalg.trace": lambda: la.trace(cube, offset=1),
    "jax.numpy.linalg.matmul": lambda: la.matmul(m, m.T),
    "jax.numpy.linalg.tensordot": lambda: la.tensordot(cube, m, axes=((1,), (1,))),
    "jax.numpy.linalg.outer": lambda: [la.outer(x, x), failing(lambda: la.outer(m, m))],
    "jax.numpy.linalg.matrix_transpose": lambda: la.matrix_transpose(cube),
    "jax.numpy.linalg.matrix_norm": lambda: [
        la.matrix_norm(cube),
        la.matrix_norm(m, ord=1, keepdims=True),
    ],
    "jax.numpy.linalg.vector_norm": lambda: [
        la.vector_norm(cube),
        la.vector_norm(cube, axis=1),
        la.vector_norm(cube, axis=(0, 2), ord=1),
        la.vector_norm(cube, keepdims=True),
        la.vector_norm(cube, axis=(0, 1), keepdims=True),
    ],
    "jax.numpy.linalg.svdvals": lambda: la.svdvals(m),
    "jax.nn.mish": lambda: [nn.mish(both), nn.mish(2)],
    "jax.nn.sparse_plus": lambda: nn.sparse_plus(both),
    "jax.nn.sparse_sigmoid": lambda: nn.sparse_sigmoid(both),
    "jax.nn.squareplus": lambda: [nn.squareplus(both), nn.squareplus(both, 1)],
    "jax.nn.identity": lambda: nn.identity(x),
    "jax.nn.log1mexp": lambda: nn.log1mexp(both[4:]),
    "jax.nn.logmeanexp": lambda: [
        nn.logmeanexp(m),
        nn.logmeanexp(m, axis=1, keepdims=True),
        nn.logmeanexp(m, where=m > 1),
    ],
    "jax.nn.initializers.truncated_normal": lambda: nn.initializers.truncated_normal(0.5)(
        jax.random.PRNGKey(0), (3,)
    ),
    "jax.scipy.integrate jax.scipy.integrate.trapezoid": lambda: jax.scipy.integrate.trapezoid(m),
    "jax.lax.split": lambda: [
        lax.split(jnp.asarray(x), (1, 3)),
        failing(lambda: lax.split(x, (1, 1))),
    ],
    "jax.lax.tile": lambda: lax.tile(jnp.asarray(m), (2, 1)),
    "jax.lax.scatter_sub": lambda: lax.scatter_sub(
        jnp.asarray(x), np.array([[1]], np.int32), np.array([2], np.float32), dnums()
    ),
    "jax.lax.reduce_sum": lambda: lax.reduce_sum(jnp.asarray(cube), (0, 2)),
    "jax.lax.reduce_max": lambda: lax.reduce_max(jnp.asarray(cube), axes=(1,)),
    "jax.lax.reduce_min": lambda: lax.reduce_min(jnp.asarray(cube), (1,)),
    "jax.lax.reduce_prod": lambda: lax.reduce_prod(jnp.asarray(m), (1,)),
    "jax.lax.reduce_and": lambda: lax.reduce_and(jnp.asarray(i), (0,)),
    "jax.lax.reduce_or": lambda: lax.reduce_or(jnp.asarray(i), (0,)),
    "jax.lax.reduce_xor": lambda: lax.reduce_xor(jnp.asarray(i), (0,)),
    "jax.lax.empty": lambda: list(lax.empty((2, 3), "float32").shape),
    "jax.lax.stack jax.lax.unstack": lambda: [
        lax.stack([jnp.asarray(x), jnp.asarray(x)], axis=1),
        lax.unstack(jnp.asarray(m), 1),
    ],
    "jax.lax.exp2": lambda: lax.exp2(jnp.asarray(both)),
    "jax.lax.polygamma jax.lax.zeta": lambda: [lax.polygamma(1.0, 2.5), lax.zeta(2.0, 3.0)],
    "jax.random.lognormal": lambda: jax.random.lognormal(jax.random.PRNGKey(0), 2.0, (3,)),
    "jax.random.triangular": lambda: jax.random.triangular(
        jax.random.PRNGKey(0), 0.0, 0.3, 2.0, (4,)
    ),
    "jax.random.clone": lambda: jax.random.clone(jax.random.PRNGKey(3)),
    "jax.scipy.special.beta": lambda: special.beta(both[4:], 1.5),
    "jax.scipy.special.factorial": lambda: [special.factorial(i), special.factorial(-1.5)],
    "jax.scipy.special.gammasgn": lambda: special.gammasgn(
        np.array([-2.5, -1.5, -1, 0, -0.0, 2], np.float32)
    ),
    "jax.scipy.special.rel_entr": lambda: special.rel_entr(both, unit[1]),
    "jax.scipy.special.kl_div": lambda: special.kl_div(both[3:], both[3:][::-1]),
    "jax.scipy.special.softmax": lambda: [special.softmax(m), special.softmax(m, axis=0)],
    "jax.scipy.special.log_softmax": lambda: special.log_softmax(m, axis=1),
    "jax.scipy.special.boxcox": lambda: [
        special.boxcox(x, 0),
        special.boxcox(x, 0.5),
        special.boxcox(x, -2),
    ],
    "jax.scipy.special.boxcox1p": lambda: [special.boxcox1p(x, 0), special.boxcox1p(x, 0.5)],
    "jax.scipy.linalg.hilbert": lambda: linalg.hilbert(4),
    "jax.scipy.linalg.circulant": lambda: linalg.circulant(x),
    "jax.scipy.linalg.hankel": lambda: [
        linalg.hankel(x),
        linalg.hankel(x, np.array([9, 8, 7], np.float32)),
    ],
    "jax.scipy.stats.sem": lambda: [
        stats.sem(m),
        stats.sem(m, axis=None),
        stats.sem(m, axis=1, ddof=0),
    ],
    "jax.scipy.stats.norm.logsf": lambda: stats.norm.logsf(both, 0.5, 2),
    "jax.scipy.stats.uniform.cdf jax.scipy.stats.uniform.ppf": lambda: [
        stats.uniform.cdf(unit, 0.5, 2),
        stats.uniform.ppf(unit, 0.5, 2),
    ],
    **{
        f"jax.scipy.stats.expon.{name}": lambda name=name: getattr(stats.expon, name)(unit, 0.1, 2)
        for name in ("cdf", "logcdf", "logsf", "ppf", "sf")
    },
    "jax.dtypes.itemsize_bits": lambda: [
        jax.dtypes.itemsize_bits("float32"),
        jax.dtypes.itemsize_bits(jnp.int4),
    ],
    "jax.numpy.clip(min, max)": lambda: [
        jnp.clip(x, min=1.5),
        jnp.clip(x, max=2),
    ],
    "jax.numpy.std(correction) jax.numpy.var(correction)": lambda: [
        jnp.std(m, correction=1),
        jnp.var(m, axis=1, correction=0),
    ],
    "jax.numpy.zeros(device)": lambda: jnp.zeros((2,), device=jax.devices("cpu")[0]),
    "jax.numpy.ones(device)": lambda: jnp.ones(2, device=None),
    "jax.numpy.full(device)": lambda: (
        jnp.full((2,), 3, device=jax.devices("cpu")[0]).devices() == {jax.devices("cpu")[0]}
    ),
    "jax.numpy.asarray(device)": lambda: jnp.asarray(x, device=jax.devices("cpu")[0]),
    "jax.numpy.arange(device)": lambda: jnp.arange(3, device=jax.devices("cpu")[0]),
    "jax.numpy.sort(stable) jax.numpy.argsort(stable)": lambda: [
        jnp.sort(x, stable=True),
        jnp.argsort(x, stable=True, descending=False),
    ],
    "jax.numpy.reshape(shape)": lambda: jnp.reshape(m, shape=(3, 2)),
    "jax.numpy.matmul(out_sharding) jax.lax.exp(accuracy)": lambda: [
        jnp.matmul(m, m.T, out_sharding=None),
        lax.exp(x, accuracy=None),
    ],
    "jax.lax.fori_loop(unroll)": lambda: lax.fori_loop(0, 4, lambda _, a: a * 2, 1.0, unroll=2),
    "jax.lax.map(batch_size)": lambda: (
        lax.map(lambda a: a.sum(), cube, batch_size=None)
        + lax.map(lambda a: a.sum(), jnp.arange(10.0).reshape(5, 2), batch_size=2)[:2]
    ),
    "jax.numpy.linalg.pinv(rtol)": lambda: la.pinv(m, rtol=1e-3),
    "jax.numpy.matmul(no_such)": lambda: failing(lambda: jnp.matmul(m, m.T, no_such=None)),
    "jax.numpy.astype": lambda: converted(jnp.astype),
    "jax.numpy.concat": lambda: joined(jnp.concat),
    "jax.numpy.vecdot": lambda: dot_products(jnp.vecdot),
    "jax.numpy.linalg.vecdot": lambda: dot_products(la.vecdot),
    "jax.numpy.matvec": lambda: products(jnp.matvec, np.s_[:], np.s_[:, 0]),
    "jax.numpy.vecmat": lambda: products(jnp.vecmat, np.s_[:, :, 0], np.s_[:]),
    "jax.numpy.array(device)": lambda: placed(jnp.array, signed),
    "jax.numpy.empty(device)": lambda: placed(jnp.empty, (2, 3)),
    "jax.numpy.empty_like(device)": lambda: placed(jnp.empty_like, signed),
    "jax.numpy.full_like(device)": lambda: placed(jnp.full_like, signed, 2),
    "jax.numpy.ones_like(device)": lambda: placed(jnp.ones_like, signed),
    "jax.numpy.zeros_like(device)": lambda: placed(jnp.zeros_like, signed),
    "jax.numpy.eye(device)": lambda: placed(jnp.eye, 3),
    "jax.numpy.linspace(device)": lambda: placed(jnp.linspace, 0, 1, 5),
    "jax.numpy.fft.fftfreq(device)": lambda: placed(jnp.fft.fftfreq, 5),
    "jax.numpy.fft.rfftfreq(device)": lambda: placed(jnp.fft.rfftfreq, 5),
    # ---- JAX's own by other names ------------------------------------------------------------
    **{
        f"jax.numpy.{name}": lambda name=name: getattr(jnp, name)(signed[0, 0] / 8)
        for name in ("acos", "asin", "asinh", "atan", "atanh")
    },
    "jax.numpy.acosh": lambda: jnp.acosh(cube + 1),
    "jax.numpy.atan2": lambda: jnp.atan2(signed, other),
    "jax.numpy.pow": lambda: jnp.pow(cube, 2 - m[:, :, None]),
    "jax.numpy.bitwise_invert": lambda: jnp.bitwise_invert(i),
    "jax.numpy.bitwise_left_shift jax.numpy.bitwise_right_shift": lambda: [
        jnp.bitwise_left_shift(i * 8, i),
        jnp.bitwise_right_shift(i * 8, i),
    ],
    "jax.numpy.permute_dims": lambda: jnp.permute_dims(cube, (2, 0, 1)),
    "jax.numpy.bool": lambda: jnp.bool(3),
    "jax.numpy.int2 jax.numpy.uint2": lambda: [
        np.dtype(
            getattr(jnp, name).dtype if hasattr(getattr(jnp, name), "dtype") else getattr(jnp, name)
        ).name
        for name in ("int2", "uint2")
    ],
    "jax.numpy.get_printoptions jax.numpy.printoptions jax.numpy.set_printoptions": print_options,
    "jax.lax.dtype": lambda: [str(lax.dtype(value)) for value in (x, i, 1.0, np.int8(3))],
}
