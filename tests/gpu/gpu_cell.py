"""Cells of the GPU rows: the calls of each row in this process's XLA:GPU, compared with NumPy.

  gpu_cell.py LIBRARY ROW...

LIBRARY is one of tests/gpu/targets, a ROW a function below. Prints a line of JSON for each row:
{"row": ..., "release": ..., "paths": [...], "lacking": [...], "calls": N}. Goes on after a row with
an error, and fails in the end.
"""

import argparse
import ctypes
import json
import pathlib
import struct
import sys
import traceback

import callbridge.jax
import jax
import numpy as np


def leaf(*shape, dtype=np.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


class Checks:
    """Runs functions by jax.jit, and counts the results that are NumPy's, bit for bit."""

    def __init__(self, library):
        self.library = library
        self.path = None
        self.paths = []
        self.lacking = []
        self.count = 0

    def each_path(self):
        """Takes each path that this runtime has for untyped targets, one after the other."""
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

    def unless_lacking(self, what, run):
        """Runs what this runtime may not have; it must say so then, or which runtime has it.

        XLA's own headers make of the former an error of theirs.
        """
        try:
            run()
        except Exception as error:
            text = f"{getattr(error, 'code', '')} {error}"
            if "UNIMPLEMENTED" not in text and "needs the XLA FFI" not in text:
                raise
            self.lacking.append(what)

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
            assert str(error).count("CustomCall failed") <= 1, error
        else:
            raise AssertionError(f"no failure of {words!r}")


A, B, C = np.random.default_rng(0).uniform(-1, 1, (3, 300)).astype(np.float32)
N = struct.pack("Q", 300)
S = np.float32(0.25)


# ---- Rows of untyped functions ------------------------------------------------------------------


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
    if len(jax.devices()) > 1 and hasattr(jax, "shard_map"):
        mesh = jax.sharding.Mesh(jax.devices(), ("i",))
        spec = jax.sharding.PartitionSpec("i")
        half = check.call("gpu_square", leaf(150), opaque=struct.pack("Q", 150))
        # XLA knows nothing of how the result depends on the operand.
        no_check = {"check_vma": False}
        mapped = jax.shard_map(half, mesh=mesh, in_specs=spec, out_specs=spec, **no_check)
        check.run(mapped, A, expected=A * A)


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


def transforms(check):
    """vmap, a derivative of its own, and an exported program."""
    seven = struct.pack("Q", 7)
    call = check.call("gpu_square", leaf(7), opaque=seven, vmap_method="sequential")
    rows = A[:21].reshape(3, 7)
    check.run(jax.vmap(call), rows, expected=rows * rows)

    @jax.custom_jvp
    def square(x):
        return call(x)

    @square.defjvp
    def derivative(primals, tangents):
        return square(*primals), 2 * primals[0] * tangents[0]

    check.run(jax.grad(lambda x: square(x).sum()), A[:7], expected=2 * A[:7])
    if not hasattr(jax, "export"):
        return
    from jax import export

    checks = [export.DisabledSafetyCheck.custom_call("gpu_square")]
    if check.path == "typed":
        checks.append(export.DisabledSafetyCheck.custom_call("gpu_square_typed"))
    exported = export.export(jax.jit(call), platforms=["cuda"], disabled_checks=checks)(rows[0])
    again = export.deserialize(exported.serialize())
    check.run(again.call, rows[1], expected=rows[1] * rows[1])


# ---- Rows of typed handlers ---------------------------------------------------------------------


def typed(check):
    """The handlers of one binary; what this runtime has not is refused by name."""
    symbols = ctypes.CDLL(str(check.library))

    def registered(name, **stages):
        handlers = {"execute": getattr(symbols, name)}
        handlers.update((stage, getattr(symbols, symbol)) for stage, symbol in stages.items())
        callbridge.jax.register(name, handlers, platform="CUDA", abi="typed_ffi")
        return name

    call = check.call(registered("gpu_typed_square"), leaf(300))
    check.run(call, A, expected=A * A)
    call = check.call(registered("gpu_typed_trees"), (leaf(300), (leaf(300), leaf())))
    check.run(call, (A, (B, S)), C, expected=(A + B * C, (A - C, S)))
    name = registered("gpu_typed_sum_bytes")
    for content in [b"", b"\0\xff\0'\"", bytes(range(256))]:
        call = check.call(name, leaf(dtype=np.int32), attributes={"bytes": content})
        check.run(call, expected=np.int32(sum(content)))
    name = registered("gpu_typed_fails")
    call = check.call(name, leaf(dtype=np.int32), attributes={"message": "no luck"})
    check.fails(call, words="no luck")

    def scratch():
        call = check.call(registered("gpu_typed_scratch"), leaf(300))
        check.run(call, A, expected=A)

    def ordinal():
        call = check.call(registered("gpu_typed_ordinal"), leaf(dtype=np.int32))
        for number, device in enumerate(jax.devices()):
            with jax.default_device(device):
                check.equal(jax.jit(call)(), np.int32(number))

    def state():
        if hasattr(symbols, "gpu_call_counter_id"):
            pointers = [symbols.gpu_call_counter_id]
            if hasattr(symbols, "gpu_call_counter_info"):
                pointers.append(symbols.gpu_call_counter_info)
            for function in pointers:
                function.restype = ctypes.c_void_p
            callbridge.jax.register_type("gpu_call_counter", *(f() for f in pointers))
        name = registered("gpu_typed_count", instantiate="gpu_typed_count_instantiate")
        jitted = jax.jit(check.call(name, leaf(dtype=np.int32), has_side_effect=True))
        for calls in (1, 2, 3):
            check.equal(jitted(), np.int32(calls))

    def stages():
        name = "gpu_typed_stages"
        registered(name, prepare=f"{name}_prepare", initialize=f"{name}_initialize")
        check.run(check.call(name, leaf(dtype=np.int32)), expected=np.int32(3))

    check.unless_lacking("scratch memory", scratch)
    if hasattr(symbols, "gpu_typed_ordinal"):
        ordinal()  # on a runtime that cannot say it, callbridge asks the driver
    if hasattr(symbols, "gpu_typed_count"):
        check.unless_lacking("state", state)
    if hasattr(symbols, "gpu_typed_stages"):
        check.unless_lacking("stages", stages)


def exported(check):
    """Handlers that CALLBRIDGE_EXPORT makes; the opaque is an attribute."""
    symbols = ctypes.CDLL(str(check.library))
    for name in ("gpu_exported_square", "gpu_exported_fails"):
        handler = getattr(symbols, name)
        callbridge.jax.register(name, handler, platform="CUDA", abi="typed_ffi")
    call = check.call("gpu_exported_square", leaf(300), attributes={"opaque": N})
    check.run(call, A, expected=A * A)
    call = check.call("gpu_exported_fails", leaf())
    check.run(call, np.float32(3), expected=np.float32(3))
    call = check.call("gpu_exported_fails", leaf(), attributes={"opaque": "out of luck"})
    check.fails(call, np.float32(3), words="CustomCall failed: out of luck")


UNTYPED = (
    *(original, tuples, zero_size, status_returning, opaque, aliases, devices),
    *(control_flow, transforms),
)
TYPED = (typed, exported)


def main():
    parser = argparse.ArgumentParser()
    rows = {row.__name__: row for row in (*UNTYPED, *TYPED)}
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("rows", choices=rows, nargs="+")
    options = parser.parse_args()
    outcomes = [outcome(options.library, rows[name]) for name in options.rows]
    sys.exit(0 if all(outcomes) else 1)


def outcome(library, row):
    """Prints what came of a row. Returns whether it is right."""
    check = Checks(library)
    try:
        if row in TYPED:
            row(check)
        else:
            callbridge.jax.load(library)
            for _ in check.each_path():
                row(check)
    except Exception:
        traceback.print_exc()
        return False
    found = {"release": jax.__version__, "paths": check.paths, "lacking": check.lacking}
    print(json.dumps({"row": row.__name__, **found, "calls": check.count}), flush=True)
    return True


if __name__ == "__main__":
    main()
