"""What `callbridge audit` says of each library, and where the requirements differ."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from callbridge._audit import _sources
from callbridge._audit._releases import (
    Requirements,
    Span,
    admitted_of,
    index_of_headers,
    lacking,
    native_typed,
    releases_text,
    spans_of,
)

TYPED = "typed_ffi"
_UNTYPED = "untyped"
_OPERATOR = "mindspore_aot"
# What tells the custom calls of a library apart.
WHICH = ("abi", "api_version", "makes_state")
_NO_SYMBOLS = "the functions have no symbols"
_FOUND_NONE = (
    "the probe found no handler among the functions that it may ask: those that are exported "
    "without a type, and others whose address is taken"
)
_OWN_XLA = (
    "the library contains an XLA of its own, whose handlers these may be: JAX gets those that the "
    "package registers with it"
)
_NULL_STATE = "pass a null state to the handler that takes it, which ends the process"


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
        if abi != TYPED:
            add(function["name"], _Kind(abi, "the type in its symbol"))
        else:
            add(function["name"], _typed(file, probed.get(function["symbol"])))
    known = {function["symbol"] for function in file["functions"]}
    for symbol, answer in probed.items():
        if symbol not in known and answer["verdict"] == "typed":
            add(symbol, _typed(file, answer))
    for operator in file["operators"]:
        add(operator["function"], _Kind(_OPERATOR, "the functions beside it"))
    if file["mentions_typed_ffi"] and not any(kind.abi == TYPED for kind in groups):
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
        return abi if abi == TYPED or abis["Host"] else f"{abi} on GPU"
    return " or ".join(f"{abi} on {place}" for place, abi in abis.items())


def _typed(file: dict[str, Any], answer: dict[str, Any] | None) -> _Kind:
    """Returns what the probe's answer says of a typed handler, else what the file's bytes tell."""
    if answer is not None and answer["api_version"] is not None:
        reports = ("evidence", "api_version", "headers", "adapts", "makes_state")
        return _Kind(TYPED, *(answer[report] for report in reports))
    if (told := file["typed_headers"]) is not None:
        return _Kind(TYPED, "the texts in its code", told["api_version"], told["headers"])
    return _Kind(TYPED, answer["evidence"] if answer is not None else "")


def _asked_all(file: dict[str, Any]) -> bool:
    """Whether the probe asked all functions. Where a named one is a handler, it does not ask those
    of a stripped file that have no name; and its time is limited."""
    named = any(answer["has_symbol"] and answer["verdict"] == "typed" for answer in file["probed"])
    return not (file["stripped"] and named) and file["not_asked"] == 0


def _registers(file: dict[str, Any]) -> bool:
    return any(
        entry["place"] == "imported" and "egister" in entry["name"] for entry in file["registry"]
    )


# ---- The report


def report_of(
    path: str,
    files: Mapping[str, Any],
    not_followed: Sequence[str],
    requirements: Requirements | None,
    rows: Sequence[dict[str, Any]],
    was_probed: bool,
    sources: Mapping[str, bytes] = {},  # noqa: B006, as it is not written
    not_probed: Sequence[str] = (),
) -> dict[str, Any]:
    """Returns what --json prints. `not_probed` are the libraries that there was no time for."""
    spans = spans_of(rows)
    libraries, without = [], []
    unknown = bool(not_probed)
    for name, file in files.items():
        calls = _custom_calls(file, was_probed)
        if not calls:
            # A damaged library may have had some.
            if file["refusal"] is None:
                without.append(name)
            continue
        for call in calls:
            native = None if file["contains_xla"] else _native(call, spans, rows)
            call["native"] = None if native is None else releases_text(spans, native)
            others = spans if native is None else [span for span in spans if span not in native]
            call["through_callbridge"] = releases_text(spans, others)
            without_state = [] if native is None else _without_state(call, spans, rows)
            why = _why_state_is_unknown(call, calls, _asked_all(file)) if without_state else ""
            call["notes"] = _notes(call, without_state, why, spans)
            if file["contains_xla"]:
                call["notes"] = [_OWN_XLA]
            elif file["not_asked"]:
                call["notes"].append(
                    f"{file['not_asked']} functions of the library were not asked: the probe's "
                    "time was over"
                )
            unknown |= native is None
            if native is not None and requirements is not None and why:
                others = [span for span in spans if span not in without_state]
                unknown |= bool(admitted_of(spans, requirements, others))
        libraries.append({"library": name, "custom_calls": calls})
    contradictions = []
    if requirements is not None:
        for library in libraries:
            found, may_choose = _contradictions_of(library, libraries, spans, requirements, rows)
            contradictions += found
            unknown |= may_choose
    python = _python_of(sources, requirements)
    is_made_later = bool(python["registers"]) and not libraries
    unknown |= is_made_later or bool(python["unread"])
    # Releases gain and lose private names without a word, and no recording has all.
    unknown |= bool(libraries and python["private"])
    unknown |= any(name["admits"] and not name["certain"] for name in python["names"])
    return {
        "path": path,
        "probed": was_probed,
        "requires": None if requirements is None else list(requirements.texts),
        "libraries": libraries,
        "without_custom_calls": without,
        "not_probed": list(not_probed),
        "not_followed": list(not_followed),
        "contradictions": contradictions,
        "python": python,
        "unknown": unknown,
    }


def is_contradicted(report: Mapping[str, Any]) -> bool:
    """Whether the requirements admit a release on which something is known to fail."""
    names = report["python"]["names"]
    return bool(report["contradictions"]) or any(
        name["admits"] and name["certain"] for name in names
    )


def _contradictions_of(
    library: Mapping[str, Any],
    libraries: Sequence[Mapping[str, Any]],
    spans: Sequence[Span],
    requirements: Requirements,
    rows: Sequence[dict[str, Any]],
) -> tuple[list[dict[str, Any]], bool]:
    """Returns the library's contradictions; and whether there are fewer since the package has the
    same library for other releases too, and may choose by itself."""
    found, may_choose = [], False
    others = [other for other in libraries if _is_same_for_others(library, other)]
    for call in library["custom_calls"]:
        if call["native"] is None:
            continue
        native = _native(call, spans, rows) or []
        chosen = [
            span
            for span in spans
            if span in native
            or (others and any(_runs_on(other, span, spans, rows) for other in others))
        ]
        may_choose |= chosen != native and bool(admitted_of(spans, requirements, native))
        for contradiction in _contradictions(call, spans, chosen, requirements, rows):
            which = {key: call[key] for key in WHICH}
            found.append({"library": library["library"], **which, **contradiction})
    if may_choose:
        note = "others of this name run on other releases: which one the package loads is unknown"
        for call in library["custom_calls"]:
            call["notes"].append(note)
    return found, may_choose


def _is_same_for_others(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two libraries may be the same one, built for different releases of JAX."""
    if one["library"] == other["library"]:
        return False
    names = [{name for call in each["custom_calls"] for name in call["names"]}
             for each in (one, other)]  # fmt: skip
    have_symbols = all(names) and not any("function at 0x" in name for name in names[0])
    is_named_so = pathlib.PurePath(one["library"]).name == pathlib.PurePath(other["library"]).name
    return is_named_so or (have_symbols and names[0] == names[1])


