"""Finds libcallbridge.so."""

import os
import pathlib

VARIABLE = "CALLBRIDGE_LIBRARY"
_PACKAGE = pathlib.Path(__file__).resolve().parent
_IS_WHEEL = (_PACKAGE / "lib").is_dir()
# The folder that holds lib/, bin/ and include/: a wheel's is the package, the one of `make install`
# has DIR/python/callbridge.
PREFIX = _PACKAGE if _IS_WHEEL else _PACKAGE.parents[1]
_INSTALLED = PREFIX / "lib" / ("libcallbridge.so.0" if _IS_WHEEL else "libcallbridge.so")

# ELF's number of each machine that callbridge has wheels for: the name that uname has for it.
_MACHINES = {62: "x86_64", 183: "aarch64"}


def other_machine(path: str) -> str:
    """Returns what is wrong if the ELF file at `path` is for another machine, or ""."""
    try:
        with open(path, "rb") as file:
            header = file.read(20)
    except OSError:
        return ""
    this, machine = os.uname().machine, _MACHINES.get(int.from_bytes(header[18:], "little"))
    if header[:4] != b"\177ELF" or machine in (None, this):
        return ""
    return f"{path} is for {machine}, and this machine is {this}; install callbridge for {this}"


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
