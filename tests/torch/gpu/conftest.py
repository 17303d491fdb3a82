"""GPU targets for the tests of callbridge.torch on CUDA tensors.

tests/torch/test_gpu.py runs them over the stand-in for CUDA's driver, which has none of torch's own
kernels: no arithmetic of torch's on CUDA tensors, nor copies of strided ones. On a machine with a
GPU, tests/torch has them as they are.
"""

import ctypes
import os
import pathlib
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from recorded_calls import Recorder  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def on_gpu(built, loaded):
    """Registers the targets. Skips all tests where torch has no device."""
    torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no CUDA device; ../test_gpu.py runs these over the stand-in for one")
    import callbridge.library
    import callbridge.torch

    callbridge.torch.load(built / "torch/torch_gpu_targets.so")
    callbridge.torch.load(built / "targets/gpu_targets.so")
    # Under other names than in tests/python/targets.so and gpu_targets.so.
    untyped = callbridge.library.load(str(built / "gpu/untyped.so"))
    for target in untyped.targets:
        function = ctypes.CFUNCTYPE(None)(target.address)
        callbridge.torch.register(f"untyped_{target.name}", function, "CUDA")
    typed = ctypes.CDLL(str(built / "gpu/typed_ours.so"))
    for name in ("square", "trees", "fails", "scratch", "ordinal"):
        handler = getattr(typed, f"gpu_typed_{name}")
        callbridge.torch.register(f"typed_{name}", handler, "CUDA", abi="typed_ffi")
    type_id, type_info = typed.gpu_call_counter_id, typed.gpu_call_counter_info
    type_id.restype = type_info.restype = ctypes.c_void_p
    callbridge.torch.register_type("gpu_call_counter", type_id(), type_info())
    stages = {"instantiate": typed.gpu_typed_count_instantiate, "execute": typed.gpu_typed_count}
    callbridge.torch.register("typed_count", stages, "CUDA", abi="typed_ffi")
    return untyped, typed  # they stay open


@pytest.fixture
def two_devices():
    import torch

    if torch.cuda.device_count() < 2:
        pytest.skip("this machine has one CUDA device")
    return torch.device("cuda:0"), torch.device("cuda:1")


@pytest.fixture
def held_streams():
    """The stand-in (`driver`), and its functions that hold all streams and let them go on: nothing
    that is enqueued starts between them."""
    if os.environ.get("CALLBRIDGE_GPU") == "device":
        pytest.skip("a real device's streams cannot be held, nor its driver's calls counted")
    driver = ctypes.CDLL("libcuda.so.1")
    return types.SimpleNamespace(
        driver=driver, hold=driver.standin_hold_streams, release=driver.standin_release_streams
    )


@pytest.fixture(scope="session")
def recorder(on_gpu):
    """Of two operands and a result."""
    return Recorder("recorder", 3)
