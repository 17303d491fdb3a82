"""mlir.custom_call and hlo_helpers.custom_call, with the names of their arguments of all years."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from callbridge.jax._custom_call_op import config_attributes, layouts_attribute
from callbridge.resurrect._lowering import _custom_call
from callbridge.resurrect._lowering._custom_call import merged_frontend_attributes
from callbridge.resurrect._registration._untyped import text


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
