"""The targets that JAX programs can call: what XLA has, and what needs its ABI declared first.

XLA has one registry of untyped functions and, in most releases, one of typed handlers, for the
whole process. An untyped target is in both, under the name its users know; a typed handler in its
own. XLA ends the process, or refuses to start, where a name comes again with another address, so
that is refused here, also where others registered it by themselves before.
"""

from __future__ import annotations

import os
from typing import Any

import jax
import jaxlib

from callbridge._core import _c_api, _native_functions, _target
from callbridge._core._error import HOST, CallbridgeError, check_choice, utf_8
from callbridge._core._native_functions import capsule_pointer, make_capsule
from callbridge._targets._registry import Entry, Registry
from callbridge.jax import _runtimes
from callbridge.jax._runtimes import (
    JAX_PLATFORM,
    OWN_FFI_CALL,
    PATHS,
    PENDING_TARGETS,
    RELEASE,
    RUNTIME,
    XLA_TARGETS,
    Runtime,
    jax_function,
    jax_function_or,
    unimplemented,
)
from callbridge.typing import Abi, Stage


def registered(name: str, platform: str) -> dict[int, dict[str, int] | None]:
    """Returns what XLA has, or will have, by that name, by the API version of its registry.

    A value has the addresses by stage, or is None if they are unknown. The result is empty for
    releases that cannot list their targets: 0.4.13, where the last registration of a name counts,
    and future ones that keep their lists elsewhere. `platform` is canonical.
    """
    if not RUNTIME.lists_targets:
        return {}
    found = in_xla(name, platform)
    for pending, target, api_version, *_ in jax_function_or(PENDING_TARGETS, {}).get(platform, ()):
        if pending == name:
            found[api_version] = _addresses(target)
    return found


def in_xla(name: str, platform: str) -> dict[int, dict[str, int] | None]:
    """Likewise, but only what XLA has."""
    if not RUNTIME.lists_targets:
        return {}
    target = jax_function_or(XLA_TARGETS, _no_targets)(platform).get(name)
    if target is None:
        return {}
    # Of a name in both registries it lists the handler alone.
    return {1 if isinstance(target, dict) else 0: _addresses(target)}


def untyped(platform: str) -> dict[str, int]:
    """Returns the addresses of the untyped functions that XLA has, or will have, by name.

    Where it has a typed handler of that name too, the function is left out, and so are all where
    registered() returns nothing.
    """
    if not RUNTIME.lists_targets:
        return {}
    pending = jax_function_or(PENDING_TARGETS, {}).get(platform, ())
    named = {name: target for name, target, api_version, *_ in pending if api_version == 0}
    found = {}
    for name, target in {**jax_function_or(XLA_TARGETS, _no_targets)(platform), **named}.items():
        addresses = None if isinstance(target, dict) else _addresses(target)
        if addresses:
            found[name] = addresses["execute"]
    return found


def _no_targets(_platform: str) -> dict[str, Any]:
    return {}


def is_same(target: Any, addresses: dict[str, int] | None) -> bool:
    """Returns whether `target`, in the form that JAX registers, has these addresses."""
    return addresses is not None and _addresses(target) == addresses


def _addresses(target: Any) -> dict[str, int] | None:
    stages = target if isinstance(target, dict) else {"execute": target}
    try:
        found = {stage: capsule_pointer(capsule) for stage, capsule in stages.items()}
    except TypeError:
        return None
    return {stage: address for stage, address in found.items() if address}


def _serve(entry: Entry, abi: Abi | None) -> tuple[str, ...]:
    """Gives XLA what leads to the target. Raises what adapt() raises, and
    INVALID_ARGUMENT for a name in another encoding, with which JAX would not start any more."""
    utf_8(entry.target.name, "target of JAX")
    compatible = RUNTIME.records_typed_calls and entry.command_buffer_compatible
    c_target = _target.to_c(entry.target, abi, compatible)
    if "typed_ffi" in (entry.target.abi, abi):
        handlers = _of_typed_handler(entry, c_target)
    else:
        _native_functions.refuse_as_untyped(entry.target, entry.platform, abi)
        handlers = _of_untyped_function(entry, c_target)
    new = _not_registered(entry, handlers)
    for path, handler in new.items():
        _register(entry, path, handler)
    return tuple(handlers)


