"""What calls on CUDA tensors refuse; each twice, and a good call after it."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
from callbridge.torch import CallbridgeError, custom_call  # noqa: E402
from recorded_calls import SIZE, count  # noqa: E402

A = np.arange(1, SIZE + 1, dtype=np.float32)


def on_device(device="cuda"):
    return torch.from_numpy(A).to(device)


def add(**options):
    return custom_call("torch_add", lambda a, b: a, **options)


def check_good():
    assert add()(on_device(), on_device()).cpu().tolist() == (A + A).tolist()


@pytest.mark.parametrize("by_operator", [False, True])
@pytest.mark.parametrize("order", [1, -1])
def test_tensors_on_two_kinds_of_devices(by_operator, order):
    x, y = (on_device(), on_device("cpu"))[::order]
    call = add().operator(x, x) if by_operator else add()
    message = rf"operands\[1\] is on the device {y.device}, operands before it on {x.device}; move"
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            call(x, y)
        check_good()


@pytest.mark.parametrize("by_operator", [False, True])
def test_tensors_on_two_gpus(by_operator, two_devices):
    x, y = map(on_device, two_devices)
    call = add().operator(x, x) if by_operator else add()
    for first, second in ((x, y), (y, x), (x, y)):
        message = f"is on the device {second.device}, operands before it on {first.device}; move"
        with pytest.raises(ValueError, match=message):
            call(first, second)
    assert call(y, y).device == y.device
    check_good()


def test_a_target_of_the_cpu():
    for call in (add(platform="cpu"), custom_call("torch_add_to", "f32[]")):
        for _ in range(2):
            with pytest.raises(NotImplementedError, match=r"pass its cpu\(\), or register it for"):
                call(on_device(), on_device())
    operands = torch.ones(2), torch.ones(2)
    assert add(platform="cpu")(*operands).tolist() == [2, 2]


def test_a_module():
    text = """HloModule doubles, entry_computation_layout={(f32[8]{0})->f32[8]{0}}
ENTRY main { p = f32[8]{0} parameter(0)  ROOT r = f32[8]{0} add(p, p) }
"""
    call = callbridge.torch.hlo_module(text)
    for _ in range(2):
        with pytest.raises(NotImplementedError, match=r"runs on the CPU; pass its cpu\(\)$"):
            call(on_device())
        assert call(on_device("cpu")).tolist() == (A + A).tolist()


def test_a_target_of_gpus():
    call = custom_call("typed_square", lambda x: x)
    message = r'registered for CUDA alone; pass its to\("cuda"\); with platform=.CUDA., custom_call'
    for _ in range(2):
        with pytest.raises(NotImplementedError, match=message):
            call(on_device("cpu"))
        with pytest.raises(NotImplementedError, match=message):
            call.operator(on_device())(on_device("cpu"))
    assert call(on_device()).cpu().tolist() == (A * A).tolist()


def test_a_platform_that_is_declared():
    """On the CPU it gets the host's memory."""
    call = custom_call("untyped_gpu_throws", "f32[]", platform="CUDA")
    for x in (torch.tensor(1.0), torch.tensor(1.0).to("cuda")):
        with pytest.raises(CallbridgeError, match="INTERNAL: CustomCall failed: .*thrown on a GPU"):
            call(x)


def test_failures():
    fails = custom_call("untyped_gpu_fails_with_opaque", "f32[]", opaque=b"no way")
    throws = custom_call("untyped_gpu_throws", "f32[]")
    typed = custom_call("typed_fails", "s32[]", platform="CUDA", attributes={"message": "wrong"})
    x = torch.tensor(1.5).to("cuda")
    for _ in range(2):
        with pytest.raises(CallbridgeError, match="INTERNAL: CustomCall failed: no way"):
            fails(x)
        with pytest.raises(CallbridgeError, match="INTERNAL: CustomCall failed: .*thrown on a GPU"):
            throws(x)
        with pytest.raises(ValueError, match="INVALID_ARGUMENT: wrong"):
            typed()
    good = custom_call("untyped_gpu_fails_with_opaque", "f32[]")
    assert good(x).cpu() == 1.5


