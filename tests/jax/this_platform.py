"""The platform that the tests run on: the CPU; or a GPU, where tests/gpu/test_suites.py runs them.

There their libraries have GPU targets, made of the same sources (tests/targets/on_each_platform.h),
and JAX's default backend is the GPU. tests/gpu/not_on_gpu.py lists the tests that are left out.
"""

import ctypes
import os

import jax

PLATFORM = os.environ.get("CALLBRIDGE_TESTS_PLATFORM", "Host")
ON_GPU = PLATFORM == "CUDA"

# What may follow an error's message: XLA:GPU says of which program it is.
END = r"( \[executable_name='\w+'\])?$" if ON_GPU else "$"

_On_CPU = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_On_GPU = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, ctypes.c_size_t
)


def scalar_target(compute):
    """A new ctypes function, f32[] -> f32[], that this platform's targets are called like."""
    if not ON_GPU:

        @_On_CPU
        def on_cpu(out, operands):
            _scalar_at(out).value = compute(_scalar_at(operands[0]).value)

        return on_cpu

    driver = ctypes.CDLL("libcuda.so.1")

    @_On_GPU
    def on_gpu(stream, buffers, _opaque, _size):
        driver.cuStreamSynchronize(ctypes.c_void_p(stream))
        operand, result = (_scalar_at(_on_host(driver, buffers[i])) for i in range(2))
        result.value = compute(operand.value)

    return on_gpu


def _scalar_at(address):
    return ctypes.c_float.from_address(address)


def _on_host(driver, address):
    """As OnHost() of tests/gpu/targets/twins.h."""
    if not hasattr(driver, "standin_host_address"):
        return address
    driver.standin_host_address.restype = ctypes.c_void_p
    return driver.standin_host_address(ctypes.c_uint64(address), ctypes.c_size_t(4))


def effects_barrier():
    """Waits for effects. On GPU, JAX keeps a failed program's token until another one is run."""
    try:
        jax.effects_barrier()
    except RuntimeError:
        if not ON_GPU:
            raise
