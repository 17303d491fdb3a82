"""python -m callbridge.resurrect: runs what _program.py reads of the command line."""

import callbridge.resurrect  # noqa: F401
from callbridge.resurrect import _program

_program.run(globals())
