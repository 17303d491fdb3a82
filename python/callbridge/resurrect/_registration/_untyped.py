"""xla_client.register_custom_call_target, which gives targets to callbridge."""

from __future__ import annotations

from typing import Any

from jaxlib import xla_client

import callbridge.jax
from callbridge._core._error import CallbridgeError, find_platform
from callbridge._core._native_functions import capsule_pointer, keep
from callbridge.jax._registry import registry
from callbridge.jax._runtimes import RUNTIME
from callbridge.resurrect._registration import _typed
from callbridge.resurrect._registration._untyped_of_xla import name_beside
from callbridge.typing import Abi

# What jaxlib's own numbers mean: of the registration, not of the calls.
UNTYPED = 0
_TYPED = 1


# What programs register by a function that JAX still has, which gives it to XLA: by name, the
# function and traits by platform. Translation rules, which JAX has no more, call it through
# callbridge.
known_to_xla: dict[str, dict[Any, tuple[Any, Any]]] = {}

# What programs registered by the function here.
names: set[str] = set()


def register_custom_call_target(
    name: str | bytes, fn: Any, platform: Any = "cpu", api_version: int = 0, traits: Any = 0
) -> None:
    """Registers a custom-call target.

    Args:
      name: by which calls find it.
      fn: a PyCapsule named "xla._CUSTOM_CALL_TARGET", which is kept. Of a typed handler one of any
        name, as jax.ffi.pycapsule() makes it, or a dict of one for each stage.
      platform: "cpu" or "Host", "gpu" or "CUDA", "ROCM". Any other is JAX's own affair.
      api_version: 0: an untyped function; how it is called, each call says. 1: a typed handler.
      traits: what XLA:GPU may do with the target besides calling it, of
        xla_client.CustomCallTargetTraits: COMMAND_BUFFER_COMPATIBLE is passed on, of untyped
        functions too.

    Raises:
      CallbridgeError: as callbridge.jax.register(); INVALID_ARGUMENT for other api_versions. A
        handler whose type is not registered waits for it: a call of it gets the error.
    """
    if find_platform(platform) is None:
        _give_to_jax(name, fn, platform, api_version, traits)
        return
    if api_version not in (UNTYPED, _TYPED):
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"target {text(name)!r} is registered with api_version={api_version!r}; expected 0 for "
            "an untyped function or 1 for a typed handler",
        )
    abi: Abi | None = None
    if api_version == _TYPED:
        abi = "typed_ffi"
        keep(fn)
        fn = _addresses(fn)

    def register() -> None:
        try:
            callbridge.jax.register(
                text(name),
                fn,
                platform,
                abi,
                command_buffer_compatible=_typed.are_compatible(traits),
            )
        except CallbridgeError as error:  # also if another type came first
            if not _typed.holds_after(error, text(name), platform, register):
                raise
        else:
            _typed.forget_error(text(name))

    register()
    names.add(text(name))


def _give_to_jax(name: str | bytes, fn: Any, platform: str, api_version: int, traits: Any) -> None:
    if RUNTIME.registers_by_api_version:
        given = {"traits": traits} if int(traits) else {}
        xla_client.register_custom_call_target(
            text(name), fn, platform, api_version=api_version, **given
        )
    elif api_version == UNTYPED:
        xla_client.register_custom_call_target(name, fn, platform)
    # Else this JAX calls typed handlers on no platform, but packages register them for all.


def _addresses(handlers: Any) -> Any:
    if isinstance(handlers, dict):
        return {stage: _addresses(handler) for stage, handler in handlers.items()}
    try:
        return capsule_pointer(handlers)
    except TypeError:
        return handlers  # a ctypes function, or what register() refuses


def register_cpu_custom_call_target(name: str | bytes, fn: Any, platform: str = "cpu") -> None:
    """The same, by its name of 2019 to 2023."""
    register_custom_call_target(name, fn, platform)


def is_there() -> bool:
    """Returns true if programs find one of these functions where they look for it."""
    return (
        vars(xla_client).get("register_cpu_custom_call_target") is register_cpu_custom_call_target
    )


def callbridge_name(name: str) -> str | None:
    """Under which callbridge has an untyped target, None where it has not."""
    if any(entry.abi != "typed_ffi" for entry in registry.entries(name)):
        return name
    if name not in known_to_xla:
        return None
    other_name = name_beside(name)
    if not registry.entries(other_name):
        for platform, (function, traits) in known_to_xla[name].items():
            callbridge.jax.register(
                other_name,
                function,
                platform,
                command_buffer_compatible=_typed.are_compatible(traits),
            )
    return other_name


def text(name: str | bytes) -> str:
    """Returns a target's name, which was bytes until 2023."""
    return name.decode(errors="surrogateescape") if isinstance(name, bytes) else name
