"""What `import callbridge.library` says where libcallbridge.so is not what it should be."""

import os
import pathlib
import subprocess
import sys

import pytest


def run(library, **options):
    environment = {**os.environ, "CALLBRIDGE_LIBRARY": str(library)}
    return subprocess.run(
        [sys.executable, "-c", "import callbridge.library as it; print(it._c_api._path)"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )


def imported(library) -> str:
    """The last line of what it says."""
    done = run(library)
    assert done.returncode == 1, done
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("content", [b"", b"no ELF file, but a text of some length\n" * 10])
def test_no_library(tmp_path, content):
    path = tmp_path / "libcallbridge.so"
    path.write_bytes(content)
    said = imported(path)
    assert said.startswith("ImportError: ")
    assert str(path) in said and "set CALLBRIDGE_LIBRARY to" in said


def test_another_library(modules):
    path = modules.parent / "jax" / "untold.so"
    said = imported(path)
    assert said.startswith(f"ImportError: {path} has no function callbridge_version")
    assert "set CALLBRIDGE_LIBRARY to" in said


def test_paths_are_relative_to_the_working_folder():
    # And not to be looked up by ld.so, which takes a bare name for one of its own.
    path = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
    done = run(path.name, cwd=path.parent)
    assert (done.returncode, done.stdout) == (0, f"{path}\n"), done


def test_an_empty_path_is_none():
    said = imported("")
    assert said.startswith("ImportError: libcallbridge.so is not at ")
    assert "lib/libcallbridge.so, where `make install` or pip puts it" in said


def test_no_file():
    path = "/nowhere/libcallbridge.so"
    said = imported(path)
    assert said.startswith(f"ImportError: CALLBRIDGE_LIBRARY is {path!r}, which is not a file; set")
