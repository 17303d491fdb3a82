"""The tests of callbridge.torch_xla: they run with a PyTorch/XLA's Python, on its CPU device."""

import os
import pathlib
import subprocess
import sys

import pytest

os.environ["PJRT_DEVICE"] = "CPU"

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
os.environ["CALLBRIDGE_LIBRARY"] = str(LIBRARY)
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def uses():
    """The library of tests/jax/targets/uses.cc: untyped targets and typed handlers."""
    return BUILD / "tests/jax/uses.so"


@pytest.fixture(scope="session")
def typed():
    """The library of tests/targets/typed_handlers.cc."""
    return BUILD / "tests/targets/typed_handlers.so"


@pytest.fixture(scope="session")
def operators():
    """The library of tests/mindspore_aot/operators.cc."""
    return BUILD / "tests/mindspore_aot/aot_operators_new.so"


@pytest.fixture(scope="session")
def command():
    return BUILD / "callbridge"


@pytest.fixture
def run_program(tmp_path):
    """Runs a program in a Python of its own and returns the lines that it prints."""

    def run(text, *, before="", status=0, timeout=240, **variables):
        done = subprocess.run(
            [sys.executable, "-c", before + PREAMBLE + text],
            cwd=tmp_path,
            env={
                **os.environ,
                "CALLBRIDGE_BUILD": str(BUILD),
                "PYTHONPATH": str(ROOT / "python"),
                **variables,
            },
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        assert done.returncode == status, done.stdout + done.stderr[-4000:]
        return done.stdout.splitlines()

    return run


PREAMBLE = """
import os
import numpy as np
import torch, torch_xla
import callbridge.torch, callbridge.torch_xla
from callbridge.library import CallbridgeError
BUILD = os.environ["CALLBRIDGE_BUILD"]
SIZE = torch.tensor(4, dtype=torch.int32)
X = torch.tensor([1.0, 2.0, 3.0, 4.0])
def xla(tensor):
    return tensor.to(torch_xla.device())
def square(x=X):
    call = callbridge.torch.custom_call("square", lambda n, x: x)
    return call(xla(SIZE), xla(x)).cpu()
def load():
    return callbridge.torch.load(f"{BUILD}/tests/jax/uses.so")
"""
