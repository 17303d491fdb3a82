"""Sources: their encodings, the flags that C++ is parsed with, and what the codemod would write."""

from __future__ import annotations

import codecs
import dataclasses
import difflib
import functools
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tokenize
from collections.abc import Callable

from callbridge import config

# The longer ones first: that of UTF-32 begins as that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Of the compiler's options those that libclang, which reads UTF-8 alone, does not take.
_CHARSET = re.compile(r"-f(input|exec|wide-exec)-charset=.*")
# What a compile command has that is not about how the source is read.
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")
_ALONE = ("-c", "-MD", "-MMD", "-MP")
# Host code alone is read, without clang's own wrappers of the toolkit's headers: they are made for
# the toolkits that its release knows.
_CUDA = ("-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version")


class MigrateError(Exception):
    """Why nothing can be written: "FILE:LINE: what, and what to do"."""


# ---- Their encodings: what is written into one is in its own, and the rest stays, byte for byte


@dataclasses.dataclass(frozen=True)
class Source:
    """Attributes:
    path: the file's.
    original: its bytes.
    content: what they say, in UTF-8 and without a byte-order mark. If the encoding is not known,
      the bytes as they are: compilers read those of strings and comments like that.
    encode: returns such a content in the file's encoding.
    """

    path: pathlib.Path
    original: bytes
    content: bytes
    encode: Callable[[bytes], bytes]


def read_cxx(path: pathlib.Path, flags: list[str]) -> Source:
    """Reads a C++ source: by its byte-order mark, or else by -finput-charset of its flags.

    Raises MigrateError, which names the line, for bytes that are not of that encoding.
    """
    original = _bytes_of(path)
    mark, name = byte_order_mark(original)
    if not mark:
        given = [flag for flag in flags if flag.startswith("-finput-charset=")]
        name = given[-1].partition("=")[2] if given else ""
    if not name:
        return Source(path, original, original, lambda content: content)
    return _source(path, original, mark, name)


def read_python(path: pathlib.Path) -> Source:
    """Reads a Python source, by PEP 263. Raises MigrateError as read_cxx()."""
    original = _bytes_of(path)
    try:
        name, lines = tokenize.detect_encoding(io.BytesIO(original).readline)
    except SyntaxError as error:
        raise MigrateError(f"{path}:1: {error}") from None
    mark = codecs.BOM_UTF8 if name == "utf-8-sig" else b""
    return _source(path, original, mark, "utf-8" if mark else name)


def _bytes_of(path: pathlib.Path) -> bytes:
    if path.exists() and not path.is_file():
        raise MigrateError(f"{path}: is no regular file")
    return path.read_bytes()


def without_charsets(flags: list[str]) -> list[str]:
    return [flag for flag in flags if not _CHARSET.fullmatch(flag)]


def _source(path: pathlib.Path, original: bytes, mark: bytes, name: str) -> Source:
    body = original[len(mark) :]
    try:
        text = body.decode(name)
        if text.encode(name) != body:
            raise MigrateError(f"{path}: {name} has another form for its text; save it anew first")
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line = body[:start].decode(name, errors="replace").count("\n") + 1
        raise MigrateError(f"{path}:{line}: not {name}: {error}") from None
    except LookupError as error:
        raise MigrateError(f"{path}:1: {error}") from None
    return Source(
        path, original, text.encode(), lambda content: mark + content.decode().encode(name)
    )


def byte_order_mark(original: bytes) -> tuple[bytes, str]:
    """Returns it, and the encoding; of a file without one, nothing."""
    return next(((mark, name) for mark, name in _MARKS if original.startswith(mark)), (b"", ""))


def text_of(original: bytes) -> str:
    """What a file says, to show. Bytes that are not UTF-8 become what errors="surrogateescape"
    writes back."""
    mark, name = byte_order_mark(original)
    if mark and name != "utf-8":
        return original[len(mark) :].decode(name, errors="replace")
    return original.decode(errors="surrogateescape")


# ---- The flags of a C++ source: its build's, and the compiler's own folders


