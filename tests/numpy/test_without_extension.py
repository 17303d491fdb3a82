"""The same tests without the module in C: what a Python has that cannot load it."""

import os
import pathlib
import subprocess
import sys

import pytest
from callbridge._calls import _bound_calls

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def library(built):
    library = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
    assert library.with_name("callbridge_python.abi3.so").exists(), "build callbridge_python first"
    return library


def test_the_other_tests_have_it(library):
    assert _bound_calls.EXTENSION.__file__ == str(library.with_name("callbridge_python.abi3.so"))


def test_without_it(built, library, tmp_path):
    for path in library.parent.iterdir():  # with the library, the programs that it runs
        if path.is_file() and path.name != "callbridge_python.abi3.so":
            (tmp_path / path.name).symlink_to(path)
    environment = {
        **os.environ,
        "CALLBRIDGE_LIBRARY": str(tmp_path / library.name),
        "CALLBRIDGE_BUILD": str(built.parent),
    }
    python = [sys.executable, "-c"]
    loaded = "from callbridge._calls import _bound_calls; print(_bound_calls.EXTENSION)"
    assert subprocess.check_output([*python, loaded], env=environment) == b"None\n"
    of_the_extension = {pathlib.Path(__file__), HERE / "test_other_builds.py"}
    tests = [path for path in sorted(HERE.glob("test_*.py")) if path not in of_the_extension]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *tests],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
