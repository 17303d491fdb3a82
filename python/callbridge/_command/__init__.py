"""The command `callbridge` of the wheel, and what the program in C++ runs in Python (_upgrade).

`audit`, `migrate` and `new` are Python programs and run here; the other subcommands are the
program's, which this process becomes.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import NoReturn

from callbridge._core._installation import PREFIX, machine_of

# A Python to run them in instead.
_VARIABLE = "CALLBRIDGE_PYTHON"


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command in ("audit", "migrate", "new") and _VARIABLE not in os.environ:
        from callbridge._core._output import guarded

        return guarded(_run_here, command, *sys.argv[2:])
    _become_program()


def _run_here(command: str, *words: str) -> int:
    _occupy_standard_descriptors()
    if command == "audit":
        from callbridge import _audit

        return _audit.main(*words)
    if command == "new":
        from callbridge._command import _new

        return _new.main(*words)
    from callbridge import migrate

    return migrate.main(*words)


def _occupy_standard_descriptors() -> None:
    """Opens those that are closed, so that no file gets their numbers; using them then fails."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 0 else os.O_RDONLY)


def _become_program() -> NoReturn:
    program = os.path.join(PREFIX, "bin", "callbridge")
    # Modules of JAX are converted by the Python that has callbridge.
    os.environ.setdefault(_VARIABLE, sys.executable)
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
