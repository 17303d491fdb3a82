"""What callbridge.torch refuses on tensors of PyTorch/XLA, and what targets fail with there."""

import re

import numpy as np
import pytest
from this_torch_xla import needs_version_3, torch_xla, without_instantiate, xla

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
import callbridge.torch_xla  # noqa: E402
from callbridge.torch import CallbridgeError  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def libraries(uses, typed):
    callbridge.torch.load(uses)
    callbridge.torch.load(typed)


def refused(call, *operands, match):
    with pytest.raises(CallbridgeError, match=match):
        call(*operands)


COPY = {"target": "copy_typed", "result": lambda x: x}


def copy(**options):
    return callbridge.torch.custom_call(**COPY, **options)


# ---- Targets that fail --------------------------------------------------------------------------


def fails(call, *operands, match):
    """PyTorch/XLA raises the error where the result is waited for, and once more in the next step,
    with callbridge or without it."""
    with pytest.raises(RuntimeError, match=match):
        call(*operands).cpu()
    try:
        (xla(torch.ones(1)) + 1).cpu()
    except RuntimeError as again:
        assert re.search(match, str(again))


def test_a_failure():
    call = callbridge.torch.custom_call("nonnegative", "f32[]")
    for _ in range(2):
        fails(call, xla(torch.tensor(-1.0)), match="CustomCall failed: negative operand")
        assert call(xla(torch.tensor(2.0))).item() == 2


def test_an_exception():
    call = callbridge.torch.custom_call(
        "throw", "f32[]", abi="status_returning_unified", opaque="no licence: é".encode()
    )
    fails(call, xla(torch.tensor(1.0)), match="CustomCall failed: .*: no licence: é")


def test_an_error_of_a_handler():
    call = callbridge.torch.custom_call("nonnegative_typed", "f32[]")
    for _ in range(2):
        fails(call, xla(torch.tensor(-1.0)), match="negative operand")
        assert call(xla(torch.tensor(2.0))).item() == 2


def test_an_error_of_torch_compile():
    torch._dynamo.reset()
    call = callbridge.torch.custom_call("nonnegative_typed", "f32[]")
    compiled = torch.compile(lambda x: call(x), backend="openxla", fullgraph=True)
    fails(compiled, xla(torch.tensor(-1.0)), match="negative operand")
    assert compiled(xla(torch.tensor(3.0))).item() == 3


def test_a_handler_of_other_types():
    call = callbridge.torch.custom_call("nonnegative_typed", "f32[]")
    fails(call, xla(torch.tensor(1, dtype=torch.int32)), match="Wrong buffer dtype|expected")


@needs_version_3
def test_pytorch_xla_raises_failures_twice_without_callbridge():
    name = b"nonnegative"  # registered by the tests above, or here
    call = callbridge.torch.custom_call(name.decode(), "f32[]")
    assert call(xla(torch.tensor(1.0))).item() == 1

    def raw(value):
        return torch_xla._XLAC._xla_custom_call(
            [xla(torch.tensor(value))], name.decode(), [[]], [torch.float32], False, "", 3, {}
        )[0].cpu()

    with pytest.raises(RuntimeError, match="negative operand"):
        raw(-1.0)
    with pytest.raises(RuntimeError, match="negative operand"):
        raw(1.0)
    assert raw(1.0) == 1


# ---- Calls that cannot be made ------------------------------------------------------------------


def test_an_unknown_target():
    refused(callbridge.torch.custom_call, "nobody", "f32[]", match="^NOT_FOUND: .*'nobody'")


@without_instantiate
def test_state_without_instantiate():
    call = callbridge.torch.custom_call("count", "s32[]", attributes={"start": np.int32(1)})
    refused(call, xla(torch.zeros(1)), match="(?s)^UNIMPLEMENTED: .*INSTANTIATE")


def test_tensors_of_two_devices():
    call = callbridge.torch.custom_call("square_typed", lambda n, x: x)
    n, x = torch.tensor(1, dtype=torch.int32), torch.ones(1)
    refused(call, xla(n), x, match=r"^INVALID_ARGUMENT: operands\[1\] is on the device cpu")
    refused(call, n, xla(x), match=r"^INVALID_ARGUMENT: operands\[1\] is on the device xla")


def test_a_module():
    text = "HloModule m\n\nENTRY e {\n  ROOT x = f32[3]{0} parameter(0)\n}\n"
    call = callbridge.torch.hlo_module(text)
    assert call(torch.ones(3)).tolist() == [1, 1, 1]
    refused(call, xla(torch.ones(3)), match="^UNIMPLEMENTED: .*hlo_module.* on CPU tensors alone")


def test_operator_information():
    information = {
        "inputs": [{"index": 0, "name": "x"}],
        "outputs": [{"index": 0, "name": "y"}],
        "dtype_format": [[["float32", ""], ["float32", ""]]],
        "target": "CPU",
    }
    call = callbridge.torch.custom_call(
        "copy_typed", lambda x: x, operator_info={**information, "op_name": "copy"}
    )
    assert call(xla(torch.ones(3))).cpu().tolist() == [1, 1, 1]
    refused(call, xla(torch.ones(3).int()), match="^INVALID_ARGUMENT: .*float32|f32")


def test_no_result():
    call = callbridge.torch.custom_call("copy_typed", (), has_side_effect=True)
    refused(call, xla(torch.ones(1)), match="(?s)^UNIMPLEMENTED: target 'copy_typed'.*no result")


def test_an_operand_that_is_written_to():
    call = copy(mutated_operands=(0,))
    refused(call, xla(torch.ones(1)), match="(?s)^UNIMPLEMENTED: .*input_output_aliases")


def test_requires_grad():
    x = xla(torch.ones(1)).requires_grad_()
    message = r"FAILED_PRECONDITION: operands\[0\] requires grad"
    refused(copy(), x, match=f"^{message}")
    refused(copy(input_output_aliases={0: 0}), x * 1, match=f"^{message}")
    subclass = type("Subclass", (torch.Tensor,), {})
    refused(copy(), x.as_subclass(subclass), match=f"^{message}")
    assert type(copy()(x.detach().as_subclass(subclass))) is subclass
    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"operands\[0\] requires grad"):
        torch.compile(lambda x: copy()(x), backend="openxla")(x)
    with torch.no_grad():
        assert copy()(x).item() == 1


def test_a_result_that_the_function_refuses():
    def result(x):
        raise LookupError("no such shape")

    with pytest.raises(LookupError, match="no such shape"):
        callbridge.torch.custom_call("copy_typed", result)(xla(torch.ones(1)))


def test_a_result_of_another_size():
    fails(
        callbridge.torch.custom_call("copy_typed", "f32[3]"),
        xla(torch.ones(2)),
        match="sizes differ",
    )


def test_a_result_of_a_type_that_pytorch_xla_has_not():
    call = callbridge.torch.custom_call("copy_typed", "f8e5m2fnuz[2]")
    refused(
        call,
        xla(torch.zeros(2, dtype=torch.uint8)),
        match="(?s)^UNIMPLEMENTED: .*result is of torch.float8_e5m2fnuz, which PyTorch/XLA does",
    )


@pytest.mark.parametrize("platform", ["CUDA", "ROCM"])
def test_functions_of_a_gpu(platform):
    import ctypes

    function = ctypes.CFUNCTYPE(None)(lambda: None)
    name = f"of_{platform}"
    callbridge.torch.register(name, function, platform=platform, abi="original")
    call = callbridge.torch.custom_call(name, "f32[]", platform=platform)
    refused(call, xla(torch.ones(1)), match=f"^UNIMPLEMENTED: target '{name}' on {platform}")
