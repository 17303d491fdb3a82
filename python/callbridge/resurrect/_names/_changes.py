"""Changes to JAX's modules: made by the tables of _restored.py and its kin, and undone."""

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
from typing import Any, Literal

from callbridge.jax._runtimes import LEAVE_OUT_OF_LOCATIONS, is_since, jax_function_or
from callbridge.resurrect._names import (
    _adapters,
    _lazy,
    _lost_attributes,
    _lost_parameters,
    _newer_attributes,
    _newer_names,
    _newer_parameters,
    _restored,
)
from callbridge.resurrect._names._between import may_be_gone

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


@dataclasses.dataclass(frozen=True)
class Change:
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
        for module, origin, names in (*_restored.RESTORED, *_newer_names.rows(_newer_names.LENT)):
            for name, origin_name in _split(names):
                _restore(changes, module, name, origin, origin_name)
        restored = {change.name for change in changes if change.name is not None}
        for module, wrappers, names in (
            *_restored.WRAPPED,
            *_newer_names.rows(_newer_names.WRAPPED),
        ):
            parent, _, last = module.rpartition(".")
            if Name(parent, last, RESTORED) in restored:
                continue  # a module of this package, which needs no wrappers
            for name, wrapper in _split(names):
                if Name(module, name, RESTORED) not in restored:
                    _wrap(changes, module, name, getattr(_find(wrappers), wrapper))
        _restore_parameters(changes, restored)
        _restore_attributes(changes)
        lazy = _lazy.Names(_modules_of_what_is_lost(), _restore_of_module, changes)
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


def _split(names: str) -> Iterator[tuple[str, str]]:
    for entry in names.split():
        name, _, other = entry.partition("=")
        yield name, other or name


def _restore(changes: list, module: str, name: str, origin: str, origin_name: str) -> None:
    owner = _find(module)
    if owner is not None and _has(owner, name):
        return
    source = _find(origin)
    if source is None or not _has(source, origin_name):
        return
    value = getattr(source, origin_name)
    if owner is None:
        owner = _make_module(changes, module)
    _set(changes, Name(module, name, RESTORED), owner, name, value)
    if isinstance(value, types.ModuleType) and _is_made(owner):
        path = f"{module}.{name}"
        changes.append(Change(Name(path, "", RESTORED), lambda: sys.modules.pop(path, None)))
        sys.modules[path] = value  # for programs that import it by that path


def _wrap(changes: list, module: str, name: str, wrapper: Callable) -> None:
    owner = _find(module)
    if owner is None or not _has(owner, name):
        return
    value = wrapper(getattr(owner, name))
    if value is not None:
        _set(changes, Name(module, name, WRAPPED), owner, name, value)


def _restore_parameters(
    changes: list, restored: Collection[Name], module: str | None = None
) -> None:
    """Of the modules that are imported, or of that one. Others are seen to when they are."""
    adapters_of: dict[tuple[str, str], list] = {}
    lost = [row for row in _lost_parameters.ROWS if may_be_gone(row[1])]
    newer = [row for row in _newer_parameters.rows() if not is_since(row[1])]
    for path, since, names, adapters in (*lost, *newer):
        if may_be_gone(since) and not is_since(since):
            adapters = tuple(map(_adapters.where_refused, adapters))
        if _is_due(path, module):
            for name in names.split():
                adapters_of.setdefault((path, name), []).extend(adapters)
    for (path, name), found in adapters_of.items():
        owner = _find(_at_home(path))
        what = path if isinstance(owner, type) else f"{path}.{name}"
        wrap = functools.partial(_adapters.wrapper_of, name=what, adapters=found)
        _replace(changes, Name(path, name, WRAPPED), owner, wrap)
    for path, gone_in, name, make in _lost_parameters.BY_POSITION:
        is_to_be = is_since(gone_in) or (
            may_be_gone(gone_in) and (path, gone_in, name, make) in _lost_parameters.ASKING_FIRST
        )
        if is_to_be and _is_due(path, module) and Name(path, name, RESTORED) not in restored:
            _replace(changes, Name(path, name, WRAPPED), _find(path), make)

    for path, (reason, parameters) in _lost_parameters.NOT_HAD.items():
        if not _is_due(path, module):
            continue
        parent, _, function = path.rpartition(".")
        is_class = isinstance(_find(path), type)
        owner_path, name = (path, "__init__") if is_class else (parent, function)
        refuse = functools.partial(
            _adapters.refusing, name=path, reason=reason, parameters=parameters.split()
        )
        _replace(changes, Name(owner_path, name, WRAPPED), _find(owner_path), refuse)


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


# Modules that hand on classes of others, which programs reach without them: to import one in order
# to change its classes would take longer than all else here.
_HOMES = {
    "jax.extend.core": "jax._src.core",
    "jax.extend.source_info_util": "jax._src.source_info_util",
}


def _at_home(path: str) -> str:
    """The path of a class where JAX defines it by that name; any other path as it is."""
    module = _module_of(path)
    if path == module or module not in _HOMES:
        return path
    home = f"{_HOMES[module]}{path[len(module) :]}"
    return path if _find(home) is None else home


@functools.cache
def _modules_of_what_is_lost() -> frozenset[str]:
    tables = (
        _lost_parameters.ROWS,
        _lost_parameters.BY_POSITION,
        _lost_attributes.ROWS,
        _newer_attributes.ROWS,
    )
    paths = [row[0] for table in tables for row in table]
    paths += [row[0] for row in _newer_parameters.rows()]
    return frozenset(map(_module_of, [*paths, *_lost_parameters.NOT_HAD]))


@functools.cache
def _module_of(path: str) -> str:
    """The module of a function or class of the tables. Classes begin with a capital, but for
    jax.numpy.ufunc."""
    words = path.split(".")
    while (
        words[-1].lstrip("_")[0].isupper()
        or words[-1] == "ufunc"
        or ".".join(words) in _lost_parameters.NOT_HAD
    ):
        words.pop()
    return ".".join(words)


def _restore_attributes(changes: list, module: str | None = None) -> None:
    lost = [(row, _lost_attributes) for row in _lost_attributes.ROWS if may_be_gone(row[1])]
    newer = [(row, _newer_attributes) for row in _newer_attributes.ROWS if not is_since(row[1])]
    for (path, since, names), table in (*lost, *newer):
        owner = _find(_at_home(path)) if _is_due(path, module) else None
        for name, other in _split(names) if owner is not None else ():
            value = vars(table.Attributes)[other]
            if isinstance(value, property) and table is _lost_attributes and not is_since(since):
                value = _Fallback(value.fget)
            is_had = _class_has(owner, name) and (path, name) not in _lost_attributes.REFUSED
            if value is not None and not is_had:
                _set(changes, Name(path, name, RESTORED), owner, name, value)


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


def _restore_of_module(changes: list, module: str) -> None:
    """What functions and classes lost, of a module that is imported now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _restore_parameters(changes, (), module)
        _restore_attributes(changes, module)


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
    setattr(owner, attribute, value)
