"""The shared libraries and Python sources of a wheel, a folder or a file, for `callbridge audit`.

None of them runs.
"""

from __future__ import annotations

import collections
import contextlib
import errno
import itertools
import lzma
import os
import pathlib
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator

from callbridge._audit import _sources
from callbridge._core import _output

_ELF = b"\177ELF"
_SHARED_LIBRARY = 3  # ET_DYN, as in e_type
# Machine code shrinks to about a third; code for many GPUs, with its padding, to a tenth.
_MOST_GROWTH = 100
_FREE = 64 << 20
# Its description is in it too; Python's parser takes minutes for one of 64 MiB.
_MOST_METADATA = 4 << 20
# A source of a size that nobody writes: tables, made by programs. It is not read.
_MOST_SOURCE = 4 << 20
_CHUNK = 1 << 20
_NO_ARCHIVE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError)


class AuditError(Exception):
    """What was audited is not what it must be; the text is what the user sees."""


def printable(text: str) -> str:
    """Returns `text` with escapes for what would break a line or reach a terminal, as "\\n"."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


class Found:
    """`libraries` by the name that users know, and what pip would read as METADATA, if any.

    `sources` are the texts of the Python files of a package that has METADATA, by their paths.
    """

    def __init__(self) -> None:
        self.libraries: dict[str, pathlib.Path] = {}
        self.sources: dict[str, bytes] = {}
        self.metadata: str | None = None
        self.not_followed: list[str] = []  # links


@contextlib.contextmanager
def shared_libraries(path: str) -> Iterator[Found]:
    """Finds them. Those of a wheel are in a temporary folder, which is removed at the end."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        raise AuditError(f"{path}: {_reason(error)}") from error
    if stat.S_ISDIR(mode):
        yield _of_folder(pathlib.Path(path))
    elif not stat.S_ISREG(mode):
        raise AuditError(f"{path}: is no regular file and no folder")
    elif _begins_as(path, _ELF):
        found = Found()
        found.libraries[path] = pathlib.Path(path)
        yield found
    elif _begins_as(path, b"PK") or path.endswith(".whl"):
        with _temporary_folder() as folder:
            yield _of_wheel(path, pathlib.Path(folder))
    else:
        raise AuditError(f"{path}: is no wheel, no folder and no ELF file")


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def _begins_as(path: str, magic: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(magic)) == magic
    except OSError as error:
        raise AuditError(f"{path}: {_reason(error)}") from error


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    # Where that cannot be written, tempfile by itself tries others, even this folder.
    place = os.environ.get("TMPDIR") or "/tmp"
    try:
        with _output.uninterrupted():  # between the folder and the object that removes it
            return tempfile.TemporaryDirectory(prefix="callbridge-audit-", dir=place)
    except OSError as error:
        raise AuditError(
            f"a wheel's libraries are unpacked into a temporary folder: {error}; set TMPDIR to a "
            "folder that can be written"
        ) from error


# ---- Folders


def _of_folder(folder: pathlib.Path) -> Found:
    found = Found()

    def fail(error: OSError) -> None:
        raise AuditError(f"{error.filename}: {_reason(error)}") from error

    for where, folders, files in os.walk(folder, onerror=fail):
        folders.sort()
        for name in sorted(folders + files):
            path = pathlib.Path(where, name)
            if path.is_symlink():
                found.not_followed.append(str(path.relative_to(folder)))
            elif name in files and path.is_file() and _is_library_file(path):
                found.libraries[str(path.relative_to(folder))] = path
    metadata = [path for path in folder.glob("*.dist-info/METADATA") if path.is_file()]
    if len(metadata) == 1:
        _check_metadata(str(metadata[0]), metadata[0].stat().st_size)
        found.metadata = metadata[0].read_text(encoding="utf-8", errors="replace")
        _add_sources(folder, found)
    return found


def _add_sources(folder: pathlib.Path, found: Found) -> None:
    for path in sorted(folder.rglob("*.py")):
        name = str(path.relative_to(folder))
        try:
            if _sources.is_source(name) and not path.is_symlink() and path.is_file():
                if path.stat().st_size <= _MOST_SOURCE:
                    found.sources[name] = path.read_bytes()
        except OSError as error:
            raise AuditError(f"{path}: {_reason(error)}") from error


