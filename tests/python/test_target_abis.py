"""The ABIs as Python knows them, which are those of libcallbridge.so."""

import typing

import callbridge.typing
import pytest
from callbridge._core import _c_api, _target

NAMES = ("original", "status_returning", "status_returning_unified", "typed_ffi")
PLATFORMS = ("Host", "cpu", "CUDA", "ROCM")


def test_names_and_numbers():
    assert _target.ABI_NAMES == NAMES
    assert _target.ABI_NUMBERS == {None: 0, **{name: i + 1 for i, name in enumerate(NAMES)}}
    assert _target.UNTYPED == dict(enumerate(NAMES[:3], 1))
    assert [abi for abi in (*NAMES, None) if _target.is_untyped(abi)] == list(NAMES[:3])


def test_the_literal_lists_them():
    assert set(typing.get_args(callbridge.typing.Abi)) == set(_target.ABI_NAMES)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_is_called_alike(platform):
    alike = {
        (one, other)
        for one in (None, *NAMES)
        for other in (None, *NAMES)
        if one != other and _target.calls_alike(platform, one, other)
    }
    on_gpu = platform in ("CUDA", "ROCM")
    untyped = (None, *NAMES[:3]) if on_gpu else NAMES[:2]
    assert alike == {(one, other) for one in untyped for other in untyped if one != other}
    assert _target.needs_declaration(platform) != on_gpu


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_targets_are_lent(platform):
    abis = (None, *NAMES)
    read = [abi for abi in abis if _target.reads_opaque(platform, abi)]
    take = [abi for abi in abis if _target.takes_tuples(platform, abi)]
    if platform in ("CUDA", "ROCM"):
        assert (read, take) == ([None, *NAMES[:3]], [])
    else:
        assert (read, take) == (["status_returning_unified"], list(NAMES[:3]))


def test_the_bits_are_those_of_the_header():
    rows = {row.name: row.provides for row in _target._rows("Host")}
    assert rows[b"status_returning_unified"] & _c_api.PROVIDES_OPAQUE
    assert rows[b"original"] == _c_api.PROVIDES_TUPLES
    assert rows[b"typed_ffi"] & _c_api.PROVIDES_COUNTS
    assert rows[b"typed_ffi"] & _c_api.PROVIDES_ATTRIBUTES
