"""Bound calls in Python: on a device, and on all operands where python/extension cannot be loaded.

The module in C has the same interface and passes the same tests.
"""

from __future__ import annotations

import ctypes
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from callbridge._core import _c_api, _shapes
from callbridge._core._buffers import Buffer, Form
from callbridge._core._c_api import CallHandle

_uses = itertools.count()


class OperandKind(ABC):
    """What differs between kinds of operands: where a target gets them, and what it returns.

    Whatever has the memory of an operand or a result in one call is called its place.
    """

    @abstractmethod
    def operand(self, form: Any, operand: Any, is_written: bool) -> Any:
        """Returns the operand's place."""

    @abstractmethod
    def result(self, form: Any) -> Any:
        """Returns a new place for a result."""

    @abstractmethod
    def address(self, place: Any) -> int | None:
        """Returns that of a place."""

    @abstractmethod
    def context(self, is_typed: bool) -> _c_api.ExecutionContext:
        """Returns that of a call; `is_typed` is BoundCall's."""

    @abstractmethod
    def returned(
        self,
        operands: Sequence[Any],
        forms: Sequence[Any],
        places: Sequence[Any],
        aliases: Sequence[int],
    ) -> list:
        """Returns what a call on `operands` returns: results of these forms in these places."""


class _Arrays(OperandKind):
    """NumPy arrays in the host's memory, which are copied. A form is a _buffers.Form."""

    _context = _c_api.ExecutionContext(as_xla_cpu=1)

    def operand(self, form: Form, operand: np.ndarray, is_written: bool) -> Buffer:
        return form.operand(operand)

    def result(self, form: Form) -> Buffer:
        return form.result()

    def address(self, place: Buffer) -> int:
        return place.address

    def context(self, is_typed: bool) -> _c_api.ExecutionContext:
        return self._context

    def returned(
        self,
        operands: Sequence[np.ndarray],
        forms: Sequence[Form],
        places: Sequence[Buffer],
        aliases: Sequence[int],
    ) -> list[np.ndarray]:
        return list(map(Form.array, forms, places))


_ARRAYS = _Arrays()


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
        "_written",
        "_tree",
        "_kind",
        "_is_typed",
        "_operand_pointers",
        "_result_pointers",
    )

    def __init__(
        self,
        handle: CallHandle,
        operands: tuple[Any, ...],
        results: tuple[Any, ...],
        aliases: tuple[int, ...],
        tree: Any,
        kind: OperandKind | None = None,
        is_typed: bool = True,
    ):
        """
        Args:
          handle: of a call whose leaves' forms, in preorder, are `operands` and `results`.
          aliases: for each result the operand of the same form that has its memory, or -1.
          tree: that of what is returned, with None as its leaves. A tree that is None alone is also
            that of a call that returns nothing.
          kind: of the operands; None: NumPy arrays. The module in C has these and its Torch.
          is_typed: true for typed handlers, which get services with tensors.
        """
        self.last_use = next(_uses)
        self._handle = handle
        self._operands = operands
        self._results = results
        self._aliases = aliases
        self._written = frozenset(aliases)
        self._tree = tree
        self._kind: OperandKind = _ARRAYS if kind is None else kind
        self._is_typed = is_typed
        self._operand_pointers = ctypes.c_void_p * len(operands)
        self._result_pointers = ctypes.c_void_p * len(results)

    def __call__(self, operands: Sequence[Any]) -> Any:
        self.last_use = next(_uses)
        kind, aliases = self._kind, self._aliases
        ins = [
            kind.operand(form, operand, i in self._written)
            for i, (form, operand) in enumerate(zip(self._operands, operands))
        ]
        outs = [
            kind.result(form) if operand < 0 else ins[operand]
            for form, operand in zip(self._results, aliases)
        ]
        # The lists are undefined after the call, so they are made for each.
        _c_api.call_execute(
            self._handle,
            self._operand_pointers(*map(kind.address, ins)),
            len(ins),
            self._result_pointers(*map(kind.address, outs)),
            len(outs),
            kind.context(self._is_typed),
        )
        returned = kind.returned(operands, self._results, outs, aliases)
        if self._tree is None and not returned:
            return None
        return _shapes.rebuild(self._tree, iter(returned))


class Caller:
    """Finds the BoundCall for operands, and calls it."""

    def __init__(
        self,
        by_form: dict[Any, BoundCall],
        prepare: Callable[[tuple], tuple],
        bind: Callable[[Any, tuple], BoundCall],
        kind: OperandKind | None = None,
        finish: Callable[[tuple, tuple], None] | None = None,
        gradients_matter: bool = False,
    ):
        """
        Args:
          by_form: by keys that are made here; a call looks there first.
          prepare: makes operands what targets can be given, or raises an error: of NumPy arrays
            what _operands.arrays() returns, of tensors plain ones.
          bind: makes the BoundCall for a key that is not in `by_form`, and for prepared operands.
          kind: of the operands, as for BoundCall. What is bound has it too, so here nothing depends
            on it.
          finish: is called with the operands and the prepared ones after each call, if not None.
          gradients_matter: false if there is a rule for gradients. `prepare` checks that, so here
            nothing depends on it.
        """
        self._by_form = by_form
        self._prepare = prepare
        self._bind = bind
        self._finish = finish

    def call(self, operands: tuple) -> Any:
        """Calls the target on a tuple of operands."""
        prepared = self._prepare(operands)
        leaves: list[Any] = []
        key = _read(prepared, leaves)
        bound = self._by_form.get(key)
        if bound is None:
            bound = self._bind(key, prepared)
        result = bound(leaves)
        if self._finish is not None:
            self._finish(operands, prepared)
        return result

    def __call__(self, *operands: Any) -> Any:
        return self.call(operands)


def _read(tree: Any, leaves: list[Any]) -> Any:
    """The key of prepared operands, whose leaves are appended to `leaves`."""
    if type(tree) is tuple:
        return tuple([_read(element, leaves) for element in tree])
    leaves.append(tree)
    return tree.dtype, tree.shape
