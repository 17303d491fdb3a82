"""Changes to JAX's modules: made by the rows of the tables, and undone."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.machinery
import os
import sys
import types
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from callbridge.jax._runtimes import LEAVE_OUT_OF_LOCATIONS, is_since, jax_function_or
from callbridge.resurrect._names import _adapters, _explanation, _lazy, _members_table, _table
from callbridge.resurrect._names._row import From, Row

# Programs of JAX's own functions, which some of the wrappers are called by, stay the same bytes.
if (leave_out := jax_function_or(LEAVE_OUT_OF_LOCATIONS, None)) is not None:
    leave_out(os.path.dirname(os.path.dirname(__file__)))

Kind = Literal["restored", "wrapped"]
RESTORED: Kind = "restored"
WRAPPED: Kind = "wrapped"


@dataclasses.dataclass(frozen=True, order=True)
class Name:
    """A name that is not as JAX has it.

    Attributes:
      module: where programs look for it; the module itself where `name` is empty.
      name: there.
      kind: "restored" or "wrapped".
    """

    module: str
    name: str
    kind: Kind


class Change(NamedTuple):
    """One name; or names that are made when they are asked for, or when their module is imported,
    with their modules, and whether JAX has them, wrapped."""

    name: Name | None
    undo: Callable[[], object]
    made_later: Callable[[], Iterable[tuple[str, str, bool]]] | None = None
    made_when_imported: Callable[[], Iterable[Change]] | None = None

    def names(self) -> Iterator[Name]:
        if self.name is not None:
            yield self.name
        if self.made_later is not None:
            for module, name, is_wrapped in self.made_later():
                yield Name(module, name, WRAPPED if is_wrapped else RESTORED)
        if self.made_when_imported is not None:
            for change in self.made_when_imported():
                yield from change.names()


def make_all(changes: list[Change]) -> None:
    """Makes all that this JAX needs, and adds each to `changes` as it is made."""
    with warnings.catch_warnings():
        # To look at a module that JAX deprecates is not to use it.
        warnings.simplefilter("ignore")
        for row in _table.ROWS:
            if row.at_once and row.may_be_needed:
                for name in row.names:
                    _restore(changes, row, name)
        restored = {change.name for change in changes if change.name is not None}
        for row in _table.ROWS:
            by = row.wrapped_by
            if not isinstance(by, From) or (row.wrapped_until and is_since(row.wrapped_until)):
                continue
            parent, _, last = row.module.rpartition(".")
            if Name(parent, last, RESTORED) in restored:
                continue  # a module of this package, which needs no wrappers
            for name in row.names:
                if Name(row.module, name, RESTORED) not in restored:
                    _wrap(changes, row.module, name, by)
        _wrap_functions(changes, restored)
        _restore_members(changes)
        lazy = _lazy.Names(_modules_of_members(), _change_members_of, changes)
        changes.append(Change(None, lazy.undo, lazy.names, lazy.late))
        lazy.begin()


def undo(changes: list[Change]) -> None:
    """Undoes all, the last one first."""
    while changes:
        changes.pop().undo()


def undo_earlier_imports() -> None:
    """Undoes what this package changed before a program took it out of sys.modules: a second import
    would wrap what the first one has wrapped."""
    for finder in list(sys.meta_path):
        if type(finder).__module__ == _lazy.__name__:
            undo(getattr(finder, "changes", []))


def _restore(changes: list, row: Row, name: str) -> None:
    owner = _find(row.module)
    if owner is not None and _has(owner, name):
        return
    for stand_in in row.at_once:
        if not isinstance(stand_in, From):
            continue
        for origin in stand_in.modules:
            source, there = _find(origin), stand_in.names.get(name, name)
            if source is not None and _has(source, there):
                _put(changes, row.module, owner, name, getattr(source, there))
                return


def _put(changes: list, module: str, owner: Any, name: str, value: Any) -> None:
    if owner is None:
        owner = _make_module(changes, module)
    _set(changes, Name(module, name, RESTORED), owner, name, value)
    if isinstance(value, types.ModuleType) and _is_made(owner):
        path = f"{module}.{name}"
        changes.append(Change(Name(path, "", RESTORED), lambda: sys.modules.pop(path, None)))
        sys.modules[path] = value  # for programs that import it by that path


def _wrap(changes: list, module: str, name: str, by: From) -> None:
    owner = _find(module)
    if owner is None or not _has(owner, name):
        return
    (wrappers,) = by.modules
    wrapper = getattr(_find(wrappers), by.names.get(name, name))
    value = wrapper(getattr(owner, name))
    if value is not None:
        _set(changes, Name(module, name, WRAPPED), owner, name, value)


def _wrap_functions(changes: list, restored: Collection[Name], module: str | None = None) -> None:
    """So that they take the parameters of other releases: those of the modules that are imported,
    or of that one. Others are seen to when they are."""
    adapters_of: dict[tuple[str, str], list] = {}
    due = [row for row in _needed_members() if _is_due(row.module, module)]
    for row in due:
        for name in row.names if row.adapters else ():
            adapters = (
                map(_adapters.where_refused, row.adapters) if row.is_between else row.adapters
            )
            adapters_of.setdefault((row.module, name), []).extend(adapters)
    for (path, name), found in adapters_of.items():
        owner = _find(_at_home(path))
        what = path if isinstance(owner, type) else f"{path}.{name}"
        wrap = functools.partial(_adapters.wrapper_of, name=what, adapters=found)
        _replace(changes, Name(path, name, WRAPPED), owner, wrap)
    for row in due:
        if not callable(row.wrapped_by) or (row.is_between and not row.asks_first):
            continue
        for name in row.names:
            if Name(row.module, name, RESTORED) not in restored:
                owner = _find(row.module)
                _replace(changes, Name(row.module, name, WRAPPED), owner, row.wrapped_by)


def _replace(changes: list, name: Name, owner: Any, wrap: Callable) -> None:
    """Puts what `wrap` makes of the owner's own attribute in its place; None leaves it.

    A deprecated name of a module, which is in no dict of it, keeps its warning.
    """
    if owner is None:
        return
    attribute = name.name
    if attribute in vars(owner):
        if (value := wrap(vars(owner)[attribute])) is not None:
            _set(changes, name, owner, attribute, value)
        return
    deprecations = deprecations_of(owner)
    deprecated = deprecations.get(attribute, (None, None))
    if deprecated[1] is not None and (value := wrap(deprecated[1])) is not None:
        changes.append(Change(name, lambda: deprecations.update({attribute: deprecated})))
        deprecations[attribute] = (deprecated[0], value)


def _is_due(path: str, module: str | None) -> bool:
    """Returns whether what has that path is in the module, or in one that is imported."""
    at = _module_of(_at_home(path))
    return at in sys.modules if module is None else at == module


def _at_home(path: str) -> str:
    """The path of a class where JAX defines it by that name; any other path as it is."""
    module = _module_of(path)
    if path == module or module not in _members_table.DEFINED_IN:
        return path
    home = f"{_members_table.DEFINED_IN[module]}{path[len(module) :]}"
    return path if _find(home) is None else home


@functools.cache
def _needed_members() -> tuple[Row, ...]:
    """The rows that this JAX needs: asked for at each import of a module that has some."""
    return tuple(row for row in _members_table.ROWS if row.may_be_needed)


@functools.cache
def _modules_of_members() -> frozenset[str]:
    return frozenset(_module_of(row.module) for row in _members_table.ROWS)


@functools.cache
def _module_of(path: str) -> str:
    """The module of a class of the tables, or the module itself. Classes begin with a capital, but
    for jax.numpy.ufunc."""
    words = path.split(".")
    while words[-1].lstrip("_")[0].isupper() or words[-1] == "ufunc":
        words.pop()
    return ".".join(words)


def _restore_members(changes: list, module: str | None = None) -> None:
    for row in _needed_members():
        if row.members is None or not _is_due(row.module, module):
            continue
        owner = _find(_at_home(row.module))
        for name in row.names if owner is not None else ():
            value = vars(row.members.of)[row.members.names.get(name, name)]
            if isinstance(value, property) and row.gone and row.is_between:
                value = _Fallback(value.fget)
            is_had = _class_has(owner, name) and not row.refused
            if value is not None and not is_had:
                _set(changes, Name(row.module, name, RESTORED), owner, name, value)


class _Fallback:
    """A property of those objects that have no such attribute themselves: a class does not say
    which attributes its __init__() sets, and those could not be set over a property."""

    def __init__(self, get: Any):
        self._get = get

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else self._get(instance)


def _class_has(owner: Any, name: str) -> bool:
    """Of a class: what its own class has, as __call__, its objects have not. What all have from
    `object`, as __lt__, says nothing."""
    return any(name in vars(base) for base in owner.__mro__ if base is not object)


def _change_members_of(changes: list, module: str) -> None:
    """What functions and classes lost or have since, of a module that is imported now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _wrap_functions(changes, (), module)
        _restore_members(changes, module)


