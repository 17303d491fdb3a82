"""The calls of one function of custom_call(), each checked once for operands of one form.

A form is a tree of shapes and dtypes. No array or tracer is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError
from callbridge.jax import _arrays
from callbridge.jax._runtimes import RUNTIME, STARTED_BACKENDS, jax_function, jax_function_or
from callbridge.jax._transforms import axes_of

_has_lost_threads = False


def check_threads() -> None:
    """Raises FAILED_PRECONDITION if JAX would hang."""
    if _has_lost_threads:
        raise CallbridgeError(
            "FAILED_PRECONDITION",
            "this process was forked from one in which JAX had started, and JAX hangs in such a "
            "process; fork before JAX is used, start processes by multiprocessing's 'spawn' "
            "method, or call targets by callbridge.library, which needs no JAX",
        )


def _forked() -> None:
    global _has_lost_threads
    _has_lost_threads = _has_lost_threads or bool(jax_function_or(STARTED_BACKENDS, {}))


os.register_at_fork(after_in_child=_forked)


_typeof = jax_function(RUNTIME.typeof)
# The number of forms that one function of custom_call() keeps; beyond it, all are dropped.
_CAPACITY = 256
# By class of operand, of which there are few: whether its shape and dtype are its own, those of
# `aval`, or those of an `aval` that may vary over axes of a mesh.
_KINDS: dict[type, int] = {}
_OWN, _AVAL, _TRACED = range(3)
# JAX narrows NumPy arrays of these types while 64-bit types are disabled.
_WIDE = frozenset(map(np.dtype, ("int64", "uint64", "float64", "complex128")))


class Result:
    """What a call returns.

    Attributes:
      tree: of arrays, or of what has a shape and a dtype.
      leaves: the tree's.
    """

    def __init__(self, tree: Any):
        """Raises as _arrays.check_results(), and TypeError for what is no tree."""
        self.tree = tree
        self.leaves = _shapes.leaves(tree, "result")
        self._is_wide = _arrays.check_results(self.leaves)

    def check_width(self) -> None:
        """Raises as _arrays.check_width(); JAX may change from call to call."""
        if self._is_wide:
            _arrays.check_width(self.leaves)

    def has_mesh(self) -> bool:
        """Returns whether a leaf has a mesh, whose meaning depends on the context of the call."""
        return any(hasattr(getattr(leaf, "sharding", None), "mesh") for leaf in self.leaves)


class Prepared(NamedTuple):
    """A call on operands of one form: `function` of the leaves, with `keywords`."""

    function: Callable[..., Sequence]
    keywords: dict[str, Any]
    result: Result


class CallCache:
    """Thread-safe."""

    def __init__(self, prepare: Callable[[tuple, list], Prepared]):
        """
        Args:
          prepare: checks a tree of operands, each leaf replaced by its aval, and the list of these,
            and returns the call on them. It must depend on shapes and dtypes alone, and on the axes
            that they vary over.
        """
        self._prepare = prepare
        self._by_form: dict[tuple, Prepared] = {}

    def call(self, operands: tuple) -> Any:
        """Calls on a tree of operands. Returns the tree of the result.

        Raises what prepare() and Result.check_width() do, TypeError for what is no tree, and
        INVALID_ARGUMENT for arrays that have no element type.
        """
        leaves: list = []
        form = _form(operands, leaves)
        found = None if form is None else self._by_form.get(form)
        if found is None:
            if form is None:
                leaves = _shapes.leaves(operands, "operands")
            _arrays.check_operands(leaves)
            avals = list(map(_typeof, leaves))
            found = self._prepare(_shapes.rebuild(operands, iter(avals)), avals)
            if form is not None and not found.result.has_mesh() and _is_static(avals):
                if len(self._by_form) >= _CAPACITY:
                    self._by_form.clear()
                self._by_form[form] = found
        function, keywords, result = found
        result.check_width()
        return _shapes.rebuild(result.tree, iter(function(*leaves, **keywords)))


def _form(operands: tuple, leaves: list) -> tuple | None:
    """The operands' form, whose leaves are appended; None where it is not found without checks."""
    form: list = []
    for operand in operands:
        type_ = type(operand)
        kind = _KINDS.get(type_)
        if kind is None:
            if type_ is tuple:
                inner = _form(operand, leaves)
                if inner is None:
                    return None
                form.append(inner)
                continue
            if not _classify(operand):
                return None
            kind = _KINDS[type_]
        try:
            array = operand if kind == _OWN else operand.aval
            shape, dtype = array.shape, array.dtype
        except AttributeError:  # a tracer of another kind
            return None
        if kind == _OWN and dtype in _WIDE:
            return None
        if kind == _TRACED and axes_of(array):
            return None
        form.append(shape)
        form.append(dtype)
        leaves.append(operand)
    return tuple(form)


def _classify(operand: Any) -> bool:
    """Returns whether the operand's class is known now."""
    if isinstance(operand, jax.Array) and hasattr(operand, "aval"):
        _KINDS[type(operand)] = _TRACED if isinstance(operand, jax.core.Tracer) else _AVAL
    elif type(operand) is np.ndarray or isinstance(operand, np.generic):
        _KINDS[type(operand)] = _OWN
    return type(operand) in _KINDS


def _is_static(avals: Sequence) -> bool:
    """Symbolic dimensions are compared by what is known of them where they are."""
    return all(isinstance(size, int) for aval in avals for size in aval.shape)
