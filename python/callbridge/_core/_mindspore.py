"""What MindSpore's operators say of their calls: operator information, as CustomRegOp(...)
.get_op_info() returns it, and by an FInferShape the results that are left out."""

from __future__ import annotations

import ctypes
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from callbridge._core import _c_api, _call_site, _shapes
from callbridge._core._call_site import Attributes
from callbridge._core._error import CallbridgeError, utf_8
from callbridge.typing import Attributes as AttributeValues


class OperatorInfo:
    """What the author of a target declares of its calls.

    Attributes:
      text: the JSON text; empty if nothing is declared.
      handle: of the C API's; None if nothing is declared. It lives as long as this object.
      defaults: the attributes that a call may leave out.
    """

    def __init__(self, given: Any):
        """
        Args:
          given: the dict, or its JSON text; None declares nothing. It is copied.

        Raises:
          CallbridgeError: INVALID_ARGUMENT if it is not operator information.
          TypeError: if it is neither, or cannot be written as JSON.
        """
        self.text = b"" if given is None else _as_json(given)
        self.handle = None if given is None else _c_api.make_operator_info(self.text)
        self.defaults = {} if self.handle is None else _defaults(self.handle)

    def with_defaults(self, attributes: Any) -> Any:
        """Returns the attributes of a call, which XLA makes without Bind."""
        if self.defaults and (attributes is None or isinstance(attributes, Mapping)):
            return {**self.defaults, **(attributes or {})}
        return attributes

    def check(
        self,
        target: _c_api.Target,
        operands: tuple,
        result: Any,
        attributes: AttributeValues,
        operand_layouts: Sequence | None,
        result_layouts: Sequence | None,
    ) -> None:
        """Raises INVALID_ARGUMENT if a call is not allowed, which XLA makes without Bind.

        Something must be declared. Layouts are those of jax._arrays.checked_layouts(). Dimensions
        may be symbolic.
        """
        layouts = itertools.chain(
            operand_layouts or itertools.repeat(None, sum(map(_shapes.leaf_count, operands))),
            result_layouts or itertools.repeat(None),
        )
        given = Attributes(attributes)
        site = _call_site.site(
            operands,
            result,
            "nested",
            b"",
            lambda leaf, what: _leaf_text(leaf, what, next(layouts)),
            given.handle,
            self.handle,
        )
        _c_api.operator_info_check(target, site)


def _leaf_text(leaf: Any, what: str, layout: Sequence[int] | None) -> str:
    # A symbolic dimension counts as one, whatever its size.
    sizes = tuple(int(size) if isinstance(size, (int, np.integer)) else 0 for size in leaf.shape)
    text = _shapes.array_text(_shapes.ShapeDtype(sizes, leaf.dtype), what)
    if layout is None:
        return text
    return f"{text.partition('{')[0]}{{{','.join(map(str, reversed(layout)))}}}"


def _as_json(given: Any) -> bytes:
    if isinstance(given, Mapping):
        try:
            given = json.dumps(dict(given))
        except (TypeError, ValueError) as error:
            raise TypeError(f"operator_info: it cannot be written as JSON: {error}") from None
    if not isinstance(given, str):
        raise TypeError(
            "operator_info: expected a dict, as CustomRegOp(...).get_op_info() returns it, or its "
            f"JSON text; got {type(given).__name__}"
        )
    return utf_8(given, "operator_info")


def _defaults(handle: _c_api.OperatorInfoHandle) -> dict[str, Any]:
    visited: list[tuple] = []
    failures = []  # ctypes drops what a callback raises, KeyboardInterrupt included

    def visit(_user, name, kind, number, data, count):
        try:
            visited.append((name.decode(), kind, count, _value(kind, number, data, count)))
        except BaseException as failure:
            failures.append(failure)

    _c_api.operator_info_visit_defaults(handle, _c_api.AttributeVisitor(visit), None)
    if failures:
        raise failures[0]
    rest = iter(visited)
    defaults = {}
    for name, kind, count, value in rest:
        defaults[name] = _dictionary(rest, count) if kind == _c_api.ATTRIBUTE_DICTIONARY else value
    return defaults


def _dictionary(rest: Iterator[tuple], count: int) -> dict[str, Any]:
    """The next `count` attributes: those of a dictionary, whose values are arrays."""
    return {name: value for name, _, _, value in (next(rest) for _ in range(count))}


def _value(kind: int, number: int, data: int, count: int) -> Any:
    if kind == _c_api.ATTRIBUTE_DICTIONARY:
        return None
    if kind == _c_api.ATTRIBUTE_STRING:
        return ctypes.string_at(data, count)
    dtype = _shapes.BY_NUMBER[number].dtype
    array = np.frombuffer(ctypes.string_at(data, count * dtype.itemsize), dtype)
    return array.copy() if kind == _c_api.ATTRIBUTE_ARRAY else array[0]


# ---- Results that are left out ------------------------------------------------------------------

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
        dtypes = {_shapes.element_type(leaf.dtype): leaf.dtype for leaf in operands}
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
        _shapes.element_type(found[-1], "result")
    return found


def _sizes(operand: Any) -> list[int]:
    return [_size(size) for size in operand.shape]


def _size(size: Any) -> int:
    # JAX's and torch's symbols are neither.
    return int(size) if isinstance(size, (int, np.integer)) else _UNKNOWN
