"""Private functions and values of JAX that published packages use, and that are gone, made anew."""

from __future__ import annotations

import enum
import inspect
import types
from collections.abc import Callable
from typing import Any, Union

import jax
from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey

from callbridge.resurrect._backports import _not_had

# What keys of paths in trees are.
BuiltInKeyEntry = Union[SequenceKey, DictKey, GetAttrKey, FlattenedIndexKey]

# Settings that are settled: whoever reads them gets what JAX does.
enable_memories = types.SimpleNamespace(value=True)
dynamic_shapes = types.SimpleNamespace(value=False)


def get_module_functions(module: Any) -> dict[str, Callable]:
    """The module's public functions, ufuncs and the like included, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if name[0] != "_" and callable(value) and not inspect.isclass(value)
    }


def xla_callable(*_: Any, **__: Any) -> Any:
    """What jax.jit compiled by, of which programs emptied the cache: xla_callable.cache_clear()."""
    raise _not_had.error("jax._src.dispatch._xla_callable", "compiled-functions")


xla_callable.cache_clear = jax.clear_caches  # type: ignore[attr-defined]


def extract_call_jaxpr(primitive: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Of a primitive that calls, its jaxpr and its other parameters; None and all of them else."""
    if not any(getattr(primitive, f"{kind}_primitive", False) for kind in ("call", "map")):
        return None, params
    return params["call_jaxpr"], {k: v for k, v in params.items() if k != "call_jaxpr"}


def is_unspecified(sharding: Any) -> bool:
    from jax._src import sharding_impls

    return isinstance(sharding, sharding_impls.UnspecifiedValue)  # type: ignore[attr-defined]


class PositionalSemantics(enum.Enum):
    """How a process saw arrays of several: JAX knows whole ones only."""

    LOCAL = 0
    GLOBAL = 1


positional_semantics = types.SimpleNamespace(val=PositionalSemantics.GLOBAL)
