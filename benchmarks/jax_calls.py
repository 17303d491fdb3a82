"""Makes chained calls of the measured target in a jitted JAX function: what callgrind looks at.

    python jax_calls.py TARGETS.so native_1|native_3|version_3|typed CHAIN

CHAIN calls follow each other in the function, which runs REPEAT times. Callgrind's counting is on
from the first of them to the last, and off for all else. So the difference between two chains is
calls alone.
"""

import ctypes
import sys

import callbridge.jax
import jax
import jax.numpy as jnp

REPEAT = 20

targets, path, chain = sys.argv[1], sys.argv[2], int(sys.argv[3])
shape = jax.ShapeDtypeStruct((1,), jnp.float32)
library = callbridge.jax.load(targets)


def native(target, version):
    """Registers the function itself; as version 3 it is handed arguments that it ignores."""
    name = f"{target}_{version}"
    function = ctypes.CFUNCTYPE(None)(library.target(target).address)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), "cpu", api_version=0)
    return jax.ffi.ffi_call(name, shape, custom_call_api_version=version, legacy_backend_config="")


toggle = native("toggle_counting", 3)
if path.startswith("native"):
    call = native("measured_target", int(path[-1]))
else:
    call = callbridge.jax.custom_call("measured_target", shape, prefer=path)


@jax.jit
def chained(x, y):
    x = toggle(x, y)
    for _ in range(chain):
        x = call(x, y)
    return toggle(x, y)


for _ in range(REPEAT):
    chained(jnp.ones(1), jnp.ones(1)).block_until_ready()
