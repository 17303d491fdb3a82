"""resurrected.py PROGRAM ARGUMENTS...: runs it as `python -m callbridge.resurrect` does."""

import runpy
import sys

sys.argv = ["callbridge.resurrect", *sys.argv[1:]]
runpy.run_module("callbridge.resurrect", run_name="__main__", alter_sys=True)
