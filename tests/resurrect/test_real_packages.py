"""Real packages, unmodified from PyPI, on this JAX: NumPy's, SciPy's and their own are the measure.

scripts/revived_packages brings them; real_packages.py lists them.
"""

import os
import pathlib
import sys

import jax
import pytest
from jax_releases import IN_DEBIAN_13, TODAY
from real_packages import PACKAGES

HERE = pathlib.Path(__file__).resolve().parent


NEWEST = sys.version_info >= (3, 13)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.list)
def test_real_package(run, package):
    if not package.sampled and "CALLBRIDGE_THOROUGH" not in os.environ:
        pytest.skip("make matrix has it")
    if package.on_newest_alone and jax.__version__ not in (TODAY, IN_DEBIAN_13):
        pytest.skip(f"it is run on {TODAY} and {IN_DEBIAN_13}")
    if NEWEST and not package.python_3_13:
        pytest.skip("it has no wheel for this Python")
    folder = package.folder(NEWEST)
    assert (folder / "installed.txt").exists(), f"{folder} is not there; scripts/revived_packages"
    program = HERE / "real" / package.program
    try:
        printed = run("-m", "callbridge.resurrect", program, pythonpath=[folder])
    except AssertionError as refused:
        if reason := package.why_not(str(refused)):
            pytest.skip(reason)
        raise
    assert printed == f"{package.checks} checks\n"
