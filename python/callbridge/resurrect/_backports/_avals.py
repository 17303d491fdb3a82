"""Small functions on abstract values that JAX removed, made anew.

Up to 0.4.35 JAX has abstract values of known values (ConcreteArray), and a function that makes them
shaped ones. Since then all are shaped, and what once made them so gives them back.
"""

from __future__ import annotations

import inspect
from typing import Any

import jax
import numpy as np

try:
    from jax import typeof as get_aval
except ImportError:
    from jax.core import get_aval

try:
    from jax.core import raise_to_shaped
except ImportError:
    raise_to_shaped = None
# 0.4.36 to 0.5 have it without its second parameter.
if raise_to_shaped is None or "weak_type" not in inspect.signature(raise_to_shaped).parameters:

    def raise_to_shaped(aval: Any, weak_type: bool | None = None) -> Any:
        return aval if weak_type is None else aval.update(weak_type=weak_type)


from jax._src import ad_util

array_types = {np.ndarray, *(np.dtype(c).type for c in "?bhilBHILefdFD"), jax.Array}

# Of batching rules: the operand has no batch dimension.
not_mapped = None


def concrete_aval(x: Any) -> Any:
    return get_aval(x)


def make_shaped_array(x: Any) -> Any:
    return raise_to_shaped(get_aval(x))


def abstractify(x: Any) -> Any:
    return raise_to_shaped(get_aval(x))


def canonicalize_dtype(x: Any) -> Any:
    """`x` itself, of a type that JAX computes with: 32 bits for 64 where x64 is disabled."""
    return jax.numpy.asarray(x)


def zeros_like_array(x: Any) -> jax.Array:
    return jax.lax.full_like(x, 0)


def instantiate_zeros_aval(aval: Any, tangent: Any) -> Any:
    return ad_util.zeros_like_aval(aval) if type(tangent) is ad_util.Zero else tangent


def manual_axis_type(axes: Any) -> Any:
    """That of values that vary over the axes."""
    return get_aval(0.0).manual_axis_type.update(varying=frozenset(axes))


def wrap_init(f: Any, params: dict | None = None, *, debug_info: Any = None) -> Any:
    """jax.linear_util.wrap_init, which JAX also asks for debugging information now."""
    from jax.extend import linear_util

    if "debug_info" not in inspect.signature(linear_util.wrap_init).parameters:
        return linear_util.wrap_init(f, params)
    from jax._src import api_util

    if debug_info is None:
        debug_info = api_util.debug_info("wrap_init", f, (), {})
    return linear_util.wrap_init(f, params, debug_info=debug_info)
