"""Classes and functions of jax.core that are gone, made of what JAX has."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, Optional

import jax
import numpy as np
from jax._src import core
from jax._src.core import Jaxpr

# JAX has one class of both since 0.12.
ClosedJaxpr = getattr(core, "ClosedJaxpr", Jaxpr)


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


class JaxprDebugInfo(NamedTuple):
    traced_for: str
    func_src_info: Optional[str]  # noqa: UP045, for Python 3.9
    arg_names: tuple
    result_paths: tuple


@dataclasses.dataclass(frozen=True)
class InDBIdx:
    val: int


@dataclasses.dataclass(frozen=True)
class OutDBIdx:
    val: int


# Handlers that programs registered for abstract values of their own; all are shaped now.
raise_to_shaped_mappings: dict = {}
# Handlers of XLA shapes by abstract value; MLIR's types took their place.
xla_shape_handlers: dict = {}

outfeed_primitives: set = {jax.lax.outfeed_p} if "outfeed_p" in vars(jax.lax) else set()


def __getattr__(name: str) -> Any:
    if name == "token":  # its abstract value is jax.core.abstract_token
        return core.Token(np.zeros((), np.bool_))
    raise AttributeError(name)


def jaxpr_uses_outfeed(jaxpr: Any) -> bool:
    """Returns true if an equation of it, or of a jaxpr inside, is an outfeed."""
    return any(primitive_uses_outfeed(eqn.primitive, eqn.params) for eqn in jaxpr.eqns)


def primitive_uses_outfeed(prim: Any, params: dict) -> bool:
    inside = traverse_jaxpr_params(jaxpr_uses_outfeed, params)
    return prim in outfeed_primitives or any(inside.values())


def traverse_jaxpr_params(f: Callable, params: dict) -> dict:
    """`f` of each jaxpr among the parameters, by their names; of several in one, of the last."""
    results = {}
    for name, value in params.items():
        for part in value if isinstance(value, (tuple, list)) else [value]:
            if isinstance(part, (Jaxpr, ClosedJaxpr)):
                results[name] = f(part)
    return results


def used_axis_names_jaxpr(jaxpr: Any) -> frozenset:
    """The axes that it has effects on."""
    return frozenset(
        effect.name for effect in jaxpr.effects if isinstance(effect, core.NamedAxisEffect)
    )


def used_axis_names(primitive: Any, params: dict) -> frozenset:
    names = params.get("axis_name", params.get("axes", ()))
    names = names if isinstance(names, (tuple, list)) else (names,)
    used = {name for name in names if isinstance(name, str)}
    return frozenset(used.union(*traverse_jaxpr_params(used_axis_names_jaxpr, params).values()))


def check_valid_jaxtype(x: Any) -> None:
    if not core.valid_jaxtype(x):
        raise TypeError(f"{x!r} of type {type(x)} is not a JAX type")


def str_eqn_compact(primitive: Any, params: dict) -> str:
    """`name[parameter=value ...]`, without parameters that are jaxprs or functions."""
    left = {
        name: value
        for name, value in params.items()
        if not isinstance(value, (Jaxpr, ClosedJaxpr))
        and not str(type(value).__name__).endswith(("Jaxpr", "function"))
    }
    name = getattr(primitive, "name", primitive)
    if not left:
        return f"{name}"
    return f"{name}[{' '.join(f'{key}={value}' for key, value in left.items())}]"


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


def as_hashable_function(closure: Any) -> Callable:
    """A decorator: functions of equal closures are equal."""

    def decorate(f: Callable) -> _HashableFunction:
        return _HashableFunction(f, closure)

    return decorate


class _HashableFunction:
    def __init__(self, f: Callable, closure: Any):
        self.f = f
        self.closure = closure

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _HashableFunction)
            and self.f.__code__ is other.f.__code__
            and self.closure == other.closure
        )

    def __hash__(self) -> int:
        return hash((self.f.__code__, self.closure))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **kwargs)


class AxisEnv(NamedTuple):
    """Of how many replicas a program was, and the named axes of pmap that they are of."""

    nreps: int
    names: tuple = ()
    sizes: tuple = ()


@dataclasses.dataclass(frozen=True)
class ReplicaAxisContext:
    """Where pmap's bodies were lowered; ModuleContext.axis_context is never one now."""

    axis_env: Any


def call(f: Any, *args: Any, **params: Any) -> Any:
    """Calls the function; jax.jit makes a call of its own in a jaxpr."""
    return f.call_wrapped(*args)


# ---- Constructors of jaxprs' parts that took others by position ----------------------------------


def var(original: Callable) -> Callable:
    """Takes Var(count, suffix, aval), as JAX 0.4.13, Var(suffix, aval), as until 0.5, or Var(aval),
    whichever of them JAX takes."""
    parameters = list(inspect.signature(original).parameters)
    before = parameters[1 : parameters.index("aval")]  # self is the first
    position = len(before)
    of_jax = inspect.unwrap(original)

    @functools.wraps(original)
    def wrapper(self: Any, *args: Any, **keywords: Any) -> None:
        # As JAX itself calls it, in each traced bind.
        if not keywords and len(args) > position and not isinstance(args[position], (int, str)):
            return of_jax(self, *args)
        given = 0
        while given < len(args) and isinstance(args[given], (int, str)):
            given += 1
        if len(args) > given or "aval" in keywords:
            values = dict(zip(("count", "suffix")[2 - given :], args[:given]))  # noqa: B905, for Python 3.9
            if "count" in before and "count" not in {**values, **keywords}:
                values["count"] = next(_counts)
            if "suffix" in before and "suffix" not in keywords:
                values.setdefault("suffix", "")
            args = args[given:]
            keywords.update({name: value for name, value in values.items() if name in before})
            if args:
                keywords["aval"], *args = args  # type: ignore[assignment]
        return original(self, *args, **keywords)

    return wrapper


# Of variables without a count, after those that JAX counts.
_counts = itertools.count(1 << 40)


def jaxpr_eqn(original: Any) -> Any:
    """Takes an equation without a context, as JAX 0.4.13. Its context is the present one."""
    is_static = isinstance(original, staticmethod)
    function = original.__func__ if is_static else original
    if "ctx" not in inspect.signature(function).parameters:
        return None

    @functools.wraps(function)
    def wrapper(self: Any, *args: Any, **keywords: Any) -> Any:
        if len(args) == 6 and "ctx" not in keywords:
            keywords["ctx"] = core.new_jaxpr_eqn(*args).ctx
        return function(self, *args, **keywords)

    return staticmethod(wrapper) if is_static else wrapper
