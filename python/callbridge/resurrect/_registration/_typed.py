"""Typed handlers that programs register with JAX, by any of its functions.

XLA is given a handler as it is where that runs, and a wrapper of callbridge's where handler and
runtime differ. What was given once is given again for good: XLA keeps the first address of a name.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from callbridge._core import _c_api, _native_functions
from callbridge._core._error import HOST, CallbridgeError, find_platform
from callbridge._core._fork_lock import fork_lock
from callbridge._core._installation import find_library
from callbridge._core._library_files import library_at
from callbridge._core._native_functions import capsule_pointer, make_capsule
from callbridge._core._target import STAGES
from callbridge.jax import _registry
from callbridge.jax._runtimes import RUNTIME
from callbridge.typing import Stage

TYPED = 1  # as JAX numbers registrations


class Given(NamedTuple):
    """What XLA is given in place of what a program registers."""

    handlers: Any  # in the form of the program's: one, or a dict by stage
    traits: Any


class _Wrapped(NamedTuple):
    addresses: dict[Stage, int]  # of the program's handlers
    given: Given


_lock = fork_lock()
_wrapped: dict[tuple[str, str], _Wrapped] = {}  # by name and platform
# Handlers that this XLA cannot be given, since it does not call all of their stages: they are
# registered with callbridge when a call of them is lowered, and called by version 3.
_not_for_xla: dict[tuple[str, str], tuple[Any, bool]] = {}
# Likewise for calls with tokens, where XLA passes none: XLA has them too, for its other calls.
_not_for_tokens: dict[tuple[str, str], tuple[Any, bool]] = {}
# What is wrong with functions that waited for XLA and are no typed handlers, and with handlers
# whose type has not come, by name.
_not_typed: dict[str, CallbridgeError] = {}
# Why XLA is given handlers as they are, by name and platform: it may know a type that is lacking...
_not_adapted: dict[tuple[str, str], CallbridgeError] = {}
# ... and what registers those again that XLA refused for that.
_held: dict[tuple[str, str], Callable[[], object]] = {}
_NO_TYPE = "of a type that is not registered"  # in callbridge_ffi_adapt_handlers' error
_made: set[int] = set()  # the addresses of what replaced them
_has_failed = False


def take_failed() -> bool:
    """Returns whether some handlers could not be adapted since this was asked last."""
    global _has_failed
    with _lock:
        failed, _has_failed = _has_failed, False
        return failed


def is_empty() -> bool:
    """Returns whether no handler was replaced so far."""
    return not _wrapped


def given(
    name: Any, handlers: Any, platform: str, traits: Any, *, is_active: bool, is_new: bool
) -> Given | None:
    """Returns what to give XLA for a typed registration, or None to give it nothing.

    Handlers that cannot be adapted are given as they are, so that the error is XLA's. Unless
    `is_active`, only handlers that were replaced before are replaced. `is_new` is false for what
    waits for XLA already. Thread-safe.

    Raises INVALID_ARGUMENT for a function that proves not to be a typed handler, which XLA would
    crash in. One that waits is given to nobody: whoever lowers a call of it gets the error.
    """
    unchanged = Given(handlers, traits)
    known_platform = find_platform(platform)
    addresses = _addresses(handlers)
    if known_platform is None or not addresses or not isinstance(name, str):
        return unchanged
    key = name, known_platform
    with _lock:
        known = _wrapped.get(key)
        if known is not None and known.addresses == addresses:
            result = known.given
        elif not is_active or all(map(_is_not_a_programs, addresses.values())):
            return unchanged
        else:
            is_compatible = are_compatible(traits)
            if not RUNTIME.typed_takes_tokens:
                _not_for_tokens[key] = handlers, is_compatible
            # XLA before 0.4.30 crashes in handlers of later headers, or has no such registry.
            only_executes = len(addresses) == 1 and RUNTIME.has_typed_ffi
            if not RUNTIME.has_instantiate and not only_executes:
                _not_for_xla[key] = handlers, is_compatible
                return None
            result = unchanged
            try:
                made = _adapted(key, handlers, addresses, traits, is_compatible)
            except CallbridgeError as error:
                if is_new:
                    raise
                _not_typed[name] = error
                return None
            if is_new:
                _not_typed.pop(name, None)  # a handler has come since
            if made is not None:
                _wrapped[key] = _Wrapped(addresses, made)
                _made.update(_addresses(made.handlers).values())
                result = made
        # XLA may have a new wrapper, too: of a handler that callbridge.jax registered.
        return None if is_new and _is_refused_again(key, result) else result


def adapted() -> list[tuple[tuple[str, str], dict[Stage, int]]]:
    """Returns the handlers that XLA has another one for: by name and platform, the program's
    addresses."""
    with _lock:
        return [(key, wrapped.addresses) for key, wrapped in _wrapped.items()]


def not_adapted() -> list[tuple[tuple[str, str], CallbridgeError]]:
    """Returns the handlers that XLA was given as they are, since they could not be adapted."""
    with _lock:
        return [*_not_adapted.items()]


def why_not_adapted(name: Any, platform: str) -> CallbridgeError | None:
    """Returns why XLA was given these handlers as they are, if it was for want of others."""
    known_platform = find_platform(platform)
    return None if known_platform is None else _not_adapted.get((name, known_platform))


def hold(name: Any, platform: str, register: Callable[[], object]) -> bool:
    """Keeps what XLA refused of a handler until its type comes; false if it does not lack one.

    Until then whoever lowers a call of it gets the error that names the type.
    """
    error = why_not_adapted(name, platform)
    return error is not None and holds_after(error, name, platform, register)


def holds_after(
    error: CallbridgeError, name: str, platform: str, register: Callable[[], object]
) -> bool:
    """Likewise after that error of callbridge's."""
    known_platform = find_platform(platform)
    if known_platform is None or _NO_TYPE not in error.message:
        return False
    with _lock:
        _held[name, known_platform] = register
        _not_typed[name] = error
        return True


