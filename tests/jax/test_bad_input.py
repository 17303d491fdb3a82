"""Bad input: a clear exception, or it works. Each program has a process of its own."""

import pathlib
import subprocess
import sys

import bad_calls
import bad_functions
import bad_moments
import pytest
from programs import PROGRAMS

FILES = {
    name: module.__file__
    for module in (bad_functions, bad_calls, bad_moments)
    for name, function in PROGRAMS.items()
    if function.__module__ == module.__name__
}
SECONDS = 300


@pytest.mark.parametrize("name", FILES)
def test_bad_input(uses, name):
    done = subprocess.run(
        [sys.executable, FILES[name], name, pathlib.Path(uses).parent],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    said = f"ended with {done.returncode}\n{done.stdout}{done.stderr[-4000:]}"
    assert done.returncode == 0 and done.stdout.endswith("done\n"), said
