"""Native functions that users pass as Python objects: their addresses, and typed FFI handlers, of
any jaxlib's headers."""

from __future__ import annotations

import ctypes
from typing import Any

from callbridge._core import _c_api
from callbridge._core._error import CallbridgeError
from callbridge._core._target import STAGES, Target
from callbridge.typing import Abi, Stage

_WORDS = {"r": "readable", "w": "writable", "x": "executable"}


def check_memory(address: int, size: int, access: str, what: str) -> None:
    """Raises INVALID_ARGUMENT, which begins with `what`, if using the memory would crash.

    `size` is in bytes; `access` is letters of "rwx". Without /proc, nothing is checked.
    """
    try:
        with open("/proc/self/maps", "rb") as maps:
            regions = maps.readlines()
    except OSError:
        return
    checked = address
    for region in regions:  # by address
        bounds, permissions = region.split(None, 2)[:2]
        start, end = (int(bound, 16) for bound in bounds.split(b"-"))
        if start <= checked < end and all(letter in permissions.decode() for letter in access):
            checked = end
            if checked >= address + size:
                return
    words = " and ".join(_WORDS[letter] for letter in access)
    raise CallbridgeError(
        "INVALID_ARGUMENT", f"{what} is at {address:#x}, where this process has no {words} memory"
    )


# The name of XLA's capsules of custom calls.
CAPSULE_NAME = b"xla._CUSTOM_CALL_TARGET"

# A private copy: ctypes.pythonapi is shared, and jax.ffi.pycapsule sets the types of its functions.
_api = ctypes.PyDLL(None)
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.Py_IncRef.restype = None
_api.Py_IncRef.argtypes = [ctypes.py_object]

_CFuncPtr: Any = ctypes._CFuncPtr  # type: ignore[attr-defined]
_Capsule = type(_api.PyCapsule_New(1, None, None))


def make_capsule(address: int) -> Any:
    return _api.PyCapsule_New(address, CAPSULE_NAME, None)


def keep(function: Any) -> None:
    """Keeps the object as long as the process: daemon threads and objects that end late still call
    it when the interpreter has emptied this package's modules."""
    _api.Py_IncRef(function)


def capsule_pointer(capsule: Any, what: str = "the function") -> int:
    """Returns the pointer in a capsule of any name, or an int as an address.

    Raises TypeError or INVALID_ARGUMENT, which begin with `what`, if it is not an address.
    """
    if isinstance(capsule, _Capsule):
        return _api.PyCapsule_GetPointer(capsule, _api.PyCapsule_GetName(capsule))
    if isinstance(capsule, int) and not isinstance(capsule, bool):
        if not 0 <= capsule < 2**64:
            raise CallbridgeError("INVALID_ARGUMENT", f"{what}: {capsule} is not an address")
        return capsule
    raise TypeError(f"{what}: expected a capsule or an address, got {type(capsule).__name__}")


def is_nameless_capsule(handler: Any) -> bool:
    """As nanobind's capsule(pointer) is, which jaxlib and JAX's FFI tutorial make of handlers."""
    return isinstance(handler, _Capsule) and _api.PyCapsule_GetName(handler) is None


def function_address(function: Any) -> int:
    """Returns the address in a capsule of XLA's or in a ctypes function.

    Raises INVALID_ARGUMENT if the capsule's name says that it holds something else, if the function
    is null, or if there is no code. Keep the object as long as the address is used.
    """
    address = _held_address(function)
    check_memory(address, 1, "x", "the function")
    return address


def _held_address(function: Any) -> int:
    if isinstance(function, _Capsule):
        name = _api.PyCapsule_GetName(function)
        if name != CAPSULE_NAME:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"expected a capsule named {CAPSULE_NAME.decode()!r}, got one named "
                f"{name.decode(errors='backslashreplace') if name else None!r}; what it holds may "
                "be no custom call",
            )
        return _api.PyCapsule_GetPointer(function, CAPSULE_NAME)
    if isinstance(function, _CFuncPtr):
        address = ctypes.cast(function, ctypes.c_void_p).value
        if not address:
            raise CallbridgeError("INVALID_ARGUMENT", "the ctypes function is null")
        return address
    raise TypeError(f"expected a capsule or a ctypes function, got {type(function).__name__}")


# ---- Typed handlers -----------------------------------------------------------------------------


