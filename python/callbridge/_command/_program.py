"""The command `callbridge` of the wheel: becomes the program, which is in C++."""

from __future__ import annotations

import errno
import os
import sys

from callbridge._core._installation import PREFIX, machine_of


def main() -> None:
    program = os.path.join(PREFIX, "bin", "callbridge")
    # Modules of JAX are converted by the Python that has callbridge.
    os.environ.setdefault("CALLBRIDGE_PYTHON", sys.executable)
    # ld.so finds the wheel's libraries by the program's folder, which it asks /proc for, or else
    # this variable.
    if not os.path.exists("/proc/self/exe"):
        os.environ["LD_ORIGIN_PATH"] = os.path.dirname(program)
    try:
        os.execv(program, ["callbridge", *sys.argv[1:]])
    except OSError as error:
        reason = error.strerror
        if error.errno == errno.ENOEXEC:
            reason = f"it is for {machine_of(program)}, and this machine is {os.uname().machine}"
        raise SystemExit(
            f"callbridge: {program} cannot be run: {reason}; install callbridge again"
        ) from None
