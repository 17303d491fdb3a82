"""What jaxlib.xla_client keeps its registrations in, each replaced by one that looks at them.

All of JAX's functions that register a target or a type, and copies of them that were bound before,
put it into these: a list for each platform until its backend starts, and then a function.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from jaxlib import xla_client

from callbridge._core import _native_functions
from callbridge._core._error import HOST, CallbridgeError, find_platform
from callbridge._core._native_functions import capsule_pointer
from callbridge.jax._runtimes import RUNTIME
from callbridge.resurrect._registration import _typed, _untyped_of_xla

_is_active = False  # else only what was replaced before is replaced
# What stays in jaxlib for good once a handler was replaced, by module and name.
_keeps: dict[tuple[Any, str], Any] = {}


def enter() -> None:
    """Begins to replace what programs register."""
    global _is_active
    _is_active = True
    _untyped_of_xla.forget_earlier_ones()


def leave() -> None:
    """Ends it, but for handlers that were replaced: their names must get the same address again."""
    global _is_active
    _is_active = False
    if not _typed.is_empty():
        for (module, name), value in _keeps.items():
            setattr(module, name, value)


class _Registry(MutableMapping):
    """A dict of jaxlib's by platform, which keeps what is in it."""

    def __init__(self, original: Any):
        self.original: Any = original.original if isinstance(original, _Registry) else original

    def __getitem__(self, platform: str) -> Any:
        return self.original[platform]

    def __setitem__(self, platform: str, value: Any) -> None:
        self.original[platform] = value

    def __delitem__(self, platform: str) -> None:
        del self.original[platform]

    def __iter__(self) -> Iterator[str]:
        return iter(self.original)

    def __len__(self) -> int:
        return len(self.original)


class _Functions(_Registry):
    """By platform: the function that gives XLA what is registered."""

    def __init__(self, original: Any, through: Callable):
        super().__init__(original)
        self._through = through

    def __getitem__(self, platform: str) -> Callable:
        return functools.partial(self._through, self.original[platform], platform)

    def __setitem__(self, platform: str, function: Callable) -> None:
        self.original[platform] = getattr(function, "original_of_callbridge", function)


class _Lists(_Registry):
    """By platform: what XLA is given when the backend starts."""

    def __init__(self, original: Any, replaced: Callable):
        super().__init__(original)
        self._replaced = replaced

    def setdefault(self, platform: str, default: Any = None) -> Any:
        return _List(self.original.setdefault(platform, default), platform, self._replaced)


class _List:
    """A list of those, to append to."""

    def __init__(self, original: list, platform: str, replaced: Callable):
        self._original = original
        self._platform = platform
        self._replaced = replaced

    def append(self, entry: tuple) -> None:
        replaced = self._replaced(self._platform, *entry)
        if replaced is not None:
            self._original.append(replaced[: len(entry)])


def _replaced_target(
    platform: str, name: Any, fn: Any, api_version: int = 0, traits: Any = 0, *, is_new: bool = True
) -> tuple | None:
    if api_version != _typed.TYPED:
        if _is_active:
            _untyped_of_xla.add(name, fn, platform, is_new=is_new)
        return name, fn, api_version, traits
    given = _typed.given(name, fn, platform, traits, is_active=_is_active, is_new=is_new)
    return None if given is None else (name, given.handlers, api_version, given.traits)


def _target_through(
    function: Callable,
    _platform: str,
    name: Any,
    fn: Any,
    platform: str,
    api_version: int = 0,
    traits: Any = 0,
) -> Any:
    is_new = not _waits(platform, name, fn)
    entry = _replaced_target(platform, name, fn, api_version, traits, is_new=is_new)
    if entry is None:
        return None
    name, fn, api_version, traits = entry
    if not RUNTIME.registers_by_api_version:
        return function(name, fn, platform)
    try:
        return function(name, fn, platform, api_version, traits)
    except Exception as refusal:
        again = functools.partial(
            _target_through, function, _platform, name, fn, platform, api_version, traits
        )
        if api_version == _typed.TYPED and _is_active:
            if _typed.hold(name, platform, again):
                return None
            reason = _typed.why_not_adapted(name, platform)
            if reason is not None:
                raise type(refusal)(
                    f"{refusal}; XLA was given the handler as it is, since {reason.message}"
                ) from None
        raise


def _waits(platform: str, name: Any, fn: Any) -> bool:
    """Whether this waited for the backend, which starts now: JAX still lists it then."""
    lists = _keeps.get((xla_client, "_custom_callback"))
    waiting = () if lists is None else lists.original.get(platform, ())
    return any(entry[0] == name and entry[1] is fn for entry in waiting)


