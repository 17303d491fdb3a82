"""Calls a nested-layout target with a tuple operand as XLA:CPU does, without callbridge in between.

Run in a process of its own: it is expected to die. XLA flattens the tuple, the target takes the
first array's data for a table of pointers, and follows them.
"""

import ctypes
import sys

import callbridge.library
import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

try:
    from jax import ffi
except ImportError:  # before 0.5
    from jax.extend import ffi


def lower(ctx, a, b, c, d):
    """custom_call @gather_tuple((a, (b, c), d)) -> (f32[480], f32[3]), api_version 3."""
    result_types = [ir.RankedTensorType.get([n], ir.F32Type.get()) for n in (480, 3)]
    call = stablehlo.CustomCallOp(
        [ir.TupleType.get_tuple(result_types)],
        [stablehlo.tuple([a, stablehlo.tuple([b, c]), d])],
        call_target_name="gather_tuple",
        api_version=ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 3),
    )
    return [stablehlo.get_tuple_element(call, i) for i in range(len(result_types))]


library = callbridge.library.load(sys.argv[1])
function = ctypes.CFUNCTYPE(None)(library.target("gather_tuple").address)
ffi.register_ffi_target("gather_tuple", ffi.pycapsule(function), "cpu", api_version=0)
gather = Primitive("gather_tuple")
gather.multiple_results = True
gather.def_abstract_eval(
    lambda *_: (jax.core.ShapedArray((480,), np.float32), jax.core.ShapedArray((3,), np.float32))
)
mlir.register_lowering(gather, lower)
arrays = [jnp.ones(n, jnp.float32) for n in (32, 64, 128, 256)]
print(jax.jit(lambda *arrays: gather.bind(*arrays))(*arrays))
