"""The report of `callbridge audit` as text, and as a Markdown table."""

from __future__ import annotations

import email
import shlex
from collections.abc import Iterator
from typing import Any

from packaging.version import InvalidVersion, Version

from callbridge._audit._files import AuditError, printable
from callbridge._audit._releases import Requirements, extra_of, required
from callbridge._audit._report import TYPED, WHICH, is_contradicted
from callbridge._core._installation import NEWEST, OLDEST

_NOT_ASKED = "unknown, --probe asks"
# More names than that have a cause in common.
_MOST_NAMES = 8


def _native_text(call: dict[str, Any], report: dict[str, Any]) -> str:
    if call["native"] is None:
        return _unknown(report)
    return call["native"] or "nowhere"


def _unknown(report: dict[str, Any]) -> str:
    return "unknown" if report["probed"] else _NOT_ASKED


def _call_text(call: dict[str, Any], report: dict[str, Any]) -> str:
    names = call["names"]
    text = f"{len(names) or ''} {call['abi']}".strip()
    if call["abi"] == TYPED:
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
    lines += _python_lines(report)
    if report["without_custom_calls"]:
        count = len(report["without_custom_calls"])
        lines.append(f"  no custom calls in {count} librar{'y' if count == 1 else 'ies'}")
    if report["not_probed"]:
        lines.append(f"  not probed, as the time was over: {', '.join(report['not_probed'])}")
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
    lines += _name_contradictions(report)
    if (verdict := _verdict(report)) is not None:
        lines.append(f"  verdict: {verdict}")
    lines += _lines_to_type(report)
    return "".join(f"{printable(line)}\n" for line in lines)


def _verdict(report: dict[str, Any]) -> str | None:
    if report["errors"]:
        return "not all of its libraries could be read"
    if is_contradicted(report):
        return None  # the lines above say it
    names = report["python"]["names"]
    if not report["libraries"] and not report["unknown"]:
        return "it has no custom calls"
    if not report["libraries"] and report["python"]["registers"]:
        return "its libraries show no custom calls, but its Python registers some: unknown"
    if report["requires"] is None:
        return None
    if report["unknown"]:
        return "no contradiction is seen, but not all could be told"
    if names:
        return "its custom calls run natively on all that it admits, which has its names"
    return "its custom calls run natively on all that it admits"


def _python_lines(report: dict[str, Any]) -> Iterator[str]:
    python = report["python"]
    names = python["names"]
    if names:
        yield "  its Python asks for names that some releases of JAX lack"
    for name in names[:_MOST_NAMES]:
        more = f", and {name['places'] - 1} more" if name["places"] > 1 else ""
        yield f"    {name['name']}, not in {name['lacking']}: {name['place']}{more}"
    if len(names) > _MOST_NAMES:
        yield f"    and {len(names) - _MOST_NAMES} more; --json has all"
    if report["libraries"] and (private := python["private"]):
        more = f", and {len(private) - 1} more" if len(private) > 1 else ""
        yield (
            "  its Python asks for private names of JAX, which some releases may lack: "
            f"{private[0]['name']} ({private[0]['place']}){more}"
        )
    if python["registers"] and not report["libraries"]:
        places = python["registers"]
        more = f", and {len(places) - 3} more" if len(places) > 3 else ""
        yield f"  its Python registers custom calls: {', '.join(places[:3])}{more}"
    if python["unread"]:
        yield f"  Python that could not be read: {', '.join(python['unread'])}"


def _name_contradictions(report: dict[str, Any]) -> Iterator[str]:
    """Says what is known to fail once for each file, and what may fail once for all."""
    files = set()
    maybe = 0
    for name in report["python"]["names"]:
        file = name["place"].rpartition(":")[0]
        if not name["admits"]:
            continue
        if not name["certain"]:
            maybe += 1
        elif (file, name["admits"]) not in files:
            files.add((file, name["admits"]))
            yield (
                f"  admitted, and fails natively: jax {name['admits']}: importing "
                f"{name['place']}: {name['name']} is not there"
            )
    if maybe:
        yield (
            f"  admitted, and may fail natively: {maybe} of the names above are asked for in "
            "functions, or under conditions"
        )


