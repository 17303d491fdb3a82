"""Results that callbridge.torch's calls leave out: what an AOT operator's FInferShape says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from callbridge._core import _c_api, _mindspore, _shapes
from callbridge._core._error import CallbridgeError
from callbridge._core._mindspore import InferredDimensions, OperatorInfo
from callbridge.torch import _forms
from callbridge.torch._forms import TensorForm
from callbridge.typing import Attributes as AttributeValues


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
    return [_forms.parse_dtype(value, "result") for value in values]
