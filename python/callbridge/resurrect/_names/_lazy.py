"""Names that are made when they are asked for: those of _table.py.

JAX's own come first: a module is asked for one of these names only where it has none by itself. A
module of the table that is not imported yet is prepared when it is, and made where JAX has none.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Optional

from callbridge._core import _jax_names
from callbridge.jax._runtimes import is_since
from callbridge.resurrect._names import _explanation, _row, _table
from callbridge.resurrect._names._row import (
    Modules,
    NoInstances,
    Refused,
    Row,
    gone_in,
    may_be_gone,
)


@functools.cache
def rows() -> dict[str, dict[str, Row]]:
    """By module and name, the row of a name that is gone in this release, or refused, or came in a
    later one, and is made when it is asked for."""
    found: dict[str, dict[str, Row]] = {}
    for row in _table.ROWS:
        is_to_come = row.came and not row.at_once and not is_since(row.came)
        is_all = is_to_come or (row.refused and is_since(row.refused))
        releases = gone_in().get(row.module, {})
        for name in row.names if row.stand_ins else ():
            if is_all or (name in releases and may_be_gone(releases[name])):
                found.setdefault(row.module, {})[name] = row
    for module, like in _jax_names.LIKE.items():
        found[module] = {**found.get(like, {}), **found.get(module, {})}
    return {module: names for module, names in found.items() if names}


def _refused(path: str) -> set[str]:
    """The names of the module that this release has in order to refuse them."""
    names = rows().get(path, {}).items()
    return {name for name, row in names if row.refused and is_since(row.refused)}


# Which packages wrap whole by its __dict__: its names are there at once.
_READ_AS_A_DICTIONARY = "jax.numpy"

# By module, the function that reads a program back; _custom_call.serving() wraps it when its
# module is imported.
_READS_BACK = {
    "jax.experimental.serialize_executable": "deserialize_and_load",
    "jax.export": "deserialize",
}


def paths() -> set[str]:
    """The modules that get names when they are asked for them, or a function wrapped."""
    return {*rows(), *_READS_BACK, *_table.SUBMODULES}


def _imported(path: str) -> types.ModuleType | None:
    """The module, if it is imported; jax.lib.xla_client was jaxlib.xla_client once."""
    parent, _, name = path.rpartition(".")
    found = sys.modules.get(path)
    if found is None and parent in sys.modules:
        found = vars(sys.modules[parent]).get(name)
    return found if isinstance(found, types.ModuleType) else None


def _imported_as(path: str) -> str:
    """The module's own name: the same class stands for a name by whatever path it is asked for."""
    module = _imported(path)
    name = path if module is None else module.__name__
    return next((own for own, like in _jax_names.LIKE.items() if like == name), name)


def _gives(getter: Any, name: str) -> bool:
    """Returns whether a module's own __getattr__ has it: names that JAX deprecates are there."""
    if getter is None:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getter(name)
    except AttributeError:
        return False
    return True


