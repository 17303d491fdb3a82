"""Calls of the embedded runtime that are bound once and made often."""

from __future__ import annotations

import ctypes

import numpy as np

from callbridge import _c_api, _handles
from callbridge._buffers import Form

_AS_XLA_CPU = _c_api.ExecutionContext(as_xla_cpu=1)


class BoundCall:
    """A target at one call site, with the state that a typed handler keeps there."""

    def __init__(
        self,
        target: _c_api.Target,
        site: _c_api.Site,
        operands: list[Form],
        results: list[Form],
        aliases: dict[int, int],
    ):
        """The leaves' forms are those of `site`, in preorder.

        `aliases`, from operands to results of the same form: one buffer serves both.
        """
        self._operands = operands
        self._results = results
        self._aliases = {result: operand for operand, result in aliases.items()}
        self._handle = _handles.bind(target, site)
        self._operand_pointers = ctypes.c_void_p * len(operands)
        self._result_pointers = ctypes.c_void_p * len(results)

    def __call__(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Thread-safe as far as the target is. Raises what the target reports."""
        ins = list(map(Form.operand, self._operands, arrays))
        outs = [
            ins[self._aliases[i]] if i in self._aliases else form.result()
            for i, form in enumerate(self._results)
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
        return list(map(Form.array, self._results, outs))
