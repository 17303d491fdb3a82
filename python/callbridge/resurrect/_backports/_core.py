"""Jaxprs, dimensions and traces: what jax.core has no more.

JAX had a stack of main traces until 0.4.36; now a trace knows the one that it was entered in.
Programs compare what they find at two times, to see whether they are in the same trace; and they
evaluate at once what would be traced (new_main(EvalTrace), new_base_main(EvalTrace)). Both still
work; a program's own traces do not.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Optional

import jax
import numpy as np
from jax._src import core, dtypes
from jax._src.core import Jaxpr

from callbridge.resurrect._backports._avals import get_aval  # type: ignore[attr-defined]

# JAX has one class of both since 0.12.
ClosedJaxpr = getattr(core, "ClosedJaxpr", Jaxpr)
Shape = Sequence[int]
# The value that had no value, and its variable: JAX has none since 2022.
unit = type("Unit", (), {"__repr__": lambda self: "*"})()
unitvar = type("UnitVar", (), {"__repr__": lambda self: "*"})()


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


def __getattr__(name: str) -> Any:
    if name == "token":  # its abstract value is jax.core.abstract_token
        return core.Token(np.zeros((), np.bool_))
    raise AttributeError(name)


# ---- Jaxprs --------------------------------------------------------------------------------------

# Rules of primitives that call functions, which JAX asks no more.
call_param_updaters: dict = {}
call_transpose_param_updaters: dict = {}

outfeed_primitives: set = {vars(jax.lax)["outfeed_p"]} if "outfeed_p" in vars(jax.lax) else set()


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


@dataclasses.dataclass(frozen=True)
class ReplicaAxisContext:
    """Where pmap's bodies were lowered; ModuleContext.axis_context is never one now."""

    axis_env: Any


def call(f: Any, *args: Any, **params: Any) -> Any:
    """Calls the function; jax.jit makes a call of its own in a jaxpr."""
    return f.call_wrapped(*args)


# ---- Dimensions and shapes -----------------------------------------------------------------------

# Dimensions are ints, or jax.export's symbolic ones, which have operators.


def sum_dim(*ds: Any) -> Any:
    return sum(ds)


def sum_shapes(*ss: Shape) -> tuple:
    return tuple(map(sum_dim, *ss))


def diff_dim(d1: Any, d2: Any) -> Any:
    return d1 - d2


def diff_shape(s1: Shape, s2: Shape) -> tuple:
    return tuple(map(diff_dim, s1, s2))


def definitely_equal(d1: Any, d2: Any) -> bool:
    return bool(core.definitely_equal(d1, d2))


def symbolic_equal_one_of_dim(d1: Any, dlist: Iterable) -> bool:
    return any(definitely_equal(d1, d2) for d2 in dlist)


def symbolic_equal_shape(s1: Shape, s2: Shape) -> bool:
    return len(s1) == len(s2) and all(map(definitely_equal, s1, s2))


def greater_equal_dim(d1: Any, d2: Any) -> bool:
    return bool(d1 >= d2)


def greater_equal_shape(s1: Shape, s2: Shape) -> bool:
    return all(map(greater_equal_dim, s1, s2))


def same_shape_sizes(s1: Shape, s2: Shape) -> bool:
    return bool(core.divide_shape_sizes(s1, s2) == 1)


def dilate_shape(s: Shape, dilations: Sequence[int]) -> tuple:
    return tuple(map(core.dilate_dim, s, dilations))


def stride_shape(s: Shape, window_size: Shape, window_stride: Shape) -> tuple:
    return tuple(map(core.stride_dim, s, window_size, window_stride))


def non_negative_dim(d: Any) -> Any:
    return core.max_dim(d, 0)


def is_special_dim_size(v: Any) -> bool:
    """Symbolic dimensions were special."""
    return not isinstance(v, (int, np.integer)) and core.is_dim(v)


def is_opaque_dtype(dtype: Any) -> bool:
    return bool(dtypes.issubdtype(dtype, dtypes.extended))


def has_opaque_dtype(x: Any) -> bool:
    return is_opaque_dtype(getattr(x, "dtype", None) or get_aval(x).dtype)


@dataclasses.dataclass(frozen=True, init=False, repr=False, eq=False)
class NamedShape:
    """The shape of an array with named axes, which were xmap's: sizes by position and by name."""

    positional: tuple
    _by_name: dict
    __match_args__ = ()

    def __init__(self, *args: Any, **kwargs: Any):
        object.__setattr__(self, "positional", core.canonicalize_shape(args))
        object.__setattr__(self, "_by_name", kwargs)

    positional_rank = property(lambda self: len(self.positional))
    named_rank = property(lambda self: len(self._by_name))
    rank = property(lambda self: self.positional_rank + self.named_rank)
    names = property(lambda self: self._by_name.keys())
    named_sizes = property(lambda self: self._by_name.values())
    named_items = property(lambda self: self._by_name.items())
    total = property(lambda self: math.prod((*self.positional, *self.named_sizes)))

    def __getitem__(self, index: Any) -> Any:
        return (self.positional if hasattr(index, "__index__") else self._by_name)[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple):
            other = NamedShape(*other)
        if not isinstance(other, NamedShape):
            return False
        return (self.positional, self._by_name) == (other.positional, other._by_name)

    def __hash__(self) -> int:
        return hash((self.positional, frozenset(self.named_items)))

    def __str__(self) -> str:
        if not self._by_name:
            return str(self.positional)
        named = ", ".join(f"{name}={size}" for name, size in self.named_items)
        return f"({', '.join(map(str, self.positional))}, {named})"


