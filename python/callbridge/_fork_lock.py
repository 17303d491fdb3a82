"""Locks that forked processes find free, with all that they guard whole."""

from __future__ import annotations

import os
import threading


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
