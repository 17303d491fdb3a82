"""Registers targets with traits, as old programs do; run in a process of its own.

XLA's GPU plugins refuse traits at registration (up to jax 0.10), when the backend starts: what JAX
gives them must have none.
"""

import ctypes

import callbridge.resurrect
import jax
from callbridge._core._native_functions import make_capsule
from callbridge.jax._registry import registered, registry
from callbridge.jax._runtimes import RUNTIME
from jaxlib import xla_client

register = xla_client.register_custom_call_target
restored = callbridge.resurrect._registration._untyped.register_custom_call_target
traits = xla_client.CustomCallTargetTraits
COMPATIBLE = traits.COMMAND_BUFFER_COMPATIBLE
functions = []


def capsule():
    functions.append(ctypes.CFUNCTYPE(None)(lambda: None))
    return make_capsule(ctypes.cast(functions[-1], ctypes.c_void_p).value)


def is_compatible(name, platform="CUDA"):
    (entry,) = [e for e in registry.entries(name) if e.platform == platform]
    return entry.command_buffer_compatible


def given_to_jax(name):
    """The traits that JAX passes on when the plugin is there."""
    return {int(more[0]) for n, _, _, *more in xla_client._custom_callback["CUDA"] if n == name}


# By the function that callbridge restores.
for given, expected in (
    (COMPATIBLE, True),
    (1, True),
    (3, True),
    (traits.DEFAULT, False),
    (0, False),
):
    restored(f"restored {given!r}", capsule(), "CUDA", 0, given)
    assert is_compatible(f"restored {given!r}") == expected
    assert given_to_jax(f"restored {given!r}") == {0}
restored("by default", capsule(), "gpu")
assert not is_compatible("by default")
restored("on cpu", capsule(), api_version=0, traits=COMPATIBLE)
assert is_compatible("on cpu", "Host")

# By JAX's own, which callbridge wraps in releases without rules for translations.
if register is not restored and any(
    n.name == "register_custom_call_target" and n.kind == "wrapped"
    for n in callbridge.resurrect.names()
):
    register("wrapped", capsule(), platform="CUDA", api_version=0, traits=COMPATIBLE)
    assert is_compatible("wrapped") and given_to_jax("wrapped") == {0}
    assert set(registered("wrapped", "CUDA")) >= {0}
    register(b"bytes", capsule(), "CUDA", 0, COMPATIBLE)
    assert is_compatible("bytes")
    # What JAX serves is left to it.
    register("without", capsule(), platform="CUDA", api_version=0)
    assert not registry.entries("without") and given_to_jax("without") == {0}
    register("for cpu", capsule(), platform="cpu", api_version=0)
    assert not registry.entries("for cpu")
    print("wrapped")
assert RUNTIME.registers_by_api_version and jax.__version__
print("traits: ok")
