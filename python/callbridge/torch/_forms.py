"""The forms of tensors, and the results that custom_call() of callbridge.torch is given.

A result is a tree of forms, or a function of the operands that returns one.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np
import torch

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError
from callbridge._core._shapes import ElementType

if not hasattr(torch.library, "register_fake"):
    raise ImportError(
        f"callbridge.torch needs torch 2.4 or newer, found {torch.__version__}; install a newer one"
    )


class TensorForm(NamedTuple):
    """The form of a tensor. Sizes may be torch.SymInt."""

    shape: tuple[Any, ...]
    dtype: torch.dtype


class NamedForm(NamedTuple):
    """The same for what knows no torch: the dtype is its name in NumPy."""

    shape: tuple[Any, ...]
    dtype: str


# Packed types have none: torch has no tensors of elements that share a byte.
_TORCH = {
    element.dtype_name: dtype
    for element in _shapes.BY_NUMBER.values()
    if element.bits >= 8
    and isinstance(dtype := getattr(torch, element.dtype_name, None), torch.dtype)
}
_NAMES = {dtype: name for name, dtype in _TORCH.items()}


def element_type(dtype: Any, what: str) -> ElementType:
    """Returns XLA's element type. Raises INVALID_ARGUMENT if there is none."""
    name = _NAMES.get(dtype)
    if name is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is of dtype {dtype}, which is not an element type of XLA's that torch has; "
            "convert it with to(), or pass its bits as integers with view()",
        )
    return _shapes.element_type(name)


def is_differentiable(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def size_bytes(form: TensorForm) -> int:
    size: int = form.dtype.itemsize
    for dimension in form.shape:
        size *= dimension
    return size


def text(form: TensorForm, what: str) -> str:
    """Such as "f32[8,4]". Sizes must be numbers."""
    return f"{element_type(form.dtype, what).name}[{','.join(map(str, form.shape))}]"


# ---- Results ------------------------------------------------------------------------------------


def parse_result(result: Any, what: str = "result") -> Any:
    """Returns the tree of forms that a text, an object with `shape` and `dtype`, or a plain tuple
    of these describes.

    Raises TypeError for anything else; INVALID_ARGUMENT for texts that are no shapes, for types
    that torch has not, and for negative sizes.
    """
    if isinstance(result, str):
        return _shapes.parse_text(result, _of_text)
    if type(result) is tuple:
        return tuple([parse_result(part, f"{what}[{i}]") for i, part in enumerate(result)])
    if isinstance(result, type) or not (hasattr(result, "shape") and hasattr(result, "dtype")):
        raise TypeError(
            f"{what}: expected a shape's text, a tensor or another object with shape and dtype, a "
            f"plain tuple of these, or a function that returns one, got {type(result).__name__}"
        )
    return TensorForm(_sizes(result.shape, what), parse_dtype(result.dtype, what))


def parse_dtype(dtype: Any, what: str) -> torch.dtype:
    """Returns torch's dtype for it or for NumPy's. INVALID_ARGUMENT if torch or XLA lacks it."""
    if not isinstance(dtype, torch.dtype):
        known = np.dtype(dtype) if isinstance(dtype, type) else dtype
        return _torch_dtype(_shapes.element_type(known, what), what)
    element_type(dtype, what)
    return dtype


def _of_text(shape: tuple[int, ...], element: ElementType) -> TensorForm:
    return TensorForm(shape, _torch_dtype(element, "result"))


def _torch_dtype(element: ElementType, what: str) -> torch.dtype:
    dtype = _TORCH.get(element.dtype_name)
    if dtype is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is of type {element.name}, which torch {torch.__version__} has no tensors of; "
            "callbridge.numpy has them",
        )
    return dtype


def _sizes(shape: Any, what: str) -> tuple[Any, ...]:
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"{what} has the shape {shape!r}: expected a tuple of sizes")
    sizes = tuple([_size(size, shape, what) for size in shape])
    for size in sizes:
        if isinstance(size, int) and size < 0:
            raise CallbridgeError(
                "INVALID_ARGUMENT", f"{what} has the shape {tuple(shape)}, with a negative size"
            )
    return sizes


def _size(size: Any, shape: Any, what: str) -> Any:
    if isinstance(size, torch.SymInt):
        return size
    try:
        return int(operator.index(size))
    except TypeError:
        raise TypeError(f"{what} has the shape {shape!r}: expected a tuple of sizes") from None


# ---- Skeletons: trees with None for each leaf ---------------------------------------------------


def skeleton(tree: Any) -> Any:
    return tuple([skeleton(part) for part in tree]) if type(tree) is tuple else None
