"""Parameters of primitives that have no hash, which JAX refuses since 0.7: dicts, lists, arrays.

Rules see what bind() was given. A traced equation keeps a copy, so that later changes do not reach
it, and where JAX finds compiled code by a parameter, it finds it by content.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import struct
import types
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from jax._src.interpreters import partial_eval

from callbridge.jax._runtimes import jax_function_or

# jax.ffi's, of jax 0.6 and 0.7: has a hash where its values do, and arrays are left in it.
_DICTIONARY_OF_FFI = jax_function_or("jax._src.ffi.HashableDict", ())


def default_process_primitive(original: Callable) -> Callable | None:
    """Traces as JAX does, and once more, with copies, if JAX refuses a parameter without a hash."""
    if not hasattr(partial_eval, "_verify_params_are_hashable"):
        return None  # this JAX refuses none

    # Binds of hashable parameters pay for this call alone: nothing is asked before JAX refuses.
    @functools.wraps(original)
    def wrapper(
        trace: Any, primitive: Any, tracers: Any, params: dict, source_info: Any = None
    ) -> Any:
        try:
            return original(trace, primitive, tracers, params, source_info)
        except TypeError:
            if _hashable(params) or (copied := _copied(params)) is None:
                raise
        return _without_cache(original)(trace, primitive, tracers, copied, source_info)

    return wrapper


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
