"""Makes chained calls of the measured target in a jitted JAX function: what callgrind looks at.

    python jax_calls.py TARGETS.so native_1|native_3|version_3|typed CHAIN REPEAT

CHAIN calls follow each other in the function, which is compiled once and runs REPEAT times. The
difference between two REPEATs, divided by the chain, is what one call takes.
"""

import ctypes
import sys

import callbridge.jax
import jax
import jax.numpy as jnp

targets, path, chain, repeat = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
shape = jax.ShapeDtypeStruct((1,), jnp.float32)
library = callbridge.jax.load(targets)
if path.startswith("native"):
    # The function itself, as its own version, and as version 3, which hands it arguments that it ignores.
    function = ctypes.CFUNCTYPE(None)(library.target("measured_target").address)
    jax.ffi.register_ffi_target(path, jax.ffi.pycapsule(function), "cpu", api_version=0)
    call = jax.ffi.ffi_call(
        path, shape, custom_call_api_version=int(path[-1]), legacy_backend_config=""
    )
else:
    call = callbridge.jax.custom_call("measured_target", shape, prefer=path)


@jax.jit
def chained(x, y):
    for _ in range(chain):
        x = call(x, y)
    return x


x, y = jnp.ones(1), jnp.ones(1)
for _ in range(repeat):
    chained(x, y).block_until_ready()
