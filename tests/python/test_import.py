"""What `import callbridge.library` says where libcallbridge.so is not what it should be."""

import os
import subprocess
import sys

import pytest


def imported(library) -> str:
    """The last line of what it says."""
    environment = {**os.environ, "CALLBRIDGE_LIBRARY": str(library)}
    done = subprocess.run(
        [sys.executable, "-c", "import callbridge.library"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
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
