"""The encodings of sources: what is written into one is in its own, and the rest stays as it was,
byte for byte."""

from __future__ import annotations

import codecs
import dataclasses
import io
import pathlib
import re
import tokenize
from collections.abc import Callable

from callbridge.migrate._plan import MigrateError, byte_order_mark

# Of the compiler's options those that libclang, which reads UTF-8 alone, does not take.
_CHARSET = re.compile(r"-f(input|exec|wide-exec)-charset=.*")


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
