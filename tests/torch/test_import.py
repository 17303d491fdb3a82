"""Imports where there is no PyTorch, or an older one, and what imports it."""

import subprocess
import sys

import pytest

OLDER = """
import sys, types
torch = types.ModuleType("torch")
torch.__version__ = "2.3.1"
torch.library = types.ModuleType("torch.library")
sys.modules["torch"] = torch
import callbridge.torch
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_without_torch():
    done = run("import sys; sys.modules['torch'] = None; import callbridge.torch")
    assert "ModuleNotFoundError: import of torch halted" in done.stderr


def test_with_an_older_torch():
    done = run(OLDER)
    assert "ImportError: callbridge.torch needs torch 2.4 or newer, found 2.3.1" in done.stderr


def test_other_modules_do_not_import_torch():
    done = run("import sys, callbridge.numpy; print('torch' in sys.modules)")
    assert done.stdout == "False\n", done.stderr


AGAIN = """
import importlib, sys

def purged():
    for name in [name for name in sys.modules if name.partition(".")[0] == "callbridge"]:
        del sys.modules[name]
    return importlib.import_module("callbridge.torch")

how, library = sys.argv[1:]
import callbridge.torch as face
import torch

def called(face):
    opened = face.load(library)
    call = face.custom_call("refuse_negative", "f32[]")
    assert call(torch.tensor(2.0)) == 2
    return opened, call

first, call = called(face)
again, _ = called(importlib.reload(face) if how == "reload" else purged())
assert (again is first) == (how == "reload")
assert call(torch.tensor(3.0)) == 3
"""


@pytest.mark.parametrize("how", ["reload", "purge"])
def test_a_second_import(built, how):
    pytest.importorskip("torch", reason="make test-frameworks has PyTorch")
    command = [sys.executable, "-c", AGAIN, how, built / "python" / "targets.so"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
