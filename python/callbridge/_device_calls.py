"""callbridge.numpy's calls on a CUDA device."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from callbridge import _bound_calls, _c_api, _device_operands, _shapes
from callbridge._buffers import Form
from callbridge._device_operands import View
from callbridge._devices import Device, DeviceArray, Memory
from callbridge._error import CallbridgeError
from callbridge._handles import CallHandle

_uses = itertools.count()


def context(device: Device, synchronizes: bool) -> _c_api.ExecutionContext:
    return _c_api.ExecutionContext(device=device.handle, synchronizes=int(synchronizes))


class BoundCall:
    """A target bound to operands of one form, on a device.

    Attributes:
      last_use: is the greater the later the call was last made.
    """

    def __init__(
        self,
        device: Device,
        synchronizes: bool,
        handle: CallHandle,
        operands: tuple[Form, ...],
        results: tuple[Any, ...],
        aliases: tuple[int, ...],
        tree: Any,
    ):
        """
        Args:
          handle: of a call whose leaves, in preorder, are of the forms `operands`, and like
            `results`.
          aliases, tree: as for callbridge._bound_calls.BoundCall.
        """
        self.last_use = next(_uses)
        self._device = device
        self._context = context(device, synchronizes)
        self._handle = handle
        self._operands = operands
        self._results = results
        self._result_forms = tuple(map(Form, results))
        self._aliases = aliases
        self._tree = tree

    def __call__(self, leaves: list[Any]) -> Any:
        self.last_use = next(_uses)
        aliased = set(self._aliases)
        ins = [self._operand(i, leaf, i in aliased) for i, leaf in enumerate(leaves)]
        outs = [
            self._device.allocate(form.size_bytes) if operand < 0 else ins[operand]
            for form, operand in zip(self._result_forms, self._aliases)
        ]
        _c_api.call_execute(
            self._handle,
            (ctypes.c_void_p * len(ins))(*[memory.address or None for memory in ins]),
            len(ins),
            (ctypes.c_void_p * len(outs))(*[memory.address for memory in outs]),
            len(outs),
            self._context,
        )
        # Others may free or write to the operands when this returns.
        self._device.synchronize()
        on_device = any(map(_device_operands.is_on_device, leaves))
        made = self._on_device(outs) if on_device else self._on_host(outs)
        return _shapes.rebuild(self._tree, iter(made))

    def _operand(self, index: int, leaf: Any, is_written: bool) -> Memory | View:
        """Returns the operand in the device's memory: a copy, or a View that nothing writes to."""
        form = self._operands[index]
        if isinstance(leaf, View):
            if not is_written:
                return leaf
            memory = self._device.allocate(form.size_bytes)
            _c_api.device_copy(self._device.handle, memory.address, leaf.address, form.size_bytes)
            return memory
        memory = self._device.allocate(form.size_bytes)
        buffer = form.operand(leaf)
        _c_api.device_copy_in(self._device.handle, memory.address, buffer.address, form.size_bytes)
        return memory

    def _on_host(self, outs: list[Any]) -> list[np.ndarray]:
        arrays = []
        for form, memory in zip(self._result_forms, outs):
            buffer = form.result()
            _c_api.device_copy_out(
                self._device.handle, buffer.address, memory.address, form.size_bytes
            )
            arrays.append(form.array(buffer))
        return arrays

    def _on_device(self, outs: list[Any]) -> list[DeviceArray]:
        arrays = []
        for i, (leaf, form, memory) in enumerate(zip(self._results, self._result_forms, outs)):
            if form.unpack is not None:
                raise CallbridgeError(
                    "UNIMPLEMENTED",
                    f"result {i} has elements of less than a byte, which arrays on a device do not "
                    "unpack; pass the operands as NumPy arrays",
                )
            arrays.append(DeviceArray(tuple(leaf.shape), form.stored_dtype, memory))
        return arrays


def caller(
    device: Device, bind: Callable[[tuple[Any, ...]], BoundCall]
) -> Callable[[tuple[Any, ...]], Any]:
    """As _bound_calls.caller(), for calls on a device."""
    by_form, bind_new = _bound_calls.forms(bind)

    def call(operands: tuple[Any, ...]) -> Any:
        prepared = _device_operands.prepare(operands, device)
        leaves = _shapes.leaves(prepared, "operands")
        key = _key(prepared)
        bound = by_form.get(key)
        return (bound if bound is not None else bind_new(key, prepared))(leaves)

    return call


def _key(tree: Any) -> Any:
    if type(tree) is tuple:
        return tuple([_key(element) for element in tree])
    return np.dtype(tree.dtype), tree.shape
