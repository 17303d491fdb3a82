"""Uses of callbridge as users write them. `make lint` checks them with mypy, and that each line
with an ignored error has that error; nothing runs this file."""

import ctypes
import pathlib

import callbridge.jax
import callbridge.library
import callbridge.numpy
import callbridge.torch
import jax
import numpy as np
from callbridge.typing import Abi, JaxTree, NumpyArray, NumpyTree
from typing_extensions import assert_type

array = np.zeros(8, np.float32)
like = jax.ShapeDtypeStruct((8,), np.float32)

# ---- The result's type is that of `result` ------------------------------------------------------

library = callbridge.library.load("old.so", isolate=True)
assert_type(library.run("f", [array], like), NumpyArray)
assert_type(library.run("f", (array, (array, (array,))), (like, (like,))), tuple[NumpyTree, ...])
assert_type(library.run("f", [array], "(f32[8],s32[])"), NumpyTree)
assert_type(callbridge.numpy.custom_call("f", array)(array), NumpyArray)
assert_type(callbridge.numpy.custom_call("f", "f32[8]")(np.float32(1)), NumpyTree)
assert_type(callbridge.jax.custom_call("f", like)(array), jax.Array)
assert_type(callbridge.jax.custom_call("f", (like, like))(array), tuple[JaxTree, ...])
assert_type(callbridge.jax.custom_call("f", "f32[8]")((array, array)), JaxTree)
assert_type(library.targets[0].abi, Abi | None)
assert_type(callbridge.jax.upgrade(b"ML\xefR"), bytes)
assert_type(callbridge.jax.upgrade("module {}", prefer="typed"), str)

assert_type(callbridge.numpy.load("old.so", isolate=True), callbridge.library.Library)
assert_type(callbridge.torch.load("old.so"), callbridge.library.Library)
module_path: pathlib.Path = pathlib.Path("old.so")
callbridge.numpy.load(path=module_path)

compiled = jax.jit(callbridge.jax.custom_call("f", like))

# ---- Options ------------------------------------------------------------------------------------

numbers = {"factor": 2}
callbridge.jax.custom_call(
    "f",
    like,
    abi="typed_ffi",
    platform="CUDA",
    attributes={"x": 1, "array": array, "inner": {"text": "a", "bytes": b"b", "f": np.float32(1)}},
    vmap_method="broadcast_all",
    input_layouts=[(1, 0), None],
    output_layouts=(0,),
    input_output_aliases={0: 0},
    command_buffer_compatible=True,
    scratch_bytes=1024,
)
callbridge.jax.load("gpu.so", command_buffer_compatible=["f", "g"])
callbridge.jax.load("gpu.so", command_buffer_compatible=True)
callbridge.jax.register("f", 4096, "CUDA", "typed_ffi", command_buffer_compatible=True)
callbridge.numpy.custom_call("f", like, opaque=memoryview(b"x"), attributes=numbers)
callbridge.numpy.custom_call("f", like, operator_info={"inputs": [{"name": "x"}], "target": "CPU"})
library.run("f", [array], like, operator_info='{"target": "CPU"}')
callbridge.torch.custom_call("f", like, opaque=b"", mutated_operands=[0], vmap_method=lambda x: x)
symbols = ctypes.CDLL("old.so")
callbridge.numpy.register("f", symbols.f, "cpu", "original")
callbridge.jax.register("g", {"execute": symbols.g, "prepare": symbols.prepare}, abi="typed_ffi")
callbridge.jax.register("h", 4096, abi="typed_ffi")


callbridge.numpy.register("of_python", ctypes.CFUNCTYPE(None, ctypes.c_void_p)(print))

# ---- Errors that a type checker finds -----------------------------------------------------------

library.run("f", [array], "f32[8]", abi="orignal")  # type: ignore[call-overload]
library.run("f", [array], "f32[8]", tuple_layout="old")  # type: ignore[call-overload]
library.run("f", [array], 8)  # type: ignore[call-overload]
library.run("f", [None], "f32[8]")  # type: ignore[list-item]
callbridge.numpy.custom_call("f", like, prefer="typed")  # type: ignore[call-overload]
callbridge.jax.custom_call("f", like, prefer="fastest")  # type: ignore[call-overload]
callbridge.jax.custom_call("f", like, opaque="text")  # type: ignore[call-overload]
callbridge.jax.custom_call("f", like, vmap_method="all")  # type: ignore[call-overload]
callbridge.jax.custom_call("f", like, operator_info=["CPU"])  # type: ignore[call-overload]
callbridge.jax.custom_call("f", like, platform="tpu")  # type: ignore[call-overload]
callbridge.jax.register("f", "symbol")  # type: ignore[arg-type]
callbridge.jax.load("f", command_buffer_compatible=1)  # type: ignore[arg-type]
callbridge.jax.upgrade(1)  # type: ignore[type-var]
callbridge.numpy.load("f", isolated=True)  # type: ignore[call-arg]
callbridge.numpy.load("f", isolate="yes")  # type: ignore[arg-type]
callbridge.numpy.register("f", 4096, "tpu")  # type: ignore[arg-type]
callbridge.numpy.register("f", 4096, command_buffer_compatible=True)  # type: ignore[call-arg]
callbridge.numpy.register_type("f")  # type: ignore[call-arg]
callbridge.torch.register("f", 4096, abi="orignal")  # type: ignore[arg-type]
callbridge.torch.custom_call("f", like, prefer="typed")  # type: ignore[call-arg]
callbridge.torch.custom_call("f", like, backward=1)  # type: ignore[arg-type]
