"""Programs of XLA's C++ API, one source compiled for callbridge and for genuine XLA (TensorFlow
2.13.1): what they print, which is results bit for bit and errors, is the same."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/genuine"


def lines_of(program):
    path = BUILD / program
    assert path.is_file(), f"{path}: built where CALLBRIDGE_TENSORFLOW is set; `make test` does"
    done = subprocess.run([path], capture_output=True, text=True)
    assert done.returncode == 0, f"{path} returned {done.returncode}:\n{done.stderr[-4000:]}"
    return done.stdout.splitlines()


@pytest.mark.parametrize("program, least", [("client_programs", 60), ("client_elementwise", 300)])
def test_prints_what_genuine_xla_prints(program, least):
    ours, genuine = lines_of(program), lines_of(f"genuine_{program}")
    assert len(genuine) >= least
    # Lines may be megabytes long.
    differing = [(a[:200], b[:200]) for a, b in zip(ours, genuine, strict=False) if a != b]
    assert not differing, differing[:5]
    assert len(ours) == len(genuine)
