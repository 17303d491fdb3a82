"""Results that are left out of calls: what an AOT operator's FInferShape says."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from callbridge._core import _c_api, _element_types, _shapes
from callbridge._core._attributes import Attributes
from callbridge._core._error import CallbridgeError
from callbridge._core._operator_info import OperatorInfo
from callbridge.typing import Attributes as AttributeValues

_UNKNOWN = -1  # a dimension


def _is_dtype(value: Any) -> bool:
    return isinstance(value, (np.dtype, type)) or (
        hasattr(value, "dtype") and not hasattr(value, "shape")
    )


def are_left_out(result: Any, is_dtype: Callable[[Any], bool] = _is_dtype) -> bool:
    """Returns whether `result` is None, a dtype or a plain tuple of dtypes, not empty."""
    if type(result) is tuple:
        return result != () and all(map(is_dtype, result))
    return result is None or is_dtype(result)


class InferredDimensions:
    """Those of the results of one target, with a call's attributes. Thread-safe.

    Attributes:
      name: the target's.
    """

    def __init__(
        self, target: _c_api.Target, declared: OperatorInfo, attributes: AttributeValues | None
    ):
        """
        Args:
          target: an AOT operator.
          declared: what the call is checked against, which may have defaults of attributes.
          attributes: the call's. They are copied.

        Raises:
          TypeError: if the target is no such operator.
        """
        self.name = (target.name or b"").decode(errors="surrogateescape")
        if not target.content:
            raise TypeError(
                f"result is required: target {self.name!r} is not an AOT operator of "
                "MindSpore (PATH:FUNCTION), whose FInferShape says what it returns"
            )
        self._target = target
        self._attributes = Attributes(declared.with_defaults(attributes) or {})

    def known_dimensions(self, operands: Sequence[Any], count: int) -> list[tuple[int, ...]]:
        """As dimensions(), with an error for those that are not known."""
        inferred = self.dimensions(operands, count)
        for sizes in inferred:
            if min(sizes, default=0) < 0:
                raise CallbridgeError(
                    "INVALID_ARGUMENT",
                    f"{self.name}InferShape returned {list(sizes)}, in which {min(sizes)} is "
                    "not known; pass result=",
                )
        return inferred

    def dimensions(self, operands: Sequence[Any], count: int) -> list[tuple[int, ...]]:
        """Returns those of each of `count` results; -1 is not known, (-2,) a rank that is not."""
        inferred: list[tuple[int, ...]] = []
        failures = []  # ctypes drops what a callback raises, KeyboardInterrupt included

        def visit(_user, dimensions):
            try:
                found = dimensions.contents
                inferred.append(tuple(found.sizes[: found.count]))
            except BaseException as failure:
                failures.append(failure)

        dimensions = [
            _c_api.Dimensions((ctypes.c_int64 * len(sizes))(*sizes), len(sizes))
            for sizes in map(_sizes, operands)
        ]
        _c_api.infer_dimensions(
            self._target,
            self._attributes.handle,
            (_c_api.Dimensions * len(dimensions))(*dimensions),
            len(dimensions),
            count,
            _c_api.DimensionsVisitor(visit),
            None,
        )
        if failures:
            raise failures[0]
        return inferred


class InferredResults(InferredDimensions):
    """The results of calls of one target, of NumPy's dtypes. Thread-safe."""

    def __init__(
        self,
        target: _c_api.Target,
        result: Any,
        declared: OperatorInfo,
        attributes: AttributeValues | None,
    ):
        """`result`: for which are_left_out() is true. The others: as for InferredDimensions().

        Raises:
          CallbridgeError: INVALID_ARGUMENT if a dtype is no element type.
          TypeError: if the target is no such operator, or what looks like a dtype is not one.
        """
        super().__init__(target, declared, attributes)
        self._is_tuple = type(result) is tuple
        self._dtypes = None if result is None else _dtypes(result)

    def tree(self, operands: Sequence[Any]) -> Any:
        """Returns the result's tree for the leaves of operands.

        Sizes that are no integers are not known to the operator.

        Raises:
          CallbridgeError: as callbridge_infer_dimensions(). INVALID_ARGUMENT if a size of the
            result is not known, and if the operands' dtypes differ and the result's was left out.
        """
        dtypes = self._dtypes if self._dtypes is not None else [self._common_dtype(operands)]
        inferred = self.known_dimensions(operands, len(dtypes))
        leaves = tuple(map(_shapes.ShapeDtype, inferred, dtypes))
        return leaves if self._is_tuple else leaves[0]

    def _common_dtype(self, operands: Sequence[Any]) -> Any:
        dtypes = {_element_types.element_type(leaf.dtype): leaf.dtype for leaf in operands}
        if len(dtypes) == 1:
            return next(iter(dtypes.values()))
        names = ", ".join(element.name for element in dtypes) or "none"
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"the result of {self.name} has the operands' dtype where it is left out, but they "
            f"have {names}; pass its dtype as result=",
        )


def _dtypes(result: Any) -> list[np.dtype]:
    found = []
    for value in result if type(result) is tuple else (result,):
        try:
            found.append(np.dtype(value))
        except TypeError:
            raise TypeError(f"result: expected a dtype, got {value!r}") from None
        _element_types.element_type(found[-1], "result")
    return found


def _sizes(operand: Any) -> list[int]:
    return [_size(size) for size in operand.shape]


def _size(size: Any) -> int:
    # JAX's and torch's symbols are neither.
    return int(size) if isinstance(size, (int, np.integer)) else _UNKNOWN
