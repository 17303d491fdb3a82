"""The module in C of another build, left beside a library and a package that are newer or older."""

import os
import pathlib
import subprocess
import sys

import pytest
from callbridge._core import _c_api

NAME = "callbridge_python.abi3.so"


@pytest.fixture
def beside(tmp_path):
    """Says what an import says where the module's bytes were changed."""
    library = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
    for path in library.parent.iterdir():
        if path.is_file() and path.name != NAME:
            (tmp_path / path.name).symlink_to(path)
    module = library.with_name(NAME).read_bytes()

    def imported(changed, face="callbridge.numpy"):
        (tmp_path / NAME).write_bytes(changed(module))
        environment = {**os.environ, "CALLBRIDGE_LIBRARY": str(tmp_path / library.name)}
        return subprocess.run(
            [sys.executable, "-c", f"import {face}; print({face}.__name__)"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    return imported


def replaced(old, new):
    def change(module):
        assert module.count(old) >= 1
        return module.replace(old, new)

    return change


VERSION = _c_api.version().decode()
OTHER_VERSION = VERSION[:-1] + "~"
EXPECTED = f" is of another build: expected {VERSION}, interface 3, found "
ADVICE = "; build it again with libcallbridge.so, or remove it: calls then take longer"


@pytest.mark.parametrize(
    "change, reason",
    [
        (
            replaced(b", interface 3\0", b", interface 0\0"),
            f"{EXPECTED}{VERSION}, interface 0",
        ),
        (
            replaced(f"{VERSION}, interface".encode(), f"{OTHER_VERSION}, interface".encode()),
            f"{EXPECTED}{OTHER_VERSION}, interface 3",
        ),
        (
            replaced(b"BUILD\0", b"BUILT\0"),
            f"{EXPECTED}unknown",
        ),
        (lambda module: b"", " cannot be loaded: "),
        (
            # As one that needs what this library has not.
            replaced(b"callbridge_call_execute\0", b"callbridge_call_explode\0"),
            " cannot be loaded: ",
        ),
        # As one that needs what this package has not.
        (
            replaced(b"callbridge._core._shapes\0", b"callbridge._core._shapez\0"),
            " cannot be ",
        ),
        (replaced(b"NUMBERS\0", b"NUMBERZ\0"), " cannot be loaded: "),
    ],
    ids=["interface", "version", "without_any", "empty", "library", "module", "name"],
)
def test_another_builds_module_is_named(beside, tmp_path, change, reason):
    done = beside(change)
    assert done.returncode == 1, done
    said = done.stderr.splitlines()[-1]
    assert said.startswith(f"ImportError: {tmp_path / NAME}{reason}")
    assert said.endswith(ADVICE)


def test_this_builds_module_is_taken(beside):
    done = beside(lambda module: module)
    assert (done.returncode, done.stdout, done.stderr) == (0, "callbridge.numpy\n", "")


def test_nobody_else_needs_it(beside):
    """callbridge.library makes its calls by ctypes."""
    done = beside(lambda module: b"", "callbridge.library")
    assert (done.returncode, done.stdout) == (0, "callbridge.library\n"), done
