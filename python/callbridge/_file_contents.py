"""What a file holds, so that it can be told later, or in another process, whether it still does."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import stat

_CHUNK = 1 << 20  # bytes
# "PATH:FUNCTION", an AOT operator of MindSpore.
_OPERATOR = re.compile(r"(.+):([A-Za-z_][A-Za-z_0-9]*)", re.DOTALL)


def names_operator(path: str) -> bool:
    """Returns whether `path` is "PATH:FUNCTION", and no file has that whole name."""
    return _split(path)[1] != ""


def _split(path: str) -> tuple[str, str]:
    """Returns the file and the function of an operator; of anything else, the file and ""."""
    found = _OPERATOR.fullmatch(path)
    return (found[1], found[2]) if found and not os.path.exists(path) else (path, "")


@dataclasses.dataclass(frozen=True)
class FileContents:
    path: str  # absolute; of an operator, with its function
    digest: str  # likewise
    untouched: tuple  # what find() returns as long as the file has not changed

    def still_there(self) -> bool:
        """Returns false if the file is gone or has other content. Reads it if it was touched."""
        if find(self.path) == self.untouched:
            return True
        now = read(self.path)
        return now is not None and now.digest == self.digest


def find(path: str) -> tuple | None:
    """Returns what changes when a regular file is touched; None if there is no such file."""
    file, function = _split(path)
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    # The time of change too: programs may reset the time of modification.
    times = status.st_mtime_ns, status.st_ctime_ns
    return status.st_dev, status.st_ino, status.st_size, *times, function


def read(path: str) -> FileContents | None:
    """None where that is no regular file that can be read: who opens it says why.

    A file of 100 MB takes 0.1 s, half of what opening a library of that size takes.
    """
    untouched = find(path)
    if untouched is None:
        return None
    digest = hashlib.sha256()
    path_of_file, function = _split(path)
    try:
        with open(path_of_file, "rb", buffering=0) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return None
    return FileContents(os.path.abspath(path), f"{digest.hexdigest()}{function}", untouched)
