"""What programs asked of JAX's stack of main traces, which it had until 0.4.36.

Now a trace knows the one that it was entered in. Programs compare what they find at two times, to
see whether they are in the same trace; and they evaluate at once what would be traced
(new_main(EvalTrace), new_base_main(EvalTrace)). Both still work; a program's own traces do not.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jax._src import core


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