def test_a_status_that_waits():
    call = custom_call("untyped_gpu_nonnegative", "f32[]")
    for _ in range(2):
        with pytest.raises(CallbridgeError, match="CustomCall failed: negative operand"):
            call(torch.tensor(-1.0).to("cuda"))
        assert call(torch.tensor(2.0).to("cuda")).cpu() == 2


@pytest.mark.filterwarnings("ignore")
def test_kinds_of_tensors():
    sparse = torch.sparse_coo_tensor(torch.tensor([[0, 1]]).to("cuda"), on_device()[:2], (8,))
    kinds = {
        "layout torch.sparse_coo": lambda: sparse,
        "is of dtype torch.complex32": lambda: torch.empty(8, dtype=torch.complex32, device="cuda"),
    }
    for message, make in kinds.items():
        for _ in range(2):
            with pytest.raises((NotImplementedError, ValueError), match=message):
                add()(on_device(), make())
    check_good()


def test_wrong_types_and_sizes():
    for wrong, message in (
        (on_device().to(torch.float32)[:3], "unequal sizes"),
        (torch.ones(SIZE, dtype=torch.float64).to("cuda"), "expected F32 but got F64"),
    ):
        for _ in range(2):
            with pytest.raises(ValueError, match=message):
                add()(on_device(), wrong)
    check_good()


def information(platform):
    return {
        "op_name": "add",
        "inputs": [{"index": 0, "name": "a"}, {"index": 1, "name": "b"}],
        "outputs": [{"index": 0, "name": "c"}],
        "dtype_format": [[["float32", ""], ["float32", ""], ["float32", ""]]],
        "target": platform,
    }


def test_operator_information_says_the_platform():
    for platform, good, bad in (("GPU", "cuda", "cpu"), ("CPU", "cpu", "cuda")):
        call = add(operator_info=information(platform))
        for _ in range(2):
            with pytest.raises(ValueError, match="INVALID_ARGUMENT"):
                call(on_device(bad), on_device(bad))
            assert call(on_device(good), on_device(good)).cpu().tolist() == (A + A).tolist()


def test_a_target_for_the_gpu_that_cannot_be_called_so(built):
    """The CPU's can be: what is wrong is said on a GPU alone."""
    function = ctypes_function()
    callbridge.torch.register("torch_scale", function, "CUDA", abi="original")
    call = custom_call("torch_scale", lambda x: x, attributes={"factor": np.float32(2)})
    assert call(torch.ones(2)).tolist() == [2, 2]
    for _ in range(2):
        with pytest.raises(ValueError, match="attributes"):
            call(on_device())
    assert call(torch.ones(2)).tolist() == [2, 2]


def ctypes_function():
    import ctypes

    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_size_t)(lambda *_: None)


def test_memory_runs_out(recorder):
    call = custom_call("recorder", f"f32[{2**40}]")
    for _ in range(2):
        # torch's own; it asks NVML for more than the stand-in has, before it says what it is.
        with pytest.raises(RuntimeError, match="out of memory|nvml"):
            call(on_device(), on_device())
    check_good()


def test_a_target_that_was_registered_later():
    """A function of custom_call() has the targets that were there when it was made."""
    name = "registered_later"
    callbridge.torch.register(name, ctypes_function(), "cpu", abi="original")
    before = custom_call(name, lambda x: x, opaque=count())
    callbridge.torch.register(name, ctypes_function(), "CUDA", abi="original")
    after = custom_call(name, lambda x: x, opaque=count())
    for _ in range(2):
        with pytest.raises(NotImplementedError, match="runs on the CPU"):
            before(on_device())
        assert after(on_device()).device.type == "cuda"
