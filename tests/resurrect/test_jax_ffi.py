"""jax.ffi of today on any JAX: a program prints the same there as on today's JAX without us."""

import json
import pathlib

import jax
import pytest
from jax_releases import TODAY, numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "jax_ffi_program.py"

# The last XLA:CPU without a thunk for typed calls puts this before the texts of failures, in place
# of their codes where it calls a handler as a typed one.
FAILED = "INTERNAL: Generated function failed: "
# Errors of callbridge here, and such whose texts differ between releases of JAX.
OTHER_ERRORS = {
    "not_registered": {"JaxRuntimeError"},
    "no_handler": {"CallbridgeValueError", "JaxRuntimeError"},
    "another_version": {"CallbridgeValueError", "JaxRuntimeError"},
    "type_without_an_id": {"KeyError", "JaxRuntimeError"},
    "a_text_as_operand": {"TypeError"},
}
# Those of `make test` too, where the newest of `make test` runs this.
RELEASES = [*(used_by("test") if jax.__version__ == TODAY else []), jax.__version__]


def jaxs_own(release):
    """What jax.ffi.ffi_call of that JAX does by itself, as it did before."""
    version = numbers(release)
    if version < (0, 5):
        return set()  # it has none
    # As jax 0.5 took them; resurrect puts it back on newer ones.
    cases = {"inline_operands"}
    if version < (0, 6):
        cases |= {"vmap_without_a_method"}
        cases |= {"alias_of_another_shape", "alias_of_another_dtype"}
    if version < (0, 10):
        cases |= {"unknown_keyword"}
    if version[:2] == (0, 8):
        cases |= {"bad_result", "bad_single_result"}
    return cases


def answers(printed):
    return dict(map(json.loads, printed.splitlines()))


@pytest.fixture(scope="module")
def suite(build):
    """Built with the headers of the release that runs it natively, as `make matrix` has it."""
    folder = build / "tests" / "typed_ffi" / "suite"
    library = folder / f"suite_{TODAY}.so"
    return library if library.exists() else folder / "suite_ours.so"


@pytest.fixture(scope="module")
def genuine(printed_by, suite):
    return answers(printed_by(TODAY, PROGRAM, suite, "genuine"))


@pytest.mark.parametrize("release", RELEASES)
def test_same_as_genuine(run, printed_by, suite, genuine, release):
    if release == jax.__version__:
        lent = answers(run(PROGRAM, suite, "lent"))
    else:
        folder = HERE.parents[1] / "python"
        lent = answers(printed_by(release, PROGRAM, suite, "lent", pythonpath=[folder]))
    assert len(genuine) > 70
    assert lent.keys() == genuine.keys()
    different = {}
    for name, expected in genuine.items():
        got = lent[name]
        if name in OTHER_ERRORS:
            assert expected[0].endswith("Error"), name
            assert got[0] in OTHER_ERRORS[name], (name, got)
        elif name not in jaxs_own(release) and got not in same(expected):
            different[name] = (expected, got)
    assert not different, different


def same(expected):
    """The answer, and what XLA makes of a failure where it has one code for all of them."""
    if expected[:1] != ["JaxRuntimeError"]:
        return [expected]
    code, _, text = expected[1].partition(": ")
    return [expected, *([expected[0], f"{FAILED}{shown}"] for shown in (f"{code}: {text}", text))]


@pytest.mark.parametrize("release", RELEASES)
def test_attributes_keep_their_bits(run, printed_by, build, release):
    library = build / "tests/targets/attribute_bits_unregistered.so"
    program = HERE / "attribute_bits_program.py"
    if release == jax.__version__:
        printed = run(program, library, pythonpath=[HERE.parent / "python"])
    else:
        folders = (HERE.parents[1] / "python", HERE.parent / "python")
        printed = printed_by(release, program, library, pythonpath=folders)
    assert printed == "done\n"