@functools.cache
def include_folders(compiler: str) -> tuple[str, ...]:
    """The folders that the compiler looks into by itself: libclang has no headers of its own."""
    command = [compiler, "-E", "-x", "c++", "-v", "/dev/null"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=True,
            env={**os.environ, "LC_ALL": "C"},  # the words below are English
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise MigrateError(
            f"{compiler} does not say where its headers are ({error}); name the compiler of the "
            "build by --compiler"
        ) from None
    listed = done.stderr.partition("search starts here:\n")[2].partition("End of search list.")[0]
    return tuple(line.strip() for line in listed.splitlines() if line.startswith(" "))


def _cuda_folders() -> list[str]:
    """The folder that nvcc looks into by itself, if there is an nvcc."""
    nvcc = shutil.which("nvcc")
    return [] if nvcc is None else [str(pathlib.Path(nvcc).resolve().parents[1] / "include")]


def callbridge_includes() -> str:
    """The folder of callbridge's headers, in the tree or installed."""
    try:
        return config.include_dir()
    except FileNotFoundError as error:
        raise MigrateError(str(error)) from None


def flags_of(source: pathlib.Path, compiler: str, database: str | None, given: list[str]):
    """Returns libclang's arguments for `source`: as the build has it, then callbridge's headers.

    callbridge's replacements of XLA's headers come behind the build's own folders.
    """
    flags = list(given)
    if database is not None:
        flags = [*_from_database(source, pathlib.Path(database)), *flags]
    if not any(flag.startswith("-std=") for flag in flags):
        flags.insert(0, "-std=c++17")
    flags += ["-isystem", callbridge_includes(), "-nostdinc", "-nostdinc++"]
    for folder in include_folders(compiler):
        flags += ["-isystem", folder]
    if source.suffix != ".cu":
        return ["-x", "c++", *flags]
    return [*_CUDA, *flags, *(f"-isystem{folder}" for folder in _cuda_folders())]


def _from_database(source: pathlib.Path, folder: pathlib.Path) -> list[str]:
    path = folder / "compile_commands.json" if folder.is_dir() else folder
    try:
        entries = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise MigrateError(f"{path}: {error}") from None
    for entry in entries:
        at = pathlib.Path(entry["directory"])
        if (at / entry["file"]).resolve() == source.resolve():
            words = entry.get("arguments") or shlex.split(entry["command"])
            return [f"-working-directory={at}", *_readers_flags(words[1:], entry["file"])]
    raise MigrateError(f"{path} has no command for {source}; give its flags behind --")


def _readers_flags(words: list[str], source: str) -> list[str]:
    flags, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in _WITH_VALUE:
            skip = True
        elif word not in _ALONE and word != source:
            flags.append(word)
    return flags


# ---- What would be written


@dataclasses.dataclass(frozen=True, order=True)
class Decision:
    """What a human must decide, at a line of a source."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclasses.dataclass(frozen=True)
class Edit:
    """Replaces the bytes [start, end) of a source."""

    start: int
    end: int
    text: str


def apply(content: bytes, edits: list[Edit]) -> bytes:
    """Returns the source with the edits, which do not overlap; at one place, in their order.

    Lines of the edits end as those of the source do.
    """
    ends_by_crlf = has_crlf(content)
    for edit in sorted(reversed(edits), key=lambda edit: edit.start, reverse=True):
        text = edit.text.encode(errors="surrogateescape")
        if ends_by_crlf:
            text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        content = content[: edit.start] + text + content[edit.end :]
    return content


def has_crlf(content: bytes) -> bool:
    """Returns whether most lines end by a carriage return and a line feed."""
    return 2 * content.count(b"\r\n") > content.count(b"\n")


@dataclasses.dataclass
class Change:
    """A file before, None where there is none, and after."""

    path: pathlib.Path
    before: bytes | None
    after: bytes

    def diff(self) -> str:
        # Not splitlines(), to which a form feed ends a line, too.
        old, new = (
            [] if text is None else re.findall("[^\n]*\n|[^\n]+", text_of(text))
            for text in (self.before, self.after)
        )
        source = "/dev/null" if self.before is None else str(self.path)
        lines = difflib.unified_diff(old, new, source, str(self.path))
        return "".join(
            line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
            for line in lines
        )


@dataclasses.dataclass
class Plan:
    changes: list[Change] = dataclasses.field(default_factory=list)
    decisions: list[Decision] = dataclasses.field(default_factory=list)
