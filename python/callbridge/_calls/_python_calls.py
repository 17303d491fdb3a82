"""callbridge.numpy's calls in Python, for where python/extension cannot be loaded.

Both have the same interface and pass the same tests.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from callbridge._core import _c_api, _shapes
from callbridge._core._buffers import Form
from callbridge._core._c_api import CallHandle

_AS_XLA_CPU = _c_api.ExecutionContext(as_xla_cpu=1)
_uses = itertools.count()


class BoundCall:
    """A target bound to operands of one form.

    Attributes:
      last_use: is the greater the later the call was last made.
    """

    __slots__ = (
        "last_use",
        "_handle",
        "_operands",
        "_results",
        "_aliases",
        "_tree",
        "_operand_pointers",
        "_result_pointers",
    )

    def __init__(
        self,
        handle: CallHandle,
        operands: tuple[Form, ...],
        results: tuple[Form, ...],
        aliases: tuple[int, ...],
        tree: Any,
    ):
        """
        Args:
          handle: of a call whose leaves' forms, in preorder, are `operands` and `results`.
          aliases: for each result the operand of the same form that has its buffer, or -1.
          tree: the result's, with None as its leaves.
        """
        self.last_use = next(_uses)
        self._handle = handle
        self._operands = operands
        self._results = results
        self._aliases = aliases
        self._tree = tree
        self._operand_pointers = ctypes.c_void_p * len(operands)
        self._result_pointers = ctypes.c_void_p * len(results)

    def __call__(self, arrays: list[np.ndarray]) -> Any:
        self.last_use = next(_uses)
        ins = list(map(Form.operand, self._operands, arrays))
        outs = [
            form.result() if operand < 0 else ins[operand]
            for form, operand in zip(self._results, self._aliases)
        ]
        # The lists are undefined after the call, so they are made for each.
        _c_api.call_execute(
            self._handle,
            self._operand_pointers(*[buffer.address for buffer in ins]),
            len(ins),
            self._result_pointers(*[buffer.address for buffer in outs]),
            len(outs),
            _AS_XLA_CPU,
        )
        return _shapes.rebuild(self._tree, map(Form.array, self._results, outs))


class Caller:
    """Finds the BoundCall for operands, and calls it."""

    def __init__(
        self,
        by_form: dict[Any, BoundCall],
        prepare: Callable[[tuple], tuple],
        bind: Callable[[Any, tuple], BoundCall],
    ):
        """
        Args:
          by_form: by keys that are made here; a call looks there first.
          prepare: makes operands what _operands.arrays() returns.
          bind: makes the BoundCall for a key that is not in `by_form`, and for prepared operands.
        """
        self._by_form = by_form
        self._prepare = prepare
        self._bind = bind

    def call(self, operands: tuple) -> Any:
        """Calls the target on a tuple of operands."""
        operands = self._prepare(operands)
        arrays: list[np.ndarray] = []
        key = _read(operands, arrays)
        bound = self._by_form.get(key)
        if bound is None:
            bound = self._bind(key, operands)
        return bound(arrays)


def _read(tree: Any, arrays: list[np.ndarray]) -> Any:
    """The key of prepared operands, whose leaves are appended to `arrays`."""
    if type(tree) is tuple:
        return tuple([_read(element, arrays) for element in tree])
    arrays.append(tree)
    return _shapes.NUMBERS[tree.dtype], tree.shape