def as_named_shape(shape: Any) -> NamedShape:
    return shape if isinstance(shape, NamedShape) else NamedShape(*shape)


def join_named_shapes(*named_shapes: dict) -> dict:
    joined: dict = {}
    for sizes in named_shapes:
        for name, size in sizes.items():
            if joined.setdefault(name, size) != size:
                raise TypeError(f"axis {name} has two sizes: {joined[name]} and {size}")
    return joined


# ---- Main traces ---------------------------------------------------------------------------------


class MainTrace:
    """A trace that is entered; 0 is the level of the one that evaluates."""

    def __init__(self, level: int, trace_type: type, **payload: Any):
        self.level = level
        self.trace_type = trace_type
        self.payload = payload
        self.jaxpr_stack: tuple = ()
        self._trace: Any = None

    @classmethod
    def _of(cls, level: int, trace: Any) -> MainTrace:
        main = cls(level, type(trace))
        main._trace = trace
        return main

    def _key(self) -> tuple:
        return self.level, self.trace_type, id(self._trace)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MainTrace)
            and self._key() == other._key()
            and self.payload == other.payload
        )

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"MainTrace({self.level},{self.trace_type.__name__})"


@functools.total_ordering
class Sublevel:
    def __init__(self, level: int):
        self.level = level

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sublevel) and self.level == other.level

    def __lt__(self, other: object) -> bool:
        return isinstance(other, Sublevel) and self.level < other.level

    def __hash__(self) -> int:
        return hash(self.level)

    def __repr__(self) -> str:
        return str(self.level)


class _TraceStack:
    @property
    def stack(self) -> list[MainTrace]:
        """From the trace that evaluates to the current one."""
        traces: list = []
        trace: Any = core.trace_ctx.trace
        while trace is not None and not isinstance(trace, core.EvalTrace):
            traces.insert(0, trace)
            trace = getattr(trace, "parent_trace", None)
        return [
            MainTrace(0, core.EvalTrace),
            *(MainTrace._of(level, trace) for level, trace in enumerate(traces, 1)),
        ]

    @property
    def dynamic(self) -> MainTrace:
        """The innermost that traces whatever is computed: as jit's, unlike grad's."""
        tracing = [m for m in self.stack if m.trace_type.__name__ == "DynamicJaxprTrace"]
        return tracing[-1] if tracing else self.stack[0]


def dynamic_trace() -> Any:
    trace = core.trace_ctx.trace
    while type(trace).__name__ not in ("DynamicJaxprTrace", "EvalTrace"):
        trace = trace.parent_trace
    return trace


def find_top_trace(xs: Any) -> Any:
    """The current trace; of no tracers, the innermost of all that is computed: as jit's."""
    return core.find_top_trace(xs) if list(xs) else dynamic_trace()


class _TraceState:
    trace_stack = _TraceStack()

    @property
    def substack(self) -> list[Sublevel]:
        return [Sublevel(level) for level in range(cur_sublevel().level + 1)]

    @property
    def axis_env(self) -> list:
        return list(core.trace_ctx.axis_env.axis_sizes.items())


class _ThreadLocalState:
    trace_state = _TraceState()


thread_local_state = _ThreadLocalState()


class _Depth(threading.local):
    level = 0


_depth = _Depth()


def cur_sublevel() -> Sublevel:
    """How many new_sublevel() are entered."""
    return Sublevel(_depth.level)


@contextlib.contextmanager
def new_sublevel() -> Iterator[None]:
    """Told leaked tracers from others; JAX finds them by their traces now."""
    _depth.level += 1
    try:
        yield
    finally:
        _depth.level -= 1


@contextlib.contextmanager
def new_main(trace_type: type, dynamic: bool = False, **payload: Any) -> Iterator[MainTrace]:
    """Evaluates what is inside instead of tracing it, where `trace_type` is EvalTrace."""
    if not issubclass(trace_type, core.EvalTrace):
        raise NotImplementedError(
            f"callbridge.resurrect restores jax.core.new_main of EvalTrace, not of "
            f"{trace_type.__name__}: JAX has no main traces since 0.4.36, and a trace is set with "
            "jax.extend.core.set_current_trace"
        )
    with core.eval_context():
        yield MainTrace(0, trace_type, **payload)


new_base_main = new_main


@contextlib.contextmanager
def extend_axis_env(axis_name: Any, size: int, tag: Any) -> Iterator[None]:
    with core.extend_axis_env_nd([(axis_name, size)]):
        yield


def raise_as_much_as_possible(tracer: Any) -> Any:
    """Operations raise their operands by themselves."""
    return tracer


def apply_todos(todos: Iterable[Callable], outs: Any) -> Any:
    for todo in reversed(list(todos)):
        outs = list(todo(outs))
    return outs
