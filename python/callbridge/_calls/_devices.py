"""CUDA devices of the embedded runtime, and arrays in their memory."""

from __future__ import annotations

import ctypes
import math
import operator
from typing import Any, NoReturn

import numpy as np

from callbridge._core import _c_api
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
