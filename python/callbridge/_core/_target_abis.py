"""The ABIs of custom calls, as libcallbridge.so lists them.

An ABI is its name, such as "original"; None is one that is not known. Numbers are XLA's
(xla.CustomCallApiVersion), which StableHLO and the C API share.
"""

from __future__ import annotations

import functools

from callbridge._core import _c_api
from callbridge._core._platform import HOST, parse_platform

_GPU = "CUDA"  # all kinds are alike


def _rows(platform: str) -> list[_c_api.TargetAbi]:
    rows = [_c_api.TargetAbi() for _ in range(_c_api.target_abi_count())]
    for i, row in enumerate(rows):
        _c_api.target_abi_at(i, platform.encode(), row)
    return rows


_ROWS = {platform: {row.name.decode(): row for row in _rows(platform)} for platform in (HOST, _GPU)}

NUMBERS = {None: 0, **{name: row.api_version for name, row in _ROWS[HOST].items()}}
NAMES = tuple(_ROWS[HOST])
BY_NUMBER = {number: name for name, number in NUMBERS.items()}
# The ABIs of a target without attributes.
UNTYPED = {
    row.api_version: name
    for name, row in _ROWS[HOST].items()
    if not row.provides & _c_api.PROVIDES_ATTRIBUTES
}


def is_untyped(abi: str | None) -> bool:
    """True for the name of an ABI without attributes."""
    return abi in UNTYPED.values()


def needs_declaration(platform: str) -> bool:
    """True if calling a target of an ABI that is not known by a wrong one could crash."""
    return _row(platform, None) is None


def calls_alike(platform: str, abi: str | None, other: str | None) -> bool:
    """True if functions of both ABIs are called in the same way on `platform`."""
    return abi == other or _called_as(platform, abi) == _called_as(platform, other) != 0


def reads_opaque(platform: str, abi: str | None) -> bool:
    return _provides(platform, abi, _c_api.PROVIDES_OPAQUE)


def takes_tuples(platform: str, abi: str | None) -> bool:
    """Returns false if a target gets only the leaves of its operands and results."""
    return _provides(platform, abi, _c_api.PROVIDES_TUPLES)


def counts_buffers(platform: str, abi: str | None) -> bool:
    """Returns true if a target gets the numbers of operands and results of its call."""
    return _provides(platform, abi, _c_api.PROVIDES_COUNTS)


@functools.lru_cache
def _row(platform: str, abi: str | None) -> _c_api.TargetAbi | None:
    rows = _ROWS[HOST if parse_platform(platform) == HOST else _GPU]
    if abi is not None:
        return rows[abi]
    return next((row for row in rows.values() if row.serves_unspecified), None)


def _called_as(platform: str, abi: str | None) -> int:
    row = _row(platform, abi)
    return 0 if row is None else row.called_as


def _provides(platform: str, abi: str | None, bit: int) -> bool:
    row = _row(platform, abi)
    return row is not None and bool(row.provides & bit)
