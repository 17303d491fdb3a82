"""start.py PROGRAM ARGUMENTS...: runs a program in whose process JAX takes the stand-in for a GPU.

JAX looks for the files /dev/nvidia* before it starts a plugin.
"""

import os
import pathlib
import runpy
import sys

if os.environ.get("CALLBRIDGE_GPU") != "device":
    from jax._src import hardware_utils

    hardware_utils.has_visible_nvidia_gpu = lambda: True

_, program, *arguments = sys.argv
sys.argv = [program, *arguments]
sys.path[0] = str(pathlib.Path(program).parent)
runpy.run_path(program, run_name="__main__")
