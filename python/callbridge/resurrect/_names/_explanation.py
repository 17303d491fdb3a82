"""What `python -m callbridge.resurrect --explain` writes: which restored names a program asked for
and where, which of its calls were changed, and which of its handlers were adapted and how.

Off until begin(): then what is noted here is written when the process ends. Thread-safe.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jaxlib

from callbridge._core import _c_api
from callbridge._core._library_files import library_at
from callbridge.jax import _registry
from callbridge.jax._runtimes import RELEASE, RUNTIME, fastest_path, last_not_after_xla, this_jax
from callbridge.resurrect._registration import _typed, _untyped, _untyped_of_xla

# How many places are written of a name; the others are counted.
_SHOWN = 3
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
_PACKAGES = ("site-packages", "dist-packages")

is_on = False
# By what was asked for: the places, "FILE:LINE", in the order in which they asked. A dict, since
# setdefault() is atomic.
_Places = dict[str, None]
_names: dict[str, _Places] = {}
_refused: dict[str, _Places] = {}
_calls: dict[str, _Places] = {}
_watched: dict[str, dict[str, str]] = {}  # by a module's name: its names, and where a program looks


def begin() -> None:
    """Notes what a program asks for from now on, and writes it when this process ends: not one
    that it forks, nor one that a signal or os._exit() ends."""
    global is_on
    is_on = True
    process = os.getpid()

    def end() -> None:
        if os.getpid() == process and sys.stderr is not None:
            sys.stderr.write("".join(f"{line}\n" for line in _lines()))

    atexit.register(end)


def asked(name: str) -> None:
    """A program asked for a restored name."""
    _note(_names, name)


def refused(name: str, why: str) -> None:
    """A program asked for a name that cannot be restored."""
    _note(_refused, f"{name}: {why.rpartition(': ')[2]}")


def called(function: str, before: tuple[tuple, dict], after: tuple[tuple, dict]) -> None:
    """A call of JAX's function was made one that it takes."""
    (args, keywords), (new_args, new_keywords) = before, after
    lost = sorted(keywords.keys() - new_keywords.keys())
    if not lost and len(args) != len(new_args):
        lost = [f"{len(args)} arguments by position"]
    changed = [name for name in keywords if keywords[name] is not new_keywords.get(name)]
    if lost or changed:
        _note(_calls, f"{function}({', '.join(lost or changed)})")


def took_form(function: Any) -> None:
    """A call that JAX's function refused was made one that it takes."""
    owner = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))
    _note(_calls, f"{owner}.{name}: arguments in a form of older releases")


def _note(notes: dict[str, _Places], what: str) -> None:
    if is_on and (place := _place()) is not None:
        notes.setdefault(what, {}).setdefault(place)


