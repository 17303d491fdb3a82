"""The forms of tensors, and the results that custom_call() of callbridge.torch is given.

A result is a tree of forms, or a function of the operands that returns one.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from callbridge._core import _c_api, _mindspore, _shapes
from callbridge._core._error import CallbridgeError
from callbridge._core._mindspore import InferredDimensions, OperatorInfo
from callbridge._core._shapes import ElementType
from callbridge.typing import Attributes as AttributeValues

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


# ---- Results that are left out: what an AOT operator's FInferShape says -------------------------


def are_left_out(result: Any) -> bool:
    """As _mindspore.are_left_out(), for torch's dtypes and NumPy's."""
    return _mindspore.are_left_out(result, _is_dtype)


def _is_dtype(value: Any) -> bool:
    return isinstance(value, (torch.dtype, np.dtype)) or (
        isinstance(value, type) and issubclass(value, np.generic)
    )


class InferredResult:
    """The function of the operands that callbridge.torch has for such a result. Thread-safe.

    Two are equal if they are made of equal results.

    Attributes:
      skeleton: the result's nesting, with None for each tensor.
    """

    def __init__(
        self,
        target: _c_api.Target,
        result: Any,
        declared: OperatorInfo,
        attributes: AttributeValues | None,
    ):
        """Raises as InferredDimensions(), and INVALID_ARGUMENT for types that torch has not."""
        self._inferred = InferredDimensions(target, declared, attributes)
        self._is_tuple = type(result) is tuple
        self._dtypes = None if result is None else _dtypes(result)
        count = 1 if self._dtypes is None else len(self._dtypes)
        self.skeleton = (None,) * count if self._is_tuple else None
        # By which operators of equal targets differ.
        self.__qualname__ = f"InferredResult({self._is_tuple}, {self._dtypes})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InferredResult) and self.__qualname__ == other.__qualname__

    def __hash__(self) -> int:
        return hash(self.__qualname__)

    def __call__(self, *operands: Any) -> Any:
        """Returns the tree of forms. Raises as InferredResults.tree()."""
        tensors = _shapes.leaves(operands, "operands")
        dtypes = self._dtypes if self._dtypes is not None else [self._common_dtype(tensors)]
        forms = [
            TensorForm(sizes, dtype) for sizes, dtype in zip(self._sizes(tensors, dtypes), dtypes)
        ]
        return tuple(forms) if self._is_tuple else forms[0]

    def _sizes(self, tensors: Sequence[Any], dtypes: Sequence[Any]) -> list[tuple[int, ...]]:
        inferred = self._inferred.dimensions(tensors, len(dtypes))
        if min((size for sizes in inferred for size in sizes), default=0) < 0:
            # Sizes that torch.compile keeps symbolic become constants of the program.
            constant = [TensorForm(tuple(map(int, t.shape)), t.dtype) for t in tensors]
            inferred = self._inferred.known_dimensions(constant, len(dtypes))
        return inferred

    def _common_dtype(self, tensors: Sequence[Any]) -> torch.dtype:
        dtypes = dict.fromkeys(tensor.dtype for tensor in tensors)
        if len(dtypes) == 1:
            return next(iter(dtypes))
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"the result of {self._inferred.name} has the operands' dtype where it is left out, "
            f"but they have {', '.join(map(str, dtypes)) or 'none'}; pass its dtype as result=",
        )


def _dtypes(result: Any) -> list[torch.dtype]:
    values = result if type(result) is tuple else (result,)
    return [parse_dtype(value, "result") for value in values]
