"""Floating-point attributes reach a handler bit for bit, also in exported and compiled programs."""

import numpy as np
import pytest
from attribute_bits import ROWS, SHAPE, TARGETS, attributes, words

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def library(built):
    callbridge.torch.load(built / "targets/attribute_bits.so")


def bits(result):
    return result.view(torch.int32).numpy().view(np.uint32).tolist()


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", [np.float64, float])
def test_eager(target, row, number):
    call = callbridge.torch.custom_call(target, SHAPE, attributes=attributes(target, row, number))
    assert bits(call()) == words(row)


@pytest.mark.parametrize("target", TARGETS)
def test_one_program_of_several_calls(target):
    calls = [
        callbridge.torch.custom_call(target, SHAPE, attributes=attributes(target, row))
        for row in ROWS
    ]
    compiled = torch.compile(lambda: [call() for call in calls], backend="aot_eager")
    assert [bits(result) for result in compiled()] == [words(row) for row in ROWS]
