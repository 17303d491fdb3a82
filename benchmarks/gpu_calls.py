"""Makes chained calls of a GPU target that does nothing, in a jitted function in XLA:GPU.

    gpu_calls.py FOLDER count CHAIN CHAIN
    gpu_calls.py FOLDER PATH time CHAIN CHAIN

FOLDER has measured_gpu_targets.so and the jax_handlers. What is counted and timed, jax_calls.py
says. `count` counts all paths: under callgrind it dumps what each chain of each path took, as
"PATH CHAIN".
"""

import ctypes
import sys
from ctypes import c_char_p, c_size_t, c_void_p

import callbridge.jax
import jax
import jax_calls
from jax_calls import REPEAT, SHAPE

PATHS = {
    "native": "native, version 1",
    "raw": "native, typed FFI, by hand",
    "version_3": "callbridge, version 3",
    "typed": "callbridge, typed FFI",
}
# Beside PATHS: in a command buffer, where XLA_FLAGS let XLA make one.
CAPTURED = "captured"


def native(library, target):
    """As JAX itself registers and calls it, by version 1."""
    name = f"native {target}"
    function = ctypes.CFUNCTYPE(None)(library.target(target, "CUDA").address)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), "CUDA", api_version=0)
    return jax.ffi.ffi_call(name, SHAPE, custom_call_api_version=1, legacy_backend_config="")


def call_by(path, folder, library):
    if path == "native":
        return native(library, "gpu_measured_target")
    if path == "raw":
        function = ctypes.CDLL(f"{folder}/libjax_handlers_callbridge.so").gpu_raw_handler
        jax.ffi.register_ffi_target("raw", jax.ffi.pycapsule(function), "CUDA")
        return jax.ffi.ffi_call("raw", SHAPE)
    if path == CAPTURED:  # a call that records nothing is an error there
        function = ctypes.CFUNCTYPE(None)(library.target("gpu_recorded_target", "CUDA").address)
        callbridge.jax.register(path, function, "CUDA", "original", command_buffer_compatible=True)
        return callbridge.jax.custom_call(path, SHAPE, platform="CUDA")
    return callbridge.jax.custom_call("gpu_measured_target", SHAPE, platform="CUDA", prefer=path)


def count(folder, library, chains):
    """All in one process, so that the paths differ in nothing but their own instructions."""
    gpu_function = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_char_p, c_size_t)
    dump_counts = gpu_function(library.target("gpu_dump_counts", "CUDA").address)
    toggle = native(library, "gpu_toggle_counting")
    for path in PATHS:
        call = call_by(path, folder, library)
        for chain in chains:
            function = jax_calls.chained(call, int(chain), toggle)
            function()  # The first call allocates what later ones find.
            dump_counts(None, None, b"first call", 0)
            for _ in range(REPEAT):
                function()
            dump_counts(None, None, f"{path} {chain}".encode(), 0)


def main():
    folder, *way, first, second = sys.argv[1:]
    library = callbridge.jax.load(f"{folder}/measured_gpu_targets.so")
    if way == ["count"]:
        count(folder, library, (first, second))
        return
    path, what = way
    jax_calls.measure(call_by(path, folder, library), None, what, (first, second))


if __name__ == "__main__":
    main()
