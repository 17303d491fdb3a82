"""Arithmetic on dimensions and shapes, which jax.core had for dimensions of any kind until 2023.

Dimensions are ints, or jax.export's symbolic ones, which have operators.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jax._src import core, dtypes

from callbridge.resurrect._backports._avals import get_aval  # type: ignore[attr-defined]

Shape = Sequence[Any]


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
