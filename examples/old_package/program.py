"""The rest of that package, as it was written for jaxlib 0.3 and 0.4, and a program that uses it.

program.py LIBRARY: prints twice [1, 2, 3], by the function in the library that twice.cc makes.
"""

import ctypes
import sys

import jax
import jax.numpy as jnp
from jax import core, lib
from jax.interpreters import mlir, xla
from jaxlib.hlo_helpers import custom_call

library = ctypes.CDLL(sys.argv[1])
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = (
    ctypes.py_object,
    [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
)
lib.xla_client.register_custom_call_target(
    b"twice",
    capsule(ctypes.cast(library.twice, ctypes.c_void_p), b"xla._CUSTOM_CALL_TARGET", None),
    "cpu",
)

twice = core.Primitive("twice")
twice.def_impl(lambda x: xla.apply_primitive(twice, x))
twice.def_abstract_eval(lambda x: core.ShapedArray(x.shape, x.dtype))


def lower(ctx, x):
    return custom_call("twice", [x.type], [x], operand_layouts=[[0]], result_layouts=[[0]])


mlir.register_lowering(twice, lower, platform="cpu")
print(jax.jit(twice.bind)(jnp.array([1.0, 2.0, 3.0])))
