"""What the tests use of JAX that not every JAX has, or has by another name: by version, as data."""

import ctypes
import os

import jax
import pytest
from callbridge._core._native_functions import make_capsule
from jaxlib import xla_client
from this_platform import PLATFORM

VERSION = tuple(map(int, jax.__version__.split(".")[:3]))

# The first release that has it, or the first after it that these tests run on.
SINCE = {
    "jax.export": (0, 4, 30),
    "lowering for another platform": (0, 4, 38),
    "donation on CPU": (0, 4, 30),
    "codes of errors": (0, 4, 38),
    "jax.ffi": (0, 5, 3),
    "the jax.ffi.ffi_call that callbridge uses": (0, 6, 2),
    "a warning of version 1": (0, 6, 2),
    # Before, the last who registers a name has it.
    "lists of the names that XLA has": (0, 4, 30),
    # XLA's FFI, which version 3 goes without.
    "typed FFI": (0, 4, 30),
    "the typed path of untyped targets": (0, 4, 38),
    "packed elements by version_3": (0, 4, 38),
    "first packed element in the low bits": (0, 5, 3),
    "packed elements by typed": (0, 6, 2),
    "elements of float8 by typed": (0, 4, 31),
    "versions of typed handlers": (0, 5, 3),
    "stages of typed handlers": (0, 4, 38),
    "dictionaries among the attributes": (0, 4, 38),
    **dict.fromkeys(
        (f"arrays of uint{bits} among the attributes" for bits in (8, 16, 32, 64)), (0, 4, 38)
    ),
    "arrays among the attributes on a GPU": (0, 4, 38),
    "arrays of several processes on CPU": (0, 4, 30),
    # Before, JAX gives an empty message where one of several devices fails...
    "messages of one of several devices": (0, 4, 30),
    # ... and until then, programs for several devices fail for good after that (measured with
    # jax.pure_callback).
    "several devices after a failure": (0, 6, 2),
    "arrays in parts of unequal size": (0, 4, 30),
    "jax.errors.JaxRuntimeError": (0, 4, 38),
    "jax.enable_x64": (0, 8, 3),
    "jax.shard_map": (0, 6, 2),
    "types that say over which axes values vary": (0, 6, 2),
    # Before, shard_map takes no constant for the same on all devices.
    "a replicated result of no operands": (0, 4, 30),
    # Elsewhere XLA:CPU's verifier takes int4 in a few instructions, and calls are none of these.
    "calls on arrays of int4": (0, 4, 38),
    "serialized executables on CPU": (0, 4, 30),
    "hits of the compilation cache": (0, 4, 30),
    "opaques that are text": (0, 10, 2),
}


def has(what):
    return VERSION >= SINCE[what]


# All calls that leave their path open are typed ones: where this JAX has such, and is told so, or
# does not read others back.
PREFERS_TYPED = (
    os.environ.get("CALLBRIDGE_PATH") == "typed" and has("the typed path of untyped targets")
) or (0, 5, 3) <= VERSION < (0, 10, 2)


def since(what):
    return ".".join(map(str, SINCE[what]))


def needs(what):
    return pytest.mark.skipif(
        not has(what), reason=f"jax {jax.__version__} has no {what}; {since(what)} has"
    )


# What untyped targets are called by.
PATHS = ["version_3", "typed"] if has("the typed path of untyped targets") else ["version_3"]


def hands_over(dtype, way):
    """Whether XLA hands arrays of that type to custom calls. Its FFI had no number for some, which
    a typed handler is told."""
    is_sub_byte = dtype in ("int2", "uint2", "int4", "uint4")
    if way != "handler" or not has("typed FFI"):
        return not is_sub_byte or has("packed elements by version_3")
    if is_sub_byte:
        return has("packed elements by typed")
    return not dtype.startswith("float8") or has("elements of float8 by typed")


# What JAX raises for a target's failure while a program runs.
if has("jax.errors.JaxRuntimeError"):
    JaxRuntimeError = jax.errors.JaxRuntimeError
else:
    from jaxlib.xla_extension import XlaRuntimeError as JaxRuntimeError


def enable_x64():
    if has("jax.enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64()


def shard_map(function, mesh, in_specs, out_specs, check):
    if has("jax.shard_map"):
        return jax.shard_map(
            function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check
        )
    from jax.experimental.shard_map import shard_map

    return shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_rep=check)


def fails(*words):
    """For what JAX raises where a target fails: its own exception, with the message.

    Many releases raise a ValueError with it where the program has run before.
    """
    return pytest.raises(
        (JaxRuntimeError, ValueError), match="(?s)" + "".join(f"(?=.*{word})" for word in words)
    )


def register_natively(name, function, api_version):
    """A ctypes function, as JAX's own users register it: 0, untyped, or 1, a typed handler."""
    capsule = make_capsule(ctypes.cast(function, ctypes.c_void_p).value)
    if has("jax.ffi"):
        jax.ffi.register_ffi_target(name, capsule, platform=PLATFORM, api_version=api_version)
    elif has("typed FFI"):
        xla_client.register_custom_call_target(name, capsule, PLATFORM, api_version)
    else:
        xla_client.register_custom_call_target(name, capsule, PLATFORM)
