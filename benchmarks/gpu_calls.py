"""Makes chained calls of a GPU target that does nothing, in a jitted function in XLA:GPU.

    gpu_calls.py FOLDER PATH count CHAIN
    gpu_calls.py FOLDER PATH time CHAIN CHAIN

FOLDER has measured_gpu_targets.so and gpu_handler.so. CHAIN calls follow each other in a function.
`count` is what callgrind looks at: the function runs REPEAT times, and the counting is on from the
first of the calls to the last; so the difference between two chains is calls alone. `time` prints
the nanoseconds that one call more takes, the median of several comparisons of two chains.
"""

import ctypes
import sys
import time

import callbridge.jax
import jax
import jax.numpy as jnp

REPEAT = 10
ROUNDS, RUNS = 21, 10

PATHS = {
    "native": "native, version 1",
    "raw": "native, typed FFI, by hand",
    "version_3": "callbridge, version 3",
    "typed": "callbridge, typed FFI",
}
# Beside PATHS: in a command buffer, where XLA_FLAGS let XLA make one.
CAPTURED = "captured"
SHAPE = jax.ShapeDtypeStruct((1,), jnp.float32)


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
        function = ctypes.CDLL(f"{folder}/gpu_handler.so").gpu_raw_handler
        jax.ffi.register_ffi_target("raw", jax.ffi.pycapsule(function), "CUDA")
        return jax.ffi.ffi_call("raw", SHAPE)
    if path == CAPTURED:
        function = ctypes.CFUNCTYPE(None)(library.target("gpu_measured_target", "CUDA").address)
        callbridge.jax.register(path, function, "CUDA", "original", command_buffer_compatible=True)
        return callbridge.jax.custom_call(path, SHAPE, platform="CUDA")
    return callbridge.jax.custom_call("gpu_measured_target", SHAPE, platform="CUDA", prefer=path)


def chained(call, chain, around=lambda x: x):
    @jax.jit
    def function(x):
        x = around(x)
        for _ in range(chain):
            x = call(x)
        return around(x)

    x = jnp.ones(1)
    return lambda: function(x).block_until_ready()


def seconds(function):
    begin = time.perf_counter()
    for _ in range(RUNS):
        function()
    return (time.perf_counter() - begin) / RUNS


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    folder, path, what, *chains = sys.argv[1:]
    library = callbridge.jax.load(f"{folder}/measured_gpu_targets.so")
    call = call_by(path, folder, library)
    if what == "count":
        function = chained(call, int(chains[0]), native(library, "gpu_toggle_counting"))
        for _ in range(REPEAT):
            function()
        return
    few, many = (chained(call, int(chain)) for chain in chains)
    few(), many()
    slopes = [seconds(many) - seconds(few) for _ in range(ROUNDS)]
    print(1e9 * median(slopes) / (int(chains[1]) - int(chains[0])))


if __name__ == "__main__":
    main()