def target_functions(original: Any) -> Any:
    return _kept(xla_client, "_custom_callback_handler", _Functions(original, _target_through))


def target_lists(original: Any) -> Any:
    """Also replaces what is in the lists already."""
    lists = _kept(xla_client, "_custom_callback", _Lists(original, _replaced_target))
    _replace_pending(lists.original)
    return lists


def _kept(module: Any, name: str, value: Any) -> Any:
    _keeps[module, name] = value
    return value


def _replace_pending(lists: dict) -> None:
    for platform, entries in list(lists.items()):
        replaced = [
            (_replaced_target(platform, *entry, is_new=False), len(entry)) for entry in entries
        ]
        # In place: another thread may append meanwhile. JAX before 0.4.30 has no traits in it, and
        # at first no API version.
        entries[: len(replaced)] = [entry[:size] for entry, size in replaced if entry is not None]


def xlas_function(original: Callable) -> Callable | None:
    """_xla.register_custom_call_target, which jaxlib installs for CPU, and programs call too."""
    if not RUNTIME.registers_by_api_version:
        return None

    original = getattr(original, "original_of_callbridge", original)

    @functools.wraps(original)
    def wrapper(fn_name: Any, fn: Any, platform: str, api_version: int = 0, traits: Any = 0) -> Any:
        return _target_through(original, platform, fn_name, fn, platform, api_version, traits)

    wrapper.original_of_callbridge = original  # type: ignore[attr-defined]
    return _kept(xla_client._xla, "register_custom_call_target", wrapper)


# ---- Types of state and of user data -------------------------------------------------------------

# The functions of jaxlib's extension module that register a type with XLA:CPU, newest first.
_XLAS_FUNCTIONS = ("register_custom_type", "register_custom_type_id")
_registered_types: dict[tuple[str, str], int] = {}  # the variable of the id, by name and platform


def type_functions(original: Any) -> Any:
    def through(function: Callable, platform: str, name: Any, registration: Any) -> Any:
        if _replaced_type(platform, name, registration) is not None:
            return function(name, registration)
        return None

    return _Functions(original, through)


def type_lists(original: Any) -> Any:
    return _Lists(original, _replaced_type)


def _replaced_type(platform: str, name: Any, registration: Any) -> tuple | None:
    if not _is_active or not register_type(name, registration, platform):
        return name, registration
    retry_pending()
    return None


def register_type(name: Any, registration: Any, platform: str) -> bool:
    """Registers a type with callbridge, and on CPU with XLA. Returns false to leave it to JAX.

    JAX gives types to XLA when a backend starts, and CPU's handlers before them. XLA refuses a
    handler whose type has no id, so the type gets one now: XLA's on CPU, so that handlers that run
    as they are do so; elsewhere callbridge's.
    """
    known_platform = find_platform(platform)
    try:
        type_id, type_info = _parts(registration)
        variable = capsule_pointer(type_id)
    except (TypeError, KeyError, CallbridgeError):
        return False  # JAX says what is wrong
    if known_platform is None or not isinstance(name, str) or _typed.is_jaxs_or_ours(variable):
        return False
    if _registered_types.get((name, known_platform)) == variable:
        return True  # some XLAs refuse the same again
    if known_platform == HOST:
        for function in _XLAS_FUNCTIONS:
            if hasattr(xla_client._xla, function):
                getattr(xla_client._xla, function)(name, registration)
                break
        # callbridge knows another id by that name where another library registered it first; XLA's
        # own handlers do not need callbridge's.
        with contextlib.suppress(CallbridgeError):
            _native_functions.register_type(name, type_id, type_info)
    elif ctypes.c_int64.from_address(variable).value == 0:
        _native_functions.register_type(name, type_id, type_info)
    else:
        return False  # it has an id, of another platform's
    _registered_types[name, known_platform] = variable
    return True


def register_with_callbridge(name: str, registration: Any) -> None:
    """Registers a type whose handlers get a wrapper, since XLA cannot be told of it."""
    _native_functions.register_type(name, *_parts(registration))


def _parts(registration: Any) -> tuple[Any, Any]:
    if isinstance(registration, dict):
        return registration["type_id"], registration.get("type_info")
    return registration, None


def retry_pending() -> None:
    """Replaces handlers that wait for XLA and could not be replaced before, for want of a type, and
    gives it those that it refused for that."""
    lists = _keeps.get((xla_client, "_custom_callback"))
    if lists is not None and _typed.take_failed():
        _replace_pending(lists.original)
    for register in _typed.take_held():
        register()
