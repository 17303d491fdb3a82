"""of_2023.py LIBRARY: a program as GPU packages of 2023 were, by `python -m callbridge.resurrect`.

As KeOps, celerite or triton kernels did it: capsules registered for platform "gpu", a lowering rule
for "gpu" that emits a custom call with the sizes in its opaque.
"""

import ctypes
import functools
import os
import struct
import sys

import jax
import numpy as np
from jax import core
from jax.interpreters import mlir, xla
from jax.lib import xla_client
from jaxlib.hlo_helpers import custom_call

# The package's own library has the status functions inside; this one takes callbridge's.
ctypes.CDLL(os.environ["CALLBRIDGE_LIBRARY"], ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(sys.argv[1])
names = (ctypes.c_char_p * 32)()
functions = (ctypes.c_void_p * 32)()
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype = ctypes.py_object
capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
for i in range(library.gpu_targets(names, functions)):
    xla_client.register_custom_call_target(
        names[i].decode(), capsule(functions[i], b"xla._CUSTOM_CALL_TARGET", None), platform="gpu"
    )


def lowering(target, context, x, *, opaque):
    return custom_call(
        target,
        result_types=[x.type],
        operands=[x],
        operand_layouts=[range(len(context.avals_in[0].shape) - 1, -1, -1)],
        result_layouts=[range(len(context.avals_out[0].shape) - 1, -1, -1)],
        backend_config=opaque,
        api_version=2,
    ).results


def primitive(target):
    made = core.Primitive(target)
    made.def_impl(functools.partial(xla.apply_primitive, made))
    made.def_abstract_eval(lambda x, *, opaque: core.ShapedArray(x.shape, x.dtype))
    mlir.register_lowering(made, functools.partial(lowering, target), platform="gpu")
    return made


square = primitive("gpu_square")
nonnegative = primitive("gpu_nonnegative")
x = np.arange(-2, 3, dtype=np.float32)
opaque = struct.pack("Q", 5)
for _ in range(2):
    np.testing.assert_array_equal(jax.jit(lambda x: square.bind(x, opaque=opaque))(x), x * x)
assert jax.jit(lambda x: nonnegative.bind(x, opaque=b""))(np.float32(2)) == 2
try:
    jax.block_until_ready(jax.jit(lambda x: nonnegative.bind(x, opaque=b""))(np.float32(-2)))
except Exception as error:
    assert "CustomCall failed: negative operand" in str(error), error
    assert str(error).count("CustomCall failed") == 1, error
else:
    raise AssertionError("a negative number was accepted")
print("of 2023: ok")
