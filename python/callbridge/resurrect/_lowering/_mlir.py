"""jax.interpreters.mlir and jaxlib.hlo_helpers, which lowering rules are made of.

custom_call() takes the names of its arguments of all years.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from callbridge.jax._custom_call_op import config_attributes, layouts_attribute
from callbridge.resurrect._lowering import _custom_call
from callbridge.resurrect._lowering._custom_call import merged_frontend_attributes
from callbridge.resurrect._registration._untyped import text

# ---- Custom calls --------------------------------------------------------------------------------


def custom_call(
    call_target_name: str | bytes,
    out_types: Sequence[ir.Type] | None = None,
    operands: Sequence[Any] = (),
    *,
    result_types: Sequence[ir.Type] | None = None,
    backend_config: str | bytes | dict[str, ir.Attribute] | None = "",
    has_side_effect: bool = False,
    result_shapes: Sequence[ir.Value] | None = None,
    called_computations: Sequence[str] = (),
    api_version: int = 2,
    operand_output_aliases: dict[int, int] | None = None,
    operand_layouts: Sequence[Sequence[int]] | None = None,
    result_layouts: Sequence[Sequence[int]] | None = None,
    extra_attributes: dict[str, ir.Attribute] | None = None,
) -> Any:
    """Builds stablehlo.custom_call where JAX lowers to.

    Args:
      call_target_name: as it is registered.
      out_types: what `result_types` was called up to JAX 0.4.13.
      operands: values, or operations of one result.
      result_types: of the results.
      backend_config: the opaque. A dictionary: the attributes of a typed handler.
      has_side_effect: XLA keeps the call where its results are not used.
      result_shapes: a tensor of each result's dimensions, where some are known only at run time.
      called_computations: names of functions in the module.
      api_version: of the call, which a target of callbridge's is not called by (_custom_call.py).
      operand_output_aliases: from operands to the results that share their memory.
      operand_layouts: for each operand its dimensions from minor to major.
      result_layouts: likewise.
      extra_attributes: of the operation.

    Returns:
      The operation.
    """
    if (out_types is None) == (result_types is None):
        raise TypeError("custom_call: expected either result_types or out_types")
    target = text(call_target_name)
    types = list(out_types or result_types or ())
    operands = [_custom_call.value(operand) for operand in operands]
    has_layouts = operand_layouts is not None or result_layouts is not None
    if isinstance(backend_config, dict):
        changed = _custom_call.rewritten_typed(target, operands, types, backend_config, has_layouts)
    else:
        config = backend_config or b""
        backend_config = config.encode() if isinstance(config, str) else config
        changed = _custom_call.rewritten(
            target, api_version, operands, types, backend_config, has_layouts
        )
    attributes = {
        "call_target_name": ir.StringAttr.get(target),
        **config_attributes(api_version, backend_config),
    }
    if changed is not None:
        operands = changed.operands
        attributes = changed.form.attributes()
        if changed.layouts is not None:
            operand_layouts, result_layouts = changed.layouts
    attributes.update(
        has_side_effect=ir.BoolAttr.get(has_side_effect),
        called_computations=ir.ArrayAttr.get(
            [ir.FlatSymbolRefAttr.get(name) for name in called_computations]
        ),
    )
    if operand_output_aliases is not None:
        attributes["output_operand_aliases"] = ir.ArrayAttr.get(
            [
                stablehlo.OutputOperandAlias.get(
                    output_tuple_indices=[result] if len(types) > 1 else [],
                    operand_index=operand,
                    operand_tuple_indices=[],
                )
                for operand, result in operand_output_aliases.items()
            ]
        )
    if result_shapes is not None:
        first = len(operands)
        operands = [*operands, *result_shapes]
        attributes["indices_of_shape_operands"] = ir.DenseIntElementsAttr.get(
            np.arange(first, len(operands), dtype=np.int64)
        )
        if operand_layouts is not None:
            operand_layouts = [*operand_layouts, *[(0,)] * len(result_shapes)]
    if operand_layouts is not None:
        attributes["operand_layouts"] = layouts_attribute(operand_layouts)
    if result_layouts is not None:
        attributes["result_layouts"] = layouts_attribute(result_layouts)
    extra = dict(extra_attributes or {})
    attributes.update(merged_frontend_attributes(extra, attributes))
    return stablehlo.CustomCallOp.build_generic(
        results=types, operands=operands, attributes=attributes
    )


def hlo_custom_call(
    call_target_name: str | bytes,
    out_types: Sequence[ir.Type] | None = None,
    operands: Sequence[Any] = (),
    operand_layouts: Sequence[Sequence[int]] | None = None,
    result_layouts: Sequence[Sequence[int]] | None = None,
    backend_config: Any = "",
    has_side_effect: bool = False,
    api_version: int = 2,
    operand_output_aliases: dict[int, int] | None = None,
    result_shapes: Sequence[ir.Value] | None = None,
    **others: Any,
) -> Any:
    """jaxlib.hlo_helpers.custom_call: up to jaxlib 0.4.13, with `out_types`, its results come back,
    and later, with `result_types`, the operation."""
    operation = custom_call(
        call_target_name,
        out_types,
        operands,
        operand_layouts=operand_layouts,
        result_layouts=result_layouts,
        backend_config=backend_config,
        has_side_effect=has_side_effect,
        api_version=api_version,
        operand_output_aliases=operand_output_aliases,
        result_shapes=result_shapes,
        **others,
    )
    return operation if out_types is None else operation.results


# ---- Constants, types and shapes -----------------------------------------------------------------

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


def ir_constants(value: Any, canonicalize_types: bool = False) -> tuple:
    """The constants of a value: one, as no value has several any more."""
    make: Any = mlir.ir_constant  # which resurrect lets take this
    return (make(value, canonicalize_types=canonicalize_types),)


def token_type() -> ir.Type:
    return stablehlo.TokenType.get()


# ---- Computations --------------------------------------------------------------------------------


def xla_computation_to_mlir_module(xla_computation: Any) -> Any:
    """The MLIR module of an XlaComputation, in a context as JAX lowers in."""
    with mlir.make_ir_context():
        return ir.Module.parse(text_of(xla_computation))


def text_of(xla_computation: Any) -> Any:
    """The same module, as text or bytecode."""
    try:
        from jaxlib import _jax as xla
    except ImportError:
        from jaxlib import xla_extension as xla
    return xla.mlir.xla_computation_to_mlir_module(xla_computation)


# ---- What jaxlib's modules for GPUs said of them -------------------------------------------------

# Whether programs may register the module's lowerings of sparse matrices, which jaxlib removed: a
# handler that JAX registers itself is in their place.
cuda_is_supported = False
rocm_is_supported = False
