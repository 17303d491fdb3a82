"""What the codemod found and would write: edits of a source, new files, and decisions."""

from __future__ import annotations

import codecs
import dataclasses
import difflib
import pathlib
import re

# The longer ones first: that of UTF-32 begins as that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class MigrateError(Exception):
    """Why nothing can be written: "FILE:LINE: what, and what to do"."""


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
