"""jax.ffi of today on any JAX: a program prints the same there as on today's JAX without us."""

import json
import pathlib
import subprocess

import jax
import pytest
from jax_releases import TODAY, numbers

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "jax_ffi_program.py"
TODAYS_PYTHON = HERE.parents[1] / ".venv" / "bin" / "python"

VERSION = numbers(jax.__version__)

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
# What jax.ffi.ffi_call of this JAX does by itself, as it did before.
JAXS_OWN = set()
if hasattr(jax, "ffi"):
    # As jax 0.5 took them; resurrect puts it back on newer ones.
    JAXS_OWN |= {"inline_operands"}
    if VERSION < (0, 6):
        JAXS_OWN |= {"vmap_without_a_method"}
        JAXS_OWN |= {"alias_of_another_shape", "alias_of_another_dtype"}
    if VERSION < (0, 10):
        JAXS_OWN |= {"unknown_keyword"}
    if VERSION[:2] == (0, 8):
        JAXS_OWN |= {"bad_result", "bad_single_result"}


def answers(printed):
    return dict(map(json.loads, printed.splitlines()))


@pytest.fixture(scope="module")
def suite(build):
    library = build / "tests" / "typed_ffi" / "suite" / f"suite_{TODAY}.so"
    if not library.exists():
        pytest.skip(f"{library} is built by `make matrix` alone")
    return library


def test_same_as_genuine(run, suite):
    printed = subprocess.run(
        [TODAYS_PYTHON, PROGRAM, suite, "genuine"],
        env={"JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    ).stdout
    genuine = answers(printed)
    lent = answers(run(PROGRAM, suite, "lent"))
    assert len(genuine) > 70
    assert lent.keys() == genuine.keys()
    different = {}
    for name, expected in genuine.items():
        got = lent[name]
        if name in OTHER_ERRORS:
            assert expected[0].endswith("Error"), name
            assert got[0] in OTHER_ERRORS[name], (name, got)
        elif name not in JAXS_OWN and got not in same(expected):
            different[name] = (expected, got)
    assert not different, different


def same(expected):
    """The answer, and what XLA makes of a failure where it has one code for all of them."""
    if expected[:1] != ["JaxRuntimeError"]:
        return [expected]
    code, _, text = expected[1].partition(": ")
    return [expected, *([expected[0], f"{FAILED}{shown}"] for shown in (f"{code}: {text}", text))]


def test_attributes_keep_their_bits(run, build):
    library = build / "tests/targets/attribute_bits_unregistered.so"
    program = HERE / "attribute_bits_program.py"
    assert run(program, library, pythonpath=[HERE.parent / "python"]) == "done\n"
