"""Carries callbridge.resurrect into Pythons that multiprocessing starts by spawn and forkserver.

Such a child imports the parent's main module, or what a task needs, before it does anything else:
by then names have to be restored, whatever it was that restored them in the parent.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from multiprocessing import spawn
from typing import Any

from callbridge import _jax_registry


class _CarriedPath(list[str]):
    """sys.path for a child, which restores the names there as soon as the child has it.

    A child of spawn, and each child of a fork server, unpickles it; the server itself, which may
    import the main module, too, gets it by its repr() in a command.
    """

    def __repr__(self) -> str:
        restore = (
            f"import sys; sys.path[:] = {list(self)!r}; import callbridge.resurrect; "
            f"callbridge.resurrect.prefer({_jax_registry.preferred_path()!r})"
        )
        return f"(exec({restore!r}), {list(self)!r})[1]"

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, (repr(self),)


def carry() -> Callable[[], None]:
    """Has children restore the names as they start. Returns the function that ends this."""
    get_preparation_data = spawn.get_preparation_data

    @functools.wraps(get_preparation_data)
    def carrying(name: str) -> dict[str, Any]:
        data = get_preparation_data(name)
        # First, so that it is unpickled before anything that needs the names.
        return {"sys_path": _CarriedPath(data.pop("sys_path")), **data}

    def leave() -> None:
        spawn.get_preparation_data = get_preparation_data

    spawn.get_preparation_data = carrying
    return leave
