"""Attributes of typed calls, as the C API takes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from callbridge._core import _c_api, _handles
from callbridge._core._arguments import utf_8
from callbridge._core._element_types import element_type
from callbridge._core._error import CallbridgeError

_EXPECTED = "a bool, int, float, str or bytes, a NumPy scalar or array, or a dict of such"


class Attributes:
    """A dictionary that the C API reads; it is freed with the last reference to `handle`."""

    def __init__(self, attributes: Any, what: str = "attributes"):
        """Raises TypeError if something in it is not an attribute. `what` names it in errors."""
        if not isinstance(attributes, Mapping):
            raise TypeError(f"{what}: expected a dict, got {type(attributes).__name__}")
        self.handle = _handles.make_attributes()
        for name, value in attributes.items():
            if not isinstance(name, str):
                raise TypeError(f"{what}: expected names that are str, got {name!r}")
            encoded = utf_8(name, f"{what}[{name!r}]")
            if b"\0" in encoded:
                raise CallbridgeError(
                    "INVALID_ARGUMENT", f"{what}: expected names without NULs, got {name!r}"
                )
            self._set(encoded, value, f"{what}[{name!r}]")

    def _set(self, name: bytes, value: Any, what: str) -> None:
        if isinstance(value, Mapping):
            inner = Attributes(value, what)
            _c_api.ffi_attributes_set_dictionary(self.handle, name, inner.handle)
        elif isinstance(value, (str, bytes)):
            text = utf_8(value, what) if isinstance(value, str) else value
            _c_api.ffi_attributes_set_string(self.handle, name, text, len(text))
        elif isinstance(value, (bool, int, float, np.generic, np.ndarray)):
            refuse_masked(value, what)
            refuse_wide(value, what)
            array = as_array(value)
            number = element_type(array.dtype, what).number
            if isinstance(value, np.ndarray):
                _c_api.ffi_attributes_set_array(
                    self.handle, name, number, array.ctypes.data, array.size
                )
            else:
                _c_api.ffi_attributes_set_scalar(self.handle, name, number, array.ctypes.data)
        else:
            raise TypeError(f"{what}: expected {_EXPECTED}; got {type(value).__name__}")


def refuse_masked(value: Any, what: str) -> None:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{what} is a masked array, whose mask handlers do not get; pass its filled(...), and "
            "the mask as another attribute if the handler takes one"
        )


def refuse_wide(value: Any, what: str) -> None:
    """Raises TypeError for an int that is not an int64, which handlers get."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise TypeError(f"{what}: {value} is not an int64; pass a numpy.uint64 or an array of one")


def as_array(value: Any) -> np.ndarray:
    """A bool, int, float, or what is of NumPy: contiguous, in this machine's byte order."""
    if isinstance(value, (np.generic, np.ndarray)):
        return np.ascontiguousarray(value, value.dtype.newbyteorder("="))
    for type_, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64)):
        if isinstance(value, type_):
            return np.array(value, dtype)
    raise AssertionError(value)
