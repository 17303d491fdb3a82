"""The targets that are registered with the XLA inside PyTorch/XLA.

Its extension module exports no function to register with: _xla_register_custom_call_target() is for
CUDA alone up to 2.8, and raises for every platform in 2.9. So callbridge calls XLA's own functions,
which it finds in the module's symbol table: xla::CustomCallTargetRegistry's for untyped targets,
xla::ffi::GetXlaFfiApi for typed handlers.
"""

from __future__ import annotations

import torch_xla

from callbridge import _c_api, _typed_handlers
from callbridge._arguments import utf_8
from callbridge._error import CallbridgeError
from callbridge._fork_lock import fork_lock
from callbridge._platform import HOST
from callbridge._registry import Entry

_lock = fork_lock()
# The path by which each can be called, by id(entry): a registry never removes an entry.
_paths: dict[int, str] = {}


def serve(entry: Entry) -> str:
    """Registers the target, unless it is, and returns how it is called: "version_3" or "typed".

    After an error the next call tries again.

    Raises:
      CallbridgeError: FAILED_PRECONDITION if the module's symbol table lacks what is needed;
        UNIMPLEMENTED if this PyTorch/XLA cannot call such a target; ALREADY_EXISTS if its XLA has
        another function of that name.
    """
    path = _paths.get(id(entry))
    if path is None:
        with _lock:
            path = _paths.get(id(entry)) or _register(entry)
            _paths[id(entry)] = path
    return path


def _register(entry: Entry) -> str:
    name = utf_8(entry.target.name, "target of PyTorch/XLA")
    if entry.platform != HOST:
        raise error_of(
            entry, "UNIMPLEMENTED", "it is registered for that platform, and tensors are on a CPU"
        )
    c_target = entry.c_target
    module = utf_8(extension_module(), "path of PyTorch/XLA")
    try:
        if entry.abi == "typed_ffi":
            adapted, _ = _typed_handlers.adapt(entry.target.name, HOST, entry.handlers, None)
            handlers = _c_api.FfiHandlers(**adapted)
            _c_api.ffi_register_with_loaded_xla(module, name, HOST.encode(), handlers)
            return "typed"
        _typed_handlers.refuse_as_untyped(entry.target, entry.platform, entry.abi)
        entry_points = _c_api.EntryPoints()
        _c_api.target_entry_points(c_target, entry_points)
        try:
            _c_api.register_with_loaded_xla(module, name, HOST.encode(), entry_points.untyped)
            return "version_3"
        except CallbridgeError as error:
            if error.code != "UNIMPLEMENTED":
                raise
        # An XLA with std::string of the old ABI.
        handlers = _c_api.FfiHandlers(execute=entry_points.typed)
        _c_api.ffi_register_with_loaded_xla(module, name, HOST.encode(), handlers)
        return "typed"
    except CallbridgeError as error:
        raise error_of(entry, error.code, error.message) from None


def extension_module() -> str:
    """Returns the path of the library that holds XLA."""
    path: str = torch_xla._XLAC.__file__
    return path


def error_of(entry: Entry, code: str, message: str) -> CallbridgeError:
    return CallbridgeError(
        code,
        f"target {entry.target.name!r} on {entry.platform} in PyTorch/XLA {torch_xla.__version__}: "
        f"{message}; use torch_xla 2.9.0, with which callbridge is tested, or call the target on "
        "CPU tensors",
    )
