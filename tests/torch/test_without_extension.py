"""The same tests without the module in C, and with it as on a torch that has none of DLPack's C
functions, where it reads attributes."""

import os
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

from callbridge import _extension  # noqa: E402

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
    assert _extension.MODULE.__file__ == str(library.with_name("callbridge_python.abi3.so"))


def test_without_it(built, library, tmp_path):
    for path in library.parent.iterdir():  # with the library, the programs that it runs
        if path.is_file() and path.name != "callbridge_python.abi3.so":
            (tmp_path / path.name).symlink_to(path)
    environment = {
        "CALLBRIDGE_LIBRARY": str(tmp_path / library.name),
        "CALLBRIDGE_BUILD": str(built.parent),
    }
    loaded = "from callbridge import _extension; print(_extension.MODULE)"
    command = [sys.executable, "-c", loaded]
    assert subprocess.check_output(command, env={**os.environ, **environment}) == b"None\n"
    run(environment)


@pytest.mark.skipif(
    not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"),
    reason="this torch has none of DLPack's C functions, so all tests read attributes",
)
def test_by_attributes():
    run({"CALLBRIDGE_TEST_WITHOUT_DLPACK": "1"})
