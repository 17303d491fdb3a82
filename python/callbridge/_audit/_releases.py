"""Which releases of jaxlib a custom call runs on, and which a wheel's requirements admit.

`callbridge audit` passes the rows of typed_ffi/runtime_versions.h; callbridge._core._installation
has the first and the last release.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from callbridge._core._installation import NEWEST, OLDEST


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
