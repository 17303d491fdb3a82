"""XLA:GPU's own kernels, which the stand-in interprets, against NumPy, bit for bit.

Prints JSON: {"exact": {"name": "" or what was wrong, ...}, "near": {...}}.
"""

import json

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

random = np.random.default_rng(0)
EDGES = [0, -0.0, 1, -1, 0.5, 2.5, 3.5, np.inf, -np.inf, np.nan, 1e-40, -1e-42, 3.4e38, 2.0**31]
F32 = np.concatenate([random.standard_normal(1000) * 100, EDGES]).astype(np.float32)
F64 = np.concatenate([random.standard_normal(1000) * 100, EDGES])
FINITE = random.standard_normal(1000) * 1e4
I32 = random.integers(-(2**31), 2**31, 500).astype(np.int32)
I32[:6] = [0, 1, -1, -(2**31), 2**31 - 1, 7]
I64 = random.integers(-(2**63), 2**63 - 1, 500)
I64[:6] = [0, 1, -1, -(2**63), 2**63 - 1, 7]
SMALL = random.integers(0, 256, (37, 53))
MATRIX = random.integers(-50, 50, (37, 53)).astype(np.float32)


def while_loop(x):
    return jax.lax.while_loop(
        lambda c: jnp.sum(c[1]) < 1000, lambda c: (c[0] + 1, c[1] + 3), (0, jnp.zeros_like(x))
    )


def rolled(roll, x):
    for i in range(10):
        x = x + roll(x, 1) * np.int32(i)
    return x


def truncated_remainder(a, b):
    return (a - b * np.trunc(a / b)).astype(a.dtype)


def updated(x):
    x = x.copy()
    x[3:7] = x[:4] * 2
    return x


