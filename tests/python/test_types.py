"""callbridge.typing against what the library accepts. mypy checks the rest (`make lint`)."""

import ctypes
import pathlib
from typing import get_args

import callbridge.numpy
import callbridge.typing
import numpy as np
from callbridge import CallbridgeError
from callbridge import typing as types
from callbridge._core import _c_api, _call_site, _error, _target
from callbridge.jax import _runtimes
from refused import refused

PACKAGE = pathlib.Path(callbridge.__file__).parent


def test_type_checkers_are_told_that_there_are_types():
    assert (PACKAGE / "py.typed").read_bytes() == b""


def test_abis_are_those_of_the_library(targets):
    """By number, in the order of the C API's enumeration."""
    address = targets.target("example").address

    def accepts(api_version):
        target = _c_api.Target(
            name=b"x", platform=b"Host", api_version=api_version, address=address
        )
        try:
            _c_api.target_entry_points(target, _c_api.EntryPoints())
        except CallbridgeError as error:
            assert error.code == "INVALID_ARGUMENT" and "api_version" in error.message
            return False
        return True

    accepted = [number for number in range(1, 20) if accepts(number)]
    assert accepted == [*range(1, len(get_args(types.Abi)) + 1)]
    assert [_target.ABI_BY_NUMBER[number] for number in accepted] == [*get_args(types.Abi)]
    for abi in get_args(types.Abi):
        _target.check_abi(abi)
    with refused("INVALID_ARGUMENT", *get_args(types.Abi)):
        _target.check_abi("unified")


def test_platforms_are_those_of_the_library(targets):
    for platform in get_args(types.Platform):
        assert _error.parse_platform(platform) in ("Host", "CUDA", "ROCM")
        with refused("NOT_FOUND", "nobody"):
            targets.target("nobody", platform)
    assert {platform.lower() for platform in get_args(types.Platform)} == {*_error._CANONICAL}
    assert {*_error._CANONICAL.values()} < {*get_args(types.Platform)}
    with refused("INVALID_ARGUMENT", "'tpu'"):
        targets.target("nobody", "tpu")


def test_tuple_layouts_are_those_of_the_library(targets):
    assert [*get_args(types.TupleLayout)] == [*_call_site.TUPLE_LAYOUTS]
    data, size = ctypes.c_void_p(), ctypes.c_size_t()

    def encode(number):
        _c_api.site_encode(_c_api.Site(tuple_layout=number, result=b"f32[]"), data, size)
        _c_api.bytes_free(data)

    for number in _call_site.TUPLE_LAYOUTS.values():
        encode(number)
    for number in (-1, len(_call_site.TUPLE_LAYOUTS)):
        with refused("INVALID_ARGUMENT", "tuple_layout"):
            encode(number)


def test_paths_and_stages_are_those_of_the_library():
    assert {*get_args(types.Path)} == {*_runtimes.PATHS}
    size, *stages, traits = [name for name, _ in _c_api.FfiHandlers._fields_]
    assert (size, stages, traits) == ("struct_size", [*get_args(types.Stage)], "traits")


def test_any_mapping_is_attributes(modules):
    import types as builtin_types

    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    callbridge.numpy.register("typed_scale", symbols.typed_scale, abi="typed_ffi")
    given = builtin_types.MappingProxyType({"factor": np.float32(3)})
    call = callbridge.numpy.custom_call("typed_scale", "f32[]", attributes=given)
    assert call(np.float32(2)) == 6