def _check_metadata(what: str, size: int) -> None:
    if size > _MOST_METADATA:
        raise AuditError(f"{what}: has {size} bytes, more than {_MOST_METADATA}, which is refused")


def _is_library_file(path: pathlib.Path) -> bool:
    try:
        with open(path, "rb") as file:
            return _is_library(file.read(18))
    except OSError as error:
        raise AuditError(f"{path}: {_reason(error)}") from error


def _is_library(header: bytes) -> bool:
    if len(header) < 18 or not header.startswith(_ELF):
        return False
    order = ">" if header[5] == 2 else "<"
    kind: int = struct.unpack_from(f"{order}H", header, 16)[0]
    return kind == _SHARED_LIBRARY


# ---- Wheels


def _of_wheel(path: str, folder: pathlib.Path) -> Found:
    try:
        with zipfile.ZipFile(path) as wheel:
            return _unpack(path, wheel, folder)
    # NotImplementedError: a compression that zipfile lacks. OSError: a bad offset.
    except (*_NO_ARCHIVE, NotImplementedError, ValueError, OSError) as error:
        raise AuditError(f"{path}: is no whole zip archive, as wheels are: {error}") from error


def _unpack(path: str, wheel: zipfile.ZipFile, folder: pathlib.Path) -> Found:
    members = [member for member in wheel.infolist() if not member.filename.endswith("/")]
    _check(path, members)
    found = Found()
    for member in members:
        if re.fullmatch(r"[^/]+\.dist-info/METADATA", member.filename):
            _check_metadata(f"{path}: its member {member.filename}", member.file_size)
            found.metadata = b"".join(_contents(wheel, member)).decode(errors="replace")
            continue
        if _sources.is_source(member.filename):
            if member.file_size <= _MOST_SOURCE:
                found.sources[member.filename] = b"".join(_contents(wheel, member))
            continue
        with wheel.open(member) as content:
            if not _is_library(content.read(18)):
                continue
        target = folder / member.filename
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "xb") as file:
                for chunk in _contents(wheel, member):
                    file.write(chunk)
        except OSError as error:
            has_room = error.errno not in (errno.ENOSPC, errno.EDQUOT)
            raise AuditError(
                f"{path}: its member {member.filename} cannot be unpacked into {folder}: "
                f"{_reason(error)}" + ("" if has_room else "; set TMPDIR to a folder with room")
            ) from error
        found.libraries[member.filename] = target
    return found


def _check(path: str, members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    for file in ("WHEEL", "METADATA"):
        count = sum(bool(re.fullmatch(rf"[^/]+\.dist-info/{file}", name)) for name in {*names})
        if count != 1:
            has = "has no" if count == 0 else f"has {count} files"
            raise AuditError(f"{path}: is no wheel: it {has} *.dist-info/{file}")
    for name in names:
        if "\\" in name or any(part in ("", ".", "..") for part in name.split("/")):
            raise AuditError(
                f"{path}: its member {name!r} is no path inside the wheel's folder, as "
                "'package/module.so' is"
            )
    files = {*names}
    for name in names:
        for parent in itertools.accumulate(name.split("/")[:-1], "{}/{}".format):
            if parent in files:
                raise AuditError(f"{path}: its member {parent!r} is a file and a folder")
    for name, count in collections.Counter(names).items():
        if count > 1:
            raise AuditError(f"{path}: has {count} members {name!r}")
    for member in members:
        if member.flag_bits & 1:
            raise AuditError(f"{path}: its member {member.filename!r} is encrypted")
    size = sum(member.file_size for member in members)
    packed = os.path.getsize(path)
    if size > _FREE + _MOST_GROWTH * packed:
        raise AuditError(
            f"{path}: its {packed} bytes say that they unpack to {size}, more than "
            f"{_MOST_GROWTH} times as many, which is refused"
        )


def _contents(wheel: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """zipfile reads no more of a member than it says to have, and checks its CRC at the end."""
    with wheel.open(member) as content:
        while chunk := content.read(_CHUNK):
            yield chunk
