"""Imports where there is no PyTorch/XLA, and of what imports it."""

import subprocess
import sys

import pytest


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("missing", ["torch", "torch_xla"])
def test_without_it(missing):
    made_up = "import sys, types; sys.modules['torch'] = types.ModuleType('torch'); "
    code = f"{made_up}sys.modules[{missing!r}] = None; import callbridge.torch_xla"
    done = run(code)
    assert done.returncode == 1
    assert f"ModuleNotFoundError: import of {missing} halted" in done.stderr


def test_other_modules_do_not_import_it():
    done = run("import sys, callbridge.numpy; print('torch_xla' in sys.modules)")
    assert done.stdout == "False\n", done.stderr
