"""jaxlib.hlo_helpers, which lowering rules inside and outside of jaxlib were made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from callbridge.resurrect._lowering._mlir_custom_call import hlo_custom_call  # noqa: F401

# A dimension, known now or only at run time.
DimensionSize = Union[int, ir.Value]  # noqa: UP007, for Python 3.9
ShapeTypePair = tuple[Sequence[DimensionSize], ir.Type]


def dtype_to_ir_type(dtype: Any) -> ir.Type:
    return mlir.dtype_to_ir_type(np.dtype(dtype))


def shape_dtype_to_ir_type(shape: Sequence[int], dtype: Any) -> ir.Type:
    return ir.RankedTensorType.get(shape, dtype_to_ir_type(dtype))


def hlo_const(x: np.ndarray) -> ir.Value:
    return _result(
        stablehlo.ConstantOp(ir.DenseElementsAttr.get(x, type=dtype_to_ir_type(x.dtype)))
    )


ir_constant = hlo_const


def hlo_u8(x: int) -> ir.Value:
    return hlo_const(np.array(x, np.uint8))


def hlo_s32(x: int) -> ir.Value:
    return hlo_const(np.array(x, np.int32))


ir_constant_u8 = hlo_u8
ir_constant_i32 = hlo_s32


def ensure_hlo_s32(x: DimensionSize) -> ir.Value:
    return hlo_s32(x) if isinstance(x, int) else x


def hlo_min(x: DimensionSize, y: DimensionSize) -> DimensionSize:
    if isinstance(x, int) and isinstance(y, int):
        return min(x, y)
    return _result(stablehlo.MinOp(ensure_hlo_s32(x), ensure_hlo_s32(y)))


def hlo_add(x: DimensionSize, y: DimensionSize) -> DimensionSize:
    if isinstance(x, int) and isinstance(y, int):
        return x + y
    return _result(stablehlo.AddOp(ensure_hlo_s32(x), ensure_hlo_s32(y)))


def dense_int_array(xs: Sequence[int]) -> ir.Attribute:
    return ir.DenseI64ArrayAttr.get(np.asarray(xs, np.int64))


def shape_tensor(sizes: Sequence[DimensionSize]) -> ir.Value:
    """The sizes as an s32 array of rank 1."""
    if all(isinstance(size, int) for size in sizes):
        return hlo_const(np.array(sizes, np.int32))
    one = shape_dtype_to_ir_type((1,), np.int32)
    scalar = shape_dtype_to_ir_type((), np.int32)
    parts = [
        _result(
            stablehlo.ReshapeOp(one, _result(stablehlo.ConvertOp(scalar, ensure_hlo_s32(size))))
        )
        for size in sizes
    ]
    dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
    return _result(stablehlo.ConcatenateOp(parts, dimension))


def mk_result_types_and_shapes(
    shape_type_pairs: Sequence[ShapeTypePair],
) -> tuple[list[ir.Type], list[ir.Value] | None]:
    """The types of results, and what custom_call() takes as `result_shapes`: None where all
    dimensions are known now."""
    types = [
        ir.RankedTensorType.get(
            [size if isinstance(size, int) else ir.ShapedType.get_dynamic_size() for size in shape],
            element,
        )
        for shape, element in shape_type_pairs
    ]
    if all(isinstance(size, int) for shape, _ in shape_type_pairs for size in shape):
        return types, None
    return types, [shape_tensor(shape) for shape, _ in shape_type_pairs]


def _result(operation: Any) -> ir.Value:
    return operation.result


def dense_bool_array(xs: Sequence[bool]) -> ir.Attribute:
    return ir.DenseBoolArrayAttr.get([bool(x) for x in xs])


def dense_bool_elements(xs: Sequence[bool]) -> ir.Attribute:
    # How MLIR takes packed booleans changed between jaxlibs.
    elements = ", ".join("true" if x else "false" for x in xs)
    return ir.Attribute.parse(f"dense<[{elements}]> : tensor<{len(xs)}xi1>")