def _runs_on(
    library: Mapping[str, Any],
    span: Span,
    spans: Sequence[Span],
    rows: Sequence[dict[str, Any]],
) -> bool:
    return all(
        call["native"] is not None and span in (_native(call, spans, rows) or [])
        for call in library["custom_calls"]
    )


# ---- Its Python


def _python_of(sources: Mapping[str, bytes], requirements: Requirements | None) -> dict[str, Any]:
    """Returns which names of JAX the sources ask for that some releases lack, which private ones
    no recording knows, where they register custom calls, and which of them cannot be read."""
    read, unread = {}, []
    package_is_jax = any(path.split("/")[0] in ("jax", "jaxlib", "jax_plugins") for path in sources)
    if not package_is_jax and any(b"jax" in text for text in sources.values()):
        for path, text in sources.items():
            try:
                read[path] = _sources.read(text)
            except ValueError:
                if b"jax" in text:
                    unread.append(path)
    surely = _sources.imported_for_certain(read)
    places: dict[tuple[str, str], list[tuple[bool, str, list[Span]]]] = {}
    private: dict[str, str] = {}
    registers = []
    for path, source in read.items():
        for use in source.uses:
            if use.registers:
                registers.append(f"{path}:{use.line}")
            if use.is_tried:
                continue
            if (lack := lacking(use.name)) is not None:
                is_certain = use.is_certain and path in surely and lack.is_recorded
                key = (lack.name, ", ".join(_span_text(span) for span in lack.spans))
                places.setdefault(key, []).append((is_certain, f"{path}:{use.line}", lack.spans))
            elif _is_private(use.name):
                private.setdefault(use.name, f"{path}:{use.line}")
    names = []
    for (name, lacks), found in sorted(places.items()):
        found.sort(key=lambda place: not place[0])
        is_certain, place, spans = found[0]
        names.append(
            {
                "name": name,
                "lacking": lacks,
                "place": place,
                "places": len(found),
                "certain": is_certain,
                "admits": _admits(requirements, spans),
            }
        )
    return {
        "names": names,
        "private": [{"name": name, "place": place} for name, place in sorted(private.items())],
        "registers": list(dict.fromkeys(registers)),
        "unread": unread,
    }


def _is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def _span_text(span: Span) -> str:
    return str(span.first) if span.first == span.last else f"{span.first} to {span.last}"


def _admits(requirements: Requirements | None, spans: Sequence[Span]) -> str | None:
    if requirements is None:
        return None
    found = [requirements.admitted(span, None) for span in spans]
    texts = [str(a) if a == b else f"{a} to {b}" for a, b in filter(None, found)]
    return ", ".join(texts) or None


# ---- The releases of a custom call


def _is_untyped(call: dict[str, Any]) -> bool:
    return call["abi"] not in (TYPED, _OPERATOR)


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
    if call["abi"] != TYPED or call["api_version"] is None or call["adapts"]:
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
