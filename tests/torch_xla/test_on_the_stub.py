"""Where there is no PyTorch/XLA, as in `make test`: callbridge.torch_xla over tests/torch/stub."""

import importlib.util
import os
import subprocess
import sys

import pytest
from conftest import BUILD, HERE, ROOT


@pytest.mark.skipif(
    importlib.util.find_spec("torch_xla") is not None, reason="the tests themselves run here"
)
def test_computations_and_refusals(command):
    libraries = ("tests/torch/torch_targets.so", "tests/python/targets.so")
    path = (ROOT / "python", ROOT / "tests/torch/stub")
    done = subprocess.run(
        [sys.executable, HERE / "stub_program.py", command, *(BUILD / name for name in libraries)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stdout + done.stderr