def forget_error(name: str) -> None:
    """Of a target that could not be given to XLA, and now was."""
    with _lock:
        _not_typed.pop(name, None)


def take_held() -> list[Callable[[], object]]:
    """Returns what registers the handlers that were held, once."""
    with _lock:
        held = list(_held.values())
        _held.clear()
        return held


def _is_not_a_programs(address: int) -> bool:
    return address in _made or is_jaxs_or_ours(address)


def check_is_typed(name: str) -> None:
    """Raises INVALID_ARGUMENT if XLA was not given this target, since it is no typed handler, or
    makes state of a type that is not registered."""
    error = _not_typed.get(name)
    if error is not None:
        raise CallbridgeError(error.code, error.message)


def not_for_xla(name: str, *, has_tokens: bool) -> list[tuple[Any, Any, bool]]:
    """Returns platform, handlers and whether they are compatible with command buffers, until
    given_to_callbridge(). They are those that XLA does not have or, if `has_tokens`, that it does
    not pass tokens to."""
    with _lock:
        table = _not_for_tokens if has_tokens else _not_for_xla
        return [(platform, *given) for (of, platform), given in table.items() if of == name]


def given_to_callbridge(name: str, platform: str) -> None:
    """Whoever calls the target finds it in callbridge's table from now on."""
    with _lock:
        _not_for_xla.pop((name, platform), None)
        _not_for_tokens.pop((name, platform), None)


