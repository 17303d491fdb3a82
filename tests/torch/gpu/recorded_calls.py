"""A GPU target that records its calls, and what calls of the tests' targets pass."""

import ctypes

import numpy as np

SIZE = 8


def count(n=SIZE):
    """The opaque of an untyped target that gets `n` elements."""
    return np.uint64(n).tobytes()


class Recorder:
    """A target whose calls are recorded.

    Attributes:
      calls: of each call the stream, the pointers, and the device that is current.
    """

    def __init__(self, name, pointer_count, platform="CUDA"):
        import callbridge.torch  # not before a test runs

        self.calls = []
        device = ctypes.c_int()
        driver = ctypes.CDLL("libcuda.so.1")

        @ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t
        )
        def target(stream, buffers, opaque, opaque_size):
            driver.cuCtxGetDevice(ctypes.byref(device))
            self.calls.append((stream, buffers[:pointer_count], device.value))

        self.target = target
        callbridge.torch.register(name, target, platform, abi="original")

    def last(self):
        return self.calls[-1]
