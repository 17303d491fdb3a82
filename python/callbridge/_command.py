"""The command `callbridge` of the wheel: becomes the program, which is in C++."""

from __future__ import annotations

import os
import sys

from callbridge._find_library import PREFIX


def main() -> None:
    program = os.path.join(PREFIX, "bin", "callbridge")
    # Modules of JAX are converted by the Python that has callbridge.
    os.environ.setdefault("CALLBRIDGE_PYTHON", sys.executable)
    try:
        os.execv(program, ["callbridge", *sys.argv[1:]])
    except OSError as error:
        raise SystemExit(
            f"callbridge: {program} cannot be run: {error.strerror}; install callbridge again"
        ) from None
