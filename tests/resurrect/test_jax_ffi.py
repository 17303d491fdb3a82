"""jax.ffi of today on an older JAX: a program prints the same there as on today's JAX without us."""

import json
import pathlib
import subprocess

import jax
import pytest
from jax_releases import TODAY, numbers

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "jax_ffi_program.py"
TODAYS_PYTHON = HERE.parents[1] / ".venv" / "bin" / "python"

pytestmark = pytest.mark.skipif(
    hasattr(jax, "shard_map"), reason=f"jax {jax.__version__} has all of jax.ffi's calls by itself"
)

# XLA's version 3 has one code for failures. 0.4.13 and 0.4.30 put this before their texts.
FAILED = "INTERNAL: Generated function failed: "
# Errors of XLA in the genuine one, whose texts differ between releases, and of callbridge here.
OTHER_ERRORS = {
    "not_registered": "JaxRuntimeError",
    "no_handler": "CallbridgeValueError",
    "another_version": "CallbridgeValueError",
    "type_without_an_id": "KeyError",
    "a_text_as_operand": "TypeError",
}


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
            assert got[0] == OTHER_ERRORS[name], (name, got)
        elif got != expected and got != [expected[0], f"{FAILED}{expected[1]}"]:
            different[name] = (expected, got)
    assert not different, different
    assert numbers(jax.__version__) < numbers(TODAY)
