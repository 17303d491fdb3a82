"""callbridge.numpy's calls on a CUDA device."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from callbridge._calls import _bound_calls
from callbridge._calls._devices import Device, DeviceArray, Memory
from callbridge._core import _buffers, _c_api, _shapes
from callbridge._core._buffers import Form
from callbridge._core._c_api import CallHandle
from callbridge._core._error import CallbridgeError

_CUDA_MEMORY = (2, 13)  # kDLCUDA, kDLCUDAManaged
# DLDataTypeCode, and NumPy's letters.
_DLPACK_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
_BFLOAT = 4


class View:
    """Memory of the device that another library has, as an array of a shape and dtype.

    Attributes:
      address: of its first element.
      owner: keeps it alive.
    """

    __slots__ = ("shape", "dtype", "address", "owner")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, address: int, owner: Any):
        self.shape = shape
        self.dtype = dtype
        self.address = address
        self.owner = owner


def prepare(tree: Any, device: Device, what: str = "operands") -> Any:
    """Returns the tree with leaves that are NumPy arrays, as _buffers.arrays() makes them, and
    Views of arrays on the device, on whose pending work it waits or has the device wait.

    Raises INVALID_ARGUMENT for arrays that are not row-major, or of another device.
    """
    if type(tree) is tuple:
        return tuple([prepare(e, device, f"{what}[{i}]") for i, e in enumerate(tree)])
    view = None
    if type(tree) is not np.ndarray:
        view = _by_interface(tree, device, what)
        if view is None:
            view = _by_dlpack(tree, device, what)
    if view is None:
        return _buffers.arrays(tree, what)
    element = _shapes.element_type(view.dtype, what)
    if element.bits < 8:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"{what} has elements of {element.bits} bits, which arrays on a device do not pack as "
            "XLA does; pass it as a NumPy array",
        )
    if view.address:
        try:
            device.check(view.address)
        except CallbridgeError as error:
            raise CallbridgeError(error.code, f"{what}: {error.message}") from None
    return view


def is_on_device(leaf: Any) -> bool:
    return isinstance(leaf, View)


def _by_interface(leaf: Any, device: Device, what: str) -> View | None:
    """By __cuda_array_interface__, of version 3 or below."""
    if isinstance(leaf, type):
        return None
    try:
        interface = getattr(leaf, "__cuda_array_interface__", None)
    except (AttributeError, RuntimeError, TypeError):  # as torch raises for what has none
        return None
    if interface is None:
        return None
    if not isinstance(interface, dict) or not {"shape", "typestr", "data"} <= interface.keys():
        raise TypeError(
            f"{what}.__cuda_array_interface__: expected a dict with shape, typestr and data"
        )
    if interface.get("mask") is not None:
        raise TypeError(f"{what} has a mask, which targets do not get")
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    # The typestr of ml_dtypes' types is that of raw bytes.
    declared = getattr(leaf, "dtype", None)
    if dtype.kind == "V" and isinstance(declared, np.dtype):
        dtype = declared
    if not dtype.isnative:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"{what} is not in the machine's byte order; convert it"
        )
    _check_strides(interface.get("strides"), shape, dtype.itemsize, what)
    stream = interface.get("stream")
    if stream is not None:
        device.wait_for(0 if stream == 1 else stream)
    return View(shape, dtype, interface["data"][0] or 0, leaf)


def _check_strides(strides: Any, shape: tuple[int, ...], unit: int, what: str) -> None:
    """`strides` are in the unit of `unit`, None for row-major."""
    if strides is None or 0 in shape:
        return
    expected = unit
    for size, stride in zip(reversed(shape), reversed(tuple(strides))):
        if size != 1 and stride != expected:
            raise CallbridgeError(
                "INVALID_ARGUMENT", f"{what} is not row-major; pass a contiguous copy of it"
            )
        expected *= size


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


# A private copy, since ctypes.pythonapi is shared.
_get_pointer = ctypes.PyDLL(None).PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _by_dlpack(leaf: Any, device: Device, what: str) -> View | None:
    """By __dlpack__, of DLPack before 1.0, which newer producers write too."""
    if isinstance(leaf, type) or not hasattr(leaf, "__dlpack_device__"):
        return None
    kind, number = leaf.__dlpack_device__()
    if int(kind) not in _CUDA_MEMORY:
        return None
    if int(number) != device.ordinal:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is on CUDA device {int(number)}, and the call on {device.ordinal}",
        )
    # The producer has the stream wait for its pending work.
    capsule = leaf.__dlpack__(stream=device.stream)
    # Not renamed, so that the capsule frees what it holds when it is gone.
    tensor = _DLTensor.from_address(_get_pointer(capsule, b"dltensor"))
    shape = tuple(tensor.shape[: tensor.ndim])
    dtype = _dlpack_dtype(tensor, what)
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
    _check_strides(strides, shape, 1, what)
    return View(shape, dtype, (tensor.data or 0) + tensor.byte_offset, (leaf, capsule))


def _dlpack_dtype(tensor: _DLTensor, what: str) -> np.dtype:
    if tensor.lanes == 1 and tensor.bits % 8 == 0:
        if tensor.code == _BFLOAT and tensor.bits == 16:
            return _shapes.BY_NUMBER[16].dtype
        letter = _DLPACK_KINDS.get(tensor.code)
        if letter is not None:
            return np.dtype(f"{letter}{tensor.bits // 8}")
    raise CallbridgeError(
        "INVALID_ARGUMENT",
        f"{what} has elements of DLPack's type ({tensor.code}, {tensor.bits} bits, "
        f"{tensor.lanes} lanes), which is not an element type of XLA's",
    )


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
          aliases, tree: as for callbridge._calls._bound_calls.BoundCall.
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
        on_device = any(map(is_on_device, leaves))
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
        prepared = prepare(operands, device)
        leaves = _shapes.leaves(prepared, "operands")
        key = _key(prepared)
        bound = by_form.get(key)
        return (bound if bound is not None else bind_new(key, prepared))(leaves)

    return call


def _key(tree: Any) -> Any:
    if type(tree) is tuple:
        return tuple([_key(element) for element in tree])
    return np.dtype(tree.dtype), tree.shape