def _find(path: str) -> Any:
    """The module, or what a module has by that path; None where JAX does not have it."""
    if path in sys.modules:
        return sys.modules[path]
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        # `path` or one of the packages it is in, and not something that one of them needs.
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise
    parent, _, name = path.rpartition(".")
    owner = _find(parent) if parent else None
    value = getattr(owner, name, None)
    # jax.config is an object where it is no module.
    return value if isinstance(value, (types.ModuleType, type)) else None


def _has(owner: Any, name: str) -> bool:
    if name in vars(owner):
        return True
    # To get a deprecated name would use up its warning.
    deprecated = deprecations_of(owner).get(name)
    return deprecated[1] is not None if deprecated else hasattr(owner, name)


def deprecations_of(owner: Any) -> dict[str, tuple]:
    """The names that JAX's module has by its __getattr__: the message, and the value or None."""
    found = vars(owner).get("_deprecations")
    return found if isinstance(found, dict) else {}  # some import the module of that name


def _make_module(changes: list, path: str) -> types.ModuleType:
    made = types.ModuleType(path, f"{path}, as far as callbridge.resurrect puts it back.")
    made.__spec__ = importlib.machinery.ModuleSpec(path, _lazy.Kept())
    name = Name(path, "", RESTORED)
    changes.append(Change(name, lambda: sys.modules.pop(path, None)))
    sys.modules[path] = made
    parent, _, last = path.rpartition(".")
    owner = _find(parent)
    if _is_made(owner):
        owner.__path__ = []  # which importlib.reload() asks for
    if not _has(owner, last):
        _set(changes, Name(parent, last, RESTORED), owner, last, made)
    return made


def _is_made(module: Any) -> bool:
    return isinstance(getattr(module.__spec__, "loader", None), _lazy.Kept)


_ABSENT = object()


def _set(changes: list, name: Name, owner: Any, attribute: str, value: Any) -> None:
    before = vars(owner).get(attribute, _ABSENT)

    def undo() -> None:
        if before is not _ABSENT:
            setattr(owner, attribute, before)
        elif attribute in vars(owner):
            delattr(owner, attribute)

    # First, so that an interrupt between the two leaves nothing.
    changes.append(Change(name, undo))
    if isinstance(owner, type) and name.kind == RESTORED:
        value = _explanation.noting(value, f"{name.module}.{name.name}")
    setattr(owner, attribute, value)
    if name.kind == RESTORED:
        _explanation.watch(owner, name.module, attribute)
