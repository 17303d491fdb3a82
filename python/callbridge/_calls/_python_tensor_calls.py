"""callbridge.torch's calls in Python, for where python/extension cannot be loaded.

Both have the same interface and pass the same tests.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from callbridge._core import _c_api
from callbridge._core._c_api import CallHandle

_uses = itertools.count()
_ALIGNMENT = 64
# Has no bytes to be read or written; a tensor without elements has no address.
_NOWHERE = (ctypes.c_char * (2 * _ALIGNMENT))()
_nowhere = ctypes.addressof(_NOWHERE) + -ctypes.addressof(_NOWHERE) % _ALIGNMENT


class Gpu(NamedTuple):
    """A GPU that calls are on."""

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


class Torch(NamedTuple):
    """What calls on tensors use of PyTorch."""

    tensor_type: type
    parameter_type: type
    forward_ad: dict[str, Any]  # of the module
    is_grad_enabled: Callable[[], bool]
    is_in_transform: Callable[[], bool]  # whether torch.func transforms what is called
    exchange_api: Any  # the capsule of DLPack's C functions, or None
    # Of a shape, strides and a dtype: a new tensor on the device.
    empty: Callable[[tuple[int, ...], tuple[int, ...], torch.dtype], torch.Tensor]
    gpu: Gpu | None  # None: the CPU


class BoundTensorCall:
    """A target bound to tensors of one form.

    Attributes:
      last_use: is the greater the later the call was last made.
    """

    __slots__ = ("last_use", "_handle", "_results", "_aliases", "_is_typed", "_ins", "_outs")

    def __init__(
        self,
        handle: CallHandle,
        operand_count: int,
        results: tuple[tuple[tuple[int, ...], tuple[int, ...], torch.dtype], ...],
        aliases: tuple[int, ...],
        is_typed: bool,
    ):
        """
        Args:
          handle: of a call with that many operands and results.
          results: the shape, strides and dtype of each.
          aliases: for each result the operand whose memory it is, or -1.
          is_typed: true for typed handlers, which get services.
        """
        self.last_use = next(_uses)
        self._handle = handle
        self._results = results
        self._aliases = aliases
        self._is_typed = is_typed
        self._ins = ctypes.c_void_p * operand_count
        self._outs = ctypes.c_void_p * len(results)

    def __call__(self, torch: Torch, tensors: tuple[torch.Tensor, ...]) -> Any:
        self.last_use = next(_uses)
        made = []
        results = []
        for form, alias in zip(self._results, self._aliases):
            if alias < 0:
                result = torch.empty(*form)
                made.append(result)
            else:
                result = tensors[alias]
            results.append(result)
        address: Callable[[Any], int | None] = _address
        if torch.gpu is not None:
            context, address = _context_on(torch.gpu, self._is_typed), _address_on_gpu
        else:
            context = _CPU[self._is_typed]
        # The lists are undefined after the call, so they are made for each.
        _c_api.call_execute(
            self._handle,
            self._ins(*map(address, tensors)),
            len(tensors),
            self._outs(*map(address, results)),
            len(results),
            context,
        )
        if len(made) == 1:
            return made[0]
        return tuple(made) if made else None


class TensorCaller:
    """Finds the BoundTensorCall for tensors, and calls it."""

    def __init__(
        self,
        torch: Torch,
        by_form: dict[Any, BoundTensorCall],
        bind: Callable[[Any, tuple[torch.Tensor, ...]], BoundTensorCall],
        prepare: Callable[[tuple[torch.Tensor, ...]], tuple[torch.Tensor, ...]],
        finish: Callable[[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]], None] | None,
        gradients_matter: bool,
    ):
        """
        Args:
          torch: what it uses.
          by_form: by keys that are made here; a call looks there first.
          bind: makes the BoundTensorCall for a key that is not in `by_form`, and for tensors.
          prepare: makes tensors plain ones, or raises an error.
          finish: is called with the tensors and the prepared ones after each call, if not None.
          gradients_matter: false if there is a rule for gradients. `prepare` checks that, so here
            nothing depends on it.
        """
        self._torch = torch
        self._by_form = by_form
        self._bind = bind
        self._prepare = prepare
        self._finish = finish

    def __call__(self, *tensors: torch.Tensor) -> Any:
        prepared = self._prepare(tensors)
        key = tuple([(tensor.dtype, tensor.shape) for tensor in prepared])
        bound = self._by_form.get(key)
        if bound is None:
            bound = self._bind(key, prepared)
        result = bound(self._torch, prepared)
        if self._finish is not None:
            self._finish(tensors, prepared)
        return result


class TensorFunction:
    """Finds the operator for operands, and calls it."""

    def __init__(
        self,
        torch: Torch,
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
        types = (self._torch.tensor_type, self._torch.parameter_type)
        for operand in operands:
            if type(operand) not in types:
                return self._call_any(operands)
        return found(*operands)


def _address(tensor: torch.Tensor) -> int:
    return tensor.data_ptr() or _nowhere


def _address_on_gpu(tensor: torch.Tensor) -> int | None:
    """Null if it has no elements, as from XLA:GPU."""
    return tensor.data_ptr() or None


_CPU = {
    is_typed: _c_api.ExecutionContext(as_xla_cpu=int(is_typed), keeps_floating_point=1)
    for is_typed in (False, True)
}


def _context_on(gpu: Gpu, is_typed: bool) -> _c_api.ExecutionContext:
    stream = gpu.check_stream(gpu.current_stream())
    context = _c_api.ExecutionContext(
        stream=stream, device=gpu.handle or None, keeps_floating_point=1
    )
    if is_typed:
        scratch = _c_api.FfiScratch(user=stream, allocate=gpu.allocate, free=gpu.free)
        services = _c_api.RuntimeServices(scratch=ctypes.pointer(scratch))
        context.services = ctypes.pointer(services)
    return context