def _adapted(
    key: tuple[str, str],
    handlers: Any,
    addresses: dict[Stage, int],
    traits: Any,
    is_compatible: bool,
) -> Given | None:
    """None where XLA is to get them as they are. Raises where one is no typed handler."""
    name, platform = key
    _not_adapted.pop(key, None)
    # XLA:GPU's plugins refuse traits at registration; their handlers report them.
    reports = is_compatible and platform != HOST and RUNTIME.records_typed_calls
    wanted = _c_api.TRAIT_COMMAND_BUFFER_COMPATIBLE if reports else 0
    try:
        capsules, _ = _registry.adapt(name, platform, addresses, wanted)
    except CallbridgeError as error:
        lacks_type = _NO_TYPE in error.message
        if error.code == "INVALID_ARGUMENT" and not lacks_type and "execute" in addresses:
            raise  # it proved to be no handler
        _not_adapted[key] = error
        global _has_failed
        _has_failed = True
        if lacks_type or RUNTIME.asks_handlers or _is_in_xla(key, addresses):
            return None
        return _explained(handlers, addresses, traits, error)
    are_same = all(
        capsule_pointer(capsule) == addresses[stage] for stage, capsule in capsules.items()
    )
    given_traits = traits
    if is_compatible and platform != HOST:
        given_traits = type(traits)(int(traits) & ~_c_api.TRAIT_COMMAND_BUFFER_COMPATIBLE)
    if are_same and given_traits == traits:
        return None
    if _is_in_xla(key, addresses):
        return None
    return _given_for(handlers, capsules, given_traits)


def _is_in_xla(key: tuple[str, str], addresses: dict[Stage, int]) -> bool:
    """Whether XLA has them, since before callbridge.resurrect was imported."""
    return _registry.in_xla(*key).get(TYPED) == addresses


def _explained(
    handlers: Any, addresses: dict[Stage, int], traits: Any, error: CallbridgeError
) -> Given:
    """What XLA is given where it does not ask handlers: a call is the first that fails."""
    explanation = f"XLA was given the handler as it is, since {error.message}"
    explained = _native_functions.explain_errors(addresses, explanation)
    capsules = {stage: make_capsule(address) for stage, address in explained.items()}
    return _given_for(handlers, capsules, traits)


def _given_for(handlers: Any, capsules: dict[Stage, Any], traits: Any) -> Given:
    if not isinstance(handlers, dict):
        return Given(capsules["execute"], traits)
    return Given({**handlers, **capsules}, traits)


def _is_refused_again(key: tuple[str, str], made: Given) -> bool:
    """Whether XLA has these handlers by that name, and refuses them when they come again."""
    if RUNTIME.takes_same_handler_again:
        return False
    registered = _registry.registered(*key).get(TYPED)
    return _registry.is_same(made.handlers, registered)


def _addresses(handlers: Any) -> dict[Stage, int]:
    """By stage; empty for what is not of handlers, which JAX refuses."""
    stages = handlers if isinstance(handlers, dict) else {"execute": handlers}
    try:
        return {stage: capsule_pointer(stages[stage]) for stage in STAGES if stage in stages}
    except (TypeError, CallbridgeError):
        return {}


def are_compatible(traits: Any) -> bool:
    """Returns whether XLA:GPU may record the calls, by the traits that a program registers."""
    return bool(int(traits) & _c_api.TRAIT_COMMAND_BUFFER_COMPATIBLE)


# ---- Whose library an address lies in ------------------------------------------------------------

# jaxlib, and the packages of its plugins.
_JAXS_PACKAGES = re.compile(r"jaxlib|jax_plugins(\.\w+)?|jax_(cuda|rocm)\d*_(plugin|pjrt)")


def is_jaxs_or_ours(address: int) -> bool:
    """Returns whether the address is in a library of jaxlib, of its plugins or of callbridge.

    Returns false for an address that is in no library.
    """
    library = library_at(address)
    return library is not None and _is_jaxs_or_ours(library)


# A library is loaded once its package is imported, so the answer stays the same.
@functools.cache
def _is_jaxs_or_ours(library: bytes) -> bool:
    path = os.path.realpath(os.fsdecode(library))
    if path == os.path.realpath(find_library()):
        return True
    return any(path.startswith(folder + os.sep) for folder in _folders())


def _folders() -> list[str]:
    return [
        os.path.realpath(folder)
        for name, module in list(sys.modules.items())
        if _JAXS_PACKAGES.fullmatch(name)
        for folder in getattr(module, "__path__", ())
    ]
