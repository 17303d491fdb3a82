"""Private functions of JAX that programs call or reach, and that refuse now what they took.

Some take other arguments. Since 0.7 JAX refuses parameters of primitives that have no hash: dicts,
lists, arrays. Rules see what bind() was given. A traced equation keeps a copy, so that later
changes do not reach it, and where JAX finds compiled code by a parameter, it finds it by content.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import dis
import functools
import inspect
import itertools
import struct
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import numpy as np
from jax._src import core
from jax._src.interpreters import partial_eval

from callbridge.jax._runtimes import jax_function_or

# ---- Other arguments -----------------------------------------------------------------------------


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
        from callbridge.resurrect._backports import _core

        return _core.find_top_trace(xs)

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


# ---- Parameters without a hash -------------------------------------------------------------------

# jax.ffi's, of jax 0.6 and 0.7: has a hash where its values do, and arrays are left in it.
_DICTIONARY_OF_FFI = jax_function_or("jax._src.ffi.HashableDict", ())


def default_process_primitive(original: Callable) -> Callable | None:
    """Traces as JAX does, and once more, with copies, if JAX refuses a parameter without a hash."""
    if not hasattr(partial_eval, "_verify_params_are_hashable"):
        return None  # this JAX refuses none

    # Binds of hashable parameters pay for this call alone: nothing is asked before JAX refuses.
    @functools.wraps(original)
    def process(
        trace: Any, primitive: Any, tracers: Any, params: dict, source_info: Any = None
    ) -> Any:
        try:
            return original(trace, primitive, tracers, params, source_info)
        except TypeError:
            if _hashable(params) or (copied := _copied(params)) is None:
                raise
        return _without_cache(original)(trace, primitive, tracers, copied, source_info)

    return process


def _without_cache(original: Any) -> Callable:
    """The method, with abstract evaluation that does not look for the parameters in a cache."""
    evaluated = {
        "_cached_abstract_eval": lambda primitive, *a, **p: primitive.abstract_eval(*a, **p)
    }
    return types.FunctionType(
        original.__code__,
        {**original.__globals__, **evaluated},
        original.__name__,
        original.__defaults__,
        original.__closure__,
    )


def new_lowering_key(original: Callable) -> Any:
    """LoweringCacheKey.__new__, of the parameters' content where one has no hash."""
    return None if original is object.__new__ else staticmethod(lowering_key(original))


def init_lowering_key(original: Callable) -> Any:
    """Likewise its __init__, before jax 0.10."""
    return None if original is object.__init__ else lowering_key(original)


def lowering_key(original: Callable) -> Callable:
    @functools.wraps(original)
    def wrapper(*args: Any, params: Any, **others: Any) -> Any:
        try:
            hash(params)
        except TypeError:
            key = _key(dict(params))
            if key is not None:
                params = key
        return original(*args, params=params, **others)

    return wrapper


def _hashable(params: dict) -> bool:
    try:
        hash((*params.values(),))
    except TypeError:
        return False
    return True


def _copied(params: dict) -> dict | None:
    """Copies of the parameters; None if their content cannot be compared."""
    return copy.deepcopy(params, _immutable(params)) if _key(params) is not None else None


def _immutable(value: Any, found: dict | None = None) -> dict:
    """What deepcopy() is to leave as it is: by id, whatever is no container and no NumPy array."""
    found = {} if found is None else found
    if (parts := _parts(value)) is not None:
        for part in parts:
            _immutable(part, found)
    elif not isinstance(value, (bytearray, np.ndarray)):
        found[id(value)] = value
    return found


def _parts(value: Any) -> tuple | None:
    """What a container holds; None for others. The Mapping of jax.ffi is no dict."""
    if isinstance(value, Mapping):
        return *value.keys(), *value.values()
    if isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        return (*value,)
    if isinstance(value, _DICTIONARY_OF_FFI):
        return (value.val,)
    if isinstance(value, slice):  # has no hash until Python 3.12
        return value.start, value.stop, value.step
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return (*(getattr(value, field.name) for field in dataclasses.fields(value)),)
    return None


def _key(value: Any) -> Any:
    """The content, compared by type and bits; None where it cannot be."""
    try:
        return _content(value)
    except (TypeError, RecursionError):
        return None


def _content(value: Any) -> tuple:
    kind = type(value)
    if (parts := _parts(value)) is not None:
        contents = map(_content, parts)
        return kind, frozenset(contents) if isinstance(value, (set, frozenset)) else (*contents,)
    if isinstance(value, bytearray):
        return kind, bytes(value)
    if isinstance(value, (np.ndarray, jax.Array)) and not isinstance(value, jax.core.Tracer):
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError(f"unhashable array of {array.dtype}")
        return kind, array.dtype, array.shape, array.tobytes()
    if isinstance(value, float):
        return kind, struct.pack("=d", value)
    hash(value)
    return kind, value
