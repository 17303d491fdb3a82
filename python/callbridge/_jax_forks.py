"""Processes that were forked from one in which JAX had started.

XLA's threads are not in them, and JAX waits for these for ever, with callbridge or without it.
"""

from __future__ import annotations

import os

from callbridge._error import CallbridgeError
from callbridge._jax_runtimes import STARTED_BACKENDS, jax_function_or

_has_lost_threads = False


def check_threads() -> None:
    """Raises FAILED_PRECONDITION if JAX would hang."""
    if _has_lost_threads:
        raise CallbridgeError(
            "FAILED_PRECONDITION",
            "this process was forked from one in which JAX had started, and JAX hangs in such a "
            "process; fork before JAX is used, start processes by multiprocessing's 'spawn' "
            "method, or call targets by callbridge.library, which needs no JAX",
        )


def _forked() -> None:
    global _has_lost_threads
    _has_lost_threads = _has_lost_threads or bool(jax_function_or(STARTED_BACKENDS, {}))


os.register_at_fork(after_in_child=_forked)
