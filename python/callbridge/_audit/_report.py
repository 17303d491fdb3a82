"""What `callbridge audit` says of each library, and where the requirements differ."""

from __future__ import annotations

import email
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from callbridge._audit._files import AuditError, printable
from callbridge._audit._releases import (
    Requirements,
    Span,
    admitted_of,
    index_of_headers,
    native_typed,
    releases_text,
    spans_of,
)

_TYPED = "typed_ffi"
_UNTYPED = "untyped"
_OPERATOR = "mindspore_aot"
# What tells the custom calls of a library apart.
_WHICH = ("abi", "api_version", "makes_state")
_NO_SYMBOLS = "the functions have no symbols"
_NOT_ASKED = "unknown, --probe asks"
_FOUND_NONE = (
    "the probe found no handler among the functions that it may ask: those that are exported "
    "without a type, and others whose address is taken"
)
_NULL_STATE = "pass a null state to the handler that takes it, which ends the process"


# ---- What the wheel requires


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
    texts, specifiers = [], []
    for text in email.message_from_string(metadata).get_all("Requires-Dist") or []:
        if re.match(r"\s*jax(lib)?\b(?![-_.\w])", text, re.IGNORECASE) is None:
            continue
        try:
            requirement = Requirement(" ".join(text.split()))  # it may go on in further lines
            _checked(requirement.specifier)
        except ValueError as error:
            raise AuditError(f"Requires-Dist: {text}: {error}") from error
        if canonicalize_name(requirement.name) in ("jax", "jaxlib"):
            texts.append(f"{requirement.name}{requirement.specifier}")
            specifiers.append(requirement.specifier)
    return Requirements(tuple(dict.fromkeys(texts)), tuple(specifiers))


def _checked(specifiers: SpecifierSet) -> SpecifierSet:
    """Raises ValueError for a number of too many digits, which packaging reads late."""
    specifiers.contains("0")
    return specifiers


# ---- The custom calls of a library


class _Kind(NamedTuple):
    """What custom calls of a library have in common."""

    abi: str
    evidence: str = ""
    api_version: str | None = None  # of its XLA FFI headers, None if unknown
    headers: str | None = None  # their releases, where they are known
    adapts: bool | None = None
    makes_state: bool | None = None


def _custom_calls(file: dict[str, Any], was_probed: bool) -> list[dict[str, Any]]:
    """Returns groups of a library's custom calls that are alike, each with its names."""
    probed = {answer["symbol"]: answer for answer in file["probed"]}
    groups: dict[_Kind, list[str]] = {}

    def add(name: str, kind: _Kind) -> None:
        groups.setdefault(kind, []).append(name)

    for function in file["functions"]:
        abi = _abi_text(function["abi"])
        if abi != _TYPED:
            add(function["name"], _Kind(abi, "the type in its symbol"))
        else:
            add(function["name"], _typed(file, probed.get(function["symbol"])))
    known = {function["symbol"] for function in file["functions"]}
    for symbol, answer in probed.items():
        if symbol not in known and answer["verdict"] == "typed":
            add(symbol, _typed(file, answer))
    for operator in file["operators"]:
        add(operator["function"], _Kind(_OPERATOR, "the functions beside it"))
    if file["mentions_typed_ffi"] and not any(kind.abi == _TYPED for kind in groups):
        # What the bytes tell is true of all functions; a probe answers for one.
        why = _NO_SYMBOLS if not file["untyped_functions"] else "no symbol has a type"
        if was_probed:
            answers = {answer["evidence"] for answer in file["probed"]}
            # One for all, as where the file cannot be opened.
            why = _FOUND_NONE + (f": {answers.pop()}" if len(answers) == 1 else "")
        kind = _typed(file, None)
        groups[kind._replace(evidence=kind.evidence or why)] = []
    is_seen = bool(groups) or file["mentions_typed_ffi"]
    if not is_seen and (file["has_capsules"] or _registers(file)):
        how = "in capsules" if file["has_capsules"] else "with XLA's registry"
        groups[_Kind(_UNTYPED, f"registered {how}; {_NO_SYMBOLS}")] = []
    return [{**kind._asdict(), "names": sorted(names)} for kind, names in groups.items()]


def _abi_text(abis: dict[str, str | None]) -> str:
    named = {abi: place for place, abi in reversed(abis.items()) if abi is not None}
    if len(named) == 1:
        (abi,) = named
        return abi if abi == _TYPED or abis["Host"] else f"{abi} on GPU"
    return " or ".join(f"{abi} on {place}" for place, abi in abis.items())


def _typed(file: dict[str, Any], answer: dict[str, Any] | None) -> _Kind:
    """Returns what the probe's answer says of a typed handler, else what the file's bytes tell."""
    if answer is not None and answer["api_version"] is not None:
        reports = ("evidence", "api_version", "headers", "adapts", "makes_state")
        return _Kind(_TYPED, *(answer[report] for report in reports))
    if (told := file["typed_headers"]) is not None:
        return _Kind(_TYPED, "the texts in its code", told["api_version"], told["headers"])
    return _Kind(_TYPED, answer["evidence"] if answer is not None else "")


