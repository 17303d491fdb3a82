"""Saves a program of torch.export, or loads and runs it.

    exported_program.py save|load TESTS PATH

TESTS is the folder tests/ of a build. Prints "the same" if the loaded program returns what the
calls return.
"""

import sys

import callbridge.torch
import numpy as np
import torch

what, tests, path = sys.argv[1:]
callbridge.torch.load(f"{tests}/torch/torch_targets.so")
attributes = {"factor": np.float32(0.3)}
scale = callbridge.torch.custom_call("torch_scale", "f32[4]", attributes=attributes)
add = callbridge.torch.custom_call("torch_add", lambda a, b: a)


class Program(torch.nn.Module):
    def forward(self, x):
        return add(scale(x), x)


x = torch.arange(4.0)
if what == "save":
    torch.export.save(torch.export.export(Program(), (x,)), path)
else:
    expected = Program()(x)  # makes the operators
    assert torch.equal(torch.export.load(path).module()(x), expected)
    print("the same")