class _TypeInfo(_c_api.Struct):
    """XLA_FFI_TypeInfo."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


def handler_addresses(name: str, handlers: Any) -> dict[Stage, int]:
    """By stage. `handlers` is one for EXECUTE, or a dict of one for each stage."""
    stages: dict[Any, Any] = handlers if isinstance(handlers, dict) else {"execute": handlers}
    for stage in stages:
        if stage not in STAGES:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"target {name!r} has a handler for stage {stage!r}: expected one of "
                f"{', '.join(map(repr, STAGES))}",
            )
    if "execute" not in stages:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"target {name!r} has no handler for stage 'execute'"
        )
    return {stage: _address(handler) for stage, handler in stages.items()}


def adapt(
    name: str, platform: str, handlers: dict[Stage, int], release: str | None, traits: int = 0
) -> tuple[dict[Stage, int], int]:
    """Returns the handlers to give a runtime instead of `handlers`, by stage, and their traits.

    The traits are `traits` and what the handlers report themselves. `release` is the runtime's
    release of jaxlib; None: any. Raises INVALID_ARGUMENT if one proves not to be a typed handler,
    and the errors of callbridge_ffi_adapt_handlers (callbridge_ffi.h).
    """
    adapted = _c_api.FfiHandlers()
    try:
        _c_api.ffi_adapt_handlers(
            _c_api.FfiHandlers(**handlers, traits=traits),
            platform.encode(),
            None if release is None else release.encode(),
            adapted,
        )
    except CallbridgeError as error:
        raise CallbridgeError(
            error.code, f"target {name!r} on {platform}, abi='typed_ffi': {error.message}"
        ) from None
    return {stage: getattr(adapted, stage) for stage in handlers}, adapted.traits


def explain_errors(handlers: dict[Stage, int], explanation: str) -> dict[Stage, int]:
    """Returns handlers that do what `handlers` do, by stage, and whose errors end with "; " and the
    explanation. Raises RESOURCE_EXHAUSTED."""
    explained = _c_api.FfiHandlers()
    _c_api.ffi_explain_errors(_c_api.FfiHandlers(**handlers), explanation.encode(), explained)
    return {stage: getattr(explained, stage) for stage in handlers}


def register_type(name: str, type_id: Any, type_info: Any) -> None:
    deleter = None if type_info is None else _deleter(capsule_pointer(type_info, "type_info"))
    encoded = _c_api.text(name, "name")
    variable = capsule_pointer(type_id, "type_id")
    if variable != 0:
        what = "type_id, the variable of an XLA_FFI_TypeId,"
        _check_object(variable, ctypes.c_int64, "r", what)
        if ctypes.c_int64.from_address(variable).value == 0:
            _check_object(variable, ctypes.c_int64, "rw", what)  # it gets an id
    _c_api.ffi_register_type(encoded, variable, deleter)


def _deleter(type_info: int) -> int | None:
    what = "type_info, an XLA_FFI_TypeInfo,"
    _check_object(type_info, ctypes.c_size_t, "r", what)
    size = ctypes.c_size_t.from_address(type_info).value
    if size < ctypes.sizeof(_TypeInfo):
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is at {type_info:#x}, where its struct_size is {size}, less than "
            f"{ctypes.sizeof(_TypeInfo)}",
        )
    _check_object(type_info, _TypeInfo, "r", what)
    deleter = _TypeInfo.from_address(type_info).deleter
    if deleter:
        check_memory(deleter, 1, "x", "the deleter in type_info")
    return deleter


def _check_object(address: int, type_: type, access: str, what: str) -> None:
    check_memory(address, ctypes.sizeof(type_), access, what)
    if address % ctypes.alignment(type_) != 0:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is at {address:#x}, which is not a multiple of {ctypes.alignment(type_)}",
        )


def _address(handler: Any) -> int:
    if not isinstance(handler, int) and not is_nameless_capsule(handler):
        return function_address(handler)
    address = capsule_pointer(handler)
    check_memory(address, 1, "x", "the handler")
    return address


def refuse_as_untyped(target: Target, platform: str, abi: Abi | None) -> None:
    """Raises INVALID_ARGUMENT if the target proves to be a typed handler.

    Asks functions that are only declared, in another process. If that proves nothing, the
    declaration holds.
    """
    if target.abi is not None:
        return
    verdict, evidence = _c_api.probe_typed(target.address)
    if verdict == _c_api.PROBE_TYPED:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"target {target.name!r} on {platform} was declared abi={abi!r}, but is a typed "
            f"handler: {evidence}; pass abi='typed_ffi' to register() or custom_call()",
        )
