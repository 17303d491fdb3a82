"""This installation: where its libcallbridge.so is, why that cannot be loaded, and the releases of
JAX that it is tested with. Needs neither the library nor JAX."""

from __future__ import annotations

import os
import pathlib
import re
import struct

# The first and the last release of JAX.
OLDEST = (0, 4, 13)
NEWEST = (0, 12, 0, 1)

VARIABLE = "CALLBRIDGE_LIBRARY"
# By which libraries need it.
SONAME = "libcallbridge.so.0"
_PACKAGE = pathlib.Path(__file__).resolve().parents[1]
_IS_WHEEL = (_PACKAGE / "lib").is_dir()
# The folder that holds lib/, bin/ and include/: a wheel's is the package, the one of `make install`
# has DIR/python/callbridge.
PREFIX = _PACKAGE if _IS_WHEEL else _PACKAGE.parents[1]
_INSTALLED = PREFIX / "lib" / (SONAME if _IS_WHEEL else "libcallbridge.so")


def find_library() -> str:
    """Returns the path in CALLBRIDGE_LIBRARY or of the installed library, or raises ImportError."""
    declared = os.environ.get(VARIABLE)
    if declared:
        if not os.path.exists(declared):
            raise ImportError(
                f"{VARIABLE} is {declared!r}, which is not a file; set it to the path "
                "of libcallbridge.so, or unset it to use the installed one"
            )
        return os.path.abspath(declared)
    if not _INSTALLED.exists():
        raise ImportError(
            f"libcallbridge.so is not at {_INSTALLED}, where `make install` or pip puts it: "
            f"install it again; in a source tree, build it and set {VARIABLE} to its path"
        )
    return str(_INSTALLED)


# e_machine of the machines that callbridge runs on, by uname's name.
_MACHINES = {62: "x86_64", 183: "aarch64"}


def explain_load_failure(path: str, error: OSError) -> str:
    """Returns what was expected, what came, and what to do."""
    machine = machine_of(path)
    if machine not in (None, os.uname().machine):
        return (
            f"{path} is for {machine}, and this machine is {os.uname().machine}: install the "
            "wheel for it, or build callbridge here"
        )
    needed = re.search(r"version `((?:GLIBC|GLIBCXX|CXXABI)_[0-9.]+)' not found", str(error))
    if needed:
        return (
            f"libcallbridge.so needs {needed[1]}, and this system's C or C++ library is older "
            f"({error}): build callbridge here, by pip from its sources"
        )
    return (
        f"libcallbridge.so cannot be loaded: {error}; set {VARIABLE} to the path of one, or unset "
        "it to use the installed one"
    )


def machine_of(path: str) -> str | None:
    """Returns the machine that a library or a program is for; None if it is no 64-bit ELF file."""
    try:
        with open(path, "rb") as file:
            header = file.read(20)
    except OSError:
        return None
    if len(header) < 20 or header[:6] != b"\x7fELF\x02\x01":
        return None
    (number,) = struct.unpack_from("<H", header, 18)
    return _MACHINES.get(number, f"ELF machine {number}")
