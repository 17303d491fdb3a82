"""Registers a typed handler as programs of 2024 did, by xla_client, and calls it."""

import ctypes
import os
import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
from callbridge._function_address import make_capsule
from jax.lib import xla_client

platform = os.environ["OLD_PACKAGE_PLATFORM"]
handler = ctypes.cast(ctypes.CDLL(sys.argv[1]).typed_scale, ctypes.c_void_p).value
xla_client.register_custom_call_target(
    "scale", make_capsule(handler), platform=platform, api_version=1
)
x = np.array([1, 2, 3], np.float32)
scale = jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct((3,), np.float32))
np.testing.assert_array_equal(jax.jit(lambda x: scale(x, factor=np.float32(3)))(x), 3 * x)
print("typed: ok")
