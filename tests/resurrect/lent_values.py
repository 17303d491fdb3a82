"""Calls functions that an older JAX is lent, and prints as JSON, by name, what they give.

Without argument: as JAX has them. With "restored": under callbridge.resurrect.
"""

import json
import sys
import warnings

warnings.simplefilter("ignore")
RESTORED = sys.argv[1:] == ["restored"]
if RESTORED:
    import callbridge.resurrect  # noqa: F401

import dataclasses  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax.scipy.stats  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax, nn  # noqa: E402
from jax.scipy import linalg, special, stats  # noqa: E402

# Whose default is another since.
jax.config.update("jax_threefry_partitionable", False)
x = np.array([3, 1, 2, 1], np.float32)
i = np.array([3, 1, 2, 1], np.int32)
m = np.arange(6, dtype=np.float32).reshape(2, 3)
cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7
both = np.array([-2.5, -1, -0.5, 0, 0.3, 1, 2.5], np.float32)
unit = np.array([-0.1, 0, 0.25, 1, 1.5], np.float32)
la = jnp.linalg


def mesh(**keywords):
    return jax.make_mesh((1,), ("i",), devices=jax.devices("cpu")[:1], **keywords)


def auto():
    return {"axis_types": (jax.sharding.AxisType.Auto,)}


def explicit():
    """What is refused where there is none."""
    made = mesh(axis_types=(jax.sharding.AxisType.Auto,) * 2)
    return made.shape_tuple


def in_the_mesh(enter):
    with enter(mesh(**auto())):
        spec = jax.sharding.PartitionSpec("i")
        moved = jax.jit(lambda a: lax.with_sharding_constraint(a * 2, spec))(x)
        out = jax.shard_map(lambda a: lax.psum(a, "i"), in_specs=spec, out_specs=spec)(x)
        return [moved, out]


def mapped(f):
    spec = jax.sharding.PartitionSpec("i")
    return jax.shard_map(f, mesh=mesh(**auto()), in_specs=spec, out_specs=spec)(x)


@dataclasses.dataclass
class Point:
    x: int
    y: int = dataclasses.field(metadata={"static": True}, default=5)


def leaves(register):
    made = register(type("Point", (Point,), {}))
    return [
        jax.tree_util.tree_leaves(made(1, 2)),
        jax.tree_util.tree_map(lambda a: a, made(1, 2)).y,
    ]


def dnums():
    return lax.ScatterDimensionNumbers((), (0,), (0,))


