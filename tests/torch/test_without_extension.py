"""The same tests without the module in C, and with it as on a torch that has none of DLPack's C
functions, where it reads attributes."""

import os
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

from callbridge._calls import _bound_calls  # noqa: E402

HERE = pathlib.Path(__file__).parent
TESTS = [
    f"test_{name}.py" for name in ("calls", "modes", "aliases", "bad_input", "processes", "vmap")
]


def run(environment):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "not inductor"]
        + [str(HERE / name) for name in TESTS],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.fixture(scope="module")
def library():
    library = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
    assert library.with_name("callbridge_python.abi3.so").exists(), "build callbridge_python first"
    return library


def test_the_other_tests_have_it(library):
    assert _bound_calls.EXTENSION.__file__ == str(library.with_name("callbridge_python.abi3.so"))


def test_without_it(library, without_extension):
    loaded = "from callbridge._calls import _bound_calls; print(_bound_calls.EXTENSION)"
    command = [sys.executable, "-c", loaded]
    environment = {**os.environ, **without_extension}
    assert subprocess.check_output(command, env=environment) == b"None\n"
    run(without_extension)


@pytest.mark.skipif(
    not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"),
    reason="this torch has none of DLPack's C functions, so all tests read attributes",
)
def test_by_attributes():
    run({"CALLBRIDGE_TEST_WITHOUT_DLPACK": "1"})
