"""Registers a typed handler with traits by JAX's own function, as old programs do.

    traits_program.py native|resurrect LIBRARY

Prints how many graphs three runs launched, or JAX's error.
"""

import ctypes
import sys

import jax
import numpy as np
from callbridge._core._native_functions import make_capsule
from jaxlib import xla_client

_, WAY, LIBRARY = sys.argv
VECTOR = jax.ShapeDtypeStruct((100,), np.float32)

if WAY == "resurrect":
    import callbridge.resurrect  # noqa: F401


handler = ctypes.cast(ctypes.CDLL(LIBRARY).without, ctypes.c_void_p).value
jax.devices()  # before, JAX would keep the registration and not start
try:
    xla_client.register_custom_call_target(
        "registered with traits",
        make_capsule(handler),
        platform="CUDA",
        api_version=1,
        traits=xla_client.CustomCallTargetTraits.COMMAND_BUFFER_COMPATIBLE,
    )
except Exception as error:
    print(error)
    sys.exit()
driver = ctypes.CDLL("libcuda.so.1")
before = driver.standin_calls(b"cuGraphLaunch", None)
x = np.arange(100, dtype=np.float32)
call = jax.jit(jax.ffi.ffi_call("registered with traits", VECTOR))
for _ in range(3):
    assert np.asarray(call(x)).tobytes() == x.tobytes()
print(driver.standin_calls(b"cuGraphLaunch", None) - before)