def _place() -> str | None:
    """Where the program asks; None if JAX or callbridge itself does."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        file = frame.f_code.co_filename
        is_between = module.startswith(("callbridge.resurrect._names.", "importlib."))
        if not is_between and not _is_of_python(file):
            break
        frame = frame.f_back
    if frame is None or module.partition(".")[0] in ("jax", "jaxlib", "callbridge"):
        return None
    here = os.getcwd() + os.sep
    return f"{file.removeprefix(here) if file.startswith(here) else file}:{frame.f_lineno}"


def _is_of_python(file: str) -> bool:
    if file.startswith("<frozen "):
        return True
    return file.startswith(_STANDARD_LIBRARY) and not any(name in file for name in _PACKAGES)


# ---- Names that are there before they are asked for ----------------------------------------------


class _WatchedModule(types.ModuleType):
    """A module that notes who asks for the names that it got back."""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        path = _watched.get(super().__getattribute__("__name__"), {}).get(name)
        if path is not None:
            asked(path)
        return value


_WatchedModule.__name__ = _WatchedModule.__qualname__ = "module"
_WatchedModule.__module__ = "builtins"


def watch(owner: Any, path: str, name: str) -> None:
    """Notes from now on who asks that module for its name, where a program looks for `path`."""
    if is_on and type(owner) in (types.ModuleType, _WatchedModule):
        _watched.setdefault(owner.__name__, {})[name] = f"{path}.{name}"
        owner.__class__ = _WatchedModule


def noting(value: Any, path: str) -> Any:
    """A member of a class that notes who asks for it; the value itself where nothing is noted."""
    if not is_on or path.rpartition(".")[2].startswith("__"):
        return value
    if isinstance(value, property):
        get: Callable = value.fget  # type: ignore[assignment]

        def noted(self: Any) -> Any:
            asked(path)
            return get(self)

        return property(noted, value.fset, value.fdel, value.__doc__)
    return _Noting(value, path)


class _Noting:
    def __init__(self, value: Any, path: str):
        self._value, self._path = value, path

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        asked(self._path)
        get = getattr(type(self._value), "__get__", None)
        return self._value if get is None else get(self._value, instance, owner)


# ---- What is written -----------------------------------------------------------------------------


def _lines() -> Iterator[str]:
    yield f"callbridge.resurrect on {this_jax(jax.__version__, jaxlib.__version__)}:"
    parts = [
        ("restored, and asked for at", _with_places(_names)),
        ("calls that this JAX does not take, made ones that it takes, at", _with_places(_calls)),
        ("cannot be restored, and asked for at", _with_places(_refused)),
        ("handlers", sorted(_handlers())),
    ]
    for title, lines in parts:
        if lines:
            yield f"  {title}:"
            yield from (f"    {line}" for line in lines)
    if not any(lines for _, lines in parts):
        yield "  the program asked for nothing that this JAX lacks, and no handler was adapted"


def _with_places(notes: dict[str, _Places]) -> list[str]:
    lines = []
    for what, places in sorted(notes.items()):
        shown = [*places][:_SHOWN]
        rest = len(places) - len(shown)
        more = f", and {rest} more" if rest else ""
        lines.append(f"{what}  {', '.join(shown)}{more}")
    return lines


def _handlers() -> Iterator[str]:
    ours = _xla_ffi()
    for (name, platform), addresses in _typed.adapted():
        address = addresses["execute"]
        evidence = _c_api.probe_typed(address)[1]
        what = _what(name, platform, address)
        yield f"{what}: {ours} and calls it through callbridge; the handler {evidence}"
    for (name, platform), error in _typed.not_adapted():
        yield f"{name!r} on {platform}: given to XLA as it is, since {error.message}"
    entries = _registry.registry.entries
    registered = [(name, entry) for name in sorted(_untyped.names) for entry in entries(name)]
    for name, entry in [*registered, *_untyped_of_xla.served()]:
        if entry.abi != "typed_ffi":
            what = _what(name, entry.platform, entry.handlers["execute"])
            abi = f" of ABI {entry.abi}" if entry.abi else ""
            yield f"{what}: an untyped function{abi}; {_path_in_words(entry)}"


def _path_in_words(entry: Any) -> str:
    if not entry.paths:
        return "no call of it was made"
    fastest = _registry.preferred_path() or fastest_path(RELEASE, entry.platform)
    path = fastest if fastest in entry.paths else entry.paths[0]
    return f"XLA calls it through callbridge by {_PATHS_IN_WORDS[path]}"


_PATHS_IN_WORDS = {"version_3": "version 3", "typed": "typed FFI"}


def _what(name: str, platform: str, address: int) -> str:
    library = library_at(address)
    return f"{name!r} on {platform}" + ("" if library is None else f", of {os.fsdecode(library)}")


def _xla_ffi() -> str:
    """This XLA and the version of its FFI, in words."""
    if not RUNTIME.has_typed_ffi:
        return "this XLA has no FFI"
    rows = json.loads(_c_api.ffi_runtime_versions())
    # "jaxlib 0.4.32 to 0.4.33", in ascending order.
    row = rows[last_not_after_xla(row["releases"].split()[1] for row in rows)]
    return f"this XLA has FFI 0.{row['minor']}"
