"""On PYTHONPATH, each Python finds the file by which JAX knows that the machine has a GPU.

JAX looks for the files /dev/nvidia* before it starts a plugin. start.py does the same for one
program; this is for tests that start programs of their own.
"""

import os.path

_exists = os.path.exists


def exists(path):
    return path == "/dev/nvidia0" or _exists(path)


os.path.exists = exists
