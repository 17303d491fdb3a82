"""Registers handlers for CUDA by JAX's own functions, under callbridge.resurrect, and calls them in
this process's XLA:GPU.

  registered_program.py LIBRARY: typed handlers of tests/gpu/targets, built with any headers
"""

import ctypes
import pathlib
import sys

import jax
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "resurrect"))
import registering  # noqa: E402
from registering import xla_client  # noqa: E402

import callbridge.resurrect  # noqa: E402, F401  # isort: skip
from callbridge.jax._runtimes import RUNTIME  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

library = registering.Library(sys.argv[1])
A = np.arange(300, dtype=np.float32)
traits = xla_client.CustomCallTargetTraits
COMPATIBLE = traits.COMMAND_BUFFER_COMPATIBLE


def register(name, fn, given_traits=traits.DEFAULT):
    xla_client.register_custom_call_target(name, fn, "CUDA", 1, given_traits)


def pointer(symbol):
    function = getattr(library._library, symbol)
    function.restype = ctypes.c_void_p
    return registering.capsule(function())


def check(name, calls):
    for how, lowering in registering.lowerings().items():
        square = registering.caller(lowering, name, A)
        np.testing.assert_array_equal(square(A), A * A, f"{name} by {how}")
        calls.append(name)


calls = []
register("pends", library.handler("gpu_typed_square"))
register("pends, compatible", library.handler("gpu_typed_square"), COMPATIBLE)
stateful = library.has("gpu_typed_count") and RUNTIME.has_instantiate
if stateful:
    # Before the type that it needs.
    stages = {
        "instantiate": library.handler("gpu_typed_count_instantiate"),
        "execute": library.handler("gpu_typed_count"),
    }
    register("counts", stages)
    if library.has("gpu_call_counter_id"):
        entry = {"type_id": pointer("gpu_call_counter_id")}
        if library.has("gpu_call_counter_info"):
            entry["type_info"] = pointer("gpu_call_counter_info")
            xla_client.register_custom_type("gpu_call_counter", entry, "CUDA")
        else:
            type_id = entry["type_id"]
            xla_client.register_custom_type_id("gpu_call_counter", type_id, "CUDA")
assert jax.devices()[0].platform == "gpu"
register("later", library.handler("gpu_typed_square"))
register("later, compatible", library.handler("gpu_typed_square"), COMPATIBLE)
for name in ("pends", "pends, compatible", "later", "later, compatible"):
    check(name, calls)
    register(name, library.handler("gpu_typed_square"), COMPATIBLE if "comp" in name else 0)
register("fails", library.handler("gpu_typed_fails"))
fails = registering.caller(
    registering.by_mlir,
    "fails",
    np.zeros((), np.int32),
    lambda: {"message": ir.StringAttr.get("no luck")},
)
try:
    jax.block_until_ready(fails())
except Exception as error:
    assert "no luck" in str(error), error
else:
    raise AssertionError("no error")
if stateful:
    count = registering.caller(registering.by_mlir, "counts", np.zeros((), np.int32))
    assert [int(count()) for _ in range(3)] == [1, 2, 3]
    calls.append("counts")
print(len(calls), "calls ok")
