"""`callbridge new`: a Python package with a handler, its test and its CI.

It is examples/packages, by another name: the folder common, and over it that of a build system.
The wheel's command runs main(ARGUMENT...) with the words behind `new`, and so does tools/main.cc.
"""

from __future__ import annotations

import argparse
import keyword
import os
import pathlib
import re
import shutil
import sys
import tempfile
from typing import NoReturn

from callbridge._core import _output
from callbridge._core._installation import PREFIX

# What installations have, and a source tree.
_FOLDERS = (PREFIX / "share/callbridge/packages", PREFIX / "examples/packages")
_EXAMPLE = "mypackage"

# The folders, and what a wheel that they build is for.
BUILDS = {
    "scikit-build-core": "CMake; one wheel for every Python (the default)",
    "setuptools": "no CMake; one wheel for every Python",
    "meson-python": "Meson; one wheel for this Python and later ones",
    "nanobind": "scikit-build-core and an extension module; a wheel for each Python to 3.12",
    "pybind11": "setuptools and an extension module; a wheel for each Python",
    "cmake": "CMake alone; one wheel for every Python",
    "cuda": "scikit-build-core, for the CPU and CUDA; one wheel for every Python",
}
# Of the targets that CMake makes, those that can be a Python module's name.
OF_CMAKE = {
    *("all", "ALL_BUILD", "clean", "edit_cache", "help", "install", "INSTALL", "package"),
    *("PACKAGE", "package_source", "preinstall", "rebuild_cache", "RUN_TESTS", "test"),
    "ZERO_CHECK",
}
_NEEDED = {"callbridge", "callbridge_headers", "jax", "jaxlib", "numpy"}
# Python 3.9 does not list them.
_OF_PYTHON = getattr(sys, "stdlib_module_names", frozenset(sys.builtin_module_names))

_DESCRIPTION = """Writes a Python package into the folder NAME: a typed FFI handler in C++ that runs
on every jaxlib with FFI, its Python, its test, and a workflow that builds, tests, audits and
publishes the wheel."""
_EPILOG = """Exit status: 0 on success; 1 if NAME is there or cannot be written, and then nothing \
is written; 2 if
the command line or NAME is wrong.

Example
  callbridge new my_ops
  sh my_ops/build_wheel.sh"""


def main(*words: str) -> int:
    options = _parse(words)
    if why := _refusal(options.name):
        _output.tell(f"callbridge: INVALID_ARGUMENT: {why}")
        return 2
    if os.path.lexists(options.name):
        return _fail(f"ALREADY_EXISTS: {options.name} is there; choose another name or folder")
    template = next((folder for folder in _FOLDERS if folder.is_dir()), None)
    if template is None:
        return _fail(
            f"FAILED_PRECONDITION: {_FOLDERS[0]} is not there: this callbridge is half installed; "
            "install it again, by `make install` or pip"
        )
    try:
        written = _write(template, options.name, options.build)
    except OSError as error:
        return _fail(
            f"FAILED_PRECONDITION: {options.name} cannot be written: {error.strerror or error}"
        )
    lines = [f"wrote {options.name}/{file}\n" for file in written]
    next_ = f"next: sh {options.name}/build_wheel.sh; {options.name}/README.md says more\n"
    _output.show("".join(lines) + next_)
    return 0


def _refusal(name: str) -> str | None:
    """Returns why a package cannot have the name, or None."""
    # By PEP 508 the name of a distribution begins and ends with a letter or a digit.
    allowed = "[A-Za-z](?:[A-Za-z0-9_]*[A-Za-z0-9])?"
    if not re.fullmatch(allowed, name):
        other = re.sub("[^A-Za-z0-9]+", "_", name).strip("_")
        if name.isascii() and re.fullmatch(allowed, other):
            return f"{name!r} cannot be a Python module's name; {other} can"
        return (
            f'{name!r} cannot be a Python module\'s name: expected ASCII letters, digits and "_" '
            "between them, a letter first"
        )
    if keyword.iskeyword(name):
        return f"{name!r} is a word of Python's language"
    if name in _OF_PYTHON:
        return f"{name!r} is a module of Python's own, which the package would hide"
    if name in _NEEDED:
        return f"{name!r} is a package that the new one needs"
    if name in OF_CMAKE:
        return f"{name!r} is a target of CMake's own"
    return None


def _write(template: pathlib.Path, name: str, build: str) -> list[str]:
    """Writes the folder, whole or not at all; returns its files. Raises OSError."""
    files: dict[str, bytes] = {}
    for folder in (template / "common", template / build):
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                place = path.relative_to(folder).as_posix().replace(_EXAMPLE, name)
                files[place] = _renamed(path.read_bytes(), name)
    temporary = pathlib.Path(tempfile.mkdtemp(prefix=".callbridge-", dir=os.curdir))
    try:
        inside = temporary / name
        for place, data in files.items():
            path = inside / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        # Fails if someone else has written a folder there by now, unless that is empty.
        os.rename(inside, name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return sorted(files)


def _renamed(text: bytes, name: str) -> bytes:
    for old, new in ((_EXAMPLE, name), (_EXAMPLE.upper(), name.upper())):
        text = text.replace(old.encode(), new.encode())
    return text


def _parse(words: tuple[str, ...]) -> argparse.Namespace:
    listed = "".join(f"  {build:<18} {what}\n" for build, what in BUILDS.items())
    parser = _output.parser(
        "callbridge new",
        description=_DESCRIPTION,
        epilog=f"Build systems\n{listed}\n{_EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.error = _usage_error  # type: ignore[method-assign]
    parser.add_argument("name", metavar="NAME", help="the package's name, of a folder to be made")
    parser.add_argument(
        "--build",
        metavar="SYSTEM",
        choices=BUILDS,
        default="scikit-build-core",
        help="what builds the wheel, one of those below",
    )
    return parser.parse_args(list(words))


def _usage_error(message: str) -> NoReturn:
    _output.tell(f"callbridge: {message} (see --help)")
    raise SystemExit(2)


def _fail(message: str) -> int:
    _output.tell(f"callbridge: {message}")
    return 1
