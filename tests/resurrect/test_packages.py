"""Packages of this project's own, as they were written in four years, run unmodified."""

import pathlib

import jax
import pytest
from jax_releases import TODAY, numbers, used_by

VERSION = numbers(jax.__version__)
IN_MAKE_TEST = jax.__version__ in used_by("packages") or numbers(TODAY) <= VERSION
PACKAGES = pathlib.Path(__file__).resolve().parent / "packages"


# That of 2024 has jax.export's names, and is for the releases that `make test` has.
YEARS = ["2020", "2021", "2023"] + ["2024"] * IN_MAKE_TEST


# The first jaxlib that callbridge runs on refuses nested tuples. It has these programs' names by
# itself, so that their calls are its own.
REFUSES_TUPLES = VERSION < (0, 4, 30)
SKIPPED = pytest.mark.skipif(
    REFUSES_TUPLES, reason=f"XLA of jax {jax.__version__} has no nested tuples of custom calls"
)


@pytest.mark.parametrize(
    "year", [pytest.param(y, marks=SKIPPED) if y in ("2020", "2021") else y for y in YEARS]
)
def test_old_package(run, year):
    assert run("-m", "callbridge.resurrect", PACKAGES / f"of_{year}.py") == f"of {year}: ok\n"


@SKIPPED
@pytest.mark.skipif(
    (0, 4, 31) <= VERSION < (0, 6, 0),
    reason=f"jax {jax.__version__} still has all the names, and crashes with tuple operands",
)
def test_tuples_in_a_lowering_rule(run):
    printed = run("-m", "callbridge.resurrect", PACKAGES / "of_2023_tuples.py")
    assert printed == "of 2023, tuples: ok\n"
