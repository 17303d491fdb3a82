"""Functions of jax.interpreters.ad and batching, and of jax.lax, that are gone."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax._src import core
from jax.interpreters import ad

# Rules of primitives that call functions, which JAX asks no more.
call_param_updaters: dict = {}
call_transpose_param_updaters: dict = {}
# Rules that were asked where vmap has spmd_axis_name; JAX passes it to the others now.
spmd_axis_primitive_batchers: dict = {}


class CustomJVPException(Exception):
    """Custom JVP rules were not applied in a function's transpose. JAX raises TypeErrors now."""


def replace_float0s(primal: Any, tangent: Any) -> Any:
    """Zeros like the primal for a tangent of a type that has none."""
    is_float0 = jax.dtypes.result_type(tangent) == jax.dtypes.float0
    return jax.lax.full_like(primal, 0) if is_float0 else tangent


def recast_to_float0(primal: Any, tangent: Any) -> Any:
    """A symbolic zero for the tangent of a primal whose type has none."""
    dtype = core.primal_dtype_to_tangent_dtype(jax.dtypes.result_type(primal))
    if dtype != jax.dtypes.float0:
        return tangent
    return ad.Zero(core.ShapedArray(np.shape(primal), dtype))


def unpair_pval(pval: Any) -> tuple:
    """Two partial values for one of pairs: `(avals or None, constants)`."""
    avals, constants = pval
    first, second = constants
    if avals is None:
        return (None, first), (None, second)
    return (avals[0], first), (avals[1], second)


def zeros_like_batched(batched_args: Any, batch_dims: Any) -> tuple:
    (operand,), (dimension,) = batched_args, batch_dims
    return jax.lax.full_like(operand, 0), dimension


def tie_in(x: Any, y: Any) -> Any:
    """`y`; tracing orders values by itself."""
    return y


def scan_bind(*args: Any, **params: Any) -> Any:
    return jax.lax.scan_p.bind(*args, **params)
