"""Calls functions of tests/targets/leaves.cc, which leave by what is no C++ exception."""

import os
import pathlib
import subprocess
import sys

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"
EXCEPTIONS = {  # as tests/foreign_exception.h numbers them
    "0": "a Rust panic",
    "2": "an Objective-C exception",
    "3": "an exception of libc++",
    "4": "an exception of another language",
}
WAYS = [*EXCEPTIONS, "thread"]
ENDED = "a custom call's function ended its thread"
OF_OPERATORS = ["call", "init", "infer"]
STAGES = ["untyped", "typed", *OF_OPERATORS]
PROGRAM = """
import sys, numpy as np
library, way, stage = sys.argv[1:]
if {face!r} == "jax":
    import jax, callbridge.jax
    face, run, operand = callbridge.jax, jax.jit, np.ones(4, np.float32)
elif {face!r} == "torch":
    import torch, callbridge.torch
    face, run, operand = callbridge.torch, lambda f: f, torch.ones(4)
else:
    import callbridge.numpy
    face, run, operand = callbridge.numpy, lambda f: f, np.ones(4, np.float32)
try:
    if stage == "untyped":
        face.load(library)
        call = face.custom_call("leaves", "f32[4]", opaque=way.encode())
    elif stage == "typed":
        face.load(library)
        call = face.custom_call("leaves_typed", "f32[4]", attributes={{"way": way}})
    else:
        result = None if stage == "infer" else "f32[4]"
        call = face.custom_call(library + ":Operator", result, attributes={{stage: way}})
    print(run(call)(operand))
except Exception as error:
    print(error)
"""


def call(face, library, stage, way, **environment):
    """In a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(face=face), library, way, stage],
        env={**os.environ, "PYTHONPATH": str(PYTHON), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def check(done, way, aborted=-6):
    """`aborted`: how a process ends that SIGABRT ended; the command says it and returns 1."""
    if way == "thread":
        assert (done.returncode, done.stdout) == (aborted, ""), done
        assert ENDED in done.stderr
    else:
        assert EXCEPTIONS[way] in done.stdout + done.stderr, done
