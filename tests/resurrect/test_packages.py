"""Packages of this project's own, as they were written in three years, run unmodified."""

import pathlib

import jax
import pytest

PACKAGES = pathlib.Path(__file__).resolve().parent / "packages"


@pytest.mark.parametrize("year", ["2020", "2021", "2023"])
def test_old_package(run, year):
    assert run("-m", "callbridge.resurrect", PACKAGES / f"of_{year}.py") == f"of {year}: ok\n"


@pytest.mark.skipif(
    (0, 4, 31) <= tuple(map(int, jax.__version__.split(".")[:3])) < (0, 6, 0),
    reason=f"jax {jax.__version__} still has all the names, and crashes with tuple operands",
)
def test_tuples_in_a_lowering_rule(run):
    printed = run("-m", "callbridge.resurrect", PACKAGES / "of_2023_tuples.py")
    assert printed == "of 2023, tuples: ok\n"
