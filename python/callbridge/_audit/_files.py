"""The shared libraries of a wheel, a folder or a file, for `callbridge audit`. None runs."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
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
from collections.abc import Iterator, Sequence
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from callbridge._core._installation import NEWEST, OLDEST

_ELF = b"\177ELF"
_SHARED_LIBRARY = 3  # ET_DYN, as in e_type
# Machine code shrinks to about a third; code for many GPUs, with its padding, to a tenth.
_MOST_GROWTH = 100
_FREE = 64 << 20
# Its description is in it too; Python's parser takes minutes for one of 64 MiB.
_MOST_METADATA = 4 << 20
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
    """`libraries` by the name that users know, and what pip would read as METADATA, if any."""

    def __init__(self) -> None:
        self.libraries: dict[str, pathlib.Path] = {}
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
    return found


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


# ---- Which releases of jaxlib a custom call runs on, and which a wheel's requirements admit ------

# `callbridge audit` passes the rows of typed_ffi/runtime_versions.h; callbridge._core._installation
# has the first and the last release.


def _version(release: Sequence[int]) -> Version:
    return Version(".".join(map(str, release)))


@dataclasses.dataclass(frozen=True)
class Span:
    """Releases that run custom calls alike: those of a row, or those before typed FFI."""

    first: Version
    last: Version
    row: dict[str, Any] | None  # as the command passes it; None: without typed FFI

    def api_version(self) -> str:
        return "none" if self.row is None else f"0.{self.row['minor']}"


def spans_of(rows: Sequence[dict[str, Any]]) -> list[Span]:
    """Returns the spans, oldest first. A row says "jaxlib FIRST" or "jaxlib FIRST to LAST"."""
    words = [row["releases"].split() for row in rows]
    firsts = [Version(found[1]) for found in words]
    lasts = [Version(found[-1]) for found in words[:-1]] + [_version(NEWEST)]
    typed = [Span(*ends) for ends in zip(firsts, lasts, rows)]
    # What is between two rows belongs to neither.
    return [Span(_version(OLDEST), _version(OLDEST), None), *typed]


def index_of_headers(rows: Sequence[dict[str, Any]], api_version: str, releases: str = "") -> int:
    """Returns the row of the headers: the first of `api_version` and, where known, `releases`."""
    for i, row in enumerate(rows):
        if f"0.{row['minor']}" == api_version and releases in ("", row["releases"]):
            return i
    return len(rows)


def native_typed(spans: Sequence[Span], headers: int, with_state: bool) -> list[Span]:
    """Returns the spans that register a typed handler built with the headers of a row.

    With `with_state`, those of them that surely pass it the state that it made.
    """
    answers = "keeps_state" if with_state else "accepts"
    return [
        span
        for span in spans
        if span.row is not None and headers < len(span.row[answers]) and span.row[answers][headers]
    ]


def releases_text(spans: Sequence[Span], chosen: Sequence[Span]) -> str:
    """Returns "0.4.34 to 0.8.0, 0.9.1 to 0.12.0.1"."""
    runs: list[list[Span]] = []
    for i, span in enumerate(spans):
        if span not in chosen:
            continue
        if runs and runs[-1][-1] is spans[i - 1]:
            runs[-1].append(span)
        else:
            runs.append([span])
    return ", ".join(_text(run[0].first, run[-1].last) for run in runs)


def _text(first: Version, last: Version) -> str:
    return str(first) if first == last else f"{first} to {last}"


# ---- What a wheel admits


@dataclasses.dataclass(frozen=True)
class Requirements:
    """The releases that are admitted: those in all of the specifiers."""

    texts: tuple[str, ...]  # as the wheel or the command line has them
    specifiers: tuple[SpecifierSet, ...]

    def admits(self, release: Version) -> bool:
        return all(each.contains(release, prereleases=False) for each in self.specifiers)

    def admitted(self, span: Span, past: Version | None) -> tuple[Version, Version] | None:
        """Returns the first and the last release that is admitted of a span, None for none.

        `past` is the first release of the next span. Which releases exist is not known: those that
        the specifiers name and their neighbors are tried, and both ends.
        """
        tried = {span.first, span.last}
        for each in self.specifiers:
            for specifier in each:
                named = re.match(r"[\d.]+\d", specifier.version)
                if named is not None:
                    numbers = [int(part) for part in named[0].split(".")]
                    tried.add(_version(numbers))
                    if len(numbers) < 3:
                        tried.add(_version([*numbers, 1]))
                    tried |= {_version([*numbers[:-1], max(numbers[-1] + by, 0)]) for by in (-1, 1)}
        within = [
            candidate
            for candidate in sorted(tried)
            if span.first <= candidate
            and (candidate < past if past is not None else candidate <= span.last)
            and self.admits(candidate)
        ]
        return (within[0], within[-1]) if within else None


def admitted_of(
    spans: Sequence[Span], requirements: Requirements, native: Sequence[Span]
) -> list[tuple[list[Span], str]]:
    """Returns the runs of spans that are admitted and not `native`, each with what is admitted."""
    runs: list[tuple[list[Span], Version, Version]] = []
    for i, span in enumerate(spans):
        past = spans[i + 1].first if i + 1 < len(spans) else None
        found = None if span in native else requirements.admitted(span, past)
        if found is None:
            continue
        if runs and runs[-1][0][-1] is spans[i - 1]:
            run, first, _ = runs.pop()
            runs.append(([*run, span], first, found[1]))
        else:
            runs.append(([span], *found))
    return [(run, _text(first, last)) for run, first, last in runs]