def _check_name(entry: Entry) -> None:
    # If a typed handler cannot be registered, only its callers get an error.
    if entry.abi != "typed_ffi":
        _refuse_registered_name(entry, registered(entry.target.name, entry.platform))


def _not_registered(entry: Entry, handlers: dict[str, Any]) -> dict[str, Any]:
    """Returns the `handlers` that XLA lacks. Raises ALREADY_EXISTS if it has other ones."""
    theirs = registered(entry.target.name, entry.platform)
    new = {}
    for path, handler in handlers.items():
        version = PATHS[path].registration_api_version
        if version not in theirs:
            new[path] = handler
        elif not is_same(handler, theirs[version]):
            _refuse_registered_name(entry, theirs)
    return new


def _refuse_registered_name(entry: Entry, theirs: dict) -> None:
    if theirs:
        raise CallbridgeError(
            "ALREADY_EXISTS",
            f"target {entry.target.name!r} on {entry.platform} of {entry.source}: XLA has another "
            "function of that name, registered with JAX without callbridge or by an earlier "
            "import of it, and keeps it until the process ends; register this one under another "
            "name",
        )


# The address that leads to a target, by path.


def adapt(
    name: str, platform: str, handlers: dict[Stage, int], traits: int
) -> tuple[dict[Stage, Any], int]:
    """Returns the capsules to give XLA instead of the handlers, by stage, and their traits."""
    adapted, reported = _native_functions.adapt(
        name, platform, handlers, jaxlib.__version__, traits
    )
    return {stage: make_capsule(address) for stage, address in adapted.items()}, reported


def _of_typed_handler(entry: Entry, c_target: _c_api.Target) -> dict[str, Any]:
    trait = _c_api.TRAIT_COMMAND_BUFFER_COMPATIBLE
    adapted, traits = adapt(
        entry.target.name,
        entry.platform,
        entry.handlers,
        trait if c_target.command_buffer_compatible else 0,
    )
    entry.reports_compatible = bool(traits & trait) and not entry.is_declared_compatible
    handlers = {}
    if _calls_by_ffi(RUNTIME, entry, is_typed=True):
        handlers["typed"] = adapted if len(adapted) > 1 else adapted["execute"]
    # If the library has an untyped function of the same name, that path is the function's.
    if RUNTIME.ffi_call == OWN_FFI_CALL and (entry.untyped is None or not handlers):
        handlers["version_3"] = make_capsule(_entry_points(c_target).untyped)
    return handlers


def _calls_by_ffi(runtime: Runtime, entry: Entry, is_typed: bool) -> bool:
    """Without "instantiate", XLA calls no other stage, nor the entry points of untyped targets."""
    only_executes = is_typed and len(entry.handlers) == 1
    return runtime.has_instantiate or (runtime.has_typed_ffi and only_executes)


def lacks_typed(entry: Entry, name: str) -> CallbridgeError:
    """Returns the error for the path "typed", if it does not lead to `entry`."""
    is_typed = entry.abi == "typed_ffi"
    return unimplemented(
        f"{name}, by the path 'typed',", lambda row: _calls_by_ffi(row, entry, is_typed)
    )


def _of_untyped_function(entry: Entry, c_target: _c_api.Target) -> dict[str, Any]:
    entry_points = _entry_points(c_target)
    if entry.is_beside_handler:
        if not RUNTIME.has_typed_ffi:
            raise unimplemented(
                f"target {entry.target.name!r}, an untyped function beside a typed handler,",
                lambda row: row.has_typed_ffi,
            )
        return {"version_3": make_capsule(entry_points.untyped)}
    return {
        name: make_capsule(getattr(entry_points, path.entry_point))
        for name, path in PATHS.items()
        if name != "typed" or _calls_by_ffi(RUNTIME, entry, is_typed=False)
    }


def register_typed_entry_point(entry: Entry, c_target: _c_api.Target) -> None:
    """Gives XLA the typed entry point of an untyped function, and no other."""
    _register(entry, "typed", make_capsule(_entry_points(c_target).typed))


