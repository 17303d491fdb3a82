"""Typed calls with tokens, which end the process natively on jaxlib before 0.5."""

import pathlib

import jax
import pytest
from callbridge.jax._runtimes import RUNTIME, RUNTIMES, release_text
from jax_releases import numbers

PROGRAM = pathlib.Path(__file__).resolve().parent / "tokens_program.py"
COUNTED = "[[1.0, 7.0], [2.0, 7.0], [5.0, 7.0]]\n"


def test_calls_with_tokens(run, build):
    assert run(PROGRAM, build / "tests/resurrect/tokens.so") == COUNTED


@pytest.mark.skipif(
    numbers(jax.__version__) < numbers("0.4.30"), reason="this jaxlib registers no typed handlers"
)
def test_a_handler_that_callbridge_was_not_shown(run, build):
    """Where XLA does not survive the call: an error that names the first release that does."""
    printed = run(PROGRAM, build / "tests/resurrect/tokens.so", "late")
    if RUNTIME.typed_takes_tokens:
        assert printed == COUNTED
        return
    first = next(row.release for row in RUNTIMES if row.typed_takes_tokens)
    assert printed == (
        f"UNIMPLEMENTED: a typed call of target 'count' with a token needs jax "
        f"{release_text(first)} or newer; this is jax {jax.__version__}\n"
    )
