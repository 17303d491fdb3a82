"""What Python's commands call the nearest name is what those in C++ do."""

import pathlib
import re

import pytest
from callbridge._core import _output

CPP_TEST = pathlib.Path(__file__).resolve().parents[1] / "abi/nearest_name_test.cc"
COMMANDS = ["run", "inspect", "audit", "layout", "show", "upgrade", "migrate"]


def cases():
    """The pairs of the test in C++: a name, and the one that was meant."""
    text = CPP_TEST.read_text()
    pairs = re.findall(r'\{"(\w+)",\s*"(\w+)"\}', text)
    found = [pair for pair in pairs if pair[1] in COMMANDS]
    assert len(found) == 12
    return found


@pytest.mark.parametrize("given, meant", cases())
def test_typos_and_beginnings(given, meant):
    assert _output.did_you_mean(given, COMMANDS) == f"; did you mean {meant}?"


@pytest.mark.parametrize("given", ["", "x", "r", "frobnicate", "help", "version"])
def test_nothing_for_names_that_are_unlike(given):
    assert _output.did_you_mean(given, COMMANDS) == ""
    assert _output.did_you_mean(given, []) == ""


def test_the_most_alike_and_of_those_the_first():
    assert (
        _output.did_you_mean("scale", ["scalar", "scales", "rescale"]) == "; did you mean scales?"
    )
    assert _output.did_you_mean("ab", ["abc", "abd"]) == "; did you mean abc?"
