"""callbridge, JAX and genuine TensorFlow in one process, imported in every order.

Two TensorFlows do not share a process: both are the module `tensorflow`, and 2.13.1 takes NumPy up
to 1.24 while JAX 0.10.2 wants 2. So there are two stacks, each with the newest JAX that its NumPy
allows.
"""

import itertools
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
VERSIONS = ["2.13.1", "2.21.0"]
ORDERS = list(itertools.permutations(["callbridge", "jax", "tensorflow"]))


def run(version, script, *arguments):
    variable = f"CALLBRIDGE_TENSORFLOW_{version.replace('.', '_')}_PYTHON"
    python = os.environ.get(variable)
    assert python, f"{variable} is not set to a Python with TensorFlow; `make test` sets it"
    done = subprocess.run(
        [python, HERE / script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=300,
    )
    assert done.returncode == 0, f"{python} returned {done.returncode}:\n{done.stdout[-4000:]}"
    return done.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_a_library_that_is_bound_to_tensorflow(version):
    assert "its targets are taken by name" in run(version, "bound_library.py")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("version", VERSIONS)
def test_each_does_its_own_work(version, order):
    assert "each does its own work" in run(version, "import_order.py", ",".join(order))
