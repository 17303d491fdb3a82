"""The targets that JAX programs can call: what XLA has, and what needs its ABI declared first.

XLA has one registry of untyped functions and, in most releases, one of typed handlers, for the
whole process. An untyped target is in both, under the name its users know; a typed handler in its
own. XLA ends the process, or refuses to start, where a name comes again with another address, so
that is refused here, also where others registered it by themselves before. Entries are never
removed, as XLA's are not.
"""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import jax

from callbridge import _c_api, _jax_held_names, _jax_typed, _target
from callbridge._error import CallbridgeError
from callbridge._function_address import make_capsule
from callbridge._jax_runtimes import (
    JAX_PLATFORM,
    OWN_FFI_CALL,
    PATHS,
    RUNTIME,
    Runtime,
    jax_function,
    unimplemented,
)
from callbridge._platform import find_platform, parse_platform
from callbridge._target import Target
from callbridge.library import Library


@dataclasses.dataclass
class Entry:
    target: Target
    source: str  # where it comes from, for people
    owner: Any  # kept, so that the address stays callable
    platform: str  # canonical
    handlers: dict[str, int]  # addresses by stage; of an untyped function that of "execute"
    paths: tuple[str, ...] = ()  # by which XLA has it
    declared_abi: str | None = None  # by which XLA has it, where its own is not known

    @property
    def abi(self) -> str | None:
        return self.target.abi or self.declared_abi


_lock = threading.Lock()
_entries: dict[tuple[str, str], Entry] = {}  # by name and canonical platform


def add_library(library: Library) -> None:
    """Adds its targets, all or none, and gives XLA those whose ABI is known."""
    added = {}
    for target in library.targets:
        platform = find_platform(target.platform)
        if platform is not None:
            handlers = {"execute": target.address, **target.stages}
            added.setdefault(
                (target.name, platform), Entry(target, library.path, library, platform, handlers)
            )
    with _lock:
        for entry in added.values():
            if _known(entry) is entry and entry.abi != "typed_ffi":
                _refuse_held_name(entry, _jax_held_names.held(entry.target.name, entry.platform))
        for key, new in added.items():
            entry = _entries.setdefault(key, new)
            try:
                if not _must_be_declared(entry):
                    _serve(entry, None)
            except CallbridgeError:
                # What is wrong with a typed handler is for those to hear who call it: find() tries
                # again.
                if entry.abi != "typed_ffi":
                    raise


def add_function(
    target: Target, source: str, owner: Any, abi: str | None, handlers: dict[str, int]
) -> None:
    """Adds one target, and gives it to XLA if its ABI is declared or does not matter."""
    _target.check_abi(abi)
    new = Entry(target, source, owner, parse_platform(target.platform), handlers)
    with _lock:
        entry = _known(new)
        if abi is not None or not _must_be_declared(entry):
            _serve(entry, abi)
        _entries[target.name, entry.platform] = entry


def find(name: str, platform: str | None, abi: str | None) -> Entry:
    """The target, which XLA has from now on, as `abi` where its own is not known.

    Without a platform: the only one that has the target, or else that of JAX's default backend.
    """
    with _lock:
        platform = parse_platform(platform) if platform is not None else _platform_of(name)
        entry = _entries.get((name, platform))
        if entry is None:
            registered = ", ".join(f"{n} ({p})" for n, p in sorted(_entries)) or "nothing"
            raise CallbridgeError(
                "NOT_FOUND",
                f"no target {name!r} is registered for {platform}; what is, by "
                f"callbridge.jax.load() and register(): {registered}",
            )
        _serve(entry, abi)
        return entry


def _platform_of(name: str) -> str:
    platforms = [p for n, p in _entries if n == name]
    return platforms[0] if len(platforms) == 1 else parse_platform(jax.default_backend())


def _known(entry: Entry) -> Entry:
    """The entry that has the name of `entry` already, or `entry`."""
    name = entry.target.name
    known = _entries.get((name, entry.platform), entry)
    if known.handlers == entry.handlers:
        return known
    if not known.paths and known.target.address == entry.target.address:
        return entry  # with its other stages
    raise CallbridgeError(
        "ALREADY_EXISTS",
        f"target {name!r} on {entry.platform} is at {_addresses(entry)} in {entry.source}, but "
        f"that name is registered at {_addresses(known)} in {known.source}, and XLA keeps one "
        "function a name for as long as the process lives; register it by another name",
    )


def _addresses(entry: Entry) -> str:
    return ", ".join(f"{address:#x} ({stage})" for stage, address in entry.handlers.items())


def _must_be_declared(entry: Entry) -> bool:
    return entry.abi is None and not _target.calls_alike(entry.platform, None, "original")


