"""Reads programs back in a process that lowers none of their calls, and runs them.

read_back_program.py write FOLDER: writes programs, compiled and exported, that call functions by
versions 1 and 2. They are registered by JAX's function, and by a restored one.
read_back_program.py read FOLDER: registers the same functions, and runs what is there.
"""

import ctypes
import itertools
import os
import pathlib
import pickle
import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
import registering
from jax import export
from jax.experimental import serialize_executable
from jax.interpreters import mlir
from jax.lib import xla_client as old_xla_client
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

library = ctypes.CDLL(os.environ["OLD_PACKAGE_LIBRARY"])
address = ctypes.cast(library.add, ctypes.c_void_p).value
capsule = registering.capsule(address, b"xla._CUSTOM_CALL_TARGET")
register = {
    "jax": lambda name: xla_client.register_custom_call_target(name, capsule, platform="cpu"),
    "restored": lambda name: old_xla_client.register_cpu_custom_call_target(name, capsule),
}
# Each has a target of its own, so that no other program leads to it.
programs = {
    f"{by}.{version}.{kind}": (by, version, kind)
    for by, version, kind in itertools.product(register, (1, 2), ("compiled", "exported"))
}
for target, (by, _, _) in programs.items():
    register[by](target)
x, y = registering.like(1, 2, 3), registering.like(10, 20, 30)


def call_of(target, version):
    primitive = registering.Primitive("read_back")
    primitive.def_abstract_eval(lambda a, _: a)

    def lower(context, *operands):
        return stablehlo.CustomCallOp.build_generic(
            results=[operands[0].type],
            operands=list(operands),
            attributes={
                "call_target_name": ir.StringAttr.get(target),
                "has_side_effect": ir.BoolAttr.get(False),
                "called_computations": ir.ArrayAttr.get([]),
                "backend_config": ir.StringAttr.get(b""),
                "api_version": registering.i32(version),
            },
        ).results

    mlir.register_lowering(primitive, lower)
    return jax.jit(lambda a, b: primitive.bind(a, b))


def written(target, version, kind):
    call = call_of(target, version)
    if kind == "compiled":
        return pickle.dumps(serialize_executable.serialize(call.lower(x, y).compile()))
    checks = [export.DisabledSafetyCheck.custom_call(target)]
    return export.export(call, disabled_checks=checks)(x, y).serialize()


def read(kind, data):
    if kind == "exported":
        return export.deserialize(bytearray(data)).call
    return serialize_executable.deserialize_and_load(*pickle.loads(data))


mode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
for target, (_, version, kind) in programs.items():
    path = folder / target
    if mode == "write":
        path.write_bytes(written(target, version, kind))
    else:
        np.testing.assert_array_equal(read(kind, path.read_bytes())(x, y), x + y, target)
print(mode, "ok")
