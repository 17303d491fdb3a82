"""python -m callbridge.resurrect PROGRAM|-m MODULE|-c COMMAND|- [ARGUMENT...]: runs that."""

import callbridge.resurrect  # noqa: F401
from callbridge.resurrect import _program

_program.run(globals())
