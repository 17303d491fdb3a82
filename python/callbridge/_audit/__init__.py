"""`callbridge audit`: on which jaxlibs the custom calls of a package run.

The wheel's command runs main(ARGUMENT...) with the words behind `audit`, and so does tools/main.cc
in a Python that has `packaging`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
from typing import Any, NoReturn

from callbridge._audit._files import AuditError, Found, printable, shared_libraries
from callbridge._core import _output
from callbridge._core._error import CallbridgeError

_HELP = """\
Says on which releases of jaxlib the custom calls of a wheel, a folder or a library run, and \
where its Requires-Dist admits others
Usage: callbridge audit [OPTIONS] PATH

Positionals:
  PATH REQUIRED               A wheel, a folder or a shared library

Options:
  -h,--help                   Print this help message and exit
  --jax SPECIFIER             The releases of JAX to compare with, as in '>=0.6', instead of the \
wheel's requirements
  --json Excludes: --table    Print JSON: one object
  --table Excludes: --json    Print a Markdown table, as for a CI summary
  --strict                    Exit with 1 if a requirement admits a release that a custom call \
does not run on
  --probe                     Ask functions whether they are typed FFI handlers

For each shared library: its custom calls, their ABIs, the XLA FFI version of typed handlers, the
releases of jaxlib that they run on natively, and those that they run on through callbridge. \
These are
compared with what the wheel requires of jax and jaxlib; a folder may be an unpacked wheel.

None of the wheel's code runs. The bytes of a typed handler seldom tell its version: it is \
"unknown" then.
--probe asks it, in a separate process; that runs the library's constructors, and functions that \
may do
anything. Python code is not read: a package may also ask for names that JAX has removed.

It runs python3, or CALLBRIDGE_PYTHON; a requirement on jax is read by its library `packaging`.

Examples
  callbridge audit my_package-1.0-cp311-cp311-manylinux_2_28_x86_64.whl
  callbridge audit --strict --probe --table \
dist/my_package-1.0-cp311-cp311-manylinux_2_28_x86_64.whl
  callbridge audit libmine.so --jax '>=0.6'

Exit status: 0 on success, 1 if PATH could not be audited or, with --strict, if a requirement \
admits a
release that a custom call does not run on; 2 if the command line is wrong.
"""
_FLAGS = ("--json", "--table", "--strict", "--probe")


def main(*words: str) -> int:
    options = _parse(words)
    try:
        from callbridge._audit import _report
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] != "packaging":
            raise
        return _fail(
            f"callbridge audit reads version specifiers by packaging, which {sys.executable} "
            "lacks: install it there (python -m pip install packaging), or set CALLBRIDGE_PYTHON "
            "to a Python that has it"
        )
    try:
        from callbridge._core import _c_api
    except ImportError as error:
        return _fail(f"FAILED_PRECONDITION: {error}")
    try:
        with shared_libraries(options.path) as found:
            files, errors = _inspect(found, options.probe)
            requirements = _report.requirements_of(found.metadata, options.jax)
            report = _report.report_of(
                options.path,
                files,
                found.not_followed,
                requirements,
                json.loads(_c_api.ffi_runtime_versions()),
                options.probe,
            )
            report["errors"] = errors
    except AuditError as error:
        return _fail(str(error))
    for error_text in errors:
        _fail(error_text)
    if errors and not files:
        return 1
    if options.json:
        text = json.dumps(report) + "\n"
    elif options.table:
        text = _report.table_of(report)
    else:
        text = _report.text_of(report)
    try:
        _output.print_bytes(text.encode(errors="replace"))
    except OSError as error:
        return _fail(f"standard output: {error.strerror}")
    return 1 if errors or (options.strict and report["contradictions"]) else 0


def _inspect(found: Found, probe: bool) -> tuple[dict[str, Any], list[str]]:
    """Returns what callbridge_inspect tells of each library, by name, and its errors."""
    from callbridge._core import _c_api

    files: dict[str, Any] = {}
    errors = []
    for name, library in found.libraries.items():
        path = os.path.abspath(library)
        try:
            files[name] = json.loads(_c_api.inspect(path, probe))
        except CallbridgeError as error:
            errors.append(f"{error.code}: {error.message}".replace(path, name))
            continue
        if (refusal := files[name]["refusal"]) is not None:
            errors.append(f"{name}: {refusal}")
    return files, errors


def _fail(message: str) -> int:
    _output.tell(f"callbridge: {printable(message)}")
    return 1


# ---- The command line, which reads as those of the subcommands in C++


@dataclasses.dataclass
class _Options:
    path: str
    jax: str  # a version specifier, "" without one
    json: bool
    table: bool
    strict: bool
    probe: bool


def _parse(words: tuple[str, ...]) -> _Options:
    paths: list[str] = []
    specifiers: list[str] = []
    flags: set[str] = set()
    unexpected: list[str] = []
    wants_help = False
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            paths += rest[:1]
            unexpected += rest[1:]
            break
        if word.startswith("--jax="):
            specifiers.append(word[len("--jax=") :])
        elif word == "--jax":
            if not rest:
                _usage_error("--jax: 1 required SPECIFIER missing")
            specifiers.append(rest.pop(0))
        elif word in ("-h", "--help"):
            wants_help = True
        elif word in _FLAGS:
            flags.add(word)
        elif paths or re.match("--?[^-0-9]", word):
            unexpected.append(word)
        else:
            paths.append(word)
    if wants_help:
        _output.show(_HELP)
        raise SystemExit(0)
    if len(specifiers) > 1:
        _usage_error(f"--jax: At Most 1 required but received {len(specifiers)}")
    if not paths:
        _usage_error("PATH is required")
    if {"--json", "--table"} <= flags:
        _usage_error("--json excludes --table")
    if wrong := _output.unknown_option(unexpected, ["--help", "--jax", *_FLAGS]):
        _usage_error(wrong)
    if unexpected:
        were = "argument was" if len(unexpected) == 1 else "arguments were"
        found = " ".join(reversed(unexpected))
        _usage_error(f"The following {were} not expected: {found}")
    return _Options(paths[0], "".join(specifiers), *(flag in flags for flag in _FLAGS))


def _usage_error(message: str) -> NoReturn:
    _output.tell(f"callbridge: {printable(message)} (see --help)")
    raise SystemExit(2)
