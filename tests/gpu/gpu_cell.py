"""One cell of the GPU rows: the calls of one row in this process's XLA:GPU, compared with NumPy.

  gpu_cell.py ROW FOLDER [--native]

FOLDER has the libraries of tests/gpu/targets. --native: the same calls without callbridge, as this
JAX registers and calls them. Prints JSON: {"paths": [...], "calls": N}, or ends with the error.
"""

import argparse
import json
import pathlib
import struct
import sys

import callbridge.jax
import jax
import numpy as np
from native_calls import NativeCalls


def leaf(*shape, dtype=np.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


class ThroughCallbridge:
    """Calls by each path that this runtime has."""

    def __init__(self, folder):
        self.folder = folder
        self.paths = []
        self.path = None

    def load(self, library):
        callbridge.jax.load(self.folder / library)

    def each_path(self):
        for path in ("version_3", "typed"):
            self.path = path
            try:
                self.call("gpu_ordinal", leaf(dtype=np.int32))
            except callbridge.jax.CallbridgeError as error:
                if error.code != "UNIMPLEMENTED":
                    raise
                continue
            self.paths.append(path)
            yield

    def call(self, target, result, **options):
        return callbridge.jax.custom_call(
            target, result, platform="CUDA", prefer=self.path, **options
        )


class Checks:
    """Runs functions by jax.jit, and counts the results that are NumPy's, bit for bit."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.call = runtime.call
        self.count = 0

    def equal(self, got, expected):
        self.count += 1
        if isinstance(expected, tuple):
            assert type(got) is tuple and len(got) == len(expected), f"{got!r} for {expected!r}"
            for one, other in zip(got, expected):  # noqa: B905
                self.equal(one, other)
            return
        got, expected = np.asarray(got), np.asarray(expected)
        same = (got.dtype, got.shape) == (expected.dtype, expected.shape)
        assert same and got.tobytes() == expected.tobytes(), f"{got!r} for {expected!r}"

    def run(self, function, *operands, expected):
        jitted = jax.jit(function)
        for _ in range(2):
            self.equal(jitted(*operands), expected)

    def fails(self, function, *operands, words):
        self.count += 1
        try:
            jax.block_until_ready(jax.jit(function)(*operands))
        except Exception as error:
            assert words in str(error), f"without {words!r}: {error}"
        else:
            raise AssertionError(f"no failure of {words!r}")


A, B, C = np.random.default_rng(0).uniform(-1, 1, (3, 300)).astype(np.float32)
N = struct.pack("Q", 300)
S = np.float32(0.25)


# ---- Rows ---------------------------------------------------------------------------------------


def original(check):
    check.run(check.call("gpu_square", leaf(300), opaque=N), A, expected=A * A)
    other = check.call("gpu_square", leaf(7), opaque=struct.pack("Q", 7))
    check.run(lambda x: other(other(x)), A[:7], expected=(A[:7] ** 2) ** 2)


def tuples(check):
    call = check.call("gpu_trees", (leaf(300), (leaf(300), leaf())), opaque=N)
    check.run(call, (A, (B, S)), C, expected=(A + B * C, (A - C, S)))


def zero_size(check):
    call = check.call("gpu_copy_behind_nothing", (leaf(0), leaf(300)), opaque=N)
    check.run(call, np.zeros(0, np.float32), A, expected=(np.zeros(0, np.float32), A))


def status_returning(check):
    call = check.call("gpu_nonnegative", leaf())
    for _ in range(2):
        check.run(call, np.float32(2), expected=np.float32(2))
        check.fails(call, np.float32(-2), words="CustomCall failed: negative operand")


def opaque(check):
    for content in [b"", b"\0\xff\0'\"", bytes(range(256))]:
        call = check.call("gpu_add_opaque", leaf(), opaque=content)
        check.run(call, np.float32(0.5), expected=np.float32(0.5 + sum(content)))
    call = check.call("gpu_fails_with_opaque", leaf(), opaque=b"the disk is full")
    check.fails(call, np.float32(1), words="CustomCall failed: the disk is full")


def aliases(check):
    result = (leaf(300), leaf(dtype=np.int32))
    call = check.call("gpu_buffers", result, opaque=N, input_output_aliases={0: 0})
    check.run(call, A, expected=(A, np.int32(1)))
    donated = jax.jit(call, donate_argnums=0)
    check.equal(donated(jax.device_put(A)), (A, np.int32(1)))


def devices(check):
    call = check.call("gpu_ordinal", leaf(dtype=np.int32))
    for ordinal, device in enumerate(jax.devices()):
        x = jax.device_put(np.float32(0), device)
        check.equal(jax.jit(call)(x), np.int32(ordinal))


def control_flow(check):
    call = check.call("gpu_square", leaf(300), opaque=N)

    def loop(x):
        return jax.lax.fori_loop(0, 3, lambda _, value: call(value), x)

    expected = A
    for _ in range(3):
        expected = expected * expected
    check.run(loop, A, expected=expected)

    def scan(x):
        return jax.lax.scan(lambda value, _: (call(value), value), x, None, length=3)

    check.run(scan, A, expected=(expected, np.stack([A, A * A, (A * A) ** 2])))


ROWS = {
    row.__name__: row
    for row in (
        *(original, tuples, zero_size, status_returning, opaque, aliases, devices),
        control_flow,
    )
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("row", choices=ROWS)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--native", action="store_true")
    options = parser.parse_args()
    runtime = (NativeCalls if options.native else ThroughCallbridge)(options.folder)
    runtime.load("untyped.so")
    check = Checks(runtime)
    for _ in runtime.each_path():
        ROWS[options.row](check)
    json.dump({"paths": runtime.paths, "calls": check.count}, sys.stdout)


if __name__ == "__main__":
    main()
