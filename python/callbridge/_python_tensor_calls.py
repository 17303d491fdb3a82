"""callbridge.torch's calls in Python, for where python/extension cannot be loaded.

Both have the same interface and pass the same tests.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import torch

from callbridge import _c_api
from callbridge._handles import CallHandle

_uses = itertools.count()
_ALIGNMENT = 64
# Has no bytes to be read or written; a tensor without elements has no address.
_NOWHERE = (ctypes.c_char * (2 * _ALIGNMENT))()
_nowhere = ctypes.addressof(_NOWHERE) + -ctypes.addressof(_NOWHERE) % _ALIGNMENT


class BoundTensorCall:
    """A target bound to tensors of one form.

    Attributes:
      last_use: is the greater the later the call was last made.
    """

    __slots__ = ("last_use", "_handle", "_results", "_aliases", "_context", "_ins", "_outs")

    def __init__(
        self,
        handle: CallHandle,
        operand_count: int,
        results: tuple[tuple[tuple[int, ...], torch.dtype, int], ...],
        aliases: tuple[int, ...],
        is_typed: bool,
    ):
        """
        Args:
          handle: of a call with that many operands and results.
          results: the shape and dtype of each, and an operand of both, or -1.
          aliases: for each result the operand whose memory it is, or -1.
          is_typed: true for typed handlers, which get services.
        """
        self.last_use = next(_uses)
        self._handle = handle
        self._results = results
        self._aliases = aliases
        self._context = _c_api.ExecutionContext(as_xla_cpu=int(is_typed))
        self._ins = ctypes.c_void_p * operand_count
        self._outs = ctypes.c_void_p * len(results)

    def __call__(self, tensors: tuple[torch.Tensor, ...]) -> Any:
        self.last_use = next(_uses)
        made = []
        results = []
        for (shape, dtype, _), alias in zip(self._results, self._aliases):
            if alias < 0:
                result = torch.empty(shape, dtype=dtype, device="cpu")
                made.append(result)
            else:
                result = tensors[alias]
            results.append(result)
        # The lists are undefined after the call, so they are made for each.
        _c_api.call_execute(
            self._handle,
            self._ins(*map(_address, tensors)),
            len(tensors),
            self._outs(*map(_address, results)),
            len(results),
            self._context,
        )
        if len(made) == 1:
            return made[0]
        return tuple(made) if made else None


class TensorCaller:
    """Finds the BoundTensorCall for tensors, and calls it."""

    def __init__(
        self,
        by_form: dict[Any, BoundTensorCall],
        bind: Callable[[Any, tuple[torch.Tensor, ...]], BoundTensorCall],
        prepare: Callable[[tuple[torch.Tensor, ...]], tuple[torch.Tensor, ...]],
        finish: Callable[[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]], None] | None,
    ):
        """
        Args:
          by_form: by keys that are made here; a call looks there first.
          bind: makes the BoundTensorCall for a key that is not in `by_form`, and for tensors.
          prepare: makes tensors plain ones, or raises an error.
          finish: is called with the tensors and the prepared ones after each call, if not None.
        """
        self._by_form = by_form
        self._bind = bind
        self._prepare = prepare
        self._finish = finish

    def __call__(self, *tensors: torch.Tensor) -> Any:
        prepared = self._prepare(tensors)
        key = tuple([(tensor.dtype, tensor.shape) for tensor in prepared])
        bound = self._by_form.get(key)
        if bound is None:
            bound = self._bind(key, prepared)
        result = bound(prepared)
        if self._finish is not None:
            self._finish(tensors, prepared)
        return result


def _address(tensor: torch.Tensor) -> int:
    return tensor.data_ptr() or _nowhere
