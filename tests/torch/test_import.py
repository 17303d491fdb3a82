"""Imports where there is no PyTorch, or an older one, and what imports it."""

import subprocess
import sys

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
