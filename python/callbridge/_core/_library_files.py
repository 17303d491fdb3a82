"""Files of libraries: what one holds, so that it can be told later, or in another process, whether
it still does; and in which of this process's libraries an address lies."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import stat
import time
from typing import NamedTuple

_CHUNK = 1 << 20  # bytes
# In seconds, with some margin: file systems have clocks of up to 2 s.
_COARSEST_CLOCK = 3
# "PATH:FUNCTION", an AOT operator of MindSpore.
_OPERATOR = re.compile(r"(.+):([A-Za-z_][A-Za-z_0-9]*)", re.DOTALL)


def names_operator(path: str) -> bool:
    """Returns whether `path` is "PATH:FUNCTION", and no file has that whole name."""
    return _OPERATOR.fullmatch(path) is not None and not os.path.exists(path)


class FileContents(NamedTuple):
    path: str  # absolute; of an operator, with its function
    digest: str  # likewise
    # What find() returns as long as the file has not changed; None if that would not tell.
    untouched: tuple | None

    def still_there(self) -> bool:
        """Returns false if the file is gone or has other content. Reads it if it was touched."""
        if self.untouched is not None and find(self.path) == self.untouched:
            return True
        now = read(self.path)
        return now is not None and now.digest == self.digest


def find(path: str) -> tuple | None:
    """Returns what changes when a regular file is touched; None if there is no such file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    # The time of change too: programs may reset the time of modification.
    times = status.st_mtime_ns, status.st_ctime_ns
    return status.st_dev, status.st_ino, status.st_size, *times


def read(path: str) -> FileContents | None:
    """None where that is no regular file that can be read: who opens it says why.

    A file of 100 MB takes 0.1 s, half of what opening a library of that size takes.
    """
    untouched = find(path)
    if untouched is None:
        return None
    # Within a tick of its clock a file may be written again without a trace.
    is_old = time.time_ns() - untouched[-1] > _COARSEST_CLOCK * 10**9
    digest = hashlib.sha256()
    try:
        with open(path, "rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return FileContents(_absolute(path), digest.hexdigest(), untouched if is_old else None)


def of_operator(path: str, content: str) -> FileContents:
    """That of the operator "PATH:FUNCTION", whose file holds `content`, with its headers."""
    file, _, function = path.rpartition(":")
    return FileContents(f"{_absolute(file)}:{function}", f"{content}:{function}", None)


def identity(path: str, content: str) -> str:
    """Another text for each operator that is another function: "REAL PATH@CONTENT:FUNCTION"."""
    file, _, function = path.rpartition(":")
    return f"{os.path.realpath(file)}@{content[:16]}:{function}"


def _absolute(path: str) -> str:
    """The same for all ways to the file's folder. The link that it may be stays: what lies beside
    it may be what it needs."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


# ---- The libraries of this process --------------------------------------------------------------


class _SymbolInfo(ctypes.Structure):
    """Dl_info."""

    _fields_ = [
        ("file_name", ctypes.c_char_p),
        ("file_base", ctypes.c_void_p),
        ("symbol_name", ctypes.c_char_p),
        ("symbol_address", ctypes.c_void_p),
    ]


_dladdr = ctypes.CDLL(None).dladdr
_dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(_SymbolInfo)]


def library_at(address: int) -> bytes | None:
    """Returns the path of the library that the address lies in; None if it is in none."""
    info = _SymbolInfo()
    if not _dladdr(address, ctypes.byref(info)) or not info.file_name:
        return None
    return info.file_name