def _asked_all(file: dict[str, Any]) -> bool:
    """Whether the probe asked all functions. Where a named one is a handler, it does not ask those
    of a stripped file that have no name."""
    named = any(answer["has_symbol"] and answer["verdict"] == "typed" for answer in file["probed"])
    return not (file["stripped"] and named)


def _registers(file: dict[str, Any]) -> bool:
    return any(
        entry["place"] == "imported" and "egister" in entry["name"] for entry in file["registry"]
    )


# ---- The report


def report_of(
    path: str,
    files: dict[str, Any],
    not_followed: Sequence[str],
    requirements: Requirements | None,
    rows: Sequence[dict[str, Any]],
    was_probed: bool,
) -> dict[str, Any]:
    """Returns what --json prints."""
    spans = spans_of(rows)
    libraries, without, contradictions = [], [], []
    unknown = False
    for name, file in files.items():
        calls = _custom_calls(file, was_probed)
        if not calls:
            # A damaged library may have had some.
            if file["refusal"] is None:
                without.append(name)
            continue
        for call in calls:
            native = _native(call, spans, rows)
            call["native"] = None if native is None else releases_text(spans, native)
            others = spans if native is None else [span for span in spans if span not in native]
            call["through_callbridge"] = releases_text(spans, others)
            without_state = _without_state(call, spans, rows)
            why = _why_state_is_unknown(call, calls, _asked_all(file)) if without_state else ""
            call["notes"] = _notes(call, without_state, why, spans)
            unknown |= native is None
            if native is None or requirements is None:
                continue
            if why:
                others = [span for span in spans if span not in without_state]
                unknown |= bool(admitted_of(spans, requirements, others))
            for contradiction in _contradictions(call, spans, native, requirements, rows):
                which = {key: call[key] for key in _WHICH}
                contradictions.append({"library": name, **which, **contradiction})
        libraries.append({"library": name, "custom_calls": calls})
    return {
        "path": path,
        "probed": was_probed,
        "requires": None if requirements is None else list(requirements.texts),
        "libraries": libraries,
        "without_custom_calls": without,
        "not_followed": list(not_followed),
        "contradictions": contradictions,
        "unknown": unknown,
    }


def _is_untyped(call: dict[str, Any]) -> bool:
    return call["abi"] not in (_TYPED, _OPERATOR)


def _native(
    call: dict[str, Any], spans: Sequence[Span], rows: Sequence[dict[str, Any]]
) -> list[Span] | None:
    if _is_untyped(call):
        return list(spans)
    if call["abi"] == _OPERATOR:
        return []
    if call["api_version"] is None:
        return None
    if call["adapts"]:
        return [span for span in spans if span.row is not None]
    return native_typed(spans, _index(call, rows), with_state=bool(call["makes_state"]))


def _index(call: dict[str, Any], rows: Sequence[dict[str, Any]]) -> int:
    return index_of_headers(rows, call["api_version"], call["headers"] or "")


def _without_state(
    call: dict[str, Any], spans: Sequence[Span], rows: Sequence[dict[str, Any]]
) -> list[Span]:
    """Returns the releases that register the handler, and may not pass on state that it made."""
    if call["abi"] != _TYPED or call["api_version"] is None or call["adapts"]:
        return []
    kept = native_typed(spans, _index(call, rows), with_state=True)
    return [
        span
        for span in native_typed(spans, _index(call, rows), with_state=False)
        if span not in kept
    ]


def _why_state_is_unknown(
    call: dict[str, Any], calls: Sequence[dict[str, Any]], asked_all: bool
) -> str:
    """Returns why it is unknown whether the call has state, "" if it is known. `calls` are all of
    the library's."""
    if call["makes_state"] is None:
        return "its headers do not report it"
    if not call["makes_state"] and any(other["makes_state"] for other in calls):
        return "another handler of the library makes state"
    return "" if call["makes_state"] or asked_all else "functions without a symbol were not asked"


def _notes(
    call: dict[str, Any], without_state: Sequence[Span], why_unknown: str, spans: Sequence[Span]
) -> list[str]:
    """Returns what the releases do not say."""
    if _is_untyped(call):
        return ["natively no tuple operands: docs/abi/original.md has the releases"]
    if not without_state:
        return []
    releases = releases_text(spans, without_state)
    if call["makes_state"]:
        return [f"it makes state: {releases} register it, but some of them {_NULL_STATE}"]
    if why_unknown:
        return [f"if it has state, not surely on {releases}: cannot tell, {why_unknown}"]
    return []


