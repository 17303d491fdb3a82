"""Untyped functions that programs register with JAX by functions that it still has.

XLA has them as they are, so that calls of artifacts reach them. A call of version 1 or 2, of which
newer XLAs complain, becomes one of another kind when a program lowers it: of version 3 and another
name, since XLA keeps one untyped function a name, if this process runs the program on CPU; else a
typed one of the same name, since XLA keeps typed handlers in a registry of their own.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections.abc import Callable
from typing import Any

from callbridge._core import _target
from callbridge._core._error import HOST, CallbridgeError, find_platform
from callbridge._core._fork_lock import fork_lock
from callbridge._core._library_files import library_at
from callbridge._core._native_functions import capsule_pointer, make_capsule
from callbridge._targets._registry import Entry, Registry
from callbridge.jax import _registry as _jax_registry
from callbridge.jax import _runtimes
from callbridge.jax._runtimes import JAX_PLATFORM, PATHS, RELEASE, RUNTIME
from callbridge.resurrect._registration._typed import is_jaxs_or_ours
from callbridge.typing import Abi


class _Now(threading.local):
    platforms: tuple[str, ...] = ()
    is_for_export = True


_now = _Now()


def lower_jaxpr_to_module(original: Callable) -> Callable:
    """JAX's function that lowers a program."""

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        before = vars(_now).copy()
        _now.platforms = tuple(keywords.get("platforms", ()))
        _now.is_for_export = getattr(keywords.get("lowering_parameters"), "for_export", True)
        try:
            return original(*arguments, **keywords)
        finally:
            vars(_now).clear()
            vars(_now).update(before)

    return wrapper


def is_for_this_cpu() -> bool:
    """Returns true if the program that this thread lowers is run by this process, on CPU alone.

    Returns false where that is unknown.
    """
    return _now.platforms == ("cpu",) and not _now.is_for_export


_UNTYPED = 0  # as JAX numbers registrations

_functions: dict[str, dict[str, int]] = {}  # addresses by name and platform
_knows_earlier_ones = False


def add(name: Any, function: Any, platform: str, *, is_new: bool) -> None:
    """Notes a registration. What is not one of XLA's is JAX's to refuse.

    `is_new` is false for what waits for XLA already.

    Raises ALREADY_EXISTS if XLA has, or will have, another function of that name: XLA would end the
    process.
    """
    known_platform = find_platform(platform)
    if not isinstance(name, str) or known_platform is None:
        return
    try:
        address = capsule_pointer(function)
    except (TypeError, CallbridgeError):
        return
    if is_new and RUNTIME.lists_targets:
        _check_only_one(name, known_platform, address)
    _note(name, known_platform, address)


def _check_only_one(name: str, platform: str, address: int) -> None:
    in_xla = _jax_registry.registered(name, platform).get(_UNTYPED) or {}
    known = _functions.get(name, {}).get(platform, in_xla.get("execute"))
    if known is not None and known != address:
        raise CallbridgeError(
            "ALREADY_EXISTS",
            f"target {name!r} on {platform} is {_place(address)}, but that name is registered as "
            f"{_place(known)}, and XLA, which keeps one function for each name, ends a process "
            "that registers another; register it under another name",
        )


def _place(address: int) -> str:
    library = library_at(address)
    return f"{address:#x}" if library is None else f"{address:#x} of {os.fsdecode(library)}"


def _note(name: str, platform: str, address: int) -> None:
    if address and not is_jaxs_or_ours(address):
        with _lock:
            _functions.setdefault(name, {})[platform] = address


def forget_earlier_ones() -> None:
    """Lets entries() look again for what XLA was given without a notice."""
    global _knows_earlier_ones
    _knows_earlier_ones = False


def names() -> list[str]:
    """The names of the functions that XLA has, or will have, of programs."""
    _note_earlier_ones()
    with _lock:
        return sorted(_functions)


def served() -> list[tuple[str, Entry]]:
    """Returns what calls of versions 1 and 2 were led to, by the names that programs registered."""
    with _lock:
        names = sorted(_functions)
    return [
        (name, entry)
        for name in names
        for entry in (
            *_registry.entries(name), *_jax_registry.registry.entries(name_beside(name))
        )
    ]  # fmt: skip


def entries(name: str, abi: Abi | None, is_beside: bool | None = None) -> list[Entry]:
    """What XLA has from now on in place of the functions of that name, of all platforms.

    `is_beside`: whether that is the target `NAME by callbridge`, of CPU alone. None: where XLA's
    fastest path is version 3.

    Returns none where there are none, where XLA has another handler of that name, and where `abi`
    contradicts an earlier call's: XLA gets such a call as it is.
    """
    if not RUNTIME.has_instantiate:
        return []
    _note_earlier_ones()
    with _lock:
        platforms = dict(_functions.get(name, {}))
    if HOST in platforms and (_takes_version_3() if is_beside is None else is_beside):
        with contextlib.suppress(CallbridgeError):
            return [_beside(name, platforms[HOST], abi)]
    with _serving:
        if any(_is_taken(name, platform) for platform in platforms):
            return []
        try:
            for platform, address in platforms.items():
                _registry.add_function(name, make_capsule(address), platform, None)
            return [_registry.find(name, platform, abi) for platform in platforms]
        except CallbridgeError:
            return []


def _takes_version_3() -> bool:
    if _jax_registry.prefers_typed() or not is_for_this_cpu():
        return False
    fastest = _runtimes.fastest_path(RELEASE, HOST)
    return fastest == "version_3"


def _beside(name: str, address: int, abi: Abi | None) -> Entry:
    """The function by another name, by which callbridge gives it to XLA."""
    other_name = name_beside(name)
    _jax_registry.registry.add_function(other_name, make_capsule(address), HOST, None)
    return _jax_registry.registry.find(other_name, HOST, abi)


def name_beside(name: str) -> str:
    """Returns the name for callbridge's of two functions, where XLA has another one by `name`."""
    return f"{name} by callbridge"


def _note_earlier_ones() -> None:
    global _knows_earlier_ones
    if _knows_earlier_ones:
        return
    for platform in JAX_PLATFORM:
        for name, address in _jax_registry.untyped(platform).items():
            if name not in _functions:
                _note(name, platform, address)
    _knows_earlier_ones = True


def _is_taken(name: str, platform: str) -> bool:
    if any(entry.paths and entry.platform == platform for entry in _registry.entries(name)):
        return False
    version = PATHS["typed"].registration_api_version
    return version in _jax_registry.registered(name, platform)


def _serve(entry: Entry, abi: Abi | None) -> tuple[str, ...]:
    """Gives XLA the typed entry point alone: it has the function, as an untyped one."""
    _jax_registry.register_typed_entry_point(entry, _target.to_c(entry.target, abi))
    return ("typed",)


# Of _functions. JAX holds a lock of its own when it calls add(), so nothing that registers with JAX
# is called under this one.
_lock = fork_lock()
_registry = Registry("callbridge.resurrect", "XLA", _serve, lambda _entry: None, lambda: "cpu")
_serving = fork_lock()  # held while the registry's is
