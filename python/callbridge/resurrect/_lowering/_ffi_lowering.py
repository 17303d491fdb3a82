"""jax.ffi.ffi_lowering and jax.ffi.build_ffi_lowering_function, for releases that lack them.

A typed call reaches a handler that callbridge has by the path that callbridge.jax.custom_call()
would take: where XLA has no FFI, or not enough of it, as version 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.xla_client import XlaRuntimeError

from callbridge._core._error import CallbridgeError, find_platform
from callbridge.jax import _frozen_attributes, _registry
from callbridge.jax._runtimes import PATHS, RUNTIME
from callbridge.resurrect._lowering import _mlir, _typed_calls, _xla_shapes
from callbridge.resurrect._registration import _typed

TYPED_VERSION = PATHS["typed"].custom_call_api_version
_jaxs_mlir: Any = mlir  # releases differ in the parameters of its functions
_ATTRIBUTES = (bool, int, float, str, bytes, np.generic, np.ndarray, Mapping)


def minor_to_major(rank: int, layout: Any) -> tuple[int, ...]:
    """Returns a layout as XLA has it.

    Args:
      rank: of the array.
      layout: None, row-major; an object of a class of layouts; or dimensions from minor to major.
    """
    if layout is None:
        return tuple(reversed(range(rank)))
    if hasattr(layout, "major_to_minor"):
        if getattr(layout, "tiling", getattr(layout, "_tiling", None)) is not None:
            raise ValueError("The FFI does not support layouts with tiling")
        return tuple(layout.major_to_minor[::-1])
    return tuple(layout)


def build_ffi_lowering_function(
    call_target_name: str,
    *,
    operand_layouts: Sequence[Any] | None = None,
    result_layouts: Sequence[Any] | None = None,
    backend_config: Mapping[str, ir.Attribute] | str | None = None,
    skip_ffi_layout_processing: bool = False,
    **lowering_args: Any,
) -> Callable[..., Any]:
    """Returns a function that emits a call inside a lowering rule, and returns its operation.

    The function takes the rule's context, the operands and, as keywords, attributes.

    Args:
      call_target_name: as it is registered.
      operand_layouts: for each operand None, row-major; an object of a class of layouts; or its
        dimensions from minor to major.
      result_layouts: likewise.
      backend_config: of a typed call a dictionary of more attributes; the opaque of others.
      skip_ffi_layout_processing: XLA chooses the layouts.
      lowering_args: for mlir.custom_call: api_version, 4 unless given, result_types,
        result_shapes, has_side_effect, operand_output_aliases, called_computations and
        extra_attributes.
    """

    def lower(context: Any, *operands: Any, **parameters: Any) -> Any:
        given = {"api_version": TYPED_VERSION, **lowering_args}
        values = [value for operand in operands for value in _flat(operand)]
        if given.get("result_types") is None:
            given["result_types"] = _result_types(context)
        types = list(given["result_types"])
        if not skip_ffi_layout_processing:
            given["operand_layouts"] = _layouts([v.type for v in values], operand_layouts)
            given["result_layouts"] = _layouts(types, result_layouts)
        if "result_shapes" not in given:
            given["result_shapes"] = _result_shapes(context)
        if given["api_version"] < TYPED_VERSION:
            if parameters:
                raise ValueError(
                    "The use of ffi_call attributes requires a custom call API version of at least "
                    f"4; got api_version={given['api_version']}."
                )
            given["backend_config"] = backend_config
        else:
            if backend_config is not None and not isinstance(backend_config, Mapping):
                raise ValueError("When api_version > 4, backend_config must be a dictionary.")
            attributes = {**(backend_config or {}), **parameters}
            given.update(_typed_form(context, call_target_name, values, types, attributes))
        return _mlir.custom_call(call_target_name, operands=values, **given)

    return lower


def ffi_lowering(
    call_target_name: str,
    *,
    operand_layouts: Sequence[Any] | None = None,
    result_layouts: Sequence[Any] | None = None,
    backend_config: Mapping[str, ir.Attribute] | str | None = None,
    skip_ffi_layout_processing: bool = False,
    **lowering_args: Any,
) -> Callable[..., Any]:
    """Returns a lowering rule that calls a target. The arguments are those of
    build_ffi_lowering_function()."""
    build = build_ffi_lowering_function(
        call_target_name,
        operand_layouts=operand_layouts,
        result_layouts=result_layouts,
        backend_config=backend_config,
        skip_ffi_layout_processing=skip_ffi_layout_processing,
        **lowering_args,
    )

    def lower(context: Any, *operands: Any, **parameters: Any) -> Any:
        return build(context, *operands, **parameters).results

    return lower


# ---- Operands and results ------------------------------------------------------------------------


def _flat(operand: Any) -> Sequence[Any]:
    return operand if isinstance(operand, (tuple, list)) else [operand]


def _result_types(context: Any) -> list[ir.Type]:
    aval_to_types = _jaxs_mlir.aval_to_ir_types
    return [type_ for aval in context.avals_out for type_ in aval_to_types(aval)]


def _layouts(types: Sequence[ir.Type], layouts: Sequence[Any] | None) -> list[tuple[int, ...]]:
    ranks = [len(_xla_shapes.row_major(type_)) for type_ in types]
    return [
        minor_to_major(rank, layout)
        for rank, layout in zip(ranks, [None] * len(ranks) if layouts is None else layouts)
    ]


def _result_shapes(context: Any) -> list[Any] | None:
    shapes = [getattr(aval, "shape", ()) for aval in context.avals_out]
    if all(isinstance(size, int) for shape in shapes for size in shape):
        return None
    evaluate = _jaxs_mlir.eval_dynamic_shape
    return [_jaxs_mlir.shape_tensor(evaluate(context, shape)) for shape in shapes]


# ---- Typed calls ---------------------------------------------------------------------------------


def _typed_form(
    context: Any,
    target: str,
    operands: Sequence[ir.Value],
    result_types: Sequence[ir.Type],
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """Returns the api_version and the backend_config for custom_call(), which makes the call one
    of version 3 if XLA cannot make it as a typed one."""
    built = {name: value for name, value in attributes.items() if isinstance(value, ir.Attribute)}
    frozen = {name: freeze(value) for name, value in attributes.items() if name not in built}
    config = {
        **built,
        **{name: _frozen_attributes.to_mlir(value) for name, value in frozen.items()},
    }
    if _path(context, target, frozen) == "typed":
        return {"api_version": TYPED_VERSION, "backend_config": config}
    types = [operand.type for operand in operands]
    opaque = _typed_calls.descriptor(target, types, result_types, config)
    return {"api_version": PATHS["version_3"].custom_call_api_version, "backend_config": opaque}


def freeze(value: Any) -> Any:
    """Returns what _frozen_attributes makes of one attribute. Raises JAX's TypeError for what JAX
    has no attribute of."""
    if not isinstance(value, _ATTRIBUTES) and hasattr(value, "__jax_array__"):
        return freeze(value.__jax_array__())
    if not isinstance(value, _ATTRIBUTES):
        raise TypeError(f"No attribute handler defined for type: {type(value)}")
    if isinstance(value, np.complexfloating):
        raise TypeError(f"Unsupported scalar attribute type: {type(value)}")
    return _frozen_attributes.freeze({"attribute": value})["attribute"]


def _path(context: Any, target: str, attributes: dict[str, Any]) -> str:
    """Returns "version_3" for what XLA's FFI does not pass to a handler, and "typed" otherwise.

    Raises UNIMPLEMENTED for what this JAX cannot pass, and XLA's error if nothing is registered by
    that name, where XLA has no FFI; or that of a handler that waits for its type.
    """
    platforms = _platforms(context)
    entry = next(filter(None, (_typed_entry(target, platform) for platform in platforms)), None)
    if entry is None:
        _typed.check_is_typed(target)
    if entry is None and not RUNTIME.has_typed_ffi:
        raise XlaRuntimeError(
            f"UNIMPLEMENTED: No registered implementation for custom call to {target} for platform "
            f"{platforms[0]}"
        )
    if entry is not None and "version_3" in entry.paths:
        keeps_no_state = len(entry.handlers) > 1 and not RUNTIME.keeps_state
        if keeps_no_state or "typed" not in entry.paths or not _are_decoded(attributes, platforms):
            return "version_3"
    _check_decoded(attributes, platforms)
    return "typed"


def _platforms(context: Any) -> list[str]:
    """Returns the canonical names of the platforms that JAX lowers for."""
    module = context.module_context
    named = getattr(context, "platforms", None) or getattr(module, "platforms", None)
    return [find_platform(name) or name for name in named or [module.platform]]


def _typed_entry(target: str, platform: str) -> Any:
    """Returns callbridge's entry of a typed handler, which XLA has from now on, or None."""
    for entry in _registry.registry.entries(target):
        if entry.platform == platform and entry.abi == "typed_ffi":
            return _registry.registry.find(target, platform, None)
    return None


def _are_decoded(attributes: dict[str, Any], platforms: Sequence[str]) -> bool:
    try:
        _check_decoded(attributes, platforms)
    except CallbridgeError:
        return False
    return True


def _check_decoded(attributes: dict[str, Any], platforms: Sequence[str]) -> None:
    for platform in platforms:
        _frozen_attributes.check_typed(attributes, platform)
