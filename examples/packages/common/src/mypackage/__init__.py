"""mypackage: functions in C++ for JAX."""

import jax
import numpy as np

from mypackage import _handlers
from mypackage._ffi import ffi_call, register_ffi_target

__all__ = ["scaled_add"]

# XLA has one table of names for all packages of a process: this one's begin with its own name.
for _platform, _handler in _handlers.handlers("ScaledAdd").items():
    register_ffi_target("mypackage.scaled_add", _handler, platform=_platform)


def scaled_add(x: jax.Array, y: jax.Array, scale: float) -> jax.Array:
    """Returns scale * x + y, of float32 arrays of one shape."""
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    call = ffi_call("mypackage.scaled_add", result, vmap_method="broadcast_all")
    return call(x, y, scale=np.float32(scale))
