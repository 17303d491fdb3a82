"""Real packages, unmodified from PyPI, on this JAX: their own results are the measure.

scripts/revived_packages brings them. Their compiled parts are for Python 3.11.
"""

import os
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).resolve().parent


in_the_matrix = pytest.mark.skipif(
    "CALLBRIDGE_THOROUGH" not in os.environ, reason="make matrix has it"
)


@pytest.mark.parametrize(
    "package, checks",
    [
        ("exoplanet-core-0.2.0", 23),
        pytest.param("exoplanet-core-0.3.0", 23, marks=in_the_matrix),
        pytest.param("exoplanet-core-0.3.1", 23, marks=in_the_matrix),
        pytest.param("celerite2-0.3.0", 45, marks=in_the_matrix),
        ("celerite2-0.3.2", 45),
    ],
)
def test_real_package(run, package, checks):
    folder = pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / "revived" / package
    assert (folder / "installed.txt").exists(), f"{folder} is not there; scripts/revived_packages"
    name = re.sub(r"-[0-9.]+$", "", package).replace("-", "_")
    program = HERE / "real" / f"{name}_program.py"
    printed = run("-m", "callbridge.resurrect", program, pythonpath=[folder])
    assert printed == f"{checks} checks\n"
