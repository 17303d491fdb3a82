"""What packages registered for their primitives with jax.experimental.shard_map, up to 2025.

jax.shard_map asks the abstract values of results what they vary over, and has no such rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional, Union

import jax

# Values of whatever kind, and over which axes one is replicated: of annotations.
MaybeTracer = Union[Any, jax.core.Tracer]
RepType = Optional[set[Any]]  # noqa: UP045, for Python 3.9


def _decorator(prim: Any) -> Callable:
    """Of rules that nothing asks for."""
    return lambda rule: rule


register_check = register_rewrite = register_rule = _decorator


def register_standard(prim: Any) -> None:
    """Of a primitive whose results vary over all axes that an operand does."""


register_standard_check = register_standard_rewrite = register_norewrite = register_standard


def register_standard_collective(prim: Any) -> None:
    """Likewise, of one over named axes."""


register_reduction_collective = register_standard_collective
