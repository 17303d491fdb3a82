"""Releases between those that the tables name: they have lost some of what the next one lacks."""

import os
import pathlib

import pytest
from callbridge.jax import _runtimes
from callbridge.resurrect._names import _adapters, _changes, _row

HERE = pathlib.Path(__file__).resolve().parent


@pytest.mark.parametrize(
    ("release", "gone", "here"),
    [
        ("0.4.13", "0.4.30", False),
        ("0.4.14", "0.4.30", True),
        ("0.4.29", "0.4.30", True),
        ("0.4.30", "0.4.30", True),
        ("0.4.30", "0.4.31", False),
        ("0.6.0", "0.6.2", True),
        ("0.6.0", "0.7.2", False),
        ("0.4.10", "0.4.13", True),
        ("0.9.5", "0.9.2", True),
    ],
)
def test_what_may_be_gone(monkeypatch, release, gone, here):
    monkeypatch.setattr(_runtimes, "RELEASE", _runtimes.parse_release(release))
    assert _row.may_be_gone.__wrapped__(gone) is here


def test_names_that_the_next_release_lacks_are_there(run):
    here = run(HERE / "asked_program.py")
    before = run(HERE / "between_program.py", "asked_program.py")
    assert int(before.split()[0]) >= int(here.split()[0]) > 0


# test_refused_forms.py and test_names.py run both programs as this release is.
@pytest.mark.skipif("CALLBRIDGE_THOROUGH" not in os.environ, reason="make matrix has it")
@pytest.mark.parametrize("program", ["lists_program.py", "refused_forms_program.py"])
def test_what_the_next_release_refuses_is_taken(run, program):
    assert run(HERE / "between_program.py", program) == run(HERE / program)


def test_a_parameter_is_adapted_where_the_function_refuses_it():
    adapt = _adapters.where_refused(_adapters.renamed("a_min", "min"))
    new = _adapters.wrapper_of(lambda x, min=None: (x, min), "clip", [adapt])
    old = _adapters.wrapper_of(lambda x, a_min=None: (x, a_min), "clip", [adapt])
    assert new(1, a_min=2) == old(1, a_min=2) == new(1, 2) == (1, 2)
    assert new(1, min=2) == (1, 2)
    with pytest.raises(TypeError, match="min"):
        old(1, min=2)
    # A builtin that shows no parameters is asked as it is.
    assert _adapters.wrapper_of(dict, "dict", [adapt])(a_min=2) == {"a_min": 2}


def test_positions_are_adapted_so_too():
    adapt = _adapters.where_refused(_adapters.by_position(1, "axis"))
    new = _adapters.wrapper_of(lambda x, *, axis=0: (x, axis), "f", [adapt])
    old = _adapters.wrapper_of(lambda x, axis=0, other=1: (x, axis, other), "f", [adapt])
    assert new(1, 2) == (1, 2)
    assert old(1, 2, 3) == (1, 2, 3)


def test_an_attribute_that_objects_set_goes_first():
    class Info:
        aval = _changes._Fallback(lambda self: "restored")

        def __init__(self, *own):
            if own:
                (self.aval,) = own

    assert Info().aval == "restored"
    assert Info("own").aval == "own"
    assert isinstance(Info.aval, _changes._Fallback)
