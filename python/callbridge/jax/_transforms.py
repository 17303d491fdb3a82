"""What JAX's transforms make of a call: jax.vmap's batches, jax.shard_map's varying axes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import jax

from callbridge._core._error import CallbridgeError
from callbridge.jax._runtimes import RUNTIME, jax_function

# ---- The axes of jax.shard_map ------------------------------------------------------------------

# Those of the mesh over which devices have values of their own. A call's results differ where its
# operands do. JAX knows it of a primitive by its types (`vma`, later `manual_axis_type`), or before
# jax 0.6 by a rule for each primitive. A result that does not say so passes for the same on all
# devices, and shard_map gives that of one. The ffi_call of some releases says what its caller
# states, and nothing of its operands.

_typeof = jax_function(RUNTIME.typeof)
_NONE: frozenset = frozenset()


def axes_of(*types: Any) -> frozenset:
    """Returns the axes over which one of them varies, of types of arrays or of stated results.

    Values that are still to be summed over an axis differ along it.
    """
    found = _NONE
    if RUNTIME.varying_axes is not None:
        for type_ in types:
            axes = getattr(type_, RUNTIME.varying_axes, None)
            if axes:
                found |= getattr(axes, "varying", axes) | getattr(axes, "unreduced", _NONE)
    return found


def _axes(type_: Any) -> Any:
    if RUNTIME.varying_axes is None:
        return _NONE
    return getattr(type_, RUNTIME.varying_axes, None) or _NONE


def unstated(result: Any) -> Any:
    """Returns the result without the axes that it states, which varying() adds.

    JAX takes them only together with a mesh.
    """
    axes = _axes(result)
    if not axes_of(result) or getattr(axes, "unreduced", None) or getattr(axes, "reduced", None):
        return result
    return jax.ShapeDtypeStruct(
        result.shape,
        result.dtype,
        sharding=getattr(result, "sharding", None),
        weak_type=getattr(result, "weak_type", False),
    )


def varying(
    call: Callable[..., Sequence[Any]], operands: Sequence[Any], results: Sequence[Any]
) -> Callable[..., Sequence[Any]]:
    """Returns the call; each of its results varies over the axes of all operands and its own.

    Args:
      call: a function of arrays, and of keywords.
      operands: their types.
      results: what is known of them, with the axes that the user states.
    """
    axes = axes_of(*operands)
    expected = [axes | axes_of(result) for result in results]
    if not any(expected):
        return call
    return lambda *arrays, **keywords: [
        _vary(array, axes) for array, axes in zip(call(*arrays, **keywords), expected)
    ]


def _vary(array: Any, axes: frozenset) -> Any:
    type_ = _typeof(array)
    missing = axes - axes_of(type_) - getattr(_axes(type_), "reduced", _NONE)
    if not missing:
        return array
    assert RUNTIME.vary is not None
    name, keywords = RUNTIME.vary
    try:
        return jax_function(name)(array, tuple(sorted(missing)), **dict(keywords))
    except (AssertionError, KeyError, NameError, ValueError) as error:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"a result states that it varies over {', '.join(map(repr, sorted(missing)))}; "
            "expected axes over which jax.shard_map runs this call",
        ) from error


def register_rules(primitive: Any) -> None:
    """Registers a primitive of many results with the shard_map of releases before jax 0.6."""
    if RUNTIME.shard_map_rules:
        shard_map = importlib.import_module("jax.experimental.shard_map")
        for name in RUNTIME.shard_map_rules:
            register = getattr(shard_map, name)
            if name == "register_check":
                register(primitive)(_same_axes)
            else:
                register(primitive)


def _same_axes(mesh: Any, *operands: set | None, **_: Any) -> set:
    """The axes along which all results are the same: constants, None, are along all."""
    known = [axes for axes in operands if axes is not None]
    return set(mesh.axis_names).intersection(*known)


# ---- jax.vmap, by the methods that jax.ffi.ffi_call has ------------------------------------------

# The methods that call the target once: the size of the batch dimension that operands without one
# get; None: they get none; "all": the size that the others have.
_BATCH_SIZES = {"expand_dims": 1, "broadcast_all": "all", "legacy_vectorized": None}
VMAP_METHODS = ("sequential", "sequential_unrolled", *_BATCH_SIZES, None)


def batch(
    primitive_name: str,
    operands: Sequence[Any],
    dimensions: Sequence[Any],
    vmap_method: str | None,
    call: Callable[..., Sequence[Any]],
    call_at_once: Callable[[Sequence[Any], Sequence[bool], int], Sequence[Any]],
) -> tuple[Sequence[Any], list[int]]:
    """A batching rule.

    Args:
      primitive_name: for the error, which is JAX's.
      operands: those of the rule.
      dimensions: likewise.
      vmap_method: one of VMAP_METHODS.
      call: makes the call without a batch dimension.
      call_at_once: makes one call with a batch dimension in front. Its arguments: the operands,
        which of them have the dimension, and its size.
    """
    is_batched = [dimension is not None for dimension in dimensions]
    operands = [
        jax.numpy.moveaxis(operand, dimension, 0) if batched else operand
        for operand, dimension, batched in zip(operands, dimensions, is_batched)
    ]
    size = next(operand.shape[0] for operand, batched in zip(operands, is_batched) if batched)
    if vmap_method in ("sequential", "sequential_unrolled"):
        results = _one_by_one(call, operands, is_batched, size, vmap_method)
    elif vmap_method in _BATCH_SIZES:
        added = _BATCH_SIZES[vmap_method]
        if added is not None:
            operands = broadcast(operands, is_batched, size if added == "all" else 1)
            is_batched = [True] * len(operands)
        results = call_at_once(operands, is_batched, size)
    else:
        raise NotImplementedError(
            f"vmap is only supported for the {primitive_name} primitive when vmap_method is one of "
            "'sequential', 'sequential_unrolled', 'expand_dims', 'broadcast_all', or "
            f"'legacy_vectorized'. Got {vmap_method=}."
        )
    return results, [0] * len(results)


def broadcast(operands: Sequence[Any], is_batched: Sequence[bool], size: Any) -> list:
    return [
        operand if batched else jax.lax.broadcast(operand, (size,))
        for operand, batched in zip(operands, is_batched)
    ]


def _one_by_one(call, operands, is_batched, size, vmap_method):
    def step(_, batched):
        batched = iter(batched)
        return (), call(
            *(next(batched) if b else operand for operand, b in zip(operands, is_batched))
        )

    batched = [operand for operand, b in zip(operands, is_batched) if b]
    unroll = max(size, 1) if vmap_method == "sequential_unrolled" else 1
    return jax.lax.scan(step, (), batched, unroll=unroll)[1]
