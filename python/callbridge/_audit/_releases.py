"""Which releases of JAX a custom call runs on, which lack a name, and which a wheel's requirements
admit.

`callbridge audit` passes the rows of typed_ffi/runtime_versions.h; callbridge._core._installation
has the first and the last release.
"""

from __future__ import annotations

import dataclasses
import email
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from callbridge._audit._files import AuditError
from callbridge._core import _jax_names
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


# ---- Names of JAX


class Lack(NamedTuple):
    """A name that some releases of JAX lack."""

    name: str  # the first part of a dotted path that they lack
    spans: list[Span]
    # A recording of these releases shows it. Of private names, of jaxlib's and of those that went
    # before the oldest release the tables are not complete.
    is_recorded: bool


def lacking(name: str) -> Lack | None:
    """Returns which releases of JAX lack a dotted path, None if none is known to.

    Between the last recorded release that has it and the first that has not, nothing is known.
    """
    parts = name.split(".")
    for count in range(1, len(parts)):
        module, last = ".".join(parts[:count]), parts[count]
        spans = list(_spans_without(module, last))
        if spans:
            is_recorded = (
                parts[0] == "jax"
                and not any(part.startswith("_") for part in parts[: count + 1])
                and _by_name("GONE").get((module, last)) != _jax_names.RELEASES[0]
            )
            return Lack(f"{module}.{last}", spans, is_recorded)
    return None


def _spans_without(module: str, name: str) -> Iterator[Span]:
    came = _by_name("CAME").get((module, name))
    if came is not None:
        yield Span(_version(OLDEST), _before(came), None)
    like = _jax_names.LIKE.get(module, module)
    gone = _by_name("LATER").get((module, name)) or _by_name("GONE").get((like, name))
    if gone is not None and gone != "never":
        back = _by_name("BACK").get((module, name))
        yield Span(Version(gone), _version(NEWEST) if back is None else _before(back), None)


@functools.cache
def _by_name(table: str) -> Mapping[tuple[str, str], str]:
    return {
        (module, name): release
        for module, releases in getattr(_jax_names, table).items()
        for release, names in releases.items()
        for name in names.split()
    }


def _before(release: str) -> Version:
    """The last recorded release before this one."""
    return Version(_jax_names.RELEASES[_jax_names.RELEASES.index(release) - 1])


# ---- What a wheel admits


@dataclasses.dataclass(frozen=True)
class Requirements:
    """The releases that are admitted: those in all of `specifiers` and, if there are extras that
    require JAX, in all of those of one of them."""

    texts: tuple[str, ...]  # as the wheel or the command line has them
    specifiers: tuple[SpecifierSet, ...]
    extras: Mapping[str, tuple[SpecifierSet, ...]] = dataclasses.field(default_factory=dict)

    def admits(self, release: Version) -> bool:
        return self._all_contain(self.specifiers, release) and (
            not self.extras
            or bool(self.specifiers)
            or any(self._all_contain(each, release) for each in self.extras.values())
        )

    @staticmethod
    def _all_contain(specifiers: Sequence[SpecifierSet], release: Version) -> bool:
        return all(each.contains(release, prereleases=False) for each in specifiers)

    def admitted(self, span: Span, past: Version | None) -> tuple[Version, Version] | None:
        """Returns the first and the last release that is admitted of a span, None for none.

        `past` is the first release of the next span. Which releases exist is not known: those that
        the specifiers name and their neighbors are tried, and both ends.
        """
        tried = {span.first, span.last}
        for each in (*self.specifiers, *(one for many in self.extras.values() for one in many)):
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


# ---- What the wheel requires

# Packages that are jaxlib, or a part of it for a GPU: their releases are its own.
_PARTS_OF_JAXLIB = re.compile(r"jaxlib|jax-(cuda|rocm|oneapi)\d*-(plugin|pjrt)")


def requirements_of(metadata: str | None, jax: str) -> Requirements | None:
    """Returns what --jax or METADATA says of jax and jaxlib; None if there is neither."""
    if jax:
        try:
            return Requirements((f"jax{jax}",), (_checked(SpecifierSet(jax)),))
        except ValueError as error:
            raise AuditError(
                f"--jax {jax!r}: is no version specifier, such as '>=0.6': {error}"
            ) from error
    if metadata is None:
        return None
    message = email.message_from_string(metadata)
    if _PARTS_OF_JAXLIB.fullmatch(canonicalize_name(message.get("Name") or "")):
        text = f"=={(message.get('Version') or '').strip()}"
        try:
            return Requirements((f"jaxlib{text}",), (_checked(SpecifierSet(text)),))
        except ValueError as error:
            raise AuditError(f"Version: {text[2:]}: {error}") from error
    texts, specifiers = [], []
    extras: dict[str, list[SpecifierSet]] = {}
    for requirement in required(metadata, only_jax=True):
        texts.append(f"{requirement.name}{requirement.specifier}")
        extra = extra_of(requirement)
        if extra is None:
            specifiers.append(requirement.specifier)
        else:
            extras.setdefault(extra, []).append(requirement.specifier)
    by_extra = {extra: tuple(each) for extra, each in extras.items()}
    return Requirements(tuple(dict.fromkeys(texts)), tuple(specifiers), by_extra)


_HERE: dict[str, Any] = {**default_environment()}


def required(metadata: str, only_jax: bool) -> list[Requirement]:
    """Returns what Requires-Dist has for this machine: of jax and jaxlib, or of all else.

    Raises AuditError for a requirement that pip refuses too."""
    found = []
    for text in email.message_from_string(metadata).get_all("Requires-Dist") or []:
        is_jax = re.match(r"\s*jax(lib)?\b(?![-_.\w])", text, re.IGNORECASE) is not None
        if is_jax != only_jax:
            continue
        try:
            requirement = Requirement(" ".join(text.split()))  # it may go on in further lines
            _checked(requirement.specifier)
        except ValueError as error:
            raise AuditError(f"Requires-Dist: {text}: {error}") from error
        extra = extra_of(requirement)
        if requirement.marker is None or requirement.marker.evaluate(
            {**_HERE, "extra": extra or ""}
        ):
            found.append(requirement)
    return found


def extra_of(requirement: Requirement) -> str | None:
    """Returns the extra that the requirement is for, None for all installations."""
    found = re.search(r"""\bextra\s*==\s*["']([^"']+)["']""", str(requirement.marker or ""))
    return canonicalize_name(found[1]) if found else None


def _checked(specifiers: SpecifierSet) -> SpecifierSet:
    """Raises ValueError for a number of too many digits, which packaging reads late."""
    specifiers.contains("0")
    return specifiers
