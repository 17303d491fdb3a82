"""Registers a typed handler as programs of 2024 did, by xla_client, and calls it."""

import ctypes
import os
import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
from callbridge._core._native_functions import make_capsule
from jax.lib import xla_client

platform = os.environ["OLD_PACKAGE_PLATFORM"]
handler = ctypes.cast(ctypes.CDLL(sys.argv[1]).typed_scale, ctypes.c_void_p).value
xla_client.register_custom_call_target(
    "scale", make_capsule(handler), platform=platform, api_version=1
)
x = np.array([1, 2, 3], np.float32)
scale = jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct((3,), np.float32))
np.testing.assert_array_equal(jax.jit(lambda x: scale(x, factor=np.float32(3)))(x), 3 * x)

# As until 0.5: operands and attributes beside the target, and the call at once.
from jax.extend import ffi  # noqa: E402

result = jax.ShapeDtypeStruct((3,), np.float32)
three = np.float32(3)
rows = np.stack([x, x + 1])
for call in (jax.ffi.ffi_call, ffi.ffi_call):
    np.testing.assert_array_equal(call("scale", result, x, factor=three), 3 * x)
    made = jax.jit(lambda x, f=call: f("scale", result, x, has_side_effect=True, factor=three))(x)
    np.testing.assert_array_equal(made, 3 * x)
    for how in ({}, {"vectorized": True}, {"vectorized": False}, {"vmap_method": "broadcast_all"}):
        batched = jax.vmap(lambda v, f=call, how=how: f("scale", result, v, factor=three, **how))
        np.testing.assert_array_equal(batched(rows), 3 * rows)
    # As since 0.5.
    np.testing.assert_array_equal(call("scale", result)(x, factor=three), 3 * x)
try:
    jax.ffi.ffi_call("scale", result, no_such_option=1)
except TypeError as error:
    assert "no_such_option" in str(error)  # noqa: PT017
else:
    raise AssertionError("no_such_option")
print("typed: ok")
