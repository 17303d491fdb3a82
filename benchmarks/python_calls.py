"""Times calls from Python, callbridge's and what they are compared with, in turns.

    python_calls.py FOLDER

FOLDER has measured_targets.so and the jax_handlers. Prints a JSON object: by case, for callbridge
and for the other, the microseconds of each round. They are CPU time of the thread that calls, which
other processes disturb less than the clock.
"""

import ctypes
import json
import sys
import time

import callbridge.jax
import callbridge.numpy
import jax
import jax.numpy as jnp
import numpy as np

SHAPE = jax.ShapeDtypeStruct((8,), jnp.float32)
ROUNDS = 15
CHAIN = 200


def seconds(function, count):
    begin = time.thread_time()
    for _ in range(count):
        function()
    return (time.thread_time() - begin) / count


def repeated(function, count):
    function()
    return lambda: seconds(function, count)


def traced(call, *operands):
    """Traces and lowers a function of many calls and one of one: what one call more takes."""

    def program(chain):
        def function(*operands):
            return [call(*operands) for _ in range(chain)]

        return seconds(lambda: jax.jit(function).lower(*operands), 1)

    return lambda: (program(1 + CHAIN) - program(1)) / CHAIN


def by_hand(function):
    """An array of two pointers, and one call; the result's memory is there."""
    result = np.empty(8, np.float32)
    pointers = ctypes.c_void_p * 2

    def call(a, b):
        function(result.ctypes.data, pointers(a.ctypes.data, b.ctypes.data))
        return result

    return call


def cases(folder):
    """By name: callbridge's, and the other's."""
    library = callbridge.jax.load(f"{folder}/measured_targets.so")
    callbridge.numpy.load(f"{folder}/measured_targets.so")
    handler = ctypes.CDLL(f"{folder}/libjax_handlers_genuine.so").raw_handler
    callbridge.jax.register("raw_handler", handler, abi="typed_ffi")
    untyped = {"custom_call_api_version": 3, "legacy_backend_config": ""}
    x, y = jnp.ones(8), jnp.ones(8)
    a, b = np.ones(8, np.float32), np.ones(8, np.float32)

    ours = callbridge.jax.custom_call("measured_target", SHAPE)
    theirs = jax.ffi.ffi_call("measured_target", SHAPE, **untyped)
    yield "eager", repeated(lambda: ours(x, y), 500), repeated(lambda: theirs(x, y), 500)
    yield "traced", traced(ours, x, y), traced(theirs, x, y)
    yield (
        "traced, new",
        traced(lambda *xy: callbridge.jax.custom_call("measured_target", SHAPE)(*xy), x, y),
        traced(lambda *xy: jax.ffi.ffi_call("measured_target", SHAPE, **untyped)(*xy), x, y),
    )

    ours_typed = callbridge.jax.custom_call("raw_handler", SHAPE)
    theirs_typed = jax.ffi.ffi_call("raw_handler", SHAPE)
    yield (
        "eager, typed",
        repeated(lambda: ours_typed(x, y), 500),
        repeated(lambda: theirs_typed(x, y), 500),
    )
    yield "traced, typed", traced(ours_typed, x, y), traced(theirs_typed, x, y)

    ours_tuples = callbridge.jax.custom_call("measured_target", (SHAPE, (SHAPE,)))
    theirs_flat = jax.ffi.ffi_call("measured_target", (SHAPE, SHAPE), **untyped)
    yield (
        "traced, tuples",
        traced(ours_tuples, (x, (y, x)), y),
        traced(theirs_flat, x, y, x, y),
    )

    of_arrays = callbridge.numpy.custom_call("measured_target", "f32[8]")
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(
        library.target("measured_target").address
    )
    hand = by_hand(function)
    yield "numpy", repeated(lambda: of_arrays(a, b), 2000), repeated(lambda: hand(a, b), 2000)


def main():
    measured = {}
    for name, ours, theirs in cases(sys.argv[1]):
        ours(), theirs()
        rounds = [(ours(), theirs()) for _ in range(ROUNDS)]
        measured[name] = [[1e6 * each for each in column] for column in zip(*rounds)]
    json.dump(measured, sys.stdout)


if __name__ == "__main__":
    main()