class Names:
    """What is put back, until undo()."""

    def __init__(
        self, watched: frozenset[str], when_imported: Callable[[list, str], None], changes: list
    ) -> None:
        """`watched` are more modules, for which `when_imported` makes a list of changes when they
        are imported. `changes` are all that are made beside these."""
        self.watched = paths() | watched
        self._when_imported = when_imported
        self._late: list[Any] = []
        self._made: dict[tuple[str, str], Any] = {}
        # The module, its __getattr__ before, and where programs look for it: a module that JAX has
        # by two paths is hooked for each, and JAX's own __getattr__ is that before the first.
        self._hooked: list[tuple[types.ModuleType, Any, str]] = []
        self._own_getters: dict[str, Any] = {}
        self._replaced: list[tuple[types.ModuleType, str, Any]] = []
        self._added: list[tuple[types.ModuleType, str]] = []
        self._made_modules: list[str] = []
        self._making = threading.local()
        self._finder = _Finder(self, changes)

    def begin(self) -> None:
        for path in paths():
            if (module := _imported(path)) is not None:
                self.hook(module, path)
        sys.meta_path.insert(0, self._finder)

    def undo(self) -> None:
        with contextlib.suppress(ValueError):  # begin() was interrupted
            sys.meta_path.remove(self._finder)
        while self._late:
            self._late.pop().undo()
        while self._made_modules:
            path = self._made_modules.pop()
            made = sys.modules.pop(path, None)
            parent, _, last = path.rpartition(".")
            owner = sys.modules.get(parent)
            if owner is not None and made is not None and vars(owner).get(last) is made:
                delattr(owner, last)
        while self._replaced:
            setattr(*self._replaced.pop())
        while self._added:
            module, name = self._added.pop()
            vars(module).pop(name, None)
        while self._hooked:
            module, before, _ = self._hooked.pop()
            self._own_getters.pop(module.__name__, None)
            if before is None:
                del module.__getattr__
            else:
                module.__getattr__ = before  # type: ignore[method-assign]
        self._made.clear()

    def names(self) -> Iterator[tuple[str, str, bool]]:
        """The names that programs find now, each with its module, and whether JAX has it, wrapped;
        of modules made, "" too."""
        for path in paths():
            with warnings.catch_warnings(), contextlib.suppress(ImportError):
                warnings.simplefilter("ignore")
                importlib.import_module(path)
        # To make a name may import, and so add, modules that others are in.
        for module, _, path in self._hooked:
            before, refused = self._own_getters[module.__name__], _refused(path)
            for name in rows().get(path, {}):
                is_ours = (module, name) in self._added or f"{path}.{name}" in self._made_modules
                is_own = name in vars(module) and not is_ours
                if name in refused:
                    yield path, name, False
                elif not is_own and not _gives(before, name) and self._is_had(path, name):
                    yield path, name, False
        for path in self._made_modules:
            yield path, "", False
        for module, name, _ in self._replaced:
            if name == _READS_BACK.get(module.__name__):
                yield module.__name__, name, True

    def _is_had(self, path: str, name: str) -> bool:
        try:
            self.get(path, name)
        except AttributeError:
            return False
        return True

    def imported(self, module: types.ModuleType, path: str) -> None:
        """Of one that JAX has."""
        self._when_imported(self._late, path)
        if path in paths():
            self.hook(module, path)

    def late(self) -> Iterator[Any]:
        """The changes that were made when modules were imported."""
        yield from self._late

    def hook(self, module: types.ModuleType, path: str) -> None:
        """Gives the module the names of that path's rows, after its own."""
        before = vars(module).get("__getattr__")
        refused = _refused(path)
        restored = rows().get(path, {})
        submodules = _table.SUBMODULES.get(path, "").split()

        def find(name: str) -> Any:
            if name == "__all__" and _is_importing_all(sys._getframe(1)):
                # What a module gives by its __getattr__ alone is in no `import *`.
                own = [own for own in vars(module) if own[0] != "_"]
                return [*own, *(gone for gone in _went(path) if self._is_had(path, gone))]
            if before is not None and name not in refused:
                try:
                    with warnings.catch_warnings():
                        if name in restored:
                            warnings.simplefilter("ignore")
                        return before(name)
                except AttributeError:
                    if name not in restored and name not in submodules:
                        raise
            if name not in restored:
                if name in submodules and (found := _submodule(path, name)) is not None:
                    return found
                raise AttributeError(
                    f"module {module.__name__!r} has no attribute {name!r}",
                    name=name,
                    obj=module,
                )
            try:
                found = self.get(path, name)
                _explanation.asked(f"{path}.{name}")
                return found
            except _row.NotHadError as error:
                _explanation.refused(f"{path}.{name}", str(error))
                if _is_importing(sys._getframe(1)):
                    # Python has a text of its own where a name is an AttributeError.
                    raise ImportError(str(error), name=name, path=module.__name__) from None
                raise

        if restored or submodules:
            self._hooked.append((module, before, path))
            self._own_getters.setdefault(module.__name__, before)
            module.__getattr__ = find  # type: ignore[method-assign]
        for name in refused:
            if name in vars(module):
                self._replace(module, name, self.get(path, name))
        if path == _READ_AS_A_DICTIONARY:
            for name in _went(path):
                is_own = name in vars(module) or _gives(before, name)
                if not is_own and self._is_had(path, name):
                    self._added.append((module, name))
                    setattr(module, name, self.get(path, name))
                    _explanation.watch(module, path, name)
        if (name := _READS_BACK.get(path, "")) in vars(module):
            from callbridge.resurrect._lowering import (
                _custom_call,  # which needs what is being set up here
            )

            self._replace(module, name, _custom_call.serving(vars(module)[name]))

    def _replace(self, module: types.ModuleType, name: str, value: Any) -> None:
        self._replaced.append((module, name, vars(module)[name]))
        setattr(module, name, value)

    def make_module(self, path: str) -> types.ModuleType:
        self._made_modules.append(path)
        made = types.ModuleType(path, f"{path}, as far as callbridge.resurrect puts it back.")
        made.__path__ = []  # modules of the table may be in it
        return made

    def get(self, path: str, name: str) -> Any:
        """What stands for the name; the same each time. Raises AttributeError if nothing does."""
        key = path, name
        if key not in self._made:
            making = vars(self._making).setdefault("names", set())
            if key in making:
                # Two modules are each other's origins; the other one has it, or none.
                raise AttributeError(f"{path}.{name}: JAX has it nowhere", name=name)
            making.add(key)
            try:
                self._made[key] = find_origin(path, name)
            finally:
                making.remove(key)
        return self._made[key]


