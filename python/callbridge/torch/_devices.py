"""What calls on tensors use of PyTorch, on the CPU and on GPUs."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.autograd.forward_ad

from callbridge._calls import _bound_calls
from callbridge._calls._devices import open_device
from callbridge._calls._python_calls import OperandKind
from callbridge._core import _c_api
from callbridge.typing import Platform

# What torch's device type "cuda" is.
GPU: Platform = "ROCM" if torch.version.hip else "CUDA"

# Bytes, as XLA:CPU aligns its buffers, since old code may use aligned instructions.
ALIGNMENT = 64
# As XLA:GPU aligns parameters, since kernels load up to four elements at once.
GPU_ALIGNMENT = 16


class Gpu(NamedTuple):
    """A GPU that calls on tensors are on."""

    device: torch.device
    dlpack_type: int  # DLDeviceType
    alignment: int  # of tensors, in bytes
    handle: int  # the C API's device, or 0
    current_stream: Callable[[], int]
    # Returns the stream that the target gets, or raises an error. It may not be called for a stream
    # that was the last call's too.
    check_stream: Callable[[int], int]
    # Functions of callbridge_ffi_scratch, with the stream as `user`.
    allocate: int
    free: int

    def context(self, is_typed: bool) -> _c_api.ExecutionContext:
        stream = self.check_stream(self.current_stream())
        context = _c_api.ExecutionContext(
            stream=stream, device=self.handle or None, keeps_floating_point=1
        )
        if is_typed:
            scratch = _c_api.FfiScratch(user=stream, allocate=self.allocate, free=self.free)
            services = _c_api.RuntimeServices(scratch=ctypes.pointer(scratch))
            context.services = ctypes.pointer(services)
        return context


# ---- In Python, for where python/extension cannot be loaded -------------------------------------

# The classes of the module in C have the same interface and pass the same tests.

# Has no bytes to be read or written; a tensor without elements has no address.
_NOWHERE = (ctypes.c_char * (2 * ALIGNMENT))()
_nowhere = ctypes.addressof(_NOWHERE) + -ctypes.addressof(_NOWHERE) % ALIGNMENT

_ON_THE_CPU = {
    is_typed: _c_api.ExecutionContext(as_xla_cpu=int(is_typed), keeps_floating_point=1)
    for is_typed in (False, True)
}


class _Torch(OperandKind):
    """What calls on tensors use of PyTorch. They are the places of themselves.

    The form of a result is its shape, strides and dtype; operands need none.
    """

    def __init__(
        self,
        tensor_type: type,
        parameter_type: type,
        forward_ad: dict[str, Any],
        is_grad_enabled: Callable[[], bool],
        is_in_transform: Callable[[], bool],
        exchange_api: Any,
        empty: Callable[..., torch.Tensor],
        gpu: Gpu | None,
    ):
        """
        Args:
          forward_ad: of the module.
          is_in_transform: returns whether torch.func transforms what is called.
          exchange_api: the capsule of DLPack's C functions, or None.
          empty: of a shape, strides and a dtype: returns a new tensor on the device.
          gpu: None: the CPU.
        """
        self.tensor_types = (tensor_type, parameter_type)
        self.is_in_transform = is_in_transform
        self._empty = empty
        self._gpu = gpu

    def operand(self, form: None, operand: torch.Tensor, is_written: bool) -> torch.Tensor:
        return operand

    def result(self, form: tuple[tuple[int, ...], tuple[int, ...], torch.dtype]) -> torch.Tensor:
        return self._empty(*form)

    def address(self, place: torch.Tensor) -> int | None:
        """On a GPU null if it has no elements, as from XLA:GPU."""
        return place.data_ptr() or (_nowhere if self._gpu is None else None)

    def context(self, is_typed: bool) -> _c_api.ExecutionContext:
        return _ON_THE_CPU[is_typed] if self._gpu is None else self._gpu.context(is_typed)

    def returned(
        self,
        operands: Sequence[torch.Tensor],
        forms: Sequence[Any],
        places: Sequence[torch.Tensor],
        aliases: Sequence[int],
    ) -> list[torch.Tensor]:
        return [place for place, operand in zip(places, aliases) if operand < 0]


class _TensorFunction:
    """Finds the operator for operands, and calls it."""

    def __init__(
        self,
        torch: _Torch,
        operators: dict[int, Callable[..., Any]],
        call_any: Callable[[tuple], Any],
    ):
        """
        Args:
          torch: what it uses.
          operators: what torch calls, by the number of operands, if all are tensors.
          call_any: is called with the other operands, and in transforms.
        """
        self._torch = torch
        self._operators = operators
        self._call_any = call_any

    def call(self, operands: tuple) -> Any:
        """Calls the operator on a tuple of operands."""
        found = self._operators.get(len(operands))
        if found is None or self._torch.is_in_transform():
            return self._call_any(operands)
        for operand in operands:
            if type(operand) not in self._torch.tensor_types:
                return self._call_any(operands)
        return found(*operands)


if TYPE_CHECKING or _bound_calls.EXTENSION is None:
    Torch = _Torch
    TensorFunction = _TensorFunction
else:
    Torch, TensorFunction = _bound_calls.EXTENSION.Torch, _bound_calls.EXTENSION.TensorFunction


# ---- The CPU ------------------------------------------------------------------------------------


def _empty_on_cpu(
    shape: tuple[int, ...], strides: tuple[int, ...], dtype: torch.dtype
) -> torch.Tensor:
    """Returns an uninitialized tensor on the CPU."""
    return torch.empty(shape, dtype=dtype, device="cpu")


# What programs that torch.compile makes call, in a third of the time of torch.empty().
_guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)

_ON_ALL_DEVICES = (
    torch.Tensor,
    torch.nn.Parameter,
    vars(torch.autograd.forward_ad),
    torch.is_grad_enabled,
    torch._C._are_functorch_transforms_active,
    getattr(torch.Tensor, "__dlpack_c_exchange_api__", None),  # since torch 2.10
)

TORCH = Torch(*_ON_ALL_DEVICES, getattr(_guards, "_empty_strided_cpu", _empty_on_cpu), None)


# ---- GPUs ---------------------------------------------------------------------------------------

# CU_STREAM_LEGACY. For a null stream the C API takes the device's own, not torch's default one.
_DEFAULT_STREAM = 1

_DL_CUDA, _DL_ROCM = 2, 10

_IS_CUDA = GPU == "CUDA"


@functools.cache
def open_gpu(index: int) -> tuple[Torch, _c_api.ExecutionContext]:
    """What calls on that device use, and the context in which they are bound.

    Raises UNAVAILABLE if CUDA's driver cannot be used. On ROCm a target gets the stream and the
    pointers alone, since callbridge knows CUDA's driver only.
    """
    device = torch.device("cuda", index)
    current_stream = functools.partial(torch._C._cuda_getCurrentRawStream, index)
    if not _IS_CUDA:
        rocm = Gpu(device, _DL_ROCM, GPU_ALIGNMENT, 0, current_stream, _pass, *_SCRATCH)
        return Torch(*_ON_ALL_DEVICES, _empty_on(device), rocm), _c_api.ExecutionContext()
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
    return Torch(*_ON_ALL_DEVICES, _empty_on(device), cuda), context


def _empty_on(device: torch.device) -> Callable[..., torch.Tensor]:
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


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


# They live as long as the process.
_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)(
    _allocate
)
_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(_free)
_SCRATCH = _address(_ALLOCATE), _address(_FREE)
