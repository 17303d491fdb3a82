"""callbridge.resurrect is imported again, or anew after an interrupt, as notebooks do it."""

import pathlib

import pytest

PROGRAM = pathlib.Path(__file__).with_name("imports_program.py")


@pytest.mark.parametrize("how", ["reload", "purge", "interrupt"])
def test_once_more(run, build, how):
    suite = build / "tests/typed_ffi/suite/suite_ours.so"
    assert run(PROGRAM, how, suite) == "imports: ok\n"
