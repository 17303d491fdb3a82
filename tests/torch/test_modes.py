"""Calls in torch's modes, and the operators behind them."""

import ctypes

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
from callbridge.torch import custom_call  # noqa: E402


def rows_of(x):
    return (x[..., 0], (x[..., 0], x[..., 0].to(torch.int64)))


# ---- Modes of torch -----------------------------------------------------------------------------


def test_no_grad_and_inference_mode():
    add = custom_call("torch_add", lambda a, b: a)
    x = torch.ones(3, requires_grad=True)
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            found = add(x, torch.nn.Parameter(torch.ones(3)))
        assert found.tolist() == [2, 2, 2] and not found.requires_grad
    with torch.inference_mode():
        y = torch.ones(3)
        assert add(y, y).is_inference()
    assert add(y, y).tolist() == [2, 2, 2]


def test_default_devices_and_types_do_not_matter():
    add = custom_call("torch_add", "f32[3]")
    x = torch.ones(3)
    with torch.device("meta"):
        assert add(x, x).tolist() == [2, 2, 2]
    torch.set_default_dtype(torch.float64)
    try:
        assert add(x, x).dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_device_meta_has_shapes_alone():
    found = custom_call("torch_rows", rows_of)(torch.empty(5, 3, device="meta"))
    assert found[0].device.type == "meta" and found[0].shape == (5,)
    assert found[1][1].dtype == torch.int64


def test_modes_see_the_operator():
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Logging(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            seen.append(str(function))
            return function(*arguments, **(keywords or {}))

    add = custom_call("torch_add", lambda a, b: a)
    x = torch.ones(3)
    with Logging():
        assert add(x, x).tolist() == [2, 2, 2]
    assert str(add.operator(x, x)) in seen


@pytest.mark.parametrize("target", ["torch_halve_four", "torch_halve"])
def test_subnormals_stay_as_in_torch(target):
    smallest = np.full(4, np.finfo(np.float32).tiny, np.float32)
    call = custom_call(target, "f32[4]")
    x = torch.from_numpy(smallest)
    torch.set_flush_denormal(False)
    assert (x * 0.5)[0] > 0
    assert call(x).numpy().tobytes() == (smallest * np.float32(0.5)).tobytes()
    assert torch.set_flush_denormal(True)  # the caller's mode
    try:
        assert call(x).tolist() == [0, 0, 0, 0]
    finally:
        torch.set_flush_denormal(False)
    assert call(x).numpy().tobytes() == (smallest * np.float32(0.5)).tobytes()


# ---- Functions and operators --------------------------------------------------------------------


def test_an_operator_is_made_once_and_its_name_says_what_it_calls():
    x = torch.ones(3)
    names = {
        custom_call("torch_add", "f32[3]").operator(x, x).name(),
        custom_call("torch_add", torch.empty(3)).operator(x, x).name(),
        custom_call("torch_add", "f32[3]", opaque=b"").operator(x, x).name(),
    }
    assert len(names) == 1
    assert names.pop().startswith("callbridge::torch_add_")
    others = [
        custom_call("torch_add", "f32[4]").operator(x, x),
        custom_call("torch_add", "f32[3]").operator((x, x)),
        custom_call("torch_add", lambda a, b: a).operator(x, x),
        custom_call("torch_add", lambda a, b: b).operator(x, x),
        custom_call("torch_add", "(f32[3])").operator(x, x),
    ]
    assert len({operator.name() for operator in others}) == len(others)


def test_operators_can_be_called():
    x, y = torch.ones(3), torch.ones(3)
    operator = custom_call("torch_add", "f32[3]").operator(x, y)
    assert str(operator._schema).endswith("(Tensor x0, Tensor x1) -> Tensor")
    assert operator(x, y).tolist() == [2, 2, 2]
    assert getattr(torch.ops.callbridge, operator._opname)(x, x1=y).tolist() == [2, 2, 2]


def test_names_of_odd_targets(loaded):
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda out, ins: None)
    for name in ("1st: ä?", "___", "a\nb", "α"):
        callbridge.torch.register(name, function, abi="original")
        operator = custom_call(name, "()").operator()
        assert operator.name().split("::")[1].isidentifier()
        assert custom_call(name, "()")() == ()
