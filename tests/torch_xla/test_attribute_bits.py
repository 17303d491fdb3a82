"""Floating-point attributes reach a handler bit for bit through PyTorch/XLA."""

import numpy as np
import pytest
from attribute_bits import ROWS, SHAPE, attributes, words

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")
torch_xla = pytest.importorskip("torch_xla", reason="make test-frameworks has PyTorch/XLA")

import callbridge.torch  # noqa: E402
import callbridge.torch_xla  # noqa: E402


@pytest.mark.parametrize("row", ROWS)
def test_lazy(typed, row):
    callbridge.torch.load(typed.parent / "attribute_bits.so")
    target = "attribute_bits"
    call = callbridge.torch.custom_call(target, SHAPE, attributes=attributes(target, row))
    result = call(torch.ones(1, device=torch_xla.device()))
    assert result.device.type == "xla"
    assert result.cpu().view(torch.int32).numpy().view(np.uint32).tolist() == words(row)
