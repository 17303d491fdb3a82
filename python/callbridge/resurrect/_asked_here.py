"""Whether a function answers as typed handlers do in this process: asked in a fork of it.

A handler may need what only the process has that registers it, such as the function behind a
trampoline, and crashes where callbridge_probe_typed asks its file alone.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import resource
import signal
import struct
import time

_SECONDS_TO_ANSWER = 5
_ROOM = 1 << 20  # of each structure, for what other functions may write

# What the query consists of, as in XLA's FFI.
_EXECUTE = 3
_METADATA = 1
_NO_VERSION = (-1, -1)

# In the child, no thread but this one is left, and it keeps the interpreter's lock.
_Handler = ctypes.PYFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 6)
_libc = ctypes.PyDLL(None)


def answers(address: int) -> bool:
    """Returns whether the function at the address answers, or makes an error as handlers do."""
    child = _libc.fork()
    if child == 0:
        status = 1
        try:
            faulthandler.disable()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            status = 0 if _answers(address) else 1
        finally:
            os._exit(status)
    return child > 0 and _status_of(child) == 0


def _status_of(child: int) -> int:
    end = time.monotonic() + _SECONDS_TO_ANSWER
    try:
        while time.monotonic() < end:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
        return os.waitpid(child, 0)[1]
    except ChildProcessError:
        return 0  # the process leaves its children to the kernel: what is not known is not refused


def _answers(address: int) -> bool:
    metadata = _memory(struct.pack("QQQii", 256, 24, 0, *_NO_VERSION))
    extension = _memory(struct.pack("QQQQ", 32, _METADATA, 0, metadata))
    # Each of its functions returns what is no null; nothing looks into it.
    entry = ctypes.cast(_libc.getpid, ctypes.c_void_p).value
    table = _memory(struct.pack("QQQQiiQ64Q", 8 * 70, 0, 24, 0, 0, 99, 0, *[entry] * 64))
    frame = _memory(struct.pack("QQQQi", 168, extension, table, 0, _EXECUTE))
    returned = _Handler(address)(frame, None, None, None, None, None)
    version = struct.unpack("ii", ctypes.string_at(metadata + 24, 8))
    return version != _NO_VERSION or returned == os.getpid()


def _memory(content: bytes) -> int:
    room = mmap.mmap(-1, _ROOM)
    room.write(content)
    _kept.append(room)
    return ctypes.addressof(ctypes.c_char.from_buffer(room))


_kept: list[mmap.mmap] = []  # of the child
