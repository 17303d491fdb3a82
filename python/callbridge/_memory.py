"""Checks the memory at an address that a user passed as a number."""

from __future__ import annotations

from callbridge._error import CallbridgeError

_WORDS = {"r": "readable", "w": "writable", "x": "executable"}


def check(address: int, size: int, access: str, what: str) -> None:
    """Raises INVALID_ARGUMENT, which begins with `what`, if using the memory would crash.

    `size` is in bytes; `access` is letters of "rwx". Without /proc, nothing is checked.
    """
    try:
        with open("/proc/self/maps", "rb") as maps:
            regions = maps.readlines()
    except OSError:
        return
    checked = address
    for region in regions:  # by address
        bounds, permissions = region.split(None, 2)[:2]
        start, end = (int(bound, 16) for bound in bounds.split(b"-"))
        if start <= checked < end and all(letter in permissions.decode() for letter in access):
            checked = end
            if checked >= address + size:
                return
    words = " and ".join(_WORDS[letter] for letter in access)
    raise CallbridgeError(
        "INVALID_ARGUMENT", f"{what} is at {address:#x}, where this process has no {words} memory"
    )
