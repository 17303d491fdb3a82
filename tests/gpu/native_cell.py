"""Programs without callbridge's custom_call(): StableHLO text in this process's XLA:GPU.

  native_cell.py LIBRARY [--through-callbridge] PROGRAM...

LIBRARY is one of tests/gpu/targets, the programs are below. The targets are registered as this
jaxlib does it, or by callbridge.jax. Prints a line of JSON for each program: its results, or XLA's
error.
"""

import argparse
import ctypes
import json
import os
import pathlib
import struct

import callbridge.jax
import jax
import numpy as np
from callbridge._core._native_functions import make_capsule
from jaxlib import xla_client

try:
    from jaxlib import _hlo as hlo
except ImportError:
    from jaxlib.xla_client import _xla as hlo

X = "dense<[1.0, 2.0, 3.0]> : tensor<3xf32>"
N = struct.pack("Q", 3)


def text_of(data):
    return '"' + "".join(f"\\{byte:02X}" for byte in data) + '"'


def program(body, *results):
    types = ", ".join(f"tensor<{shape}>" for _, shape in results)
    values = ", ".join(value for value, _ in results)
    return f"func.func public @main() -> ({types}) {{\n{body}\nreturn {values} : {types}\n}}\n"


def call(target, operands, types, result, version=2, opaque=b""):
    config = "" if version == 4 else f", backend_config = {text_of(opaque)}"
    return (
        f'"stablehlo.custom_call"({operands}) {{call_target_name = "{target}", '
        f"api_version = {version} : i32, has_side_effect = true{config}}} : ({types}) -> {result}"
    )


def array_call(target, version=2, opaque=N):
    called = call(target, "%x", "tensor<3xf32>", "tensor<3xf32>", version, opaque)
    return program(f"%x = stablehlo.constant {X}\n%y = {called}", ("%y", "3xf32"))


def scalar_call(target, value, opaque=b""):
    called = call(target, "%x", "tensor<f32>", "tensor<f32>", 2, opaque)
    body = f"%x = stablehlo.constant dense<{value}> : tensor<f32>\n%y = {called}"
    return program(body, ("%y", "f32"))


def tuples():
    inner = "tuple<tensor<3xf32>, tensor<f32>>"
    outer = f"tuple<tensor<3xf32>, {inner}>"
    called = call("gpu_trees", "%ab, %x", f"{outer}, tensor<3xf32>", outer, 2, N)
    body = f"""%x = stablehlo.constant {X}
%s = stablehlo.constant dense<0.5> : tensor<f32>
%b = stablehlo.tuple %x, %s : {inner}
%ab = stablehlo.tuple %x, %b : {outer}
%r = {called}
%y = stablehlo.get_tuple_element %r[0] : ({outer}) -> tensor<3xf32>
%i = stablehlo.get_tuple_element %r[1] : ({outer}) -> {inner}
%z = stablehlo.get_tuple_element %i[0] : ({inner}) -> tensor<3xf32>
%t = stablehlo.get_tuple_element %i[1] : ({inner}) -> tensor<f32>"""
    return program(body, ("%y", "3xf32"), ("%z", "3xf32"), ("%t", "f32"))


def token():
    called = call("gpu_behind_token", "%t, %x", "!stablehlo.token, tensor<f32>", "tensor<f32>")
    body = f"""%t = stablehlo.create_token : !stablehlo.token
%x = stablehlo.constant dense<2.5> : tensor<f32>
%y = {called}"""
    return program(body, ("%y", "f32"))


def token_in_hlo():
    """The same in XLA's own text, which XLA reads."""
    text = """HloModule call_behind_token

ENTRY main {
  t = token[] after-all()
  x = f32[] constant(2.5)
  ROOT y = f32[] custom-call(t, x), custom_call_target="gpu_behind_token",
    custom_call_has_side_effect=true, api_version=API_VERSION_STATUS_RETURNING
}
"""
    module = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    to_mlir = xla_client._xla.mlir
    if hasattr(to_mlir, "hlo_to_stablehlo"):
        return to_mlir.hlo_to_stablehlo(module)
    return to_mlir.xla_computation_to_mlir_module(xla_client.XlaComputation(module))


PROGRAMS = {
    "version_1": lambda: array_call("gpu_square", 1),
    "version_2": lambda: array_call("gpu_square", 2),
    "version_3": lambda: array_call("gpu_square", 3),
    "tuples": tuples,
    "token": token,
    "token_in_hlo": token_in_hlo,
    "success": lambda: scalar_call("gpu_nonnegative", 2.0),
    "failure": lambda: scalar_call("gpu_nonnegative", -2.0),
    "binary_opaque": lambda: scalar_call("gpu_add_opaque", 0.5, b"\0\xff\0'\""),
    "unknown": lambda: array_call("gpu_unknown", 2),
    "typed": lambda: array_call("gpu_typed_square", 4),
}


def register(library):
    """As the library's own Python package would: its functions in capsules.

    Such a package has XLA's status functions in its library. This one takes callbridge's.
    """
    ctypes.CDLL(os.environ["CALLBRIDGE_LIBRARY"], ctypes.RTLD_GLOBAL)
    symbols = ctypes.CDLL(library)
    if not hasattr(symbols, "gpu_targets"):
        handler = ctypes.cast(symbols.gpu_typed_square, ctypes.c_void_p).value
        xla_client.register_custom_call_target(
            "gpu_typed_square", make_capsule(handler), platform="CUDA", api_version=1
        )
        return
    names = (ctypes.c_char_p * 32)()
    functions = (ctypes.c_void_p * 32)()
    for i in range(symbols.gpu_targets(names, functions)):
        xla_client.register_custom_call_target(
            names[i].decode(), make_capsule(functions[i]), platform="CUDA", api_version=0
        )


def run(text):
    device = jax.devices()[0]
    client = device.client
    if hasattr(client, "compile_and_load"):
        devices = (
            xla_client.DeviceList((device,)) if hasattr(xla_client, "DeviceList") else [device]
        )
        executable = client.compile_and_load(text, devices)
    else:
        executable = client.compile(text)
    results = executable.execute_sharded([]).disassemble_into_single_device_arrays()
    return [np.asarray(result[0]).tolist() for result in results]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--through-callbridge", action="store_true")
    parser.add_argument("programs", choices=PROGRAMS, nargs="+")
    options = parser.parse_args()
    if options.through_callbridge:
        callbridge.jax.load(pathlib.Path(options.library))
    else:
        register(options.library)
    for program in options.programs:
        try:
            outcome = run(PROGRAMS[program]())
        except RuntimeError as error:
            outcome = str(error)
        print(json.dumps({program: outcome}), flush=True)


if __name__ == "__main__":
    main()
