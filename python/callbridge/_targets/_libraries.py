"""Libraries that are opened once a process and known to a registry, and the functions by which
public modules load them, and register what is in none."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

from callbridge._core import _library_files, _native_functions
from callbridge._core._error import CallbridgeError
from callbridge._core._fork_lock import ProcessLock
from callbridge._targets._registry import Registry
from callbridge.library import Library
from callbridge.typing import Abi, Handlers, Platform, Pointer

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    _Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

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
        self.registry = registry
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
            if _library_files.names_operator(path):
                library = self._operator(path, isolate)
                compatible = _compatible_names(command_buffer_compatible, library)
                self.registry.add_operator(library, compatible)
                return library
            digest = self._digests.get(_library_files.find(path))
            if digest is None:
                contents = _library_files.read(path)
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
        if not _library_files.names_operator(target) or self.registry.has_function(target):
            return target
        with self._lock:
            library = self._operator(target, False)
            name = self.registry.name_of_operator(library)
            if name is None:
                compatible = _compatible_names(command_buffer_compatible, library)
                name = self.registry.add_operator(library, compatible)
            return name

    def _operator(self, name: str, isolate: bool) -> Library:
        library = Library(name, isolate)
        return self._operators.setdefault((name, library.targets[0].address), library)

    def _add(self, digest: str, path: str, compatible: frozenset[str]) -> None:
        first_digest = self._first_digests.setdefault(path, digest)
        try:
            if self.registry.add_library(self._opened[digest], compatible):
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


# ---- Functions of public modules -----------------------------------------------------------------


def public(
    function: Callable[Concatenate[Libraries, _Parameters], _Result],
    module: str,
    libraries: Libraries,
    *,
    more: str = "",
) -> Callable[_Parameters, _Result]:
    """Returns one of the functions below as that of a public module.

    Args:
      function: its first parameter is the libraries.
      module: the public module's name.
      libraries: the module's.
      more: a paragraph for the docstring, behind its first one.
    """

    def call(*arguments: _Parameters.args, **keywords: _Parameters.kwargs) -> _Result:
        return function(libraries, *arguments, **keywords)

    signature = inspect.signature(function)
    first, *rest = signature.parameters.values()
    made: Any = call
    made.__signature__ = signature.replace(parameters=rest)
    made.__annotations__ = {n: a for n, a in function.__annotations__.items() if n != first.name}
    made.__name__ = made.__qualname__ = function.__name__
    made.__module__ = module
    made.__doc__ = function.__doc__
    if more and function.__doc__ is not None:  # as by python -OO
        summary, _, details = function.__doc__.partition("\n\n")
        made.__doc__ = f"{summary}\n\n    {more}\n\n{details}"
    return call


def load(libraries: Libraries, path: str | os.PathLike[str], *, isolate: bool = False) -> Library:
    """Opens the library at `path`, so that custom_call() finds its targets by their names.

    As callbridge.jax.load(): the library stays open until the process ends, loading a file of the
    same content again returns the same Library, and custom_call() declares the ABI of a target
    whose Target.abi is None. The library is another copy than callbridge.jax's, with static
    variables of its own, unless it is that of an AOT operator.

    Raises:
      CallbridgeError: as callbridge.library.load(). ALREADY_EXISTS if one of its names is
        registered with another function; nothing is registered then.
    """
    return libraries.load(path, isolate)


def register(
    libraries: Libraries,
    name: str,
    function_or_capsule: Handlers,
    platform: Platform = "cpu",
    abi: Abi | None = None,
) -> None:
    """Registers one function.

    Args:
      name: The name that custom_call() finds it by.
      function_or_capsule: A ctypes function, or a PyCapsule named "xla._CUSTOM_CALL_TARGET". It is
        kept until the process ends. A typed handler may also be a PyCapsule without a name, its
        address, or a dict of one handler for each stage: "execute", and any of "instantiate",
        "prepare", "initialize" and "record".
      platform: "cpu" or "Host", "gpu" or "CUDA", "ROCM".
      abi: The function's ABI. "original", "status_returning" or "status_returning_unified"; on CPU
        the first two are called alike, on GPU all three. None leaves it to custom_call().
        "typed_ffi" is an XLA FFI handler, built with XLA's headers of any jaxlib from 0.4.30 to
        0.12.0.1.

    Raises:
      CallbridgeError: ALREADY_EXISTS if the name is registered with another address.
        INVALID_ARGUMENT if the capsule has another name; if a function declared "typed_ffi" is not
        a typed handler, or one declared untyped is; or if the type of a typed handler's state is
        not registered by register_type(). FAILED_PRECONDITION if the kind of an undeclared function
        cannot be determined, since it is in no file, or a function declared "typed_ffi" returns
        without an answer when it is asked.
    """
    libraries.registry.add_function(name, function_or_capsule, platform, abi)


def register_type(
    libraries: Libraries, name: str, type_id: Pointer, type_info: Pointer | None = None
) -> None:
    """Registers a type of state or of user data, before the typed handlers that use it.

    Handlers that keep state need it if they were built with the headers of jaxlib 0.8.1 or newer.

    Args:
      name: The type's name, the same for all its users.
      type_id: The variable that holds the type's XLA_FFI_TypeId: a capsule of it, or its address.
      type_info: The type's XLA_FFI_TypeInfo, likewise, if the headers have one.

    Raises:
      CallbridgeError: ALREADY_EXISTS if the name is registered with another id, or the id with
        another name. INVALID_ARGUMENT if an address is not that of such memory.
    """
    _native_functions.register_type(name, type_id, type_info)
