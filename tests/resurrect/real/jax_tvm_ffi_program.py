"""Calls Python functions as custom calls by jax-tvm-ffi, whose typed handler leads to whatever the
process registered with it; NumPy's values are the measure."""

import ctypes

import jax
import jax_tvm_ffi
import numpy as np
import tvm_ffi
from checks import check, report


def write(tensor, values):
    """Into a result, of which np.from_dlpack() makes an array that one may not write into."""
    ctypes.memmove(np.from_dlpack(tensor).ctypes.data, values.ctypes.data, values.nbytes)


def scale_and_add(factor, x, y, result):
    write(result, factor * np.from_dlpack(x) + np.from_dlpack(y))


jax_tvm_ffi.register_ffi_target(
    "scale_and_add",
    tvm_ffi.convert(scale_and_add),
    ["attrs.factor", "args", "rets"],
    platform="cpu",
    pass_owned_tensor=True,
)
x, y = np.random.default_rng(1).normal(size=(2, 3, 5)).astype(np.float32)
call = jax.ffi.ffi_call("scale_and_add", jax.ShapeDtypeStruct(x.shape, x.dtype))
for factor in (2.5, -1.0):
    check(call(x, y, factor=factor), np.float32(factor) * x + y, rtol=1e-6)
    check(
        jax.jit(lambda x, y, f=factor: call(x, y, factor=f))(x, y),
        np.float32(factor) * x + y,
        rtol=1e-6,
    )
report()
