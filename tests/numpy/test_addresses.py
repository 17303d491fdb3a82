"""Numbers that are handed over as addresses: errors where a use of the memory would crash."""

import ctypes
import gc
import mmap
import weakref

import numpy as np
import pytest
from callbridge import numpy as face
from callbridge._core._native_functions import make_capsule
from callbridge.numpy import custom_call, register, register_type
from refused import refused

ORIGINAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
# Two pages, of which the second one cannot be read. It stays reserved, since the next mapping could
# get what is unmapped.
PAGES = mmap.mmap(-1, 2 * mmap.PAGESIZE)
PAGE = ctypes.addressof(ctypes.c_char.from_buffer(PAGES))
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PROT_NONE = 0
assert libc.mprotect(PAGE + mmap.PAGESIZE, mmap.PAGESIZE, PROT_NONE) == 0
END = PAGE + mmap.PAGESIZE
WORDS = (ctypes.c_int64 * 8)()
DATA = ctypes.addressof(WORDS)
NO_ADDRESSES = [-5, 2**64, 2**64 + DATA, DATA - 2**64]


@pytest.mark.parametrize("address", [5, END, END - 4, 2**64 - 8])
def test_type_ids_that_are_no_memory(address):
    with refused("INVALID_ARGUMENT", "type_id", hex(address), "readable"):
        register_type("no memory", address)
    with refused("INVALID_ARGUMENT", "type_id", hex(address), "readable"):
        register_type("no memory", make_capsule(address))


@pytest.mark.parametrize("number", NO_ADDRESSES)
def test_numbers_that_are_no_addresses(number):
    with refused("INVALID_ARGUMENT", f"type_id: {number} is not an address"):
        register_type("no address", number)
    with refused("INVALID_ARGUMENT", f"type_info: {number} is not an address"):
        register_type("no address", DATA, number)
    with refused("INVALID_ARGUMENT", f"{number} is not an address"):
        register("no address", number, abi="typed_ffi")


def test_type_ids_that_are_no_variables():
    with refused("INVALID_ARGUMENT", hex(DATA + 1), "multiple of 8"):
        register_type("misaligned", DATA + 1)
    with refused("INVALID_ARGUMENT", "type_id is null"):
        register_type("null", 0)
    for wrong in [True, 5.0, "5", None]:
        with pytest.raises(TypeError, match="type_id: expected a capsule or an address"):
            register_type("of another type", wrong)
    assert list(WORDS) == [0] * 8


def test_type_ids_in_memory_that_is_only_read():
    page = mmap.mmap(-1, mmap.PAGESIZE)
    words = (ctypes.c_int64 * 2).from_buffer(page)
    words[1] = 12345
    address = ctypes.addressof(words)
    assert libc.mprotect(address, mmap.PAGESIZE, mmap.PROT_READ) == 0
    with refused("INVALID_ARGUMENT", "type_id", "readable and writable"):
        register_type("only read", address)
    register_type("only read", address + 8)  # it has an id


def test_the_last_bytes_of_memory_are_memory():
    register_type("the last of its page", END - 8)
    assert ctypes.c_int64.from_address(END - 8).value != 0


def test_a_second_name_for_an_id():
    ids = (ctypes.c_int64 * 2)(0, 4321)
    for i, name in enumerate(["a name for an id", "a name for a given id"]):
        address = ctypes.addressof(ids) + 8 * i
        register_type(name, address)
        register_type(name, address)
        with refused("ALREADY_EXISTS", "a second name", f"type id {ids[i]}, .* of type {name}"):
            register_type("a second name", address)


@pytest.mark.parametrize("address", [5, END, END - 4])
def test_type_infos_that_are_no_memory(address):
    with refused("INVALID_ARGUMENT", "type_info", hex(address), "readable"):
        register_type("no info", DATA, address)


def test_type_infos_that_are_none():
    info = (ctypes.c_int64 * 3)(16, 0, 0)
    with refused("INVALID_ARGUMENT", "struct_size is 16, less than 24"):
        register_type("a small info", DATA, ctypes.addressof(info))
    ctypes.c_int64.from_address(END - 16).value = 24
    with refused("INVALID_ARGUMENT", "type_info", "readable"):
        register_type("half an info", DATA, END - 16)
    for deleter in [5, DATA]:
        info[:] = [24, 0, deleter]
        with refused("INVALID_ARGUMENT", "deleter", hex(deleter), "executable"):
            register_type("no deleter", DATA, ctypes.addressof(info))
    assert list(WORDS) == [0] * 8
    info[:] = [24, 0, ctypes.cast(libc.free, ctypes.c_void_p).value]
    word = ctypes.c_int64()
    register_type("an info", ctypes.addressof(word), ctypes.addressof(info))
    assert word.value != 0


@pytest.mark.parametrize("address", [5, DATA, END])
def test_functions_that_are_no_code(address):
    for function in [ORIGINAL(address), make_capsule(address)]:
        for abi in ["original", "status_returning", "status_returning_unified", "typed_ffi", None]:
            with refused("INVALID_ARGUMENT", "function", hex(address), "executable"):
                register("no code", function, abi=abi)
            with refused("INVALID_ARGUMENT", "function", hex(address), "executable"):
                register("no code", function, "CUDA", abi)
    for handlers in [address, {"execute": address}]:
        with refused("INVALID_ARGUMENT", "handler", hex(address), "executable"):
            register("no code", handlers, abi="typed_ffi")
    with refused("NOT_FOUND", "no code"):
        custom_call("no code", "f32[]")


def test_functions_outlive_the_registry():
    # As when the interpreter ends, which empties modules.
    @ORIGINAL
    def answer(out, _operands):
        ctypes.cast(out, ctypes.POINTER(ctypes.c_float))[0] = 42

    alive = weakref.ref(answer)
    register("outlives", answer, abi="original")
    entry = face._registry._entries.pop(("outlives", "Host"))
    del answer, entry
    gc.collect()
    assert alive() is not None
    out = ctypes.c_float()
    alive()(ctypes.addressof(out), None)
    assert out.value == np.float32(42)
