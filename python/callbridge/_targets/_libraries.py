"""Libraries that are opened once a process and known to a registry."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection
from typing import Any

from callbridge._core import _file_contents
from callbridge._core._error import CallbridgeError
from callbridge._core._fork_lock import ProcessLock
from callbridge._targets._registry import Registry
from callbridge.library import Library

# The option that says which targets XLA:GPU may record into command buffers (CUDA graphs).
_OPTION = "command_buffer_compatible"


def checked_compatible(value: Any) -> bool:
    """Raises TypeError for anything but a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{_OPTION}: expected a bool, got {type(value).__name__}")
    return value


def _compatible_names(value: Any, library: Library) -> frozenset[str]:
    """The names of the library's targets that load() was told of.

    Raises TypeError if `value` is neither a bool nor a collection of names; NOT_FOUND if the
    library has no target of a name.
    """
    registered = frozenset(target.name for target in library.targets)
    if isinstance(value, bool):
        return registered if value else frozenset()
    if isinstance(value, (str, bytes)) or not isinstance(value, Collection):
        raise TypeError(
            f"{_OPTION}: expected a bool or a list of targets' names, got {type(value).__name__}"
        )
    named = frozenset(value)
    for name in named - registered:
        raise CallbridgeError(
            "NOT_FOUND",
            f"{_OPTION}: {library.path} has no target {name!r}; it has "
            f"{', '.join(map(repr, sorted(registered))) or 'none'}",
        )
    return named


@functools.cache
def libraries_of(registry: Registry) -> Libraries:
    """Returns those of a registry, the same ones to a public module that is reloaded."""
    return Libraries(registry)


class Libraries:
    """Thread-safe."""

    def __init__(self, registry: Registry):
        self._registry = registry
        self._lock = ProcessLock()  # signal handlers may run at any moment
        # By content, so that a file that was touched or copied is not loaded again.
        self._opened: dict[str, Library] = {}
        # Those whose targets are all registered and can be called, with the names of the targets
        # that are declared command buffer compatible.
        self._added: dict[str, frozenset[str]] = {}
        self._first_digests: dict[str, str] = {}  # by real path
        self._digests: dict[tuple | None, str] = {}  # of files that have not changed since
        # Of AOT operators, by the name that their users wrote, and the function's address.
        self._operators: dict[tuple[str, int], Library] = {}

    def load(
        self,
        path: str | os.PathLike,
        isolate: bool,
        command_buffer_compatible: bool | Collection[str] = False,
    ) -> Library:
        """The library that `path` holds, its targets in the registry; of one content the same.

        Of an AOT operator ("PATH:FUNCTION"), the same for one name of one function.

        `command_buffer_compatible` are all of its targets, none, or those of the names.

        After an exception, KeyboardInterrupt included, the same call goes on where that one ended.
        """
        path = os.fsdecode(path)
        with self._lock:
            if _file_contents.names_operator(path):
                library = self._operator(path, isolate)
                compatible = _compatible_names(command_buffer_compatible, library)
                self._registry.add_operator(library, compatible)
                return library
            digest = self._digests.get(_file_contents.find(path))
            if digest is None:
                contents = _file_contents.read(path)
                if contents is None:
                    return Library(path, isolate)  # raises the error
                digest = contents.digest
                if digest not in self._opened:
                    self._opened.setdefault(digest, Library(path, isolate, contents))
                if contents.untouched is not None:
                    self._digests[contents.untouched] = digest
            library = self._opened[digest]
            compatible = _compatible_names(command_buffer_compatible, library)
            if self._added.get(digest) != compatible:
                self._add(digest, os.path.realpath(path), compatible)
            return library

    def registered_name(self, target: str, command_buffer_compatible: bool = False) -> str:
        """Returns the name by which the registry has the target that `target` names now.

        Loads an AOT operator ("PATH:FUNCTION") that is not registered yet. The name of one that is
        registered is looked up in the file system again: it may be another file's, or the file may
        have changed. Any other target has the name that it was registered by.
        """
        if not _file_contents.names_operator(target) or self._registry.has_function(target):
            return target
        with self._lock:
            library = self._operator(target, False)
            name = self._registry.name_of_operator(library)
            if name is None:
                compatible = _compatible_names(command_buffer_compatible, library)
                name = self._registry.add_operator(library, compatible)
            return name

    def _operator(self, name: str, isolate: bool) -> Library:
        library = Library(name, isolate)
        return self._operators.setdefault((name, library.targets[0].address), library)

    def _add(self, digest: str, path: str, compatible: frozenset[str]) -> None:
        first_digest = self._first_digests.setdefault(path, digest)
        try:
            if self._registry.add_library(self._opened[digest], compatible):
                self._added[digest] = compatible
        except CallbridgeError as error:
            if digest == first_digest:
                raise
            raise CallbridgeError(
                error.code,
                f"the content of {path} has changed since this process loaded it, and its targets "
                "stay what they were; start another process for what they are now: "
                f"{error.message}",
            ) from None
