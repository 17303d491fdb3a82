"""Packages of today, unmodified from PyPI, on this JAX, compared with NumPy and SciPy.

Their wheels have typed handlers of CPython 3.11. scripts/revived_packages brings them.
"""

import os
import pathlib
import re

import jax
import pytest
from jax_releases import numbers

HERE = pathlib.Path(__file__).resolve().parent
VERSION = numbers(jax.__version__)

pytestmark = pytest.mark.skipif(
    "CALLBRIDGE_THOROUGH" not in os.environ, reason="make matrix has it"
)


@pytest.mark.parametrize(
    "package, checks",
    [
        ("klujax-0.5.2", 9),
        ("jax-finufft-1.3.1", 7),
        ("augax-0.3.0", 3),
        ("pgjax-0.2.0", 2),
        ("sparsax-0.9.0", 6),
        ("jaxbind-1.3.1", 7),
        ("splineax-klujax-0.5.0.post7", 7),
        pytest.param(
            "diffsol-jax-0.0.2",
            1,
            marks=pytest.mark.skipif(
                VERSION < (0, 4, 30),
                reason=f"it reads jaxprs, which jax {jax.__version__} makes of other primitives",
            ),
        ),
    ],
)
def test_newer_package(run, package, checks):
    folder = pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / "revived" / package
    assert (folder / "installed.txt").exists(), f"{folder} is not there; scripts/revived_packages"
    name = re.sub(r"-[0-9.]+(post\d+)?$", "", package).replace("-", "_")
    program = HERE / "newer" / f"{name}_program.py"
    printed = run("-m", "callbridge.resurrect", program, pythonpath=[folder])
    assert printed == f"{checks} checks\n"
