"""Abstract values, their classes and functions on them: what JAX removed, made anew.

Up to 0.4.35 JAX has abstract values of known values (ConcreteArray), and a function that makes them
shaped ones. Since then all are shaped, and what once made them so gives them back.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax._src import ad_util, core
from jax.errors import ConcretizationTypeError

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


# ---- Their classes -------------------------------------------------------------------------------


class ConcreteArray(core.ShapedArray):
    """The abstract value of a known value. JAX itself makes none any more."""

    __slots__ = ["val"]

    def __new__(cls, dtype: Any, val: Any, weak_type: bool = False) -> ConcreteArray:
        like = core.ShapedArray(np.shape(val), np.dtype(dtype), weak_type)
        made = object.__new__(cls)
        for kind in type(like).__mro__:
            for slot in getattr(kind, "__slots__", ()):
                if hasattr(like, slot) and not slot.startswith("__"):
                    object.__setattr__(made, slot, getattr(like, slot))
        return made

    def __init__(self, dtype: Any, val: Any, weak_type: bool = False):
        object.__setattr__(self, "val", val)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and self.dtype == other.dtype
            and self.shape == other.shape
            and bool(np.all(self.val == other.val))
        )

    def __hash__(self) -> int:
        return id(self.val)

    def __reduce__(self) -> Any:
        return ConcreteArray, (self.dtype, self.val, self.weak_type)

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ConcreteArray({self.val}, dtype={self.dtype.name}{weak})"

    __str__ = __repr__


class _OfShapedToo(type(core.AbstractValue)):  # type: ignore[misc]
    """The metaclass of a class that shaped arrays were subclasses of."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        is_shaped = cls is UnshapedArray and core.ShapedArray in subclass.__mro__
        return is_shaped or super().__subclasscheck__(subclass)


class UnshapedArray(core.AbstractValue, metaclass=_OfShapedToo):
    """An array of unknown shape. JAX itself makes none any more."""

    __slots__ = ["dtype", "weak_type"]
    array_abstraction_level = 4

    def __init__(self, dtype: Any, weak_type: bool = False):
        is_extended = jax.dtypes.issubdtype(dtype, jax.dtypes.extended)
        self.dtype = dtype if is_extended else np.dtype(dtype)
        self.weak_type = weak_type

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and self.dtype == other.dtype
            and self.weak_type == other.weak_type
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.weak_type))

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"UnshapedArray({self.dtype.name}{weak})"

    __str__ = __repr__

    def update(self, **changes: Any) -> UnshapedArray:
        return UnshapedArray(**{"dtype": self.dtype, "weak_type": self.weak_type, **changes})

    def str_short(self, short_dtypes: bool = False, mesh_axis_types: bool = False) -> str:
        return self.dtype.name


# Handlers that programs registered for abstract values of their own; all are shaped now.
raise_to_shaped_mappings: dict = {}
# Handlers of XLA shapes by abstract value; MLIR's types took their place.
xla_shape_handlers: dict = {}


def lattice_join(x: Any, y: Any) -> Any:
    """The abstract value that is both, but for weak types; of arrays of other shapes an
    UnshapedArray."""
    if x is None or y is None:
        return y if x is None else x
    if not core.typematch(x, y):
        if not hasattr(x, "dtype") or getattr(y, "dtype", None) != x.dtype:
            raise TypeError(f"{x} and {y} have no common abstract value")
        return UnshapedArray(x.dtype, x.weak_type and y.weak_type)
    if not getattr(x, "weak_type", False):
        return x
    return y


# ---- The error of bool() of a tracer, which an older JAX has no class of its own for -------------


class TracerBoolConversionError(ConcretizationTypeError):
    __module__ = "jax.errors"


def raises_error_of_bool(original: Callable) -> Callable:
    """Of the method of abstract values that raises where bool() is asked of their tracers."""

    @functools.wraps(original)
    def wrapper(self: Any, arg: Any) -> Any:
        try:
            return original(self, arg)
        except ConcretizationTypeError as error:
            # With JAX's text, which the constructor would make of the tracer.
            kind = TracerBoolConversionError
            raise kind.__new__(kind, *error.args) from None

    return wrapper
