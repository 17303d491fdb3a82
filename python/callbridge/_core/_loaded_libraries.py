"""The libraries of this process, by what lies in them."""

from __future__ import annotations

import ctypes


class _SymbolInfo(ctypes.Structure):
    """Dl_info."""

    _fields_ = [
        ("file_name", ctypes.c_char_p),
        ("file_base", ctypes.c_void_p),
        ("symbol_name", ctypes.c_char_p),
        ("symbol_address", ctypes.c_void_p),
    ]


_dladdr = ctypes.CDLL(None).dladdr
_dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(_SymbolInfo)]


def library_at(address: int) -> bytes | None:
    """Returns the path of the library that the address lies in; None if it is in none."""
    info = _SymbolInfo()
    if not _dladdr(address, ctypes.byref(info)) or not info.file_name:
        return None
    return info.file_name
