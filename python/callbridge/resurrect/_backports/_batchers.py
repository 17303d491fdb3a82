"""Batching rules that packages gave their primitives, with the arguments that they had; and the
tables by which they found, called and replaced those of JAX."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np
from jax._src import core
from jax._src.interpreters import batching


def vectorized_batcher(prim: Any, args: Any, dims: Any, **params: Any) -> Any:
    """The rule of primitives whose operands are all mapped along the same dimension."""
    return _call(batching.vectorized_batcher, prim, args, dims, params)


def broadcast_batcher(prim: Any, args: Any, dims: Any, **params: Any) -> Any:
    """The rule of primitives that broadcast their operands."""
    return _call(batching.broadcast_batcher, prim, args, dims, params)


def _call(rule: Callable, prim: Any, args: Any, dims: Any, params: dict) -> Any:
    # JAX's rules have got the axis as an argument, which these two do not look at.
    axis = (None,) if "axis_data" in inspect.signature(rule).parameters else ()
    return rule(prim, *axis, args, dims, **params)


def axis_data(name: Any, size: Any, spmd_name: Any = None, mesh_axes: Any = None) -> Any:
    """The axis in one, as JAX's rules take it since 0.4.36."""
    fields = len(batching.AxisData.__dataclass_fields__)
    return batching.AxisData(*(name, size, spmd_name, mesh_axes)[:fields])


# ---- Tables that were dictionaries ---------------------------------------------------------------


class _Rules(MutableMapping):
    """Rules by primitive, each with the arguments that it had, over JAX's own table.

    Where JAX keeps one table of all rules, whatever has a rule is in both of the old ones.
    """

    def __init__(self, proxy: Any, as_it_was: Callable) -> None:
        self._proxy = proxy  # JAX's, which takes rules and gives none
        self._as_it_was = as_it_was
        self._given: dict = {}  # by primitive, a program's rule and what JAX made of it

    def __getitem__(self, prim: Any) -> Any:
        own = batching.fancy_primitive_batchers[prim]
        given, made = self._given.get(prim, (None, None))
        return given if made is own else functools.partial(self._as_it_was, prim, own)

    def __setitem__(self, prim: Any, rule: Any) -> None:
        self._proxy[prim] = rule
        self._given[prim] = rule, batching.fancy_primitive_batchers[prim]

    def __delitem__(self, prim: Any) -> None:
        del batching.fancy_primitive_batchers[prim]
        self._given.pop(prim, None)

    def __iter__(self) -> Iterator:
        return iter(tuple(batching.fancy_primitive_batchers))

    def __len__(self) -> int:
        return len(batching.fancy_primitive_batchers)

    def copy(self) -> dict:
        return dict(self)


def _of_operands(prim: Any, rule: Callable, args: Any, dims: Any, **params: Any) -> Any:
    """A rule that took no axis."""
    sizes = [np.shape(arg)[dim] for arg, dim in zip(args, dims) if dim is not None]
    if not sizes:
        results = prim.bind(*args, **params)
        return (results, [None] * len(results)) if prim.multiple_results else (results, None)
    return rule(axis_data(core.no_axis_name, sizes[0]), args, dims, **params)


def _of_the_axis(
    prim: Any, rule: Callable, size: Any, name: Any, _: Any, args: Any, dims: Any, **params: Any
) -> Any:
    """A rule that took the axis in parts, the last of which was the class of the trace."""
    return rule(axis_data(name, size), args, dims, **params)


_rules = functools.cache(_Rules)  # one for both modules that have it


def primitive_batchers(original: Any) -> Any:
    return None if isinstance(original, Mapping) else _rules(original, _of_operands)


def axis_primitive_batchers(original: Any) -> Any:
    return None if isinstance(original, Mapping) else _rules(original, _of_the_axis)


class _Handlers(dict):
    """What makes values of a class canonical: of the classes that JAX knows, and a program's."""

    def __init__(self, own: Any) -> None:
        super().__init__((cls, own[cls]) for cls in core.pytype_aval_mappings)
        self._own = own

    def __setitem__(self, cls: type, handler: Callable) -> None:
        self._own[cls] = handler
        super().__setitem__(cls, handler)

    def setdefault(self, cls: type, handler: Any = None) -> Any:
        if cls not in self:
            self[cls] = handler
        return self[cls]

    def update(self, *others: Any, **none: Any) -> None:
        for cls, handler in dict(*others, **none).items():
            self[cls] = handler


def canonicalize_dtype_handlers(original: Any) -> Any:
    return None if isinstance(original, Mapping) else _Handlers(original)
