"""Runs a program as on the release just before this one, which no table names.

    between_program.py PROGRAM

What this release lacks went in it or in that one, so all of it stands for itself there too.
"""

import pathlib
import runpy
import sys

import callbridge.jax  # noqa: F401  (whose rows are this release's)
from callbridge.jax import _runtimes

*first, last = _runtimes.RELEASE
_runtimes.RELEASE = (*first, last - 1)

import callbridge.resurrect  # noqa: E402, F401

program = pathlib.Path(__file__).with_name(sys.argv[1])
del sys.argv[1]
runpy.run_path(str(program), run_name="__main__")
