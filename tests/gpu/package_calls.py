"""Calls CUDA targets of a published package, compiled years ago, by callbridge.jax.

    package_calls.py MODULE CASE

MODULE is the compiled module's file, CASE one of those below. Prints a line for each call that
succeeded, or the error of the first that did not; exits 1 if a result is not NumPy's.
"""

import importlib.util
import pathlib
import sys

import callbridge.jax
import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
RANDOM = np.random.default_rng(8)


def imported(path):
    name = pathlib.Path(path).name.partition(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def register(capsules, abi):
    """Under other names: JAX itself may have a newer function of the old one's."""
    print(f"{len(capsules)} targets")
    for name, capsule in capsules.items():
        callbridge.jax.register(f"old {name}", capsule, platform="CUDA", abi=abi)


def form(shape, dtype):
    return jax.ShapeDtypeStruct(shape, dtype)


def call(target, result, *operands, **options):
    """On the first GPU, in a jitted function."""
    operands = jax.device_put(operands, jax.devices("cuda")[0])
    function = callbridge.jax.custom_call(f"old {target}", result, platform="CUDA", **options)
    return jax.tree.map(np.asarray, jax.jit(function)(*operands))


def check(what, found, expected, tolerance=0.0):
    if tolerance:
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=what)
    else:
        np.testing.assert_array_equal(found, expected, err_msg=what)
    print(f"{what}: ok")


def threefry(keys, counts):
    """Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 20 rounds."""
    rotations = (13, 15, 26, 6), (17, 29, 16, 24)
    schedule = [*keys, keys[0] ^ keys[1] ^ np.uint32(0x1BD11BDA)]
    x, y = counts[0] + schedule[0], counts[1] + schedule[1]
    for group in range(5):
        for distance in rotations[group % 2]:
            x = x + y
            y = (y << np.uint32(distance) | y >> np.uint32(32 - distance)) ^ x
        x = x + schedule[(group + 1) % 3]
        y = y + schedule[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def prng(module):
    register(module.registrations(), "status_returning")
    for size in (1, 1000, 100_003):
        words = RANDOM.integers(0, 2**32, (4, size), np.uint32)
        results = call(
            "cu_threefry2x32",
            (form((size,), np.uint32),) * 2,
            *words,
            opaque=module.threefry2x32_descriptor(size),
        )
        check(f"cu_threefry2x32 of {size}", results, threefry(words[:2], words[2:]))


def linalg(module):
    typed = ("cu_lu_pivots_to_permutation",)
    capsules = module.registrations()
    register({name: capsules[name] for name in typed}, "typed_ffi")
    register({n: c for n, c in capsules.items() if n not in typed}, "status_returning")
    batch, size = 5, 37
    pivots = np.stack([RANDOM.integers(i, size, batch) for i in range(size)], 1).astype(np.int32)
    expected = np.tile(np.arange(size, dtype=np.int32), (batch, 1))
    for row, swaps in zip(expected, pivots, strict=True):
        for i, j in enumerate(swaps):
            row[[i, j]] = row[[j, i]]
    permutations = call(
        "cu_lu_pivots_to_permutation",
        form((batch, size), np.int32),
        pivots,
        attributes={
            "batch_size": np.int64(batch),
            "pivot_size": np.int32(size),
            "permutation_size": np.int32(size),
        },
    )
    check("cu_lu_pivots_to_permutation", permutations, expected)


def factors(lu):
    return np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype), np.triu(lu)


def check_lu(what, matrix, lu, pivots):
    lower, upper = factors(lu)
    product = lower @ upper
    for i in reversed(range(len(pivots))):
        j = pivots[i] - 1
        product[[i, j]] = product[[j, i]]
    check(what, product, matrix, 1e-5)


def solver(module):
    register(module.registrations(), "status_returning")
    size = 24
    matrix = RANDOM.standard_normal((size, size), np.float32)
    work, opaque = module.build_getrf_descriptor(np.dtype(np.float32), 1, size, size)
    # The target's matrices are column-major, and JAX's rows are their columns.
    lu, pivots, info, _ = call(
        "cusolver_getrf",
        (
            form((size, size), np.float32),
            form((size,), np.int32),
            form((1,), np.int32),
            form((work,), np.float32),
        ),
        np.ascontiguousarray(matrix.T),
        opaque=opaque,
        input_output_aliases={0: 0},
    )
    check("cusolver_getrf's info", info, [0])
    check_lu("cusolver_getrf", matrix, lu.T, pivots)


