"""The operation stablehlo.custom_call, emitted inside a lowering rule of JAX, on every runtime.

By jaxlib's generic builder, since JAX's own function for it comes, goes, and changes its arguments,
and since the opaque must stay bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# The dictionary that makes a call a typed one, in a form that every release takes.
TYPED_BACKEND_CONFIG = "mhlo.backend_config"
_DYNAMIC_SHAPE_LAYOUT = (0,)


def custom_call_op(
    target_name: str,
    operands: Sequence[ir.Value],
    result_types: Sequence[ir.Type],
    *,
    api_version: int,
    backend_config: bytes | Mapping[str, ir.Attribute],
    has_side_effect: bool = False,
    operand_layouts: Sequence[Sequence[int]] | None = None,
    result_layouts: Sequence[Sequence[int]] | None = None,
    aliases: Mapping[int, int] | None = None,
    tuple_result: bool = False,
    result_shapes: Sequence[ir.Value] | None = None,
    extra_attributes: Mapping[str, ir.Attribute] | None = None,
) -> list[ir.Value]:
    """Emits the call where JAX is lowering to; its results, one for each of `result_types`.

    Args:
      target_name: as it is registered.
      operands: arrays.
      result_types: of the arrays that it gives.
      api_version: 1 to 3 for untyped targets, 4 for typed handlers.
      backend_config: the opaque of untyped targets, any bytes; the attributes of typed handlers.
      has_side_effect: XLA keeps the call where its results are not used.
      operand_layouts: for each operand its dimensions from minor to major; None: XLA chooses,
        which is row-major. Both layouts must be given, or neither.
      result_layouts: likewise.
      aliases: from operands to the results that share their memory.
      tuple_result: the target is handed a table of its results even where there is one. More or
        fewer than one always come in a table.
      result_shapes: a tensor of each result's dimensions, where some are known only at run time.
      extra_attributes: further attributes of the operation.
    """
    operands = list(operands)
    result_types = list(result_types)
    is_tuple = tuple_result or len(result_types) != 1
    attributes = {
        "call_target_name": ir.StringAttr.get(target_name),
        "has_side_effect": ir.BoolAttr.get(has_side_effect),
        "called_computations": ir.ArrayAttr.get([]),
        **config_attributes(api_version, backend_config),
        **(extra_attributes or {}),
    }
    if aliases:
        attributes["output_operand_aliases"] = ir.ArrayAttr.get(
            [_alias(operand, result, is_tuple) for operand, result in aliases.items()]
        )
    if result_shapes is not None:
        first = len(operands)
        operands += result_shapes
        attributes["indices_of_shape_operands"] = ir.DenseIntElementsAttr.get(
            np.arange(first, len(operands), dtype=np.int64)
        )
        if operand_layouts is not None:
            operand_layouts = [*operand_layouts, *[_DYNAMIC_SHAPE_LAYOUT] * len(result_shapes)]
    if operand_layouts is not None:
        attributes["operand_layouts"] = layouts_attribute(operand_layouts)
        assert result_layouts is not None
        attributes["result_layouts"] = layouts_attribute(result_layouts)
    if not tuple_result:
        return list(_build(stablehlo.CustomCallOp, result_types, operands, attributes))
    table = _build(
        stablehlo.CustomCallOp, [ir.TupleType.get_tuple(result_types)], operands, attributes
    )
    return [
        _build(stablehlo.GetTupleElementOp, [type_], list(table), {"index": i32_attribute(i)})[0]
        for i, type_ in enumerate(result_types)
    ]


def _build(op, results, operands, attributes):
    return op.build_generic(results=results, operands=operands, attributes=attributes).results


def config_attributes(
    api_version: int, backend_config: bytes | Mapping[str, ir.Attribute]
) -> dict[str, ir.Attribute]:
    """How the operation says by which version it calls, 1 to 4, and what it hands the target."""
    if isinstance(backend_config, bytes):
        return {
            "api_version": i32_attribute(api_version),
            "backend_config": ir.StringAttr.get(backend_config),
        }
    # As a call of version 1: not all releases take a dictionary as the operation's own
    # backend_config, and some lose the other one in a call of version 4.
    return {
        "api_version": i32_attribute(1),
        "backend_config": ir.StringAttr.get(b""),
        TYPED_BACKEND_CONFIG: ir.DictAttr.get(dict(backend_config)),
    }


def i32_attribute(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


def _alias(operand: int, result: int, is_tuple: bool) -> ir.Attribute:
    return stablehlo.OutputOperandAlias.get(
        output_tuple_indices=[result] if is_tuple else [],
        operand_index=operand,
        operand_tuple_indices=[],
    )


def layouts_attribute(layouts: Sequence[Sequence[int]]) -> ir.Attribute:
    """Returns a value for the operation's attributes operand_layouts and result_layouts."""
    return ir.ArrayAttr.get(
        [
            ir.DenseIntElementsAttr.get(np.asarray(layout, np.int64), type=ir.IndexType.get())
            for layout in layouts
        ]
    )
