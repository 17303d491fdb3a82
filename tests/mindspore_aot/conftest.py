"""What the tests of AOT operators share: libraries of operators.cc, for each string ABI."""

import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))


@pytest.fixture(params=["old", "new"])
def operators(request):
    return str(BUILD / f"tests/mindspore_aot/aot_operators_{request.param}.so")


@pytest.fixture(scope="module")
def library():
    """The library that MindSpore can open: of the old string ABI."""
    return str(BUILD / "tests/mindspore_aot/aot_operators_old.so")


@pytest.fixture(scope="session")
def run_in_mindspore():
    """Runs a program of this folder with MindSpore's Python, a library and a folder for results."""

    def run(program, library, folder):
        done = subprocess.run(
            [os.environ["CALLBRIDGE_MINDSPORE_PYTHON"], HERE / program, library, folder],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr[-4000:]

    return run
