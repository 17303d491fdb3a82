"""Why libcallbridge.so cannot be loaded, from the error of the dynamic linker and from the file."""

from __future__ import annotations

import os
import re
import struct

from callbridge._find_library import VARIABLE

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
