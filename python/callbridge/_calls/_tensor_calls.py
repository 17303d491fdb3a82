"""Calls on tensors that are bound once for each form, and made often."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
import torch.autograd.forward_ad

from callbridge._calls import _extension
from callbridge._calls._python_tensor_calls import Gpu

if TYPE_CHECKING or _extension.MODULE is None:
    from callbridge._calls._python_tensor_calls import (
        BoundTensorCall,
        TensorCaller,
        TensorFunction,
        Torch,
    )
else:
    BoundTensorCall = _extension.MODULE.BoundTensorCall
    TensorCaller = _extension.MODULE.TensorCaller
    TensorFunction = _extension.MODULE.TensorFunction
    Torch = _extension.MODULE.Torch

__all__ = ["TORCH", "BoundTensorCall", "Gpu", "TensorCaller", "TensorFunction", "Torch", "on_gpu"]


def _empty(shape: tuple[int, ...], strides: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
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

TORCH = Torch(*_ON_ALL_DEVICES, getattr(_guards, "_empty_strided_cpu", _empty), None)


def on_gpu(empty: Callable[..., torch.Tensor], gpu: Gpu) -> Torch:
    """As TORCH, for the tensors of a GPU."""
    return Torch(*_ON_ALL_DEVICES, empty, gpu)
