"""Objects of the C API that Python owns."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from callbridge._core import _c_api

# A private copy, since ctypes.pythonapi is shared.
untrack = ctypes.PyDLL(None).PyObject_GC_UnTrack
untrack.restype = None
untrack.argtypes = [ctypes.py_object]


class _Handle(int):
    """The address of an object, which is destroyed with the last reference to its handle.

    The garbage collector must not know it. Of a cycle of references that ends, the collector calls
    the callbacks of weak references first, weakref.finalize's included, and then all __del__
    methods, in any order: so either would destroy an object that other __del__ methods still use.
    weakref.finalize also destroys at exit what threads and other functions still use.
    """

    __slots__ = ()

    def __new__(cls, address: int):
        handle = super().__new__(cls, address)
        untrack(handle)
        return handle

    def __reduce__(self):  # for copy.copy() too
        raise TypeError(
            f"{type(self).__name__} is an address of this process and cannot be pickled"
        )


class CallHandle(_Handle):
    __slots__ = ()

    # A default argument, since modules are emptied before their last objects are destroyed.
    def __del__(self, destroy: Callable = _c_api.call_destroy):
        destroy(self)


class AttributesHandle(_Handle):
    __slots__ = ()

    def __del__(self, destroy: Callable = _c_api.ffi_attributes_destroy):
        destroy(self)


class OperatorInfoHandle(_Handle):
    __slots__ = ()

    def __del__(self, destroy: Callable = _c_api.operator_info_destroy):
        destroy(self)


def bind(
    target: _c_api.Target, site: _c_api.Site, context: _c_api.ExecutionContext | None = None
) -> CallHandle:
    address = ctypes.c_void_p()
    _c_api.call_bind(target, site, context, ctypes.byref(address))
    assert address.value is not None
    return CallHandle(address.value)


def make_attributes() -> AttributesHandle:
    """Returns an empty dictionary."""
    address = ctypes.c_void_p()
    _c_api.ffi_attributes_create(ctypes.byref(address))
    assert address.value is not None
    return AttributesHandle(address.value)


def make_operator_info(json: bytes) -> OperatorInfoHandle:
    address = ctypes.c_void_p()
    _c_api.operator_info_create(json, len(json), ctypes.byref(address))
    assert address.value is not None
    return OperatorInfoHandle(address.value)