def blas(module):
    register(module.registrations(), "status_returning")
    batch, size = 3, 8
    matrices = RANDOM.standard_normal((batch, size, size), np.float32)
    work, opaque = module.build_getrf_batched_descriptor(np.dtype(np.float32), batch, size)
    lu, pivots, info, _ = call(
        "cublas_getrf_batched",
        (
            form(matrices.shape, np.float32),
            form((batch, size), np.int32),
            form((batch,), np.int32),
            form((work,), np.int8),
        ),
        np.ascontiguousarray(matrices.transpose(0, 2, 1)),
        opaque=opaque,
        input_output_aliases={0: 0},
    )
    check("cublas_getrf_batched's info", info, np.zeros(batch))
    for matrix, found, swaps in zip(matrices, lu, pivots, strict=True):
        check_lu("cublas_getrf_batched", matrix, found.T, swaps)


def compressed_rows(matrix):
    """Column indices, and where each row begins in them."""
    starts = np.concatenate([[0], np.cumsum(matrix.sum(1))])
    return np.nonzero(matrix)[1].astype(np.int32), starts.astype(np.int32)


def brainpylib(module):
    register(module.registrations(), "original")
    rows, columns = 67, 41
    matrix = RANDOM.random((rows, columns)) < 0.3
    indices, starts = compressed_rows(matrix)
    # Small integers, so that each sum is exact, in whatever order.
    for dtype, word in zip((np.float32, np.float64), ("float", "double"), strict=True):
        values = RANDOM.integers(-8, 8, len(indices)).astype(dtype)
        dense = np.zeros((rows, columns), dtype)
        dense[np.nonzero(matrix)] = values
        vector = RANDOM.integers(-8, 8, columns).astype(dtype)
        opaque = module.build_double_size_descriptor(rows, columns)
        two = np.full(1, 2, dtype)
        for kind in ("scalar", "vector"):
            for data, weights in (("homo", two), ("heter", values)):
                target = f"csrmv_{data}_{kind}_{word}_int"
                found = call(
                    target, form((rows,), dtype), weights, indices, starts, vector, opaque=opaque
                )
                expected = (2 * matrix if data == "homo" else dense) @ vector
                check(target, found, expected.astype(dtype))
        events = RANDOM.random(columns) < 0.5
        target = f"event_csrmv_heter_{word}_int_bool"
        found = call(target, form((rows,), dtype), values, indices, starts, events, opaque=opaque)
        check(target, found, dense @ events)
        # Adds atomically.
        events = RANDOM.random(rows) < 0.5
        target = f"event_csrmv_heter_{word}_int_bool_transpose"
        found = call(
            target, form((columns,), dtype), values, indices, starts, events, opaque=opaque
        )
        check(target, found, events @ dense)


def flash_attention(module):
    register(module.get_registrations(), "original")
    shape = batch, length, heads, depth = 2, 64, 3, 32
    scale = 0.25
    q, k, v = (RANDOM.standard_normal(shape).astype(np.float16) for _ in range(3))
    opaque = module.make_flash_mha_fwd_args(
        0.0, scale, False, -1, -1, False, *shape, length, heads, module.FP16, 0
    )
    found, _ = call(
        "flash_mha_fwd",
        (form(shape, np.float16), form((batch, heads, length), np.float32)),
        *(q, k, v),
        opaque=opaque,
    )
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    weights = np.exp(scale * np.einsum("nihd,njhd->nhij", q, k))
    weights /= weights.sum(-1, keepdims=True)
    check("flash_mha_fwd", found, np.einsum("nhij,njhd->nihd", weights, v), 2e-3)


CASES = {case.__name__: case for case in (prng, linalg, solver, blas, brainpylib, flash_attention)}


def main():
    path, case = sys.argv[1:]
    module = imported(path)
    try:
        CASES[case](module)
    except (callbridge.CallbridgeError, RuntimeError) as error:
        print(f"refused: {error}")


if __name__ == "__main__":
    main()
