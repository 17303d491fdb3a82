"""jax.ffi.ffi_call for the releases of JAX that have none, as a primitive of callbridge's own.

It has the meaning that jax.ffi has given it since: of vmap's methods, layouts, aliases and effects.
JAX's private names are used here alone.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax._src import core, dispatch, effects
from jax.interpreters import ad, batching, mlir

from callbridge import _jax_attributes
from callbridge._jax_custom_call_op import custom_call_op
from callbridge._jax_runtimes import EFFECT_LISTS, PATHS, RUNTIME

# The methods of vmap that call the target once: the size of the batch dimension that operands
# without one get; None: they get none; "all": the size that the others have.
_BATCH_SIZES = {"expand_dims": 1, "broadcast_all": "all", "legacy_vectorized": None}
_VMAP_METHODS = ("sequential", "sequential_unrolled", *_BATCH_SIZES, None)


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

    `legacy_backend_config` may also have a method opaque_for(operands, results) that makes it of
    the shapes that the call is compiled for; then it must be hashable. The attributes are those
    that _jax_attributes.freeze() makes.
    """
    if vmap_method not in _VMAP_METHODS:
        raise ValueError(
            f"vmap_method must be one of {', '.join(map(repr, _VMAP_METHODS))}; got {vmap_method!r}"
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

_ffi_call_p = core.Primitive("callbridge_ffi_call")
_ffi_call_p.multiple_results = True
dispatch.simple_impl(_ffi_call_p)


@_ffi_call_p.def_effectful_abstract_eval
def _abstract_eval(*operands, result_avals, has_side_effect, **_):
    return list(result_avals), {_side_effect} if has_side_effect else core.no_effects


def _no_derivative(*_, target_name, **__):
    raise ValueError(
        f"The call of {target_name!r} cannot be differentiated: give it a derivative with "
        "jax.custom_jvp or jax.custom_vjp"
    )


ad.primitive_jvps[_ffi_call_p] = _no_derivative
ad.primitive_transposes[_ffi_call_p] = _no_derivative


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
    avals = context.avals_out
    if api_version == PATHS["typed"].custom_call_api_version:
        for_plugin = "cpu" not in context.module_context.platforms
        config = {name: _jax_attributes.to_mlir(value, for_plugin) for name, value in attributes}
    elif hasattr(config, "opaque_for"):
        config = config.opaque_for(context.avals_in, avals)
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
        result_layouts=result_layouts,
        aliases=dict(aliases),
        result_shapes=shapes,
    )


def _shape_tensor(context, shape):
    from jax._src.interpreters import mlir as private

    return private.shape_tensor(private.eval_dynamic_shape(context, shape))


mlir.register_lowering(_ffi_call_p, _lower)


def _batch(operands, dimensions, *, vmap_method, **parameters):
    is_batched = [dimension is not batching.not_mapped for dimension in dimensions]
    operands = [
        jax.numpy.moveaxis(operand, dimension, 0) if batched else operand
        for operand, dimension, batched in zip(operands, dimensions, is_batched)
    ]
    size = next(operand.shape[0] for operand, batched in zip(operands, is_batched) if batched)
    bind = functools.partial(_ffi_call_p.bind, vmap_method=vmap_method, **parameters)
    if vmap_method in ("sequential", "sequential_unrolled"):
        results = _one_by_one(bind, operands, is_batched, size, vmap_method)
    elif vmap_method in _BATCH_SIZES:
        results = _at_once(bind, operands, is_batched, size, vmap_method, parameters)
    else:
        raise NotImplementedError(
            f"vmap of the call of {parameters['target_name']!r} needs a vmap_method, one of "
            f"{', '.join(map(repr, _VMAP_METHODS[:-1]))}"
        )
    return results, [0] * len(results)


batching.primitive_batchers[_ffi_call_p] = _batch


def _one_by_one(bind, operands, is_batched, size, vmap_method):
    def step(_, batched):
        batched = iter(batched)
        return (), bind(
            *(next(batched) if b else operand for operand, b in zip(operands, is_batched))
        )

    batched = [operand for operand, b in zip(operands, is_batched) if b]
    unroll = max(size, 1) if vmap_method == "sequential_unrolled" else 1
    return jax.lax.scan(step, (), batched, unroll=unroll)[1]


def _at_once(bind, operands, is_batched, size, vmap_method, parameters):
    """One call of arrays with one dimension more, the major one."""
    added = _BATCH_SIZES[vmap_method]
    if added is not None:
        added = size if added == "all" else added
        operands = [
            operand if batched else jax.lax.broadcast(operand, (added,))
            for operand, batched in zip(operands, is_batched)
        ]
        is_batched = [True] * len(operands)
    return bind(
        *operands,
        result_avals=tuple(
            core.ShapedArray((size, *aval.shape), aval.dtype) for aval in parameters["result_avals"]
        ),
        operand_layouts=tuple(
            _batched_layout(layout) if batched else layout
            for layout, batched in zip(parameters["operand_layouts"], is_batched)
        ),
        result_layouts=tuple(map(_batched_layout, parameters["result_layouts"])),
    )


def _batched_layout(minor_to_major: tuple[int, ...]) -> tuple[int, ...]:
    return (*(dimension + 1 for dimension in minor_to_major), 0)


def _make_known_to_shard_map() -> None:
    shard_map = importlib.import_module("jax.experimental.shard_map")
    for rule in RUNTIME.shard_map_rules:
        getattr(shard_map, rule)(_ffi_call_p)


_make_known_to_shard_map()
