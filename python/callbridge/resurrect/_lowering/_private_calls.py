"""Private functions of JAX that packages call, and that take other arguments now: with theirs."""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any


class _BindParameters(dict):
    """The parameters of a bind; where they are unpacked, the functions that a program passes before
    the operands, and the parameters. There are none of the former: JAX has them among the latter.
    """

    def __iter__(self) -> Iterator:
        if _unpacks_two(sys._getframe(1)):
            return iter(([], dict(self)))
        return super().__iter__()


def _unpacks_two(frame: types.FrameType) -> bool:
    """Returns true at `a, b = value`."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return dis.opname[code[at]] == "UNPACK_SEQUENCE" and code[at + 1] == 2


def get_bind_params(original: Callable) -> Callable:
    """Gives programs a pair, as until 0.9."""

    @functools.wraps(original)
    def wrapper(primitive: Any, params: Any) -> Any:
        found = original(primitive, params)
        if isinstance(found, tuple) or _is_of_jax(sys._getframe(1)):
            return found
        return _BindParameters(found)

    return wrapper


def _is_of_jax(frame: types.FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("jax.")


def hash_of_tracer(original: Callable | None) -> Callable | None:
    """By identity, as until 0.4.35: programs have tracers among the keys of dictionaries, and in
    objects that they pass as functions."""
    if original is not None:
        return None

    def __hash__(tracer: Any) -> int:  # noqa: N807
        return object.__hash__(tracer)

    return __hash__


def find_top_trace(original: Callable) -> Callable:
    """Of no tracers, the innermost trace of all that is computed, as until 0.4.36: jit's, and not
    that of grad or vmap."""

    @functools.wraps(original)
    def wrapper(xs: Any) -> Any:
        from callbridge.resurrect._backports import _tracing

        return _tracing.find_top_trace(xs)

    return wrapper


def gensym(original: Callable) -> Callable:
    """Takes jaxprs whose variables it was to know, as until 0.4.14."""

    @functools.wraps(original)
    def wrapper(jaxprs: Any = None, suffix: str = "") -> Callable:
        if not inspect.signature(original).parameters:
            return original()
        return original(jaxprs if isinstance(jaxprs, str) else suffix)

    return wrapper


def new_jaxpr_eqn(original: Callable) -> Callable:
    """Takes no effects, as until 0.3.15."""

    @functools.wraps(original)
    def wrapper(
        invars: Any, outvars: Any, primitive: Any, params: Any, *others: Any, **options: Any
    ) -> Any:
        if not others:
            options.setdefault("effects", frozenset())
        return original(invars, outvars, primitive, params, *others, **options)

    return wrapper


def check_prng_key(original: Callable) -> Callable:
    """Takes the key alone, as until 0.4.25."""

    @functools.wraps(original)
    def wrapper(*args: Any, **options: Any) -> Any:
        if len(args) + ("key" in options) == 1:
            args = ("jax.random", *args)
        return original(*args, **options)

    return wrapper


def dtype(original: Callable) -> Callable:
    """Takes whether to make it one that JAX computes with, as until 0.6."""
    if "canonicalize" in inspect.signature(original).parameters:
        return original

    @functools.wraps(original)
    def wrapper(x: Any, *, canonicalize: bool = False) -> Any:
        from jax.dtypes import canonicalize_dtype

        return canonicalize_dtype(original(x)) if canonicalize else original(x)

    return wrapper
