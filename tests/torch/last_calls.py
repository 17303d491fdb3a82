"""A call that comes while the interpreter ends.

    last_calls.py TESTS return|exit|raise

TESTS is the folder tests/ of a build.
"""

import atexit
import sys

import callbridge.torch
import torch

tests, how = sys.argv[1:]
callbridge.torch.load(f"{tests}/torch/torch_targets.so")
call = callbridge.torch.custom_call("torch_add", lambda a, b: a)
x = torch.full((2,), 3.0)
call(x, x)
atexit.register(lambda: print(f"called {int(call(x, x)[0])}", flush=True))
if how == "exit":
    sys.exit(7)
if how == "raise":
    raise RuntimeError("mine")
