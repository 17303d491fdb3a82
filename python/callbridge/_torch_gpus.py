"""GPUs as torch numbers them: what calls on tensors there use of torch and of the C API."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import torch

from callbridge import _c_api, _tensor_calls, _torch_platforms
from callbridge._devices import open_device
from callbridge._tensor_calls import Gpu
from callbridge._torch_tensors import GPU_ALIGNMENT

# CU_STREAM_LEGACY. For a null stream the C API takes the device's own, not torch's default one.
_DEFAULT_STREAM = 1

_DL_CUDA, _DL_ROCM = 2, 10

_IS_CUDA = _torch_platforms.GPU == "CUDA"


@functools.cache
def open_gpu(index: int) -> tuple[_tensor_calls.Torch, _c_api.ExecutionContext]:
    """What calls on that device use, and the context in which they are bound.

    Raises UNAVAILABLE if CUDA's driver cannot be used. On ROCm a target gets the stream and the
    pointers alone, since callbridge knows CUDA's driver only.
    """
    device = torch.device("cuda", index)
    current_stream = functools.partial(torch._C._cuda_getCurrentRawStream, index)
    if not _IS_CUDA:
        rocm = Gpu(device, _DL_ROCM, GPU_ALIGNMENT, 0, current_stream, _pass, *_SCRATCH)
        return _tensor_calls.on_gpu(_empty(device), rocm), _c_api.ExecutionContext()
    opened = open_device(index)

    def check_stream(stream: int) -> int:
        if stream == 0:
            return _DEFAULT_STREAM
        opened.check_stream(stream)
        return stream

    cuda = Gpu(
        device, _DL_CUDA, GPU_ALIGNMENT, opened.handle, current_stream, check_stream, *_SCRATCH
    )
    context = _c_api.ExecutionContext(device=opened.handle)
    return _tensor_calls.on_gpu(_empty(device), cuda), context


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


# ---- Scratch memory -----------------------------------------------------------------------------

# Of torch's allocator, which has most of a device's memory, in the order of the stream. Called with
# the device current.

_TORCHS_ALIGNMENT = 512


def _allocate(stream: int | None, size: int, alignment: int) -> int | None:
    if alignment > _TORCHS_ALIGNMENT:
        return None
    torchs = 0 if stream in (None, _DEFAULT_STREAM) else stream
    try:
        return torch._C._cuda_cudaCachingAllocator_raw_alloc(max(size, 1), torchs)
    except RuntimeError:  # what the handler then gets says that there is no memory
        return None


def _free(stream: int | None, data: int | None, size: int) -> None:
    torch._C._cuda_cudaCachingAllocator_raw_delete(data)


# They live as long as the process.
_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)(
    _allocate
)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(_free)
_SCRATCH = _address(_ALLOCATE), _address(_FREE)


def _empty(device: torch.device) -> Callable[..., torch.Tensor]:
    def empty(shape: tuple[int, ...], strides: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device=device)

    return empty


def _pass(stream: int) -> int:
    return stream


def guarded(index: int, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel with that device current. The C API makes CUDA's current itself."""
    if _IS_CUDA:
        return kernel

    def on_device(*tensors: torch.Tensor) -> Any:
        with torch.cuda.device(index):
            return kernel(*tensors)

    return on_device
