"""Makes chained calls of a GPU target that does nothing, in a jitted function in XLA:GPU.

    gpu_calls.py FOLDER PATH count CHAIN
    gpu_calls.py FOLDER PATH time CHAIN CHAIN

FOLDER has measured_gpu_targets.so and the jax_handlers. What is counted and timed, jax_calls.py says.
"""

import ctypes
import sys

import callbridge.jax
import jax
import jax_calls
from jax_calls import SHAPE

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


def main():
    folder, path, what, *chains = sys.argv[1:]
    library = callbridge.jax.load(f"{folder}/measured_gpu_targets.so")
    call = call_by(path, folder, library)
    jax_calls.measure(call, lambda: native(library, "gpu_toggle_counting"), what, chains)


if __name__ == "__main__":
    main()
