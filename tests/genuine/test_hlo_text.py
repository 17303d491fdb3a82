"""HLO text and protos, of and for genuine XLA: hlo_oracle.py says what is compared."""

import os
import pathlib
import subprocess
import sys

import jaxlib
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
TOOL = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/hlo_module_tool"


@pytest.mark.parametrize(
    "python, at_least",
    [(sys.executable, 99), (os.environ.get("CALLBRIDGE_JAX_0_4_30_PYTHON"), 81)],
    ids=[f"jaxlib-{jaxlib.__version__}", "jaxlib-0.4.30"],
)
def test_genuine_xla_finds_the_same_modules(python, at_least):
    assert python, "CALLBRIDGE_JAX_0_4_30_PYTHON is not set; `make test` sets it"
    done = subprocess.run([python, HERE / "hlo_oracle.py", TOOL], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[-4000:]
    assert int(done.stdout) >= at_least
