"""callbridge, JAX and genuine TensorFlow in one process, imported in every order.

Two TensorFlows are not imported into one Python: both are the module `tensorflow`, and 2.13.1 takes
NumPy up to 1.24 while JAX 0.10.2 wants 2. So there are two stacks, each with the newest JAX that
its NumPy allows; and 2.13.1 also comes into the newer stack, as its C++ libraries.

CALLBRIDGE_ALL_ORDERS=1 tries all 24 orders of the four, all of the older stack, the newer one
without the libraries, and the two TensorFlows without callbridge.
"""

import itertools
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
VERSIONS = ["2.13.1", "2.21.0"]
ALL = "CALLBRIDGE_ALL_ORDERS" in os.environ
ORDERS = list(itertools.permutations(["callbridge", "jax", "tensorflow"]))

TENSORFLOWS = ["tensorflow", "second_tensorflow"]
ALL_ORDERS_OF_FOUR = list(itertools.permutations(["callbridge", "jax", *TENSORFLOWS]))
# callbridge last, to what the others left.
ORDERS_OF_FOUR = ALL_ORDERS_OF_FOUR if ALL else [ALL_ORDERS_OF_FOUR[0][::-1]]


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


@pytest.mark.parametrize("version", VERSIONS if ALL else VERSIONS[1:])
def test_a_library_that_is_bound_to_tensorflow(version):
    assert "its targets are taken by name" in run(version, "bound_library.py")


in_the_matrix = pytest.mark.skipif(not ALL, reason="make matrix has it")


@in_the_matrix
@pytest.mark.parametrize("order", ORDERS, ids=",".join)
@pytest.mark.parametrize("version", VERSIONS)
def test_each_does_its_own_work(version, order):
    assert "each does its own work" in run(version, "import_order.py", ",".join(order))


@in_the_matrix
@pytest.mark.parametrize("order", [TENSORFLOWS, TENSORFLOWS[::-1]], ids=",".join)
def test_two_tensorflows_without_callbridge(order):
    """What fails here is not callbridge's failure."""
    assert "each does its own work" in run("2.21.0", "import_order.py", ",".join(order))


@pytest.mark.parametrize("order", ORDERS_OF_FOUR, ids=",".join)
def test_each_does_its_own_work_beside_two_tensorflows(order):
    assert "each does its own work" in run("2.21.0", "import_order.py", ",".join(order))