def _serve(entry: Entry, abi: str | None) -> None:
    """Gives XLA what leads to the target, unless it has it.

    INVALID_ARGUMENT where `abi` is wrong; what _jax_typed.adapt() raises.
    """
    target = entry.target
    c_target = _target.to_c(target, abi or entry.declared_abi)
    if entry.paths:
        if abi is not None and not _target.calls_alike(entry.platform, abi, entry.abi):
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"target {target.name!r} on {entry.platform} is now declared abi={abi!r}, but XLA "
                f"has it as {entry.abi!r}, by an earlier declaration; register it by another name "
                "too",
            )
        return
    is_typed = "typed_ffi" in (target.abi, abi)
    if not is_typed and target.abi is None:
        _refuse_typed_handler(entry, abi)
    handlers = _typed_handlers(entry, c_target) if is_typed else _untyped_handlers(entry, c_target)
    new = _not_held(entry, handlers)
    for path, handler in new.items():
        _register(entry, path, handler)
    entry.declared_abi = abi
    entry.paths = tuple(handlers)


def _refuse_typed_handler(entry: Entry, abi: str | None) -> None:
    """INVALID_ARGUMENT for a typed handler that is about to be called as an untyped function.

    A process of its own asks it. What cannot be told is as it was declared.
    """
    verdict, evidence = _c_api.probe_typed(entry.target.address)
    if verdict == _c_api.PROBE_TYPED:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"target {entry.target.name!r} on {entry.platform} was declared abi={abi!r}, but is a "
            f"typed handler: {evidence}; declare it abi='typed_ffi'",
        )


def _not_held(entry: Entry, handlers: dict[str, Any]) -> dict[str, Any]:
    """Those of `handlers` that XLA has not already. ALREADY_EXISTS where it has others."""
    held = _jax_held_names.held(entry.target.name, entry.platform)
    new = {}
    for path, handler in handlers.items():
        version = PATHS[path].registration_api_version
        if version not in held:
            new[path] = handler
        elif not _jax_held_names.same(handler, held[version]):
            _refuse_held_name(entry, held)
    return new


def _refuse_held_name(entry: Entry, held: dict) -> None:
    if held:
        raise CallbridgeError(
            "ALREADY_EXISTS",
            f"target {entry.target.name!r} on {entry.platform} of {entry.source}: XLA has another "
            "function by that name, which JAX was given without callbridge, and keeps it for as "
            "long as the process lives; register it by another name",
        )


# What leads to a target, by path.


def _typed_handlers(entry: Entry, c_target: _c_api.Target) -> dict[str, Any]:
    adapted = _jax_typed.adapt(entry.target.name, entry.platform, entry.handlers)
    handlers = {}
    if _calls_by_ffi(RUNTIME, entry, is_typed=True):
        handlers["typed"] = adapted if len(adapted) > 1 else adapted["execute"]
    if RUNTIME.ffi_call == OWN_FFI_CALL:
        handlers["version_3"] = make_capsule(_entry_points(c_target).untyped)
    return handlers


def _calls_by_ffi(runtime: Runtime, entry: Entry, is_typed: bool) -> bool:
    """XLA's FFI 0.0 knows neither other stages nor the entry points of untyped targets."""
    only_executes = is_typed and len(entry.handlers) == 1
    return runtime.has_ffi_0_1 or (runtime.has_typed_ffi and only_executes)


def lacks_typed(entry: Entry, name: str) -> CallbridgeError:
    """The error for the path "typed", where it does not lead to `entry`."""
    is_typed = entry.abi == "typed_ffi"
    return unimplemented(
        f"{name}, by the path 'typed',", lambda row: _calls_by_ffi(row, entry, is_typed)
    )


def _untyped_handlers(entry: Entry, c_target: _c_api.Target) -> dict[str, Any]:
    entry_points = _entry_points(c_target)
    return {
        name: make_capsule(getattr(entry_points, path.entry_point))
        for name, path in PATHS.items()
        if name != "typed" or _calls_by_ffi(RUNTIME, entry, is_typed=False)
    }


def _entry_points(c_target: _c_api.Target) -> _c_api.EntryPoints:
    entry_points = _c_api.EntryPoints()
    _c_api.target_entry_points(c_target, entry_points)
    return entry_points


def _register(entry: Entry, path: str, handlers: Any) -> None:
    version = {}
    if RUNTIME.registers_by_api_version:
        version["api_version"] = PATHS[path].registration_api_version
    jax_function(RUNTIME.register)(
        entry.target.name, handlers, platform=JAX_PLATFORM[entry.platform], **version
    )
