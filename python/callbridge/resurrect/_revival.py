"""What is restored in this process, and who wants it.

A module of its own, since programs reload callbridge.resurrect.
"""

from __future__ import annotations

from callbridge._core._fork_lock import fork_lock
from callbridge.resurrect import _children, _numpy_builds
from callbridge.resurrect._names import _changes
from callbridge.resurrect._names._changes import Name
from callbridge.resurrect._registration import _registries

_lock = fork_lock()
_changes_made: list[_changes.Change] = []
_users = 0


def names() -> tuple[Name, ...]:
    with _lock:
        return tuple(sorted({name for change in _changes_made for name in change.names()}))


def begin() -> None:
    """Restores the names until end(), which undoes all, is called as often."""
    global _users
    with _lock:
        _users += 1
        restore()


def end() -> None:
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            _changes.undo(_changes_made)


def restore() -> None:
    """Restores the names, unless they are."""
    with _lock:
        if _changes_made:
            return
        _changes.undo_earlier_imports()
        try:
            _changes_made.append(_changes.Change(None, _registries.leave))
            _registries.enter()
            _changes.make_all(_changes_made)
            _changes_made.append(_changes.Change(None, _children.carry()))
            _changes_made.append(_changes.Change(None, _numpy_builds.watch()))
        except BaseException:  # an interrupt: the next import begins anew
            _changes.undo(_changes_made)
            raise
