"""Locks that forked processes find free, with all that they guard whole."""

from __future__ import annotations

import os
import threading
import weakref


def fork_lock() -> threading.RLock:
    """Returns a lock that a fork waits for, kept for good.

    A fork takes the last one that was made first: where two are held at once, make the inner one
    first.
    """
    lock = threading.RLock()
    os.register_at_fork(
        before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
    )
    return lock


class ProcessLock:
    """A reentrant lock that a fork does not wait for, since foreign code runs under it.

    A forked process finds it free if another thread held it, and then what it guards as that thread
    left it: that must be whole after each step, as for signal handlers.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks[id(self)] = self

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_locks: weakref.WeakValueDictionary[int, ProcessLock] = weakref.WeakValueDictionary()
# Those that were free, or the forking thread's own, as that thread forks; and the others.
_forking = threading.local()


def _before_fork() -> None:
    # Makes a list in one step: other threads make locks meanwhile.
    locks = [lock for reference in _locks.valuerefs() if (lock := reference()) is not None]
    _forking.taken = [lock for lock in locks if lock._lock.acquire(blocking=False)]
    taken = set(map(id, _forking.taken))
    _forking.others = [lock for lock in locks if id(lock) not in taken]


def _after_fork() -> None:
    for lock in _forking.taken:
        lock._lock.release()
    del _forking.taken, _forking.others


def _after_fork_in_child() -> None:
    for lock in _forking.others:
        lock._lock = threading.RLock()
    _after_fork()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
)
