"""jax.ffi.ffi_call for the releases of JAX that have none, as a primitive of callbridge's own.

It has the meaning that jax.ffi has given it since: of vmap's methods, layouts, aliases and effects.
JAX's private names are used here alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax._src import core, dispatch, effects
from jax.interpreters import ad, batching, mlir

from callbridge.jax import _frozen_attributes, _transforms
from callbridge.jax._custom_call_op import VersionThreeConfig, custom_call_op
from callbridge.jax._runtimes import EFFECT_LISTS, PATHS
from callbridge.jax._transforms import VMAP_METHODS


def ffi_call(
    target_name: str,
    results: Sequence[Any],
    *,
    has_side_effect: bool,
    vmap_method: str | None,
    input_layouts: Sequence[Any] | None,
    output_layouts: Sequence[Any] | None,
    input_output_aliases: Mapping[int, int] | None,
    custom_call_api_version: int,
    legacy_backend_config: Any,
) -> Callable:
    """As jax.ffi.ffi_call, of a list of results; layouts and aliases have been checked.

    `legacy_backend_config` may also be a _handlers.VersionThreeConfig, which makes it of
    the shapes that the call is compiled for. The attributes are those that
    _frozen_attributes.freeze() makes.
    """
    if vmap_method not in VMAP_METHODS:
        raise ValueError(
            f"vmap_method must be one of {', '.join(map(repr, VMAP_METHODS))}; got {vmap_method!r}"
        )
    result_avals = tuple(
        core.ShapedArray(tuple(result.shape), np.dtype(result.dtype)) for result in results
    )

    def call(*operands, **attributes):
        avals = [jax.api_util.shaped_abstractify(operand) for operand in operands]
        return _ffi_call_p.bind(
            *operands,
            target_name=target_name,
            result_avals=result_avals,
            has_side_effect=has_side_effect,
            vmap_method=vmap_method,
            operand_layouts=_minor_to_major(avals, input_layouts),
            result_layouts=_minor_to_major(result_avals, output_layouts),
            aliases=tuple(sorted((input_output_aliases or {}).items())),
            api_version=custom_call_api_version,
            config=legacy_backend_config,
            attributes=tuple(sorted(attributes.items())),
        )

    return call


# ---- The parameters of a call -------------------------------------------------------------------


def _minor_to_major(
    avals: Sequence[Any], layouts: Sequence[Any] | None
) -> tuple[tuple[int, ...], ...]:
    """Layouts as XLA has them. Those of users are from major to minor; None is row-major."""
    return tuple(
        tuple(reversed(range(aval.ndim) if layout is None else layout))
        for aval, layout in zip(avals, layouts or [None] * len(avals))
    )


# ---- The primitive ------------------------------------------------------------------------------


class _SideEffect(effects.Effect):
    def __str__(self) -> str:
        return "callbridge"


_side_effect = _SideEffect()
for _name in EFFECT_LISTS:
    getattr(effects, _name).add_type(_SideEffect)


def make_primitive(name: str, lower: Callable) -> core.Primitive:
    """Makes a primitive of custom calls, with all of its rules.

    Args:
      name: in jaxprs and in errors.
      lower: the lowering rule. It gets the parameters that bind() is given: those that ffi_call()
        gives it and, where it needs more, others.
    """
    primitive = core.Primitive(name)
    primitive.multiple_results = True
    dispatch.simple_impl(primitive)
    primitive.def_effectful_abstract_eval(_abstract_eval)
    ad.primitive_jvps[primitive] = _no_derivative
    ad.primitive_transposes[primitive] = _no_derivative
    batching.primitive_batchers[primitive] = functools.partial(_batch, primitive)
    mlir.register_lowering(primitive, lower)
    _transforms.register_rules(primitive)
    return primitive


def _abstract_eval(*operands, result_avals, has_side_effect, **_):
    return list(result_avals), {_side_effect} if has_side_effect else core.no_effects


def _no_derivative(*_, target_name, **__):
    raise ValueError(
        f"The FFI call to `{target_name}` cannot be differentiated. "
        "You can use `jax.custom_jvp` or `jax.custom_jvp` to add support."
    )


def ffi_lowering(
    target_name: str,
    *,
    operand_layouts: Sequence[Sequence[int]],
    result_layouts: Sequence[Sequence[int]],
    backend_config: Any,
    api_version: int,
    has_side_effect: bool,
    operand_output_aliases: Mapping[int, int],
    extra_attributes: Mapping[str, Any] | None = None,
) -> Callable:
    """As jax.ffi.ffi_lowering, of what a call with these arguments lowers to."""

    def lower(context, *operands, **attributes):
        avals, layouts, config = context.avals_out, result_layouts, backend_config
        count = len(avals)
        if api_version == PATHS["typed"].custom_call_api_version:
            for_plugin = "cpu" not in context.module_context.platforms
            config = {
                name: _frozen_attributes.to_mlir(value, for_plugin)
                for name, value in attributes.items()
            }
        elif isinstance(config, VersionThreeConfig):
            config, scratch = config.opaque_for(context.avals_in, avals)
            if scratch:
                # A result that nobody sees: memory that XLA gives the call.
                avals = [*avals, core.ShapedArray((scratch,), np.dtype(np.uint8))]
                layouts = [*layouts, (0,)]
        shapes = None
        if not all(isinstance(size, int) for aval in avals for size in aval.shape):
            shapes = [_shape_tensor(context, aval.shape) for aval in avals]
        return custom_call_op(
            target_name,
            operands,
            [mlir.aval_to_ir_type(aval) for aval in avals],
            api_version=api_version,
            backend_config=config,
            has_side_effect=has_side_effect,
            operand_layouts=operand_layouts,
            result_layouts=layouts,
            aliases=operand_output_aliases,
            result_shapes=shapes,
            extra_attributes=extra_attributes,
        )[:count]

    return lower


def _lower(
    context,
    *operands,
    target_name,
    has_side_effect,
    operand_layouts,
    result_layouts,
    aliases,
    api_version,
    config,
    attributes,
    **_,
):
    lower = ffi_lowering(
        target_name,
        operand_layouts=operand_layouts,
        result_layouts=result_layouts,
        backend_config=config,
        api_version=api_version,
        has_side_effect=has_side_effect,
        operand_output_aliases=dict(aliases),
    )
    return lower(context, *operands, **dict(attributes))


def _shape_tensor(context, shape):
    from jax._src.interpreters import mlir as private

    return private.shape_tensor(private.eval_dynamic_shape(context, shape))


def _batch(primitive, operands, dimensions, *, vmap_method, **parameters):
    bind = functools.partial(primitive.bind, vmap_method=vmap_method, **parameters)

    def at_once(operands, is_batched, size):
        config = parameters["config"]
        return bind(
            *operands,
            config=config.batched(size) if isinstance(config, VersionThreeConfig) else config,
            result_avals=tuple(
                aval
                if aval is core.abstract_token
                else core.ShapedArray((size, *aval.shape), aval.dtype)
                for aval in parameters["result_avals"]
            ),
            operand_layouts=tuple(
                _batched_layout(layout) if batched else layout
                for layout, batched in zip(parameters["operand_layouts"], is_batched)
            ),
            result_layouts=tuple(map(_batched_layout, parameters["result_layouts"])),
        )

    return _transforms.batch(primitive.name, operands, dimensions, vmap_method, bind, at_once)


def _batched_layout(minor_to_major: tuple[int, ...]) -> tuple[int, ...]:
    return (*(dimension + 1 for dimension in minor_to_major), 0)


_ffi_call_p = make_primitive("callbridge_ffi_call", _lower)