CALLS = {
    "jnp.unique_all": lambda: jnp.unique_all(m % 2),
    "jnp.unique_counts": lambda: jnp.unique_counts(x, size=4, fill_value=9),
    "jnp.unique_inverse": lambda: jnp.unique_inverse(m % 2),
    "jnp.unique_values": lambda: jnp.unique_values(x),
    "jnp.trapezoid": lambda: [
        jnp.trapezoid(m),
        jnp.trapezoid(m, axis=0, dx=2.0),
        jnp.trapezoid(m, m * m),
        jnp.trapezoid(i),
        jnp.trapezoid(cube, np.array([0.0, 1, 3]), axis=1),
    ],
    "jnp.isdtype": lambda: [
        jnp.isdtype(np.dtype("int8"), ("signed integer", np.dtype("float32"))),
        jnp.isdtype(np.dtype("float32"), "integral"),
        jnp.isdtype(jnp.bfloat16, "real floating"),
        raised(lambda: jnp.isdtype(np.dtype("int8"), "x")),
    ],
    "jnp.cumulative_sum": lambda: [
        jnp.cumulative_sum(x),
        jnp.cumulative_sum(m, axis=1, include_initial=True),
        jnp.cumulative_sum(m, axis=-2, include_initial=True),
        raised(lambda: jnp.cumulative_sum(m)),
    ],
    "jnp.cumulative_prod": lambda: jnp.cumulative_prod(cube, axis=1, include_initial=True),
    "jnp.bitwise_count": lambda: jnp.bitwise_count(np.array([-7, 0, 255, 1], np.int32)),
    "jnp.unstack": lambda: jnp.unstack(cube, axis=1),
    "jnp.fill_diagonal": lambda: [
        jnp.fill_diagonal(m, 9, inplace=False),
        jnp.fill_diagonal(m.T, x[:2], inplace=False),
        jnp.fill_diagonal(np.zeros((2, 2, 2)), 1, inplace=False),
        raised(lambda: jnp.fill_diagonal(m, 9)),
    ],
    "jnp.put_along_axis": lambda: [
        jnp.put_along_axis(m, np.array([[0], [2]]), 9, axis=1, inplace=False),
        jnp.put_along_axis(m, np.array([0, 5]), np.array([7, 8]), axis=None, inplace=False),
        raised(lambda: jnp.put_along_axis(m, np.array([[0], [2]]), 9, axis=1)),
    ],
    "jnp.spacing": lambda: jnp.spacing(both),
    "jnp.ndim": lambda: [jnp.ndim(cube), jnp.shape(cube), jnp.size(cube), jnp.size(cube, 1)],
    "jnp.linalg.cross": lambda: la.cross(cube[:, :, 0], cube[:, :, 1]),
    "jnp.linalg.diagonal": lambda: la.diagonal(cube, offset=1),
    "jnp.linalg.trace": lambda: la.trace(cube, offset=1),
    "jnp.linalg.matmul": lambda: la.matmul(m, m.T),
    "jnp.linalg.tensordot": lambda: la.tensordot(cube, m, axes=((1,), (1,))),
    "jnp.linalg.outer": lambda: [la.outer(x, x), raised(lambda: la.outer(m, m))],
    "jnp.linalg.matrix_transpose": lambda: la.matrix_transpose(cube),
    "jnp.linalg.matrix_norm": lambda: [
        la.matrix_norm(cube),
        la.matrix_norm(m, ord=1, keepdims=True),
    ],
    "jnp.linalg.vector_norm": lambda: [
        la.vector_norm(cube),
        la.vector_norm(cube, axis=1),
        la.vector_norm(cube, axis=(0, 2), ord=1),
        la.vector_norm(cube, keepdims=True),
        la.vector_norm(cube, axis=(0, 1), keepdims=True),
    ],
    "jnp.linalg.svdvals": lambda: la.svdvals(m),
    "nn.mish": lambda: [nn.mish(both), nn.mish(2)],
    "nn.sparse_plus": lambda: nn.sparse_plus(both),
    "nn.sparse_sigmoid": lambda: nn.sparse_sigmoid(both),
    "nn.squareplus": lambda: [nn.squareplus(both), nn.squareplus(both, 1)],
    "nn.identity": lambda: nn.identity(x),
    "nn.log1mexp": lambda: nn.log1mexp(both[4:]),
    "nn.logmeanexp": lambda: [
        nn.logmeanexp(m),
        nn.logmeanexp(m, axis=1, keepdims=True),
        nn.logmeanexp(m, where=m > 1),
    ],
    "nn.initializers.truncated_normal": lambda: nn.initializers.truncated_normal(0.5)(
        jax.random.PRNGKey(0), (3,)
    ),
    "scipy.integrate": lambda: jax.scipy.integrate.trapezoid(m),
    "jax.process_indices": lambda: jax.process_indices(),
    "lax.split": lambda: [lax.split(jnp.asarray(x), (1, 3)), raised(lambda: lax.split(x, (1, 1)))],
    "lax.tile": lambda: lax.tile(jnp.asarray(m), (2, 1)),
    "lax.scatter_sub": lambda: lax.scatter_sub(
        jnp.asarray(x), np.array([[1]], np.int32), np.array([2], np.float32), dnums()
    ),
    "lax.reduce_sum": lambda: lax.reduce_sum(jnp.asarray(cube), (0, 2)),
    "lax.reduce_max": lambda: lax.reduce_max(jnp.asarray(cube), axes=(1,)),
    "lax.reduce_min": lambda: lax.reduce_min(jnp.asarray(cube), (1,)),
    "lax.reduce_prod": lambda: lax.reduce_prod(jnp.asarray(m), (1,)),
    "lax.reduce_and": lambda: lax.reduce_and(jnp.asarray(i), (0,)),
    "lax.reduce_or": lambda: lax.reduce_or(jnp.asarray(i), (0,)),
    "lax.reduce_xor": lambda: lax.reduce_xor(jnp.asarray(i), (0,)),
    "lax.empty": lambda: list(lax.empty((2, 3), "float32").shape),
    "lax.stack": lambda: [
        lax.stack([jnp.asarray(x), jnp.asarray(x)], axis=1),
        lax.unstack(jnp.asarray(m), 1),
    ],
    "lax.exp2": lambda: lax.exp2(jnp.asarray(both)),
    "lax.polygamma": lambda: [lax.polygamma(1.0, 2.5), lax.zeta(2.0, 3.0)],
    "lax.pcast": lambda: mapped(lambda a: lax.pcast(a * 2, (), to="varying")),
    "random.lognormal": lambda: jax.random.lognormal(jax.random.PRNGKey(0), 2.0, (3,)),
    "random.triangular": lambda: jax.random.triangular(jax.random.PRNGKey(0), 0.0, 0.3, 2.0, (4,)),
    "random.clone": lambda: jax.random.clone(jax.random.PRNGKey(3)),
    "special.beta": lambda: special.beta(both[4:], 1.5),
    "special.factorial": lambda: [special.factorial(i), special.factorial(-1.5)],
    "special.gammasgn": lambda: special.gammasgn(
        np.array([-2.5, -1.5, -1, 0, -0.0, 2], np.float32)
    ),
    "special.rel_entr": lambda: special.rel_entr(both, unit[1]),
    "special.kl_div": lambda: special.kl_div(both[3:], both[3:][::-1]),
    "special.softmax": lambda: [special.softmax(m), special.softmax(m, axis=0)],
    "special.log_softmax": lambda: special.log_softmax(m, axis=1),
    "special.boxcox": lambda: [special.boxcox(x, 0), special.boxcox(x, 0.5), special.boxcox(x, -2)],
    "special.boxcox1p": lambda: [special.boxcox1p(x, 0), special.boxcox1p(x, 0.5)],
    "linalg.hilbert": lambda: linalg.hilbert(4),
    "linalg.circulant": lambda: linalg.circulant(x),
    "linalg.hankel": lambda: [linalg.hankel(x), linalg.hankel(x, np.array([9, 8, 7], np.float32))],
    "stats.sem": lambda: [stats.sem(m), stats.sem(m, axis=None), stats.sem(m, axis=1, ddof=0)],
    "stats.norm.logsf": lambda: stats.norm.logsf(both, 0.5, 2),
    "stats.uniform": lambda: [stats.uniform.cdf(unit, 0.5, 2), stats.uniform.ppf(unit, 0.5, 2)],
    "stats.expon": lambda: [
        getattr(stats.expon, name)(unit, 0.1, 2) for name in ("cdf", "logcdf", "logsf", "ppf", "sf")
    ],
    "jax.make_mesh": lambda: [mesh().shape_tuple, mesh(**auto()).shape_tuple, raised(explicit)],
    "jax.set_mesh": lambda: in_the_mesh(jax.set_mesh),
    "jax.jit": lambda: jax.jit(static_argnames="n")(lambda a, n: a * n)(x, n=3),
    "tree_util.register_dataclass": lambda: leaves(jax.tree_util.register_dataclass),
    "primitives.jit_p": lambda: primitive("jit_p").multiple_results,
    "primitives.sin_p": lambda: primitive("sin_p").name,
    "dtypes.itemsize_bits": lambda: [
        jax.dtypes.itemsize_bits("float32"),
        jax.dtypes.itemsize_bits(jnp.int4),
    ],
    "dlpack.is_supported_dtype": lambda: jax.dlpack.is_supported_dtype("float32"),
    "distributed.is_initialized": lambda: jax.distributed.is_initialized(),
    # ---- Parameters --------------------------------------------------------------------------
    "jnp.clip(min, max)": lambda: [
        jnp.clip(x, min=1.5),
        jnp.clip(x, max=2),
    ],
    "jnp.std(correction)": lambda: [jnp.std(m, correction=1), jnp.var(m, axis=1, correction=0)],
    "jnp.zeros(device)": lambda: [
        jnp.zeros((2,), device=jax.devices("cpu")[0]),
        jnp.ones(2, device=None),
        jnp.full((2,), 3, device=jax.devices("cpu")[0]).devices() == {jax.devices("cpu")[0]},
        jnp.asarray(x, device=jax.devices("cpu")[0]),
        jnp.arange(3, device=jax.devices("cpu")[0]),
    ],
    "jnp.sort(stable)": lambda: [
        jnp.sort(x, stable=True),
        jnp.argsort(x, stable=True, descending=False),
    ],
    "jnp.reshape(shape)": lambda: jnp.reshape(m, shape=(3, 2)),
    "jnp.matmul(out_sharding)": lambda: [
        jnp.matmul(m, m.T, out_sharding=None),
        lax.exp(x, accuracy=None),
    ],
    "lax.fori_loop(unroll)": lambda: lax.fori_loop(0, 4, lambda _, a: a * 2, 1.0, unroll=2),
    "lax.map(batch_size)": lambda: (
        lax.map(lambda a: a.sum(), cube, batch_size=None)
        + lax.map(lambda a: a.sum(), jnp.arange(10.0).reshape(5, 2), batch_size=2)[:2]
    ),
    "jnp.linalg.pinv(rtol)": lambda: la.pinv(m, rtol=1e-3),
    "jax.vmap(sum_match)": lambda: jax.vmap(jnp.sin, sum_match=False)(x),
    "jnp.no_such": lambda: raised(lambda: jnp.matmul(m, m.T, no_such=None)),
}


def primitive(name):
    from jax.extend.core import primitives

    return getattr(primitives, name)


def raised(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def shown(value):
    if isinstance(value, (list, tuple, dict)):
        return [shown(part) for part in (value.values() if isinstance(value, dict) else value)]
    if hasattr(value, "shape"):
        array = np.asarray(value)
        return [
            str(array.dtype),
            list(array.shape),
            [repr(part) for part in array.ravel().tolist()],
        ]
    return value


found = {}
for name, call in CALLS.items():
    try:
        found[name] = shown(call())
    except Exception as error:
        found[name] = f"failed, {type(error).__name__}: {error}".partition("\n")[0][:200]
print(json.dumps(found))
