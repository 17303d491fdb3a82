"""What the codemod found and would write: edits of a source, new files, and decisions."""

from __future__ import annotations

import dataclasses
import difflib
import pathlib


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
    """Returns the source with the edits, which do not overlap; at one place, in their order."""
    for edit in sorted(reversed(edits), key=lambda edit: edit.start, reverse=True):
        content = content[: edit.start] + edit.text.encode() + content[edit.end :]
    return content


@dataclasses.dataclass
class Change:
    """A file before, None where there is none, and after."""

    path: pathlib.Path
    before: bytes | None
    after: bytes

    def diff(self) -> str:
        old, new = (
            [] if text is None else text.decode(errors="replace").splitlines(keepends=True)
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
