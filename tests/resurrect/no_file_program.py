"""Registers typed handlers that no file can be asked about, by any function of JAX, and calls them.

no_file_program.py NEEDED NEEDS SUITE: libraries. NEEDS cannot be opened without NEEDED. Handlers of
SUITE run on every XLA as they are.
"""

import ctypes
import mmap
import platform
import struct
import sys
import threading
import warnings

import callbridge.jax
import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
import registering
from callbridge.jax._runtimes import RUNTIME

_METADATA = 1  # XLA_FFI_Extension_Metadata
_kept = []  # of what XLA has


class _Extension(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.c_void_p)]


class _Version(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    ]


class _Metadata(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("version", _Version), ("traits", ctypes.c_uint32)]


class _Query(ctypes.Structure):
    _fields_ = [("base", _Extension), ("metadata", ctypes.POINTER(_Metadata))]


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class _List(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("elements", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    ]


class _Frame(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.POINTER(_Extension)),
        ("api", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("operands", _List),
        ("results", _List),
    ]


def _array(buffer):
    data = ctypes.cast(buffer.data, ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(data, (buffer.dims[0],))


def made_by_ctypes(function, minor):
    """The address of a handler of XLA FFI 0.`minor`, in Python, which takes the GIL."""

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))
    def handler(frame):
        frame = frame.contents
        if frame.extension and frame.extension.contents.type == _METADATA:
            query = ctypes.cast(frame.extension, ctypes.POINTER(_Query)).contents
            version = query.metadata.contents.version
            version.major, version.minor = 0, minor
            return None
        operand = frame.operands.elements[0].contents
        _array(frame.results.elements[0].contents)[:] = function(_array(operand))
        return None

    _kept.append(handler)
    return ctypes.cast(handler, ctypes.c_void_p).value


def silent(target):
    """The address of a handler in Python that leads to another, and answers no question."""
    call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))(target)

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))
    def handler(frame):
        return None if frame.contents.extension else call(frame)

    _kept.extend((call, handler))
    return ctypes.cast(handler, ctypes.c_void_p).value


def generated(target):
    """The address of code in no file that jumps to another function, as JIT compilers make it."""
    jump = {"x86_64": b"\xff\x25\0\0\0\0", "aarch64": struct.pack("<2I", 0x58000050, 0xD61F0200)}
    access = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=access)
    page.write(jump[platform.machine()] + struct.pack("<Q", target))
    _kept.append(page)
    return ctypes.addressof(ctypes.c_char.from_buffer(page))


def preloaded(needed, needs):
    ctypes.CDLL(needed, mode=ctypes.RTLD_GLOBAL)
    return registering.Library(needs).address("NeedsAnother")


def registrars():
    found = registering.registrars()
    found["callbridge.jax"] = lambda name, address: callbridge.jax.register(
        name, address, "cpu", "typed_ffi"
    )
    return found


def check(kind, address, operands, wanted):
    for how, register in registrars().items():
        name = f"{kind} by {how}"
        is_ours = how == "callbridge.jax"
        register(name, address if is_ours else registering.capsule(address))
        if is_ours:
            call = callbridge.jax.custom_call(name, operands[0])
        else:
            call = registering.caller(registering.by_mlir, name, operands[0])
        np.testing.assert_array_equal(call(*operands), wanted, name)


def refuse(kind, address, message):
    for how, register in registrars().items():
        try:
            register(f"{kind} by {how}", registering.capsule(address))
        except callbridge.CallbridgeError as error:
            assert error.code == "INVALID_ARGUMENT" and message in error.message, (how, error)
        else:
            raise AssertionError(f"{kind} by {how}: was taken")


def check_explained(address, operand):
    """XLA has a handler that nobody could ask: whose error the user sees, that one says why."""
    for how, register in registrars().items():
        name = f"silent by {how}"
        if how == "callbridge.jax":
            continue  # refuses it
        try:
            register(name, registering.capsule(address))
            jax.block_until_ready(registering.caller(registering.by_mlir, name, operand)(operand))
        except Exception as error:
            text = str(error)
        else:
            raise AssertionError(f"{name}: no error")
        # Of an XLA that asks nobody, the handler's own error.
        if how in ("xla_client", "bound before", "extension module") and RUNTIME.has_typed_ffi:
            refusal, given, _ = text.partition("; XLA was given the handler as it is, since target")
            own = "framework's API version" if RUNTIME.asks_handlers else "fail with a C code"
            assert given and own in refusal, (how, text)
        assert "cannot verify that the function for the stage execute" in text, (how, text)
        assert "returned without an answer, which proves nothing" in text, (how, text)


def stay_busy():
    """Holds the GIL or asks for it: a fork would wait for ever to get it, or to hand it over."""
    while not is_done.is_set():
        sum(range(1000))


needed, needs, suite = sys.argv[1:]
suite = registering.Library(suite)
x = registering.like(1, 2, 3)
is_done = threading.Event()
sys.setswitchinterval(1e-6)
warnings.simplefilter("error")
ignored = []  # what is raised where nobody can see it: JAX warns of forks in a hook of Python's
sys.unraisablehook = ignored.append
busy = threading.Thread(target=stay_busy)
busy.start()
try:
    for minor in (0, 3):
        address = made_by_ctypes(lambda array: 2 * array, minor)
        check(f"ctypes, 0.{minor}", address, [x], 2 * x)
    check("generated", generated(suite.address("add")), [x, 2 * x], 3 * x)
    check("preloaded", preloaded(needed, needs), [x], 2 * x)

    check_explained(silent(suite.address("fail_with_c")), x)

    crashes = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: ctypes.string_at(8))
    refuse("crashes", ctypes.cast(crashes, ctypes.c_void_p).value, "it ended by SIGSEGV")
    refuse("no code", ctypes.addressof(ctypes.c_int()), "")
finally:
    is_done.set()
    busy.join()
assert not ignored, ignored
print("no file: ok")
