"""xla_client.Shape of NumPy dtypes, of MLIR types and of values."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError
from callbridge._core._shapes import TOKEN, ShapeDtype
from callbridge.jax._custom_call_op import i32_attribute


def dtype_to_etype(dtype: Any) -> Any:
    """Returns the xla_client.PrimitiveType of a NumPy dtype."""
    return Shape.array_shape(np.dtype(dtype), ()).xla_element_type()


def shape_from_pyval(value: Any) -> Shape:
    """The Shape of arrays and NumPy scalars, and of tuples of such."""
    if isinstance(value, tuple):
        return Shape.tuple_shape(tuple(map(shape_from_pyval, value)))
    array = np.asarray(value)
    return Shape.array_shape(array.dtype, array.shape)


def is_tuple(type_: ir.Type) -> bool:
    return isinstance(type_, ir.TupleType)


def elements(type_: ir.Type) -> list[ir.Type]:
    return [type_.get_type(i) for i in range(type_.num_types)]


def leaf_types(type_: ir.Type) -> list[ir.Type]:
    """The types of the arrays and tokens in it, in preorder."""
    if not is_tuple(type_):
        return [type_]
    return [leaf for element in elements(type_) for leaf in leaf_types(element)]


def take_apart(value: ir.Value) -> list[ir.Value]:
    """The arrays and tokens in a value, in preorder."""
    if not is_tuple(value.type):
        return [value]
    leaves = []
    for i, type_ in enumerate(elements(value.type)):
        element = stablehlo.GetTupleElementOp.build_generic(
            results=[type_], operands=[value], attributes={"index": i32_attribute(i)}
        )
        leaves += take_apart(element.results[0])
    return leaves


def shape_of(type_: ir.Type) -> Shape:
    """The Shape of a value that is being lowered, row-major."""
    if is_tuple(type_):
        return Shape.tuple_shape([shape_of(element) for element in elements(type_)])
    if is_token(type_):
        return Shape.token_shape()
    return Shape.array_shape(_dtype(type_), tuple(type_.shape))


def type_of(shape: Shape) -> ir.Type:
    if shape.is_tuple():
        return ir.TupleType.get_tuple([type_of(element) for element in shape.tuple_shapes()])
    if shape.is_token():
        return stablehlo.TokenType.get()
    return ir.RankedTensorType.get(
        shape.dimensions(), mlir.dtype_to_ir_type(np.dtype(shape.numpy_dtype()))
    )


def layout(shape: Shape) -> tuple[int, ...]:
    """An array's dimensions from minor to major; row-major where the Shape leaves it open."""
    if shape.is_token():
        return ()
    return tuple(shape.with_major_to_minor_layout_if_absent().layout().minor_to_major())


def row_major(type_: ir.Type) -> tuple[int, ...]:
    return () if is_token(type_) else tuple(reversed(range(type_.rank)))


def tree(type_: ir.Type) -> Any:
    """A shape tree, as callbridge._core._shapes has them; its arrays' dimensions are not known."""
    if is_tuple(type_):
        return tuple(tree(element) for element in elements(type_))
    dtype: Any = TOKEN if is_token(type_) else _dtype(type_)
    return ShapeDtype((), dtype)


def is_token(type_: ir.Type) -> bool:
    return not isinstance(type_, ir.RankedTensorType)


def _dtype(type_: ir.Type) -> np.dtype:
    return dtype_of(type_.element_type)


def dtype_of(element_type: ir.Type) -> np.dtype:
    name = str(element_type)
    dtype = _dtypes().get(name)
    if dtype is None:
        raise CallbridgeError("UNIMPLEMENTED", f"NumPy has no dtype for arrays of MLIR type {name}")
    return dtype


@functools.cache
def _dtypes() -> dict[str, np.dtype]:
    """By the text of the MLIR type. Those that NumPy or this JAX lacks are left out."""
    dtypes: dict[str, np.dtype] = {}
    for element in _shapes.BY_NUMBER.values():
        try:
            # bool comes before int1, which has the same.
            dtypes.setdefault(str(mlir.dtype_to_ir_type(element.dtype)), element.dtype)
        except (CallbridgeError, TypeError):
            continue
    return dtypes
