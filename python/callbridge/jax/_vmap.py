"""What jax.vmap makes of a call, by the methods that jax.ffi.ffi_call has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

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
