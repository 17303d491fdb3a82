"""One cell of the grid: the calls of one row in this Python, whose results NumPy computes too.

  grid_cell.py ROW EMBEDDED|JAX LIBRARY [--headers N]

EMBEDDED is callbridge's own runtime, by callbridge.numpy; JAX this Python's, by callbridge.jax.
Prints JSON: {"paths": [...], "lacking": [...], "calls": N}, or ends with the error.
"""

import argparse
import contextlib
import ctypes
import importlib
import json
import pathlib
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "typed_ffi/suite")]

import cases  # noqa: E402
import headers  # noqa: E402
import numpy as np  # noqa: E402
import run_suite  # noqa: E402

# Of the suite of handlers: buffers, any number of them, attributes of each kind, failures, and what
# not every runtime has.
TYPED_CASES = [
    *("add", "add_rank_3", "copy_bytes", "all_remaining", "remaining_rets"),
    *("attr_string_bytes", "attr_array_s32", "dictionary", "fail_with_c", "long_message"),
    *("too_few_arguments", "run_id", "device_ordinal", "thread_pool"),
]


class Runtime:
    """A face of callbridge's, and how a result is waited for."""

    def __init__(self, name):
        self.is_jax = name == "JAX"
        self.face = importlib.import_module("callbridge.jax" if self.is_jax else "callbridge.numpy")
        self.paths = []

    def run(self, call, *operands):
        """The result, as tuples of NumPy arrays."""
        if not self.is_jax:
            return call(*operands)
        import jax

        result = jax.block_until_ready(jax.jit(call)(*operands))
        return jax.tree_util.tree_map(np.asarray, result)

    def each_path(self, target, result, **options):
        """The call by every path that this runtime has for untyped functions."""
        if not self.is_jax:
            yield self.face.custom_call(target, result, **options)
            return
        for path in ("version_3", "typed"):
            try:
                call = self.face.custom_call(target, result, prefer=path, **options)
            except self.face.CallbridgeError as error:
                if error.code != "UNIMPLEMENTED":
                    raise
                continue
            if path not in self.paths:
                self.paths.append(path)
            yield call

    def x64(self):
        if not self.is_jax:
            return contextlib.nullcontext()
        import jax

        if hasattr(jax, "enable_x64"):
            return jax.enable_x64(True)
        from jax.experimental import enable_x64

        return enable_x64()


def array(shape, dtype):
    return types.SimpleNamespace(shape=shape, dtype=np.dtype(dtype))