# name: the function of JAX, its arguments, the function of NumPy.
EXACT = {
    "multiply_add": (lambda x: x * 2 + 1, [F32], lambda x: x * 2 + 1),
    "multiply_add_f64": (lambda x: x * 2 + 1, [F64], lambda x: x * 2 + 1),
    "where": (lambda x: jnp.where(x > 0, x, -x), [F32], lambda x: np.where(x > 0, x, -x)),
    "compare": (
        lambda x, y: (x < y, x >= y, x == y, x != y),
        [F32, F32[::-1]],
        lambda x, y: (x < y, x >= y, x == y, x != y),
    ),
    "divide": (lambda x, y: x / y, [F32, F32[::-1]], lambda x, y: x / y),
    "divide_f64": (lambda x, y: x / y, [F64, F64[::-1]], lambda x, y: x / y),
    "square_root": (lambda x: jnp.sqrt(x), [F32], np.sqrt),
    "square_root_f64": (lambda x: jnp.sqrt(x), [F64], np.sqrt),
    "round": (
        lambda x: (jnp.floor(x), jnp.ceil(x), jnp.round(x), jnp.trunc(x)),
        [F32],
        lambda x: (np.floor(x), np.ceil(x), np.round(x), np.trunc(x)),
    ),
    "minimum_maximum": (
        lambda x, y: (jnp.minimum(x, y), jnp.maximum(x, y)),
        # Of 0 and -0 NumPy returns either.
        [F32[np.isfinite(F32) & (F32 != 0)], np.roll(F32[np.isfinite(F32) & (F32 != 0)], 1)],
        lambda x, y: (np.minimum(x, y), np.maximum(x, y)),
    ),
    "classify": (
        lambda x: (jnp.isnan(x), jnp.isinf(x), jnp.signbit(x)),
        [F32],
        lambda x: (np.isnan(x), np.isinf(x), np.signbit(x)),
    ),
    "f64_to_f32": (lambda x: x.astype(np.float32), [F64], lambda x: x.astype(np.float32)),
    "f32_to_f64": (lambda x: x.astype(np.float64), [F32], lambda x: x.astype(np.float64)),
    "f64_to_s64": (lambda x: x.astype(np.int64), [FINITE], lambda x: x.astype(np.int64)),
    "f32_to_s8": (
        lambda x: x.astype(np.int8),
        [(FINITE / 400).astype(np.float32)],
        lambda x: np.clip(x, -128, 127).astype(np.int8),
    ),
    "s64_to_f32": (lambda x: x.astype(np.float32), [I64], lambda x: x.astype(np.float32)),
    "s64_to_f64": (lambda x: x.astype(np.float64), [I64], lambda x: x.astype(np.float64)),
    "narrow": (
        lambda x: (x.astype(np.int8), x.astype(np.uint16), x.astype(np.int64), x != 0),
        [I32],
        lambda x: (x.astype(np.int8), x.astype(np.uint16), x.astype(np.int64), x != 0),
    ),
    "integer_division": (
        lambda x, y: (jax.lax.div(x, y), jax.lax.rem(x, y)),
        [I32[5:], np.roll(I32[5:], 1)],
        lambda x, y: (
            np.trunc(x / y.astype(np.float64)).astype(np.int32),
            np.fmod(x, y),
        ),
    ),
    "remainder_s64": (jax.lax.rem, [I64[5:], np.roll(I64[5:], 1)], np.fmod),
    "shift": (
        lambda x: (x << 3, x >> 5, jax.lax.shift_right_logical(x, np.int32(5))),
        [I32],
        lambda x: (x << 3, x >> 5, (x.view(np.uint32) >> np.uint32(5)).view(np.int32)),
    ),
    "bits": (
        lambda x: (x & 0xFF, x | 7, x ^ -1, ~x, jax.lax.population_count(x)),
        [I64],
        lambda x: (
            x & 0xFF,
            x | 7,
            x ^ -1,
            ~x,
            np.array([bin(int(v) & (2**64 - 1)).count("1") for v in x]),
        ),
    ),
    "bitcast": (
        lambda x: jax.lax.bitcast_convert_type(x, np.int32),
        [F32],
        lambda x: x.view(np.int32),
    ),
    "u64": (
        lambda x: (x * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(7),
        [I64.astype(np.uint64)],
        lambda x: (x * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(7),
    ),
    "u8": (lambda x: x * x + x // 3, [SMALL.astype(np.uint8)], lambda x: x * x + x // 3),
    "complex": (
        lambda x: (x + 1j * x) * (2 - 1j),
        [SMALL.astype(np.float64)],
        lambda x: (x + 1j * x) * (2 - 1j),
    ),
    "iota": (lambda x: jnp.arange(1000) + x[0], [I64], lambda x: np.arange(1000) + x[0]),
    "broadcast": (
        lambda x: x[:, None] * x[None, :50],
        [I32[:60]],
        lambda x: x[:, None] * x[None, :50],
    ),
    "transpose": (lambda x: x.T + 1, [MATRIX], lambda x: x.T + 1),
    "reverse": (lambda x: x[::-1] + 0, [I32], lambda x: x[::-1]),
    "concatenate": (
        lambda x: jnp.concatenate([x, x * 2]),
        [I32],
        lambda x: np.concatenate([x, x * 2]),
    ),
    "pad": (lambda x: jnp.pad(x, 3), [MATRIX], lambda x: np.pad(x, 3)),
    "dynamic_slice": (
        lambda x, i: jax.lax.dynamic_slice(x, (i,), (5,)),
        [I32, np.int32(490)],
        lambda x, i: x[i : i + 5],
    ),
    "dynamic_update_slice": (
        lambda x, i: jax.lax.dynamic_update_slice(x, x[:4] * 2, (i,)),
        [I32, np.int32(3)],
        lambda x, i: updated(x),
    ),
    "gather": (lambda x, i: x[i], [I32, np.array([3, 1, 400])], lambda x, i: x[i]),
    "scatter": (
        lambda x, i: jnp.zeros(9, x.dtype).at[i].add(x),
        [MATRIX[0], np.arange(53) % 9],
        lambda x, i: np.bincount(i, x, 9).astype(np.float32),
    ),
    "one_hot": (lambda x: jax.nn.one_hot(x, 7), [SMALL[0] % 7], lambda x: np.eye(7)[x]),
    "sum": (lambda x: jnp.sum(x), [I32], lambda x: np.sum(x, dtype=np.int64)),
    "sum_f64": (lambda x: jnp.sum(x), [SMALL.astype(np.float64)], np.sum),
    "sum_of_rows": (lambda x: jnp.sum(x, 1), [MATRIX], lambda x: np.sum(x, 1)),
    "sum_of_columns": (lambda x: jnp.sum(x, 0), [MATRIX], lambda x: np.sum(x, 0)),
    "long_sum": (
        lambda x: jnp.sum(x),
        [np.arange(100000, dtype=np.int64) * 123457],
        np.sum,
    ),
    "maximum_of_all": (lambda x: jnp.max(x), [MATRIX], np.max),
    "argmax": (lambda x: jnp.argmax(x, 1), [MATRIX], lambda x: np.argmax(x, 1)),
    "any": (lambda x: (jnp.any(x > 48), jnp.all(x > -51)), [MATRIX], lambda x: (True, True)),
    "product_s64": (lambda x: jnp.prod(x), [I64[5:] | 1], np.prod),
    "cumulative_sum": (lambda x: jnp.cumsum(x), [I64], np.cumsum),
    "sort": (lambda x: jnp.sort(x), [I32], np.sort),
    "for_loop": (
        lambda x: jax.lax.fori_loop(0, 10, lambda i, c: c + jnp.roll(c, 1) * i, x),
        [I32],
        lambda x: rolled(np.roll, x),
    ),
    "while_loop": (while_loop, [I32[:7]], lambda x: (48, np.full(7, 144, np.int32))),
    "scan": (
        lambda x: jax.lax.scan(lambda c, y: (c + y, c * y), np.int64(1), x),
        [I64[:20]],
        lambda x: (1 + np.sum(x), (1 + np.concatenate([[0], np.cumsum(x)[:-1]])) * x),
    ),
    "cond": (
        lambda x: jax.lax.cond(x[5] > 0, lambda x: x + 1, lambda x: x - 1, x),
        [I32],
        lambda x: x + np.int32(1),
    ),
    "reduce_window": (
        lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (3, 3), (1, 1), "SAME"),
        [MATRIX],
        lambda x: sum(np.pad(x, 1)[i : i + 37, j : j + 53] for i in range(3) for j in range(3)),
    ),
    "histogram": (
        lambda x: jnp.bincount(x, length=256),
        [SMALL.ravel()],
        lambda x: np.bincount(x, minlength=256),
    ),
}
# What may differ in the last places: of libdevice, which most releases of XLA have inside.
NEAR = {
    "exp": (jnp.exp, [(FINITE / 1000).astype(np.float32)], np.exp),
    "log": (jnp.log, [np.abs(FINITE).astype(np.float32)], np.log),
    "sin": (jnp.sin, [(FINITE / 1000).astype(np.float32)], np.sin),
    "tanh": (jnp.tanh, [(FINITE / 10000).astype(np.float32)], np.tanh),
    "exp_f64": (jnp.exp, [FINITE / 1000], np.exp),
    "log_f64": (jnp.log, [np.abs(FINITE)], np.log),
}


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(tree)]


def same_bits(got, expected):
    bits = f"u{got.itemsize}" if got.dtype.kind == "f" else got.dtype
    nan = got != got
    return np.array_equal(nan, expected != expected) and np.array_equal(
        got[~nan].view(bits), expected[~nan].view(bits)
    )


def compare(name, got, expected):
    """What is wrong with the results, or nothing."""
    for g, e in zip(leaves(got), leaves(expected), strict=True):
        e = e.astype(g.dtype) if name != "narrow" else e
        if g.shape != e.shape:
            return f"expected the shape {e.shape}, got {g.shape}"
        if name in NEAR:
            limit = 4 * np.finfo(g.dtype).eps
            if not np.allclose(g, e, rtol=limit, atol=limit / 16):
                return f"expected {e}, got {g}"
        elif not same_bits(np.atleast_1d(g), np.atleast_1d(e)):
            wrong = np.flatnonzero(~((g == e) | ((g != g) & (e != e))).ravel())
            at = wrong[0] if len(wrong) else None
            return (
                f"{len(wrong)} of {g.size}: at {at} expected {e.ravel()[at]}, got {g.ravel()[at]}"
            )
    return ""


def outcomes_of(cases):
    outcomes = {}
    for name, (function, arguments, expected) in cases.items():
        with np.errstate(all="ignore"):
            wanted = expected(*arguments)
        try:
            got = jax.device_get(jax.jit(function)(*map(jnp.asarray, arguments)))
            outcomes[name] = compare(name, got, wanted)
        except jax.errors.JaxRuntimeError as error:
            outcomes[name] = str(error)
    return outcomes


if __name__ == "__main__":
    assert jax.devices()[0].platform == "gpu", jax.devices()
    print(json.dumps({"exact": outcomes_of(EXACT), "near": outcomes_of(NEAR)}))
