"""The exceptions of callbridge: CallbridgeError, by its code also the exception that Python has."""

from __future__ import annotations

import errno


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