def _is_importing(frame: types.FrameType) -> bool:
    """Returns true at `from module import name`."""
    instruction = frame.f_code.co_code[frame.f_lasti]
    return dis.opname[instruction] == "IMPORT_FROM"


def _is_importing_all(frame: types.FrameType) -> bool:
    """Returns true at `from module import *`."""
    at = frame.f_lasti
    operation, argument = dis.opname[frame.f_code.co_code[at]], frame.f_code.co_code[at + 1]
    if operation == "CALL_INTRINSIC_1":  # since Python 3.12
        return argument == 2  # INTRINSIC_IMPORT_STAR
    return operation == "IMPORT_STAR"


def _went(path: str) -> Iterator[str]:
    """The public names that a release before this one had, of those of the module's rows; what
    newer releases have would hide names of a program that knows them not."""
    went = {**gone_in().get(_jax_names.LIKE.get(path, path), {}), **gone_in().get(path, {})}
    return (name for name in rows().get(path, {}) if name in went and name[0] != "_")


def find_origin(path: str, name: str) -> Any:
    """What stands for the name, made anew. Raises AttributeError if nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for stand_in in rows()[path][name].stand_ins:
            if isinstance(stand_in, Refused):
                raise _row.not_had(f"{path}.{name}", stand_in.reason)
            if isinstance(stand_in, NoInstances):
                return _row.class_without_instances(_imported_as(path), name, *stand_in)
            value = _found(stand_in, path, name)
            if value is not _ABSENT:
                return value
    raise AttributeError(f"{path}.{name}: this JAX has nothing that stands for it", name=name)


def _found(stand_in: Any, path: str, name: str) -> Any:
    if isinstance(stand_in, Modules):
        with contextlib.suppress(ModuleNotFoundError):
            return _module(stand_in.paths[name])
        return _ABSENT
    there = stand_in.names.get(name, name)
    for origin in stand_in.modules:
        try:
            owner = importlib.import_module(origin)
        except ModuleNotFoundError:
            continue
        if owner is _imported(path) and there == name:
            continue  # which is asked now
        value = _attribute(owner, there)
        if value is not _ABSENT:
            return value
    return _ABSENT


def _module(path: str) -> types.ModuleType:
    """The module of that name; of an extension module, what is in it and is not in sys.modules."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        parent, _, name = path.rpartition(".")
        if parent not in sys.modules:
            raise
        return getattr(sys.modules[parent], name)


def _submodule(package: str, name: str) -> types.ModuleType | None:
    """The package's module, imported now; None where this JAX has none, or lacks what it needs."""
    try:
        return importlib.import_module(f"{package}.{name}")
    except ImportError:
        return None


_ABSENT = object()


def _attribute(owner: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        owner = getattr(owner, part, _ABSENT)
        if owner is _ABSENT:
            break
    return owner


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the table: JAX's, which get the table's names after theirs, or made."""

    def __init__(self, names: Names, changes: list):
        self._names = names
        self.changes = changes
        self._looking = threading.local()

    def find_spec(
        self, path: str, _: Any = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:  # noqa: UP045, for Python 3.9
        if hasattr(self._looking, "now") or path.partition(".")[0] not in _ROOTS:
            return None
        reloaded = getattr(sys.modules.get(path), "__spec__", None)
        if reloaded is not None and isinstance(reloaded.loader, (Kept, _Made)):
            return reloaded
        if path not in self._names.watched:
            return None
        self._looking.now = True
        try:
            spec = importlib.util.find_spec(path)
        except ModuleNotFoundError:
            spec = None
        finally:
            del self._looking.now
        if spec is None and _imported(path) is not None:
            return None  # JAX has it by another name
        if spec is None and path not in rows():
            return None
        if spec is None:
            _explanation.asked(path)
            return importlib.machinery.ModuleSpec(path, _Made(self._names), is_package=True)
        if spec.loader is not None:
            when_imported = types.SimpleNamespace(hook=self._names.imported)
            spec.loader = HookedLoader(when_imported, spec.loader)
        return spec


_ROOTS = ("jax", "jaxlib")


class Kept(importlib.abc.Loader):
    """That of modules which are made whole: to reload one changes nothing."""

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class _Made(importlib.abc.Loader):
    def __init__(self, names: Names):
        self._names = names

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return self._names.make_module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        if "__getattr__" not in vars(module):  # else it is reloaded
            self._names.hook(module, module.__name__)


class HookedLoader(importlib.abc.Loader):
    """A module's own loader, and then hook() of `names`, with the module and its name."""

    def __init__(self, names: Any, loader: Any):
        self._names = names
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        self._loader.exec_module(module)
        self._names.hook(module, module.__name__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
