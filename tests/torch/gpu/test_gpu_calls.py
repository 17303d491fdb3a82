"""Calls of every ABI on CUDA tensors, bit for bit against NumPy."""

import ctypes
import os

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.numpy  # noqa: E402
import callbridge.torch  # noqa: E402
from callbridge.torch import CallbridgeError, custom_call  # noqa: E402
from recorded_calls import SIZE, count  # noqa: E402

A = np.random.default_rng(1).standard_normal(SIZE).astype(np.float32)
B = np.random.default_rng(2).standard_normal(SIZE).astype(np.float32)
C = np.random.default_rng(3).standard_normal(SIZE).astype(np.float32)


def on_device(array, device="cuda"):
    return torch.from_numpy(array).to(device)


def same_bits(tensor, array):
    assert tensor.device.type == "cuda"
    found = tensor.cpu().numpy()
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == array.tobytes()


# ---- ABIs ---------------------------------------------------------------------------------------


def test_original():
    call = custom_call("untyped_gpu_square", lambda x: x, opaque=count())
    for _ in range(3):
        same_bits(call(on_device(A)), A * A)
    same_bits(call.operator(on_device(A))(on_device(B)), B * B)


def test_a_registered_library():
    call = custom_call("gpu_add", lambda a, b: a, opaque=b"8")
    same_bits(call(on_device(A), on_device(B)), A + B)


def trees(a, b, s, c):
    return a + b * c, a - c, s


@pytest.mark.parametrize("name", ["untyped_gpu_trees", "typed_trees"])
def test_nested_tuples(name):
    s = np.float32(7.5)
    result = f"(f32[{SIZE}],(f32[{SIZE}],f32[]))"
    call = custom_call(name, result, opaque=count() if name.startswith("untyped") else b"")
    operands = on_device(A), (on_device(B), torch.tensor(7.5).to("cuda")), on_device(C)
    for _ in range(2):
        first, (second, third) = call(operands[:2], operands[2])
        for found, expected in zip((first, second, third), trees(A, B, s, C)):
            same_bits(found, np.asarray(expected))


def test_status_returning():
    call = custom_call("untyped_gpu_add_opaque", "f32[]", opaque=b"\1\0\xff")
    same_bits(call(torch.tensor(0.5).to("cuda")), np.asarray(np.float32(256.5)))


def test_typed():
    call = custom_call("typed_square", lambda x: x)
    for size in (1, 5, SIZE, 1):
        same_bits(call(on_device(A[:size].copy())), A[:size] * A[:size])
    same_bits(custom_call("gpu_typed_add", lambda a, b: a)(on_device(A), on_device(B)), A + B)


def test_typed_handlers_of_genuine_headers(built):
    """Through the cross-version adapter, where the release needs it."""
    libraries = sorted((built / "gpu").glob("typed_[0-9]*.so"))
    assert libraries, "scripts/ffi_headers has XLA's headers; build gpu_standin with them"
    for path in libraries:
        library = ctypes.CDLL(str(path))
        for name in ("square", "scratch"):
            handler = getattr(library, f"gpu_typed_{name}")
            callbridge.torch.register(f"{name} {path.name}", handler, "CUDA", abi="typed_ffi")
        same_bits(custom_call(f"square {path.name}", lambda x: x)(on_device(A)), A * A)
        same_bits(custom_call(f"scratch {path.name}", lambda x: x)(on_device(A)), A)


def test_a_typed_handler_gets_scratch_memory():
    call = custom_call("typed_scratch", lambda x: x)
    for _ in range(3):
        same_bits(call(on_device(A)), A)


def test_scratch_memory_is_torchs(built):
    """Two blocks in a handler, and an operator's workspace, which are free after the call."""
    operator = custom_call(f"{built}/torch/torch_gpu_targets.so:GpuSquare", lambda x: x)
    for call, blocks in ((custom_call("typed_scratch", lambda x: x), 2), (operator, 1)):
        x = on_device(A)
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        result = call(x)
        assert torch.cuda.max_memory_allocated() - before == 512 * (1 + blocks)
        assert torch.cuda.memory_allocated() - before == 512
        del result


def test_scratch_memory_is_on_the_tensors_device(two_devices):
    call = custom_call("typed_scratch", lambda x: x)
    for device in two_devices:
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        x = on_device(A, device)
        same_bits(call(x), A)
        assert torch.cuda.max_memory_allocated(device) - before == 512 * 4


@pytest.mark.parametrize("size, alignment", [(2**50, 1), (20, 1024)])
def test_no_scratch_memory(size, alignment):
    def call(size, alignment):
        attributes = {"bytes": np.int64(size), "alignment": np.int64(alignment)}
        return custom_call("gpu_ordinal", "s32[5]", platform="CUDA", attributes=attributes)()

    for _ in range(2):
        with pytest.raises(CallbridgeError, match="no scratch memory"):
            call(size, alignment)
        assert call(20, 512).cpu().tolist() == [0] * 5


def test_an_aot_operator(built):
    path = f"{built}/torch/torch_gpu_targets.so:GpuSquare"
    for result in (lambda x: x, torch.float32, None):
        same_bits(custom_call(path, result)(on_device(A)), A * A)
    with pytest.raises(CallbridgeError, match="runs on the CPU; pass its cpu()"):
        custom_call(path, lambda x: x, platform="cpu")(on_device(A))


# ---- The device decides -------------------------------------------------------------------------


def test_tensors_of_either_device_have_their_target():
    call = custom_call("torch_add", lambda a, b: a)
    for _ in range(2):
        same_bits(call(on_device(A), on_device(B)), A + B)
        found = call(torch.from_numpy(A), torch.from_numpy(B))
        assert found.device.type == "cpu"
        assert found.numpy().tobytes() == (A + B).tobytes()


