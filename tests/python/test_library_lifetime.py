"""Libraries that end the process that loads them, and the closing of libraries, by the C API."""

import ctypes
import pathlib

import callbridge.jax
import callbridge.numpy
import pytest
from callbridge._core import _c_api
from callbridge.library import CallbridgeError, load


@pytest.fixture(scope="session")
def old_binaries(modules) -> pathlib.Path:
    return modules.parent / "targets"


@pytest.mark.parametrize("operator", ["", ":Operator"])
@pytest.mark.parametrize(
    "load",
    [load, callbridge.jax.load, callbridge.numpy.load],
    ids=["library", "jax", "numpy"],
)
def test_a_constructor_that_crashes_is_an_error_in_isolation(old_binaries, load, operator):
    path = old_binaries / "ends_by_crash.so"
    with pytest.raises(CallbridgeError) as raised:
        load(f"{path}{operator}", isolate=True)
    assert str(raised.value) == (
        f"INTERNAL: {path}: a constructor ends the process that loads it: "
        "in isolation it ended by SIGSEGV"
    )


def test_isolation_changes_nothing_else(old_binaries):
    library = load(old_binaries / "original_linked.so", isolate=True)
    assert len(library.targets) == 8


close = _c_api._fallible("library_close", ctypes.c_void_p)


def open_library(path):
    handle = ctypes.c_void_p()
    _c_api.library_load(bytes(path), ctypes.byref(handle))
    return handle


def test_closing_is_refused_while_entry_points_lead_in(old_binaries):
    handle = open_library(old_binaries / "original_linked.so")
    target = _c_api.Target()
    _c_api.library_target(handle, 1, target)
    assert target.name == b"do_custom_call"
    _c_api.target_entry_points(target, _c_api.EntryPoints())
    with pytest.raises(CallbridgeError, match="^FAILED_PRECONDITION: .*stays loaded, since 1 use"):
        close(handle)
    assert _c_api.library_target_count(handle) == 8  # it is still open


def test_closing_what_nothing_leads_into(old_binaries):
    close(open_library(old_binaries / "original_linked.so"))
