"""CUDA devices of the embedded runtime, arrays in their memory, and calls on those."""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from callbridge._calls._python_calls import OperandKind
from callbridge._core import _buffers, _c_api, _shapes
from callbridge._core._buffers import Form
from callbridge._core._c_api import untrack
from callbridge._core._error import CallbridgeError

_open: dict[int, Device] = {}


class Device:
    """A device, which stays open until the process ends.

    Attributes:
      ordinal: of those that the process sees.
      handle: the C API's.
    """

    def __init__(self, ordinal: int):
        handle = ctypes.c_void_p()
        _c_api.device_open(ordinal, ctypes.byref(handle))
        assert handle.value is not None
        self.ordinal = ordinal
        self.handle = handle.value

    @property
    def stream(self) -> int:
        """The CUstream on which its calls and copies are enqueued."""
        return _c_api.device_stream(self.handle) or 0

    def allocate(self, size: int) -> Memory:
        return Memory(self, size)

    def check(self, pointer: int) -> None:
        """Raises INVALID_ARGUMENT if the device cannot use the memory there."""
        _c_api.device_check_pointer(self.handle, pointer)

    def check_stream(self, stream: int) -> None:
        """Raises INVALID_ARGUMENT if the stream is another device's."""
        _c_api.device_check_stream(self.handle, stream)

    def synchronize(self) -> None:
        _c_api.device_synchronize(self.handle)

    def wait_for(self, stream: int) -> None:
        """Waits for another's stream of the device."""
        _c_api.device_synchronize_stream(self.handle, stream)


def open_device(ordinal: Any) -> Device:
    """Returns the process's one Device of that ordinal. Tries again after a failure."""
    if isinstance(ordinal, bool):
        raise TypeError("device: expected the number of a CUDA device, got a bool")
    try:
        number = operator.index(ordinal)
    except TypeError:
        raise TypeError(
            f"device: expected the number of a CUDA device, got {type(ordinal).__name__}"
        ) from None
    if not 0 <= number < 2**31:
        raise CallbridgeError("UNAVAILABLE", f"there is no CUDA device {number}")
    # Without a lock, which a fork could leave locked. Of two that threads open, one is kept.
    device = _open.get(number)
    return device if device is not None else _open.setdefault(number, Device(number))


class Memory:
    """A block of a device's memory, freed in the order of the device's stream.

    Attributes:
      address: of its first byte, in the device's memory.
    """

    __slots__ = ("device", "address")

    def __init__(self, device: Device, size: int):
        self.device = device
        self.address = 0
        address = ctypes.c_void_p()
        _c_api.device_allocate(device.handle, size, ctypes.byref(address))
        self.address = address.value or 0
        untrack(self)

    def __del__(self, free: Any = _c_api.device_free_quietly):
        if self.address:
            free(self.device.handle, self.address)

    def __reduce__(self) -> NoReturn:  # a copy would free it too
        raise TypeError(
            "memory of a CUDA device is this process's and cannot be pickled; pickle a copy on the "
            "host: the array's numpy()"
        )


class DeviceArray:
    """An array in the memory of a CUDA device, as callbridge.numpy's calls return it.

    Other libraries take it by `__cuda_array_interface__` (torch.as_tensor(array, device="cuda"),
    cupy.asarray, numba.cuda.as_cuda_array).

    Attributes:
      shape, dtype: as NumPy's; row-major.
      device: the CUDA device's number.
    """

    __slots__ = ("shape", "dtype", "device", "_memory")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, memory: Memory):
        self.shape = shape
        self.dtype = dtype
        self.device = memory.device.ordinal
        self._memory = memory

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._memory.address, False),
            "strides": None,
            # Calls have waited for their work, so consumers need not.
            "stream": None,
            "version": 3,
        }

    def numpy(self) -> np.ndarray:
        """Returns a copy in the host's memory."""
        array = np.empty(self.shape, self.dtype)
        _c_api.device_copy_out(
            self._memory.device.handle, array.ctypes.data, self._memory.address, array.nbytes
        )
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the array is in a device's memory, so NumPy needs a copy of it")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __copy__(self) -> DeviceArray:
        """Returns a copy in memory of its own, as NumPy's arrays do."""
        size = math.prod(self.shape) * self.dtype.itemsize
        device = self._memory.device
        memory = device.allocate(size)
        _c_api.device_copy(device.handle, memory.address, self._memory.address, size)
        device.synchronize()
        return DeviceArray(self.shape, self.dtype, memory)

    def __deepcopy__(self, memo: dict) -> DeviceArray:
        return self.__copy__()

    def __repr__(self) -> str:
        form = f"{self.dtype.name}{list(self.shape)}"
        return f"<callbridge.numpy.DeviceArray {form} on CUDA device {self.device}>"


# ---- Arrays of other libraries ------------------------------------------------------------------

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


# ---- Calls --------------------------------------------------------------------------------------


class DeviceArrays(OperandKind):
    """The operands of calls on a device: Views, whose memory a target gets, and NumPy arrays, which
    are copied there. A form is a _buffers.Form.

    A call waits for the device. It returns DeviceArrays if an operand is a View, else NumPy arrays.
    """

    def __init__(self, device: Device, synchronizes: bool):
        self._device = device
        self._context = _c_api.ExecutionContext(
            device=device.handle, synchronizes=int(synchronizes)
        )

    def prepare(self, operands: tuple) -> Any:
        """As prepare(), for this device."""
        return prepare(operands, self._device)

    def operand(self, form: Form, operand: View | np.ndarray, is_written: bool) -> Memory | View:
        if isinstance(operand, View) and not is_written:
            return operand
        memory = self.result(form)
        to, size = memory.address, form.size_bytes
        if isinstance(operand, View):
            _c_api.device_copy(self._device.handle, to, operand.address, size)
        else:
            packed = form.operand(operand)
            _c_api.device_copy_in(self._device.handle, to, packed.address, size)
        return memory

    def result(self, form: Form) -> Memory:
        return self._device.allocate(form.size_bytes)

    def address(self, place: Memory | View) -> int | None:
        return place.address or None

    def context(self, is_typed: bool = True) -> _c_api.ExecutionContext:
        return self._context

    def returned(
        self,
        operands: Sequence[View | np.ndarray],
        forms: Sequence[Form],
        places: Sequence[Memory],
        aliases: Sequence[int],
    ) -> list:
        # Others may free or write to the operands when this returns.
        self._device.synchronize()
        if any(isinstance(operand, View) for operand in operands):
            return [self._on_device(i, *result) for i, result in enumerate(zip(forms, places))]
        return list(map(self._on_host, forms, places))

    def _on_device(self, index: int, form: Form, memory: Memory) -> DeviceArray:
        if form.unpack is not None:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"result {index} has elements of less than a byte, which arrays on a device do not "
                "unpack; pass the operands as NumPy arrays",
            )
        return DeviceArray(form.stored_shape, form.stored_dtype, memory)

    def _on_host(self, form: Form, memory: Memory) -> np.ndarray:
        buffer = form.result()
        handle = self._device.handle
        _c_api.device_copy_out(handle, buffer.address, memory.address, form.size_bytes)
        return form.array(buffer)
