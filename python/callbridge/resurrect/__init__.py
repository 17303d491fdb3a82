"""Puts back what current JAX removed, so that packages that no one maintains run unmodified.

    import callbridge.resurrect  # before the package
    import unmaintained_package

    with callbridge.resurrect.revived():  # or for a while: afterwards JAX is as it was
        import unmaintained_package

    python -m callbridge.resurrect PROGRAM|-m MODULE [ARGUMENT...]

The removed names are back from the import of this module on. What programs register by them goes
to callbridge, as by callbridge.jax.register(), and their translation rules and lowering rules emit
calls of it, so that targets find what XLA gave them in their day: tuple operands in nested tables,
the opaque as bytes. A name that this JAX has is left as it is, or wrapped so that the calls that it
takes do the same as before; names() lists both kinds. What cannot be put back truthfully stays
gone, with JAX's own error.

What programs have registered, with XLA or as rules of a primitive, outlasts revived().
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from callbridge.resurrect import _changes
from callbridge.resurrect._changes import Name

__all__ = ["Name", "names", "revived"]

_lock = threading.Lock()
_changes_made: list[_changes.Change] = []
_users = 0


def names() -> tuple[Name, ...]:
    """What is put back or wrapped now, by module and name. Thread-safe."""
    with _lock:
        return tuple(sorted(change.name for change in _changes_made))


@contextlib.contextmanager
def revived() -> Iterator[None]:
    """Inside, the removed names are there; afterwards none of them, however they came.

    It may be nested; the outermost one ends them. Thread-safe, but the names are the process's:
    they are there for other threads too.
    """
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _users
    with _lock:
        _users += 1
        _put_back()


def _end() -> None:
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            while _changes_made:
                _changes_made.pop().undo()


def _put_back() -> None:
    if not _changes_made:
        _changes.make_all(_changes_made)


with _lock:
    _put_back()