def _lines_to_type(report: dict[str, Any]) -> Iterator[str]:
    if (wanted := report.get("for")) is None:
        return
    yield f"  for jax {wanted['release']}, type"
    for line in wanted["type"]:
        yield f"    {line}"
    for why in wanted["why"]:
        yield f"      since {why}"


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
                and all(entry[key] == call[key] for key in WHICH)
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


# ---- What to type for one release of JAX

# What JAX does not say itself: jaxlib before 0.4.26 was built for NumPy 1, and JAX before 0.4.25
# asks for names that SciPy 1.13 removed.
_FOR_OLD_RELEASES = (("numpy<2", "0.4.26"), ("scipy<1.13", "0.4.25"))


def lines_for(
    report: dict[str, Any], metadata: str | None, requirements: Requirements | None, release: str
) -> dict[str, Any]:
    """Returns the commands that install the package beside that JAX and run a program with it, and
    why they are not the plain ones."""
    if metadata is None or requirements is None:
        raise AuditError(
            f"{report['path']}: --for needs a wheel, or a folder with METADATA: what pip installs"
        )
    first, last = (".".join(map(str, each)) for each in (OLDEST, NEWEST))
    try:
        version = Version(release)
        is_known = Version(first) <= version <= Version(last)
    except InvalidVersion:
        is_known = False
    if not is_known:
        raise AuditError(f"--for {release!r}: expected a release of JAX from {first} to {last}")
    message = email.message_from_string(metadata)
    package = report["path"]
    if not package.endswith(".whl"):
        package = f"{message['Name']}=={message['Version']}"
    jax = [f"jax[cpu]=={release}"]
    jax += [other for other, until in _FOR_OLD_RELEASES if version < Version(until)]
    extras = [extra for extra in requirements.extras if "jax" in extra]
    if requirements.specifiers:
        extras = []
    why = []
    if requirements.admits(version):
        named = f"{package}[{','.join(extras)}]" if extras else package
        install = [["pip", "install", *jax, named]]
    else:
        others = [
            f"{each.name}{'[' + ','.join(sorted(each.extras)) + ']' if each.extras else ''}"
            f"{each.specifier}"
            for each in required(metadata, only_jax=False)
            if extra_of(each) in (None, *extras)
        ]
        install = [["pip", "install", *jax, *others], ["pip", "install", "--no-deps", package]]
        why.append(
            f"it requires {', '.join(requirements.texts)}: without --no-deps pip replaces jax "
            f"{release}"
        )
    needs = list(_needs(report, version))
    program = ["python", *(["-m", "callbridge.resurrect"] if needs else []), "PROGRAM"]
    return {
        "release": release,
        "type": [" ".join(map(shlex.quote, each)) for each in (*install, program)],
        "why": why + needs,
    }


def _needs(report: dict[str, Any], version: Version) -> Iterator[str]:
    """Says what does not surely run natively on that release."""
    for library in report["libraries"]:
        natives = [call["native"] for call in library["custom_calls"]]
        if not all(native is None or _has(native, version) for native in natives):
            yield f"custom calls of {library['library']} do not run on it natively"
        elif None in natives:
            yield f"whether custom calls of {library['library']} run on it natively is unknown"
    for name in report["python"]["names"]:
        if _has(name["lacking"], version):
            yield f"jax {version} lacks {name['name']}, which {name['place']} asks for"


def _has(releases: str, version: Version) -> bool:
    """Whether a text such as "0.4.30, 0.6 to 0.8.0" has the release."""
    for part in filter(None, releases.split(", ")):
        first, _, last = part.partition(" to ")
        if Version(first) <= version <= Version(last or first):
            return True
    return False
