"""The exceptions of callbridge, and the checks of texts and platforms that raise them.

CallbridgeError is by its code also the exception that Python has for such an error. Nothing here
needs libcallbridge.so.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from typing import Any


class CallbridgeError(Exception):
    """An error of the C API, or of the same kind from this package.

    Arguments of a wrong Python type raise TypeError instead.

    To construct one gives, by its code, an instance of a subclass that is Python's own exception
    for such an error too, so that programs can catch either:

      INVALID_ARGUMENT, ALREADY_EXISTS      ValueError
      NOT_FOUND                             LookupError
      OUT_OF_RANGE                          IndexError
      UNIMPLEMENTED                         NotImplementedError
      DEADLINE_EXCEEDED                     TimeoutError
      RESOURCE_EXHAUSTED                    MemoryError
      PERMISSION_DENIED, UNAUTHENTICATED    PermissionError

    Errors of other codes, such as INTERNAL for a target that failed, are CallbridgeErrors alone.

    Attributes:
      code: the name of an absl::StatusCode, such as "INTERNAL" or "NOT_FOUND".
      message: what was expected, what came, and what to do.
    """

    code: str
    message: str

    def __new__(cls, code: str, message: str) -> CallbridgeError:
        kind = _BY_CODE.get(code, cls) if cls is CallbridgeError else cls
        # CPython creates each object by the base class whose memory layout it has.
        base = OSError if issubclass(kind, OSError) else Exception
        return base.__new__(kind, code, message)

    def __init__(self, code: str, message: str):
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class CallbridgeValueError(CallbridgeError, ValueError):
    pass


class CallbridgeLookupError(CallbridgeError, LookupError):
    pass


class CallbridgeIndexError(CallbridgeError, IndexError):
    pass


class CallbridgeNotImplementedError(CallbridgeError, NotImplementedError):
    pass


class CallbridgeMemoryError(CallbridgeError, MemoryError):
    pass


class CallbridgeTimeoutError(CallbridgeError, TimeoutError):
    def __init__(self, code: str, message: str):
        super().__init__(code, message)
        self.errno = errno.ETIMEDOUT  # OSError used the code as its errno


class CallbridgePermissionError(CallbridgeError, PermissionError):
    def __init__(self, code: str, message: str):
        super().__init__(code, message)
        self.errno = errno.EACCES


_BY_CODE: dict[str, type[CallbridgeError]] = {
    "INVALID_ARGUMENT": CallbridgeValueError,
    "ALREADY_EXISTS": CallbridgeValueError,
    "NOT_FOUND": CallbridgeLookupError,
    "OUT_OF_RANGE": CallbridgeIndexError,
    "UNIMPLEMENTED": CallbridgeNotImplementedError,
    "DEADLINE_EXCEEDED": CallbridgeTimeoutError,
    "RESOURCE_EXHAUSTED": CallbridgeMemoryError,
    "PERMISSION_DENIED": CallbridgePermissionError,
    "UNAUTHENTICATED": CallbridgePermissionError,
}


# ---- Texts --------------------------------------------------------------------------------------


def check_text(value: Any, what: str) -> None:
    """Raises TypeError, which begins with `what`, for anything but a str."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected a str, got {type(value).__name__}")


def check_choice(value: Any, what: str, choices: Iterable[str]) -> None:
    """Also raises INVALID_ARGUMENT for a str that is not in `choices`."""
    check_text(value, what)
    if value not in choices:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what}: expected one of {', '.join(map(repr, choices))}, got {value!r}",
        )


def utf_8(value: str, what: str) -> bytes:
    """Raises INVALID_ARGUMENT, which begins with `what`, for a str that UTF-8 cannot encode."""
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"{what}: expected a text that UTF-8 can encode, got {value!r}"
        ) from None


# ---- Platforms: XLA's names for them, compared without case -------------------------------------

HOST = "Host"
# As in JAX, "gpu" is CUDA.
_CANONICAL = {"host": HOST, "cpu": HOST, "cuda": "CUDA", "gpu": "CUDA", "rocm": "ROCM"}
PLATFORMS = tuple(dict.fromkeys(_CANONICAL.values()))


def parse_platform(name: str) -> str:
    """XLA's spelling: "Host", "CUDA" or "ROCM"."""
    check_text(name, "platform")
    platform = find_platform(name)
    if platform is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"platform: expected Host or cpu, CUDA or gpu, or ROCM, got {name!r}",
        )
    return platform


def find_platform(name: str) -> str | None:
    """Likewise, but returns None for a platform that callbridge cannot call."""
    return _CANONICAL.get(name.lower())
