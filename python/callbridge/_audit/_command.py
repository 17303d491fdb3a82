"""`callbridge audit`. tools/audit_command.cc runs main(PATH, COMMAND, SPECIFIER, REQUEST).

COMMAND is the callbridge command, whose `inspect --json` reads the libraries. SPECIFIER is that of
--jax, "" without it. REQUEST is JSON: the flags, and the rows of typed_ffi/runtime_versions.h.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

from callbridge._audit._files import AuditError, Found, printable, shared_libraries
from callbridge._core import _output


def main(path: str, command: str, jax: str, request: str) -> int:
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
    flags = json.loads(request)
    try:
        with shared_libraries(path) as found:
            files, errors = _inspect(command, found, flags["probe"])
            requirements = _report.requirements_of(found.metadata, jax)
            report = _report.report_of(
                path,
                files,
                found.not_followed,
                requirements,
                flags["runtime_versions"],
                flags["probe"],
            )
            report["errors"] = errors
    except AuditError as error:
        return _fail(str(error))
    for error_text in errors:
        _fail(error_text)
    if errors and not files:
        return 1
    if flags["json"]:
        text = json.dumps(report) + "\n"
    elif flags["table"]:
        text = _report.table_of(report)
    else:
        text = _report.text_of(report)
    try:
        _output.print_bytes(text.encode(errors="replace"))
    except OSError as error:
        return _fail(f"standard output: {error.strerror}")
    return 1 if errors or (flags["strict"] and report["contradictions"]) else 0


def _inspect(command: str, found: Found, probe: bool) -> tuple[dict[str, Any], list[str]]:
    """Returns what `callbridge inspect` says of each library, by name, and its errors."""
    files: dict[str, Any] = {}
    errors = []
    for name, library in found.libraries.items():
        words = [command, "inspect", "--json", *(["--probe"] if probe else [])]
        # "a.so:f" would name a function of a.so.
        done = subprocess.run(
            [*words, os.path.abspath(library)], capture_output=True, text=True, errors="replace"
        )
        if done.returncode == 0:
            files[name] = json.loads(done.stdout)[0]
            if (refusal := files[name]["refusal"]) is not None:
                errors.append(f"{name}: {refusal}")
            continue
        said = done.stderr.strip() or f"{name}: {command} ended with status {done.returncode}"
        errors.append(re.sub("^callbridge: ", "", said).replace(os.path.abspath(library), name))
    return files, errors


def _fail(message: str) -> int:
    _output.tell(f"callbridge: {printable(message)}")
    return 1