def check(got, expected):
    """AssertionError unless the trees are the same, bit for bit."""
    if isinstance(expected, tuple):
        assert type(got) is tuple and len(got) == len(expected), f"{got!r} for {expected!r}"
        for one, other in zip(got, expected):  # noqa: B905
            check(one, other)
        return
    got, expected = np.asarray(got), np.asarray(expected)
    same = (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert same and got.tobytes() == expected.tobytes(), f"{got!r} for {expected!r}"


def check_fails(runtime, call, operand, words):
    try:
        runtime.run(call, operand)
    except Exception as error:
        assert words in str(error), f"without {words!r}: {error}"
    else:
        raise AssertionError(f"no failure of {words!r}")


# ---- Rows ---------------------------------------------------------------------------------------

A, B, C = np.random.default_rng(0).uniform(-1, 1, (3, 64)).astype(np.float32)
N = np.int32(64)


def original(runtime, options):
    runtime.face.load(options.library)
    for call in runtime.each_path("square", array((64,), "f4")):
        check(runtime.run(call, N, A), A * A)


def original_tuples(runtime, options):
    runtime.face.load(options.library)
    leaf = array((64,), "f4")
    for call in runtime.each_path("trees", (leaf, (leaf,))):
        check(runtime.run(call, (A, (B, N)), C), (A + B * C, (A - C,)))


def status_returning(runtime, options):
    runtime.face.load(options.library)
    for call in runtime.each_path("nonnegative", array((), "f4")):
        for _ in range(2):
            check(runtime.run(call, np.float32(2)), np.float32(2))
            check_fails(runtime, call, np.float32(-2), "CustomCall failed: negative operand")


def unified(runtime, options):
    runtime.face.load(options.library)
    for opaque in [b"", b"\0\xff\0'\"", bytes(range(256))]:
        for call in runtime.each_path("add_opaque", array((), "f4"), opaque=opaque):
            check(runtime.run(call, np.float32(0.5)), np.float32(0.5 + sum(opaque)))


def typed(runtime, options):
    """The handlers of one binary; what the runtime does not offer is refused by name."""
    symbols = ctypes.CDLL(options.library)
    version = cases.OURS
    if runtime.is_jax:
        import jaxlib

        version = headers.number_of(jaxlib.__version__)
    # What callbridge.jax calls a handler by has codes from 0.4.34 on, as XLA has them.
    judged_as = argparse.Namespace(
        mode="cross_version" if runtime.is_jax else "host", headers=options.headers
    )
    lacking = set()
    wanted = [case for case in cases.CASES if case.name in TYPED_CASES]
    assert len(wanted) == len(TYPED_CASES)
    wanted = [case for case in wanted if case.since <= options.headers]
    registered = set()

    def call(case):
        if case.handler not in registered:
            handler = getattr(symbols, case.handler)
            runtime.face.register(case.handler, handler, abi="typed_ffi")
            registered.add(case.handler)
        results = tuple(array(v.dimensions, cases.NUMPY[v.type]) for v in case.results)
        attributes = {name: attribute(value) for name, value in case.attributes.items()}
        operands = [
            np.frombuffer(cases.to_bytes(v), cases.NUMPY[v.type]).reshape(v.dimensions)
            for v in case.operands
        ]
        target = runtime.face.custom_call(case.handler, results, attributes=attributes)
        with runtime.x64():
            return [np.asarray(value).tobytes() for value in runtime.run(target, *operands)]

    for case in wanted:
        outcome, text = run_suite.judge(case, judged_as, version, call)
        if outcome == "unimplemented":
            lacking.update(case.asks)
        elif outcome != "ok":
            raise AssertionError(f"{case.name}: {text or outcome}")
    return {"lacking": sorted(lacking), "calls": len(wanted)}


def mindspore_aot(runtime, options):
    """AOT operators: one and several results, attributes and workspaces, inferred results, each
    kind of element, and failures."""

    def operator(function, *result, **attributes):
        name = f"{options.library}:{function}"
        return runtime.face.custom_call(name, *result, attributes=attributes)

    leaf = array((64,), "f4")
    check(runtime.run(operator("Add", leaf), A, B), A + B)
    check(runtime.run(operator("AddMulDiv", (leaf,) * 3), A, B), (A + B, A * B, A / B))
    inferred = operator("AddMulDiv", (np.float32,) * 3)
    check(runtime.run(inferred, A, B), (A + B, A * B, A / B))
    # Of small integers, whose sums are the same in any order.
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for axis, keep_dim in ((0, False), (1, True)):
        call = operator("AddReduce", axis=np.int64(axis), keep_dim=keep_dim)
        for operand in (x, x.T.copy()):
            expected = (operand + operand).sum(axis=axis, keepdims=keep_dim)
            check(runtime.run(call, operand, operand), expected)
    describe = operator("Describe", array((64,), "u1"), workspaces=np.array([8], np.int64))
    for dtype, name in DTYPE_NAMES.items():
        with runtime.x64():
            described = runtime.run(describe, np.zeros((2, 3), dtype)).tobytes().rstrip(b"\0")
        assert described == f"2+1 no stream\n{name} 2 3\nuint8 64\nworkspace\n".encode(), described
    for way, words in (("code", "function(Fails) is 77. Any"), ("exception", "no licence")):
        call = operator("Fails", array((), "f4"), way=way)
        for _ in range(2):
            check_fails(runtime, call, np.float32(1), words)


DTYPE_NAMES = {
    **{np.dtype(name): name for name in ("float16", "float32", "float64")},
    **{
        np.dtype(f"{sign}int{bits}"): f"{sign}int{bits}"
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    **{np.dtype(name): name for name in ("bool", "complex64", "complex128")},
}


def attribute(value):
    """As callbridge's faces take it."""
    if isinstance(value, dict):
        return {name: attribute(element) for name, element in value.items()}
    if isinstance(value, cases.Scalar):
        return np.dtype(cases.NUMPY[value.type]).type(value.value)
    if isinstance(value, cases.Array):
        return np.array(value.values, cases.NUMPY[value.type])
    return value


ROWS = {
    function.__name__: function
    for function in (original, original_tuples, status_returning, unified, typed, mindspore_aot)
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("row", choices=ROWS)
    parser.add_argument("runtime", choices=("EMBEDDED", "JAX"))
    parser.add_argument("library")
    parser.add_argument("--headers", type=int, default=cases.OURS)
    options = parser.parse_args()
    runtime = Runtime(options.runtime)
    outcome = ROWS[options.row](runtime, options) or {}
    json.dump({"paths": runtime.paths, **outcome}, sys.stdout)


if __name__ == "__main__":
    main()
