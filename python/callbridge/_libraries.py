"""Libraries that are opened once a process and known to a registry."""

from __future__ import annotations

import os
import threading

from callbridge import library
from callbridge._registry import Registry
from callbridge.library import Library


class Libraries:
    """Thread-safe."""

    def __init__(self, registry: Registry):
        self._registry = registry
        self._lock = threading.Lock()
        self._opened: dict[tuple, Library] = {}  # by the file's identity

    def load(self, path: str | os.PathLike, isolate: bool) -> Library:
        """The library at `path`, its targets in the registry; of an unchanged file the same."""
        path = os.fsdecode(path)
        with self._lock:
            try:
                stat = os.stat(path)
            except (OSError, ValueError):
                return library.load(path, isolate=isolate)  # says what is wrong
            identity = stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns
            if identity not in self._opened:
                loaded = library.load(path, isolate=isolate)
                self._registry.add_library(loaded)
                self._opened[identity] = loaded
            return self._opened[identity]
