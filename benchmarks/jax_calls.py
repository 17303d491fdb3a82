"""Makes chained calls of the measured target in a jitted JAX function.

    jax_calls.py FOLDER PATH count CHAIN
    jax_calls.py FOLDER PATH time CHAIN CHAIN

FOLDER has measured_targets.so and the jax_handlers. CHAIN calls follow each other in the function.
`count` is what callgrind looks at: the function runs REPEAT times, and the counting is on from the
first of the calls to the last, and off for all else; so the difference between two chains is calls
alone. `time` prints the nanoseconds that one call more takes, the median of several comparisons of
two chains.
"""

import ctypes
import importlib
import statistics
import sys
import time

import callbridge.jax
import jax
import jax.numpy as jnp

REPEAT = 20
ROUNDS, RUNS = 41, 20

PATHS = {
    "native_1": "native, version 1",
    "native_2": "native, version 2",
    "native_3": "native, called as version 3",
    "raw": "native, typed FFI, by hand without checks",
    "genuine": "native, typed FFI, XLA's headers",
    "callbridge": "native, typed FFI, callbridge's headers",
    "version_3": "callbridge, version 3",
    "typed": "callbridge, typed FFI",
    "typed_declared": "callbridge, typed FFI, version declared only",
    "resurrect_1": "callbridge.resurrect, registered with JAX, version 1",
    "resurrect_2": "callbridge.resurrect, registered with JAX, version 2",
}
SHAPE = jax.ShapeDtypeStruct((1,), jnp.float32)


def native(folder, target, version):
    """Registers the function itself; as version 3 it is handed arguments that it ignores."""
    library = callbridge.jax.load(f"{folder}/measured_targets.so")
    name = f"{target}_{version}"
    function = ctypes.CFUNCTYPE(None)(library.target(target).address)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), "cpu", api_version=0)
    return jax.ffi.ffi_call(name, SHAPE, custom_call_api_version=version, legacy_backend_config="")


def handler(folder, headers, symbol):
    function = getattr(ctypes.CDLL(f"{folder}/libjax_handlers_{headers}.so"), symbol)
    jax.ffi.register_ffi_target(symbol, jax.ffi.pycapsule(function), "cpu")
    return jax.ffi.ffi_call(symbol, SHAPE)


def call_by(folder, path):
    if path.startswith("resurrect"):
        importlib.import_module("callbridge.resurrect")
    if path.startswith(("native", "resurrect")):
        return native(folder, "measured_target", int(path[-1]))
    if path == "raw":
        return handler(folder, "genuine", "raw_handler")
    if path in ("genuine", "callbridge"):
        return handler(folder, path, "bound_handler")
    library = callbridge.jax.load(f"{folder}/measured_targets.so")
    if path == "typed_declared":
        function = ctypes.CFUNCTYPE(None)(library.target("measured_target").address)
        callbridge.jax.register("declared", function, abi="original")
        return callbridge.jax.custom_call("declared", SHAPE, prefer="typed")
    return callbridge.jax.custom_call("measured_target", SHAPE, prefer=path)


def chained(call, chain, around=lambda x, y: x):
    @jax.jit
    def function(x, y):
        x = around(x, y)
        for _ in range(chain):
            x = call(x, y)
        return around(x, y)

    x = jnp.ones(1)
    return lambda: function(x, x).block_until_ready()


def seconds(function):
    begin = time.perf_counter()
    for _ in range(RUNS):
        function()
    return (time.perf_counter() - begin) / RUNS


def measure(call, make_toggle, what, chains):
    """What `what` says above. make_toggle() returns the call that switches the counting."""
    if what == "count":
        function = chained(call, int(chains[0]), make_toggle())
        for _ in range(REPEAT):
            function()
        return
    few, many = (chained(call, int(chain)) for chain in chains)
    few(), many()
    slopes = [seconds(many) - seconds(few) for _ in range(ROUNDS)]
    print(1e9 * statistics.median(slopes) / (int(chains[1]) - int(chains[0])))


def main():
    folder, path, what, *chains = sys.argv[1:]
    measure(call_by(folder, path), lambda: native(folder, "toggle_counting", 3), what, chains)


if __name__ == "__main__":
    main()
