"""Bad input: a clear exception, or it works. Each program has a process of its own."""

import pathlib
import subprocess
import sys

import bad_calls
import bad_functions
import bad_moments
import pytest
from programs import PROGRAMS
from this_jax import needs

FILES = {
    name: module.__file__
    for module in (bad_functions, bad_calls, bad_moments)
    for name, function in PROGRAMS.items()
    if function.__module__ == module.__name__
}
SECONDS = 300
ABOUT_NAMES_THAT_JAX_HAS = [name for name in FILES if "that_jax_has" in name]


@pytest.mark.parametrize("name", [name for name in FILES if name not in ABOUT_NAMES_THAT_JAX_HAS])
def test_bad_input(uses, name):
    run(uses, name)


@needs("lists of the names that XLA has")
@pytest.mark.parametrize("name", ABOUT_NAMES_THAT_JAX_HAS)
def test_names_that_jax_has(uses, name):
    run(uses, name)


def run(uses, name):
    done = subprocess.run(
        [sys.executable, FILES[name], name, pathlib.Path(uses).parent],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    said = f"ended with {done.returncode}\n{done.stdout}{done.stderr[-4000:]}"
    assert done.returncode == 0 and done.stdout.endswith("done\n"), said
