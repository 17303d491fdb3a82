"""Attributes of MLIR as the Python values that callbridge's attributes are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxlib.mlir import ir

from callbridge import _element_types
from callbridge._error import CallbridgeError

_ARRAYS = {
    ir.DenseI8ArrayAttr: np.int8,
    ir.DenseI16ArrayAttr: np.int16,
    ir.DenseI32ArrayAttr: np.int32,
    ir.DenseI64ArrayAttr: np.int64,
    ir.DenseF32ArrayAttr: np.float32,
    ir.DenseF64ArrayAttr: np.float64,
}


def value_of(attribute: ir.Attribute) -> Any:
    """Returns a bool, str or bytes, a NumPy scalar or array, or a dict of such.

    Raises UNIMPLEMENTED for attributes of other kinds, which XLA's FFI does not decode either.
    """
    if ir.DictAttr.isinstance(attribute):
        entries = ir.DictAttr(attribute)
        return {
            entries[i].name: value_of(entries[i].attr) for i in range(len(entries))
        }
    if ir.StringAttr.isinstance(attribute):
        return ir.StringAttr(attribute).value_bytes
    if ir.BoolAttr.isinstance(attribute):
        return ir.BoolAttr(attribute).value
    for scalar in (ir.IntegerAttr, ir.FloatAttr):
        if scalar.isinstance(attribute):
            number = scalar(attribute)
            return _dtype(number.type).type(number.value)
    for array, dtype in _ARRAYS.items():
        if array.isinstance(attribute):
            return np.array(list(array(attribute)), dtype)
    if ir.DenseElementsAttr.isinstance(attribute):
        elements = ir.DenseElementsAttr(attribute)
        return np.array(elements).astype(_dtype(elements.type.element_type), copy=False)
    raise CallbridgeError(
        "UNIMPLEMENTED", f"XLA's FFI does not decode the attribute {attribute}; pass another kind"
    )


def _dtype(type_: ir.Type) -> np.dtype:
    name = str(type_)
    if name.startswith("ui"):
        return np.dtype(f"uint{name[2:]}")
    if name.startswith("i"):
        return np.dtype(bool if name == "i1" else f"int{name[1:]}")
    for element in _element_types.BY_NUMBER.values():
        if element.name == name:
            return element.dtype
    raise CallbridgeError("UNIMPLEMENTED", f"NumPy has no dtype for values of MLIR type {name}")