def _contradictions(
    call: dict[str, Any],
    spans: Sequence[Span],
    native: Sequence[Span],
    requirements: Requirements,
    rows: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Returns the admitted releases that it does not run on natively, and the errors there."""
    found = []
    for run, releases in admitted_of(spans, requirements, native):
        errors = dict.fromkeys(_error(call, span, rows) for span in run)
        certain = not all(_loses_state(call, span, rows) for span in run)
        found.append({"admits": releases, "certain": certain, "error": "; ".join(errors)})
    return found


def _loses_state(call: dict[str, Any], span: Span, rows: Sequence[dict[str, Any]]) -> bool:
    return bool(call["makes_state"]) and span in _without_state(call, [span], rows)


def _error(call: dict[str, Any], span: Span, rows: Sequence[dict[str, Any]]) -> str:
    if call["abi"] == _OPERATOR:
        return "JAX does not call AOT operators of MindSpore"
    if span.row is None:
        return "XLA has no typed FFI there"
    if _loses_state(call, span, rows):
        return f"it makes state, and some of these releases {_NULL_STATE}"
    if call["headers"] is not None:
        return "it crashes, or each call fails: its headers know no metadata query"
    if not span.row["has_metadata"]:
        return "each call fails: the runtime's XLA FFI is " + span.api_version()
    return (
        f"INVALID_ARGUMENT: the handler's API version ({call['api_version']}) is incompatible with "
        f"the framework's API version ({span.api_version()})"
    )


# ---- As text


def _native_text(call: dict[str, Any], report: dict[str, Any]) -> str:
    if call["native"] is None:
        return _unknown(report)
    return call["native"] or "nowhere"


def _unknown(report: dict[str, Any]) -> str:
    return "unknown" if report["probed"] else _NOT_ASKED


def _call_text(call: dict[str, Any], report: dict[str, Any]) -> str:
    names = call["names"]
    text = f"{len(names) or ''} {call['abi']}".strip()
    if call["abi"] == _TYPED:
        version = call["api_version"]
        text += f", XLA FFI {version}" if version else f", XLA FFI's version is {_unknown(report)}"
        text += ", adapts to the runtime" if call["adapts"] else ""
    if call["evidence"]:
        text += f" ({call['evidence']})"
    if names:
        text += f": {', '.join(names[:4])}{', ...' if len(names) > 4 else ''}"
    return text


def text_of(report: dict[str, Any]) -> str:
    requires = report["requires"]
    said = "" if requires is None else f": requires {', '.join(requires) or 'no jax'}"
    lines = [f"{report['path']}{said}"]
    for library in report["libraries"]:
        lines.append(f"  {library['library']}")
        for call in library["custom_calls"]:
            lines.append(f"    {_call_text(call, report)}")
            lines.append(f"      natively            {_native_text(call, report)}")
            lines.append(f"      through callbridge  {call['through_callbridge'] or '-'}")
            lines += [f"      note                {note}" for note in call["notes"]]
    if report["without_custom_calls"]:
        count = len(report["without_custom_calls"])
        lines.append(f"  no custom calls in {count} librar{'y' if count == 1 else 'ies'}")
    if report["not_followed"]:
        lines.append(f"  links, not followed: {', '.join(report['not_followed'])}")
    wrongs = []
    for wrong in report["contradictions"]:
        fails = "fails" if wrong["certain"] else "may fail"
        wrongs.append(
            f"  admitted, and {fails} natively: jaxlib {wrong['admits']}: {wrong['library']}: "
            f"{wrong['error']}"
        )
    lines += dict.fromkeys(wrongs)  # handlers with and without state may fail alike
    if report["errors"]:
        lines.append("  verdict: not all of its libraries could be read")
    elif not report["libraries"]:
        lines.append("  verdict: it has no custom calls")
    elif requires is not None and not report["contradictions"]:
        lines.append(
            "  verdict: "
            + (
                "no contradiction is seen, but not all could be told"
                if report["unknown"]
                else "its custom calls run natively on all that it admits"
            )
        )
    return "".join(f"{printable(line)}\n" for line in lines)


def table_of(report: dict[str, Any]) -> str:
    """Returns a Markdown table: a row for each kind of custom call in each library."""
    lines = [
        "| library | custom calls | natively on jaxlib | through callbridge | admitted, fails |",
        "|---|---|---|---|---|",
    ]
    for library in report["libraries"]:
        for call in library["custom_calls"]:
            wrong = ", ".join(
                entry["admits"]
                for entry in report["contradictions"]
                if entry["library"] == library["library"]
                and all(entry[key] == call[key] for key in _WHICH)
            )
            native = _native_text(call, report)
            cells = (library["library"], _short(call), native, call["through_callbridge"], wrong)
            lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    if not report["libraries"]:
        lines.append("| - | none | | | |")
    return "\n".join(lines) + "\n"


def _short(call: dict[str, Any]) -> str:
    count = f"{len(call['names'])} " if call["names"] else ""
    version = f" {call['api_version']}" if call["api_version"] else ""
    return f"{count}{call['abi']}{version}"


def _cell(text: str) -> str:
    return printable(text).replace("|", "\\|") or "-"
