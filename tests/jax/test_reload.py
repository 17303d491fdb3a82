"""callbridge.jax, reloaded as notebooks do it."""

import subprocess
import sys

PROGRAM = """
import importlib, sys
import callbridge.jax, jax
import jax.numpy as jnp

def called(x):
    library = callbridge.jax.load(sys.argv[1])
    call = callbridge.jax.custom_call("refuse_negative", jax.ShapeDtypeStruct((), jnp.float32))
    return library, jax.jit(call)(x)

first, _ = called(jnp.float32(2))
importlib.reload(callbridge.jax)
again, returned = called(jnp.float32(3))
assert again is first
assert returned == 3, returned
"""


def test_knows_what_it_opened(modules):
    subprocess.run([sys.executable, "-c", PROGRAM, modules / "targets.so"], check=True, timeout=300)
