"""python -m callbridge.resurrect PROGRAM|-m MODULE [ARGUMENT...]: runs an unmodified program."""

from __future__ import annotations

import os
import runpy
import sys

import callbridge.resurrect  # noqa: F401

_USAGE = "usage: python -m callbridge.resurrect PROGRAM|-m MODULE [ARGUMENT...]"


def main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(_USAGE)
        return
    is_module = arguments[:1] == ["-m"]
    if is_module:
        del arguments[0]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(_USAGE)
    # As Python itself: modules are looked up from here, or from beside the program.
    sys.argv = arguments
    if is_module:
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.realpath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


main()
