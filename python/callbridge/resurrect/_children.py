"""Carries callbridge.resurrect into Pythons that multiprocessing starts by spawn and forkserver.

Such a child imports the parent's main module, or what a task needs, before it does anything else:
by then names have to be restored, whatever it was that restored them in the parent.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, Optional

from callbridge.jax import _registry
from callbridge.resurrect._names import _lazy


class _CarriedPath(list[str]):
    """sys.path for a child, which restores the names there as soon as the child has it.

    A child of spawn, and each child of a fork server, unpickles it; the server itself, which may
    import the main module, too, gets it by its repr() in a command.
    """

    def __repr__(self) -> str:
        # Python itself takes no notice of others, which may have no such text.
        path = [entry for entry in self if isinstance(entry, str)]
        restore = (
            f"import sys; sys.path[:] = {path!r}; import callbridge.resurrect; "
            f"callbridge.resurrect.prefer({_registry.preferred_path()!r})"
        )
        return f"(exec({restore!r}), {path!r})[1]"

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, (repr(self),)


# Modules by whose get_preparation_data() a child gets what it begins with: multiprocessing's, and
# those of libraries that have a copy of it.
_SPAWNS = (
    "multiprocessing.spawn",
    "loky.backend.spawn",
    "joblib.externals.loky.backend.spawn",
    "multiprocess.spawn",
    "billiard.spawn",
)


def carry() -> Callable[[], None]:
    """Has children restore the names as they start. Returns the function that ends this."""
    carried = _Carried()
    sys.meta_path.insert(0, carried)
    for path in _SPAWNS:
        if (module := sys.modules.get(path)) is not None:
            carried.hook(module, path)
    return carried.leave


class _Carried(importlib.abc.MetaPathFinder):
    """Changes get_preparation_data() in the modules, also in those that are imported later."""

    def __init__(self) -> None:
        self._changed: list[tuple[Any, Any]] = []
        self._looking = threading.local()

    def hook(self, module: types.ModuleType, _: str) -> None:
        owner: Any = module
        get_preparation_data = owner.get_preparation_data

        @functools.wraps(get_preparation_data)
        def carrying(*arguments: Any, **options: Any) -> dict[str, Any]:
            data = get_preparation_data(*arguments, **options)
            # First, so that it is unpickled before anything that needs the names.
            return {"sys_path": _CarriedPath(data.pop("sys_path")), **data}

        owner.get_preparation_data = carrying
        self._changed.append((owner, get_preparation_data))

    def leave(self) -> None:
        sys.meta_path.remove(self)
        while self._changed:
            owner, get_preparation_data = self._changed.pop()
            owner.get_preparation_data = get_preparation_data

    def find_spec(
        self, path: str, _: Any = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:  # noqa: UP045, for Python 3.9
        if path not in _SPAWNS or hasattr(self._looking, "now"):
            return None
        self._looking.now = True
        try:
            spec = importlib.util.find_spec(path)
        finally:
            del self._looking.now
        if spec is not None and spec.loader is not None:
            spec.loader = _lazy.HookedLoader(self, spec.loader)
        return spec
