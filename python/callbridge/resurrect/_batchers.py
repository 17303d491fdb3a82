"""Batching rules that packages gave their primitives, with the arguments that they had."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from jax._src.interpreters import batching


def vectorized_batcher(prim: Any, args: Any, dims: Any, **params: Any) -> Any:
    """The rule of primitives whose operands are all mapped along the same dimension."""
    return _call(batching.vectorized_batcher, prim, args, dims, params)


def broadcast_batcher(prim: Any, args: Any, dims: Any, **params: Any) -> Any:
    """The rule of primitives that broadcast their operands."""
    return _call(batching.broadcast_batcher, prim, args, dims, params)


def _call(rule: Callable, prim: Any, args: Any, dims: Any, params: dict) -> Any:
    # JAX's rules have got the axis as an argument, which these two do not look at.
    axis = (None,) if "axis_data" in inspect.signature(rule).parameters else ()
    return rule(prim, *axis, args, dims, **params)