def _entry_points(c_target: _c_api.Target) -> _c_api.EntryPoints:
    entry_points = _c_api.EntryPoints()
    _c_api.target_entry_points(c_target, entry_points)
    return entry_points


class _NameForPlugins(str):
    """A name whose len() is that of its UTF-8: of the UTF-8, JAX's GPU plugins take len() bytes."""

    def __len__(self) -> int:
        return len(self.encode())


def _register(entry: Entry, path: str, handlers: Any) -> None:
    version = {}
    if RUNTIME.registers_by_api_version:
        version["api_version"] = PATHS[path].registration_api_version
    name = entry.target.name if entry.platform == HOST else _NameForPlugins(entry.target.name)
    jax_function(RUNTIME.register)(name, handlers, platform=JAX_PLATFORM[entry.platform], **version)


def _default_platform() -> str:
    """That of JAX's default backend, which is "gpu" for AMD's GPUs too."""
    backend = jax.default_backend()
    if backend == "gpu" and "rocm" in jax.devices()[0].client.platform_version.lower():
        return "ROCM"
    return backend


# The environment variable whose value prefer() gets when callbridge.jax is imported.
PATH_VARIABLE = "CALLBRIDGE_PATH"

registry = Registry("callbridge.jax", "XLA", _serve, _check_name, _default_platform)


def check_path(prefer: str | None) -> None:
    """Raises INVALID_ARGUMENT for an unknown path."""
    if prefer is not None:
        check_choice(prefer, "prefer", PATHS)


_preferred_path: str | None = None


def prefer(path: str | None) -> None:
    """Makes `path`, "typed" or None, the path of all calls that leave it open, where it leads.

    Raises INVALID_ARGUMENT for other values.
    """
    global _preferred_path
    if path not in (None, "typed"):
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"the preferred path: expected 'typed' or None, got {path!r}"
        )
    _preferred_path = path


def preferred_path() -> str | None:
    """Returns what prefer() got last."""
    return _preferred_path


def prefers_typed() -> bool:
    """Returns true if all calls that leave their path open are typed ones, where that leads."""
    return _preferred_path is not None or not RUNTIME.reads_back_untyped_calls


def fastest_path(entry: Entry) -> str:
    """Returns the preferred path, or else the fastest."""
    if prefers_typed() and "typed" in entry.paths:
        return "typed"
    # Its own ABI provides more to a typed handler than version 3 does.
    fastest = (
        "typed" if entry.abi == "typed_ffi" else _runtimes.fastest_path(RELEASE, entry.platform)
    )
    return fastest if fastest in entry.paths else entry.paths[0]


def path_with_scratch(entry: Entry, path: str) -> str:
    """The path by which a call can give a typed handler scratch memory, if XLA has none by `path`.

    It has some by the typed path on GPUs.
    """
    has_scratch = path == "typed" and entry.platform != HOST
    return "version_3" if not has_scratch and "version_3" in entry.paths else path


def check_path_fits(entry: Entry, prefer: str | None) -> None:
    """Raises INVALID_ARGUMENT or UNIMPLEMENTED if that path does not lead to the target, or not
    as its user declares."""
    name = f"target {entry.target.name!r} on {entry.platform}"
    if prefer == "version_3" and entry.is_declared_compatible and entry.platform != HOST:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{name} is declared command_buffer_compatible, but XLA records no calls by the path "
            "'version_3' into command buffers; leave prefer out, or register the target by another "
            "name without command_buffer_compatible",
        )
    if prefer is None or prefer in entry.paths:
        return
    if entry.is_beside_handler:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{name}: its library registers a typed handler by that name too, to which the path "
            f"{prefer!r} leads; leave prefer out",
        )
    if prefer == "typed":
        raise lacks_typed(entry, name)
    raise CallbridgeError(
        "INVALID_ARGUMENT",
        f"{name} is a typed handler, which this JAX cannot call by {prefer!r}; leave prefer out",
    )


try:
    prefer(os.environ.get(PATH_VARIABLE) or None)
except CallbridgeError as error:
    raise CallbridgeError(error.code, f"{PATH_VARIABLE}, {error.message}") from None
