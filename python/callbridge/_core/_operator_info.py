"""Operator information, as MindSpore's CustomRegOp(...).get_op_info() returns it."""

from __future__ import annotations

import ctypes
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from callbridge._core import _c_api, _call_site, _element_types, _handles, _shapes
from callbridge._core._arguments import utf_8
from callbridge._core._attributes import Attributes
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
        self.handle = None if given is None else _handles.make_operator_info(self.text)
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


def _defaults(handle: _handles.OperatorInfoHandle) -> dict[str, Any]:
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
    dtype = _element_types.BY_NUMBER[number].dtype
    array = np.frombuffer(ctypes.string_at(data, count * dtype.itemsize), dtype)
    return array.copy() if kind == _c_api.ATTRIBUTE_ARRAY else array[0]