def test_each_device(two_devices):
    square = custom_call("typed_square", lambda x: x)
    untyped = custom_call("untyped_gpu_square", lambda x: x, opaque=count())
    for _ in range(2):
        for device in two_devices:
            for call in (square, untyped):
                found = call(on_device(A, device))
                assert found.device == device
                same_bits(found, A * A)


def test_device_ordinals(two_devices):
    for name in ("untyped_gpu_ordinal", "typed_ordinal"):
        call = custom_call(name, "s32[]")
        ordinal = call.operator if name.startswith("typed") else None
        for device in two_devices:
            if ordinal is None:
                assert call(on_device(A, device)).cpu() == device.index
            else:
                with torch.cuda.device(device):
                    found = call()
                assert found.device == device and found.cpu() == device.index


def test_without_operands_the_current_device(two_devices):
    call = custom_call("torch_meet", "s32[]", platform="CUDA", attributes={"others": np.int32(1)})
    with torch.cuda.device(1):
        assert call().cpu() == 1
    # That of a name which the CPU has too runs there.
    assert custom_call("torch_meet", "pred[]", attributes={"others": np.int32(1)})().device == (
        torch.device("cpu")
    )


def test_the_current_device_stays(recorder, two_devices):
    call = custom_call("recorder", lambda a, b: a)
    x = on_device(A, "cuda:1")
    assert torch.cuda.current_device() == 0
    call(x, x)
    assert recorder.last()[2] == 1
    assert torch.cuda.current_device() == 0
    call(x.to("cuda:0"), x.to("cuda:0"))
    assert recorder.last()[2] == 0


def test_each_device_has_a_state(two_devices):
    call = custom_call("typed_count", "s32[]", platform="CUDA")

    def calls_on(device):
        with torch.cuda.device(device):
            return int(call().cpu())

    assert [calls_on(device) for device in (0, 1, 0, 0, 1)] == [1, 1, 2, 3, 2]


# ---- Memory -------------------------------------------------------------------------------------


def test_pointers_are_those_of_the_tensors(recorder):
    call = custom_call("recorder", lambda a, b: a)
    a, b = on_device(A), on_device(B)
    for tensors in ((a, b), (b, a), (a.view(2, 4), b[4:])):
        result = call(*tensors)
        expected = [*(tensor.data_ptr() for tensor in tensors), result.data_ptr()]
        assert recorder.last()[1] == expected
        assert 0 not in expected


def test_what_is_not_aligned_is_copied(recorder):
    call = custom_call("recorder", lambda a, b: a)
    a = on_device(A)
    assert a[1:].data_ptr() % 16 != 0
    call(a[1:], a[:7])
    _, (first, second, _), _ = recorder.last()
    assert first != a[1:].data_ptr() and first % 16 == 0 and second == a.data_ptr()
    square = custom_call("typed_square", lambda x: x)
    same_bits(square(a[1:]), A[1:] * A[1:])


def test_empty_tensors_are_null(recorder):
    call = custom_call("recorder", lambda a, b: a)
    empty = torch.empty(0, 3, device="cuda")
    for operands in ((empty, on_device(A)), (on_device(A), empty)):
        call(*operands)
        expected = [tensor.data_ptr() or None for tensor in operands]
        assert recorder.last()[1][:2] == expected and None in expected
    assert call(empty, empty).shape == (0, 3)
    assert recorder.last()[1] == [None] * 3


def test_many_operands():
    """More than are kept on the C stack."""
    call = custom_call("gpu_typed_add", lambda *operands: operands[0])
    with pytest.raises(ValueError, match="INVALID_ARGUMENT"):
        call(*[on_device(A)] * 40)
    same_bits(call(on_device(A), on_device(B)), A + B)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64, torch.int8, torch.complex64])
def test_element_types(recorder, dtype):
    a = torch.zeros(4, dtype=dtype).to("cuda")
    result = custom_call("recorder", lambda a, b: a)(a, a)
    assert (result.dtype, result.device) == (dtype, a.device)


def test_aliases():
    call = custom_call("gpu_double_in_place", lambda x: x, opaque=b"8", input_output_aliases={0: 0})
    x = on_device(A)
    version = x._version
    assert call(x) is x
    assert x._version == version + 1
    same_bits(x, A + A)
    with pytest.raises(CallbridgeError, match="share memory"):
        custom_call("recorder", lambda a, b: a, mutated_operands=[0, 1])(x, x)


def test_results_are_torchs():
    """They are in the caching allocator's memory."""
    call = custom_call("typed_square", lambda x: x)
    x = on_device(A)
    call(x)
    before = torch.cuda.memory_allocated()
    result = call(x)
    assert torch.cuda.memory_allocated() - before == 512
    del result
    assert torch.cuda.memory_allocated() == before


def test_callbridge_numpy_takes_tensors(built):
    callbridge.numpy.load(built / "targets/gpu_targets.so")
    call = callbridge.numpy.custom_call("gpu_add", "f32[8]", opaque=b"8", device=0)
    found = call(on_device(A), on_device(B))
    same_bits(torch.as_tensor(found, device="cuda"), A + B)
    np.testing.assert_array_equal(call(on_device(A), B).numpy(), A + B)


def test_in_a_forked_process():
    call = custom_call("typed_square", lambda x: x)
    x = on_device(A)
    call(x)
    torch.cuda.synchronize()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            call(x)
        except (CallbridgeError, RuntimeError):
            code = 42
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    same_bits(call(x), A * A)
