"""`callbridge audit`: on which jaxlibs the custom calls of a package run.

The wheel's command runs main(ARGUMENT...) with the words behind `audit`, and so does tools/main.cc
in a Python that has `packaging`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
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
  --for RELEASE               Also print what to type to use the wheel with that JAX, as in 0.4.30
  --strict                    Exit with 1 if a requirement admits a release that a custom call \
does not run on
  --probe                     Ask functions whether they are typed FFI handlers, for two minutes \
at most

For each shared library: its custom calls, their ABIs, the XLA FFI version of typed handlers, the
releases of jaxlib that they run on natively, and those that they run on through callbridge. \
These are
compared with what the wheel requires of jax and jaxlib; a folder may be an unpacked wheel.

None of the wheel's code runs. The bytes of a typed handler seldom tell its version: it is \
"unknown" then.
--probe asks it, in a separate process; that runs the library's constructors, and functions that \
may do
anything. A wheel's Python is read for names that JAX removed, or that older releases lack.

It runs python3, or CALLBRIDGE_PYTHON; a requirement on jax is read by its library `packaging`.

Examples
  callbridge audit my_package-1.0-cp311-cp311-manylinux_2_28_x86_64.whl
  callbridge audit --strict --probe --table \
dist/my_package-1.0-cp311-cp311-manylinux_2_28_x86_64.whl
  callbridge audit libmine.so --jax '>=0.6'
  callbridge audit --for 0.4.30 dist/my_package-1.0-cp311-cp311-manylinux_2_28_x86_64.whl

Exit status: 0 on success, 1 if PATH could not be audited or, with --strict, if a requirement \
admits a
release that a custom call does not run on; 2 if the command line is wrong.
"""
# A library takes half a minute at most (loader/inspected_file.h); all of a wheel's, so long.
_SECONDS_TO_PROBE = 120
_SYSTEM = [
    *("/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"),
    *(f"{lib}/{os.uname().machine}-linux-gnu" for lib in ("/lib", "/usr/lib")),
]
_FLAGS = ("--json", "--table", "--strict", "--probe")


def main(*words: str) -> int:
    options = _parse(words)
    try:
        from callbridge._audit import _releases, _report, _text
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
            files, errors, not_probed = _inspect(found, options.probe)
            requirements = _releases.requirements_of(found.metadata, options.jax)
            report = _report.report_of(
                options.path,
                files,
                found.not_followed,
                requirements,
                json.loads(_c_api.ffi_runtime_versions()),
                options.probe,
                found.sources,
                not_probed,
            )
            report["errors"] = errors
            if options.release:
                report["for"] = _text.lines_for(
                    report, found.metadata, requirements, options.release
                )
    except AuditError as error:
        return _fail(str(error))
    for error_text in errors:
        _fail(error_text)
    if errors and not files:
        return 1
    if options.json:
        text = json.dumps(report) + "\n"
    elif options.table:
        text = _text.table_of(report)
    else:
        text = _text.text_of(report)
    try:
        _output.print_bytes(text.encode(errors="replace"))
    except OSError as error:
        return _fail(f"standard output: {error.strerror}")
    return 1 if errors or (options.strict and _report.is_contradicted(report)) else 0


def _inspect(found: Found, probe: bool) -> tuple[dict[str, Any], list[str], list[str]]:
    """Returns what callbridge_inspect tells of each library, by name; its errors; and the libraries
    that there was no time to probe."""
    from callbridge._core import _c_api

    files: dict[str, Any] = {}
    errors, not_probed = [], []
    end = time.monotonic() + _SECONDS_TO_PROBE
    for count, (name, library) in enumerate(found.libraries.items(), 1):
        path = os.path.abspath(library)
        probes = probe and time.monotonic() < end
        if probe and not probes:
            not_probed.append(name)
        doing = f"{'probing' if probes else 'reading'} {count} of {len(found.libraries)}: {name}"
        try:
            with _progress(doing), _found_by_name(path, found if probes else Found()):
                files[name] = json.loads(_c_api.inspect(path, probes))
        except CallbridgeError as error:
            errors.append(f"{error.code}: {error.message}".replace(path, name))
            continue
        if (refusal := files[name]["refusal"]) is not None:
            errors.append(f"{name}: {refusal}")
    return files, errors, not_probed


@contextlib.contextmanager
def _progress(doing: str) -> Iterator[None]:
    """Says on a terminal what is done, and for how many seconds; removes it at the end."""
    if not os.isatty(2):
        yield
        return
    done = threading.Event()
    begin = time.monotonic()

    def show() -> None:
        while not done.wait(0.5):
            _output.tell_in_place(f"{printable(doing)}, {time.monotonic() - begin:.0f} s")

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        _output.tell_in_place("")


@contextlib.contextmanager
def _found_by_name(path: str, found: Found) -> Iterator[None]:
    """Lets the probe find the package's own libraries by their names, wherever they are.

    ld.so finds those that the library itself says the folder of; others the package's Python loads
    before. What the system has too is left out: the probe needs that itself.
    """
    by_name: dict[str, str] = {}
    for library in found.libraries.values():
        other = os.path.abspath(library)
        name = os.path.basename(other)
        near = len(os.path.commonprefix([path, other]))
        if name in by_name and near <= len(os.path.commonprefix([path, by_name[name]])):
            continue
        if not any(os.path.exists(os.path.join(place, name)) for place in _SYSTEM):
            by_name[name] = other
    if len(by_name) < 2:
        yield
        return
    before = os.environ.get("LD_LIBRARY_PATH")
    with tempfile.TemporaryDirectory(prefix="callbridge-audit-") as folder:
        for name, other in by_name.items():
            os.symlink(other, os.path.join(folder, name))
        os.environ["LD_LIBRARY_PATH"] = f"{folder}:{before}" if before else folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["LD_LIBRARY_PATH"]
            else:
                os.environ["LD_LIBRARY_PATH"] = before


def _fail(message: str) -> int:
    _output.tell(f"callbridge: {printable(message)}")
    return 1


# ---- The command line, which reads as those of the subcommands in C++


@dataclasses.dataclass
class _Options:
    path: str
    jax: str  # a version specifier, "" without one
    release: str  # "" without --for
    json: bool
    table: bool
    strict: bool
    probe: bool


def _parse(words: tuple[str, ...]) -> _Options:
    paths: list[str] = []
    values: dict[str, list[str]] = {"--jax": [], "--for": []}
    wanted = {"--jax": "SPECIFIER", "--for": "RELEASE"}
    flags: set[str] = set()
    unexpected: list[str] = []
    wants_help = False
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if word == "--":
            paths += rest[:1]
            unexpected += rest[1:]
            break
        if option in values and equals:
            values[option].append(value)
        elif word in values:
            if not rest:
                _usage_error(f"{word}: 1 required {wanted[word]} missing")
            values[word].append(rest.pop(0))
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
    for option, given in values.items():
        if len(given) > 1:
            _usage_error(f"{option}: At Most 1 required but received {len(given)}")
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
    jax, release = ("".join(given) for given in values.values())
    return _Options(paths[0], jax, release, *(flag in flags for flag in _FLAGS))


def _usage_error(message: str) -> NoReturn:
    _output.tell(f"callbridge: {printable(message)} (see --help)")
    raise SystemExit(2)
