"""Runs each function of examples/gpu in XLA:GPU; prints what it found, for test_examples.py.

examples_program.py LIBRARY
"""

import ctypes
import json
import sys

import callbridge.jax
import jax
import numpy as np

_, LIBRARY = sys.argv
SIZE = 2000
B = np.arange(128, dtype=np.float32) / 3
C = np.arange(2048, dtype=np.float32)


def vector(size):
    return jax.ShapeDtypeStruct((size,), np.float32)


def expected(size):
    return B[np.arange(size) % 128] + C[:size]


def tell(name, call, *operands, want):
    compiled = jax.jit(call)
    found = []
    for _ in range(3):
        try:
            got = jax.tree_util.tree_leaves(compiled(*operands))
            right = len(got) == len(want) and all(
                np.asarray(one).tobytes() == other.tobytes()
                for one, other in zip(got, want)  # noqa: B905, for Python 3.9
            )
        except Exception as error:
            right = str(error)
        found.append(right)
    print(json.dumps({name: found}), flush=True)


callbridge.jax.load(LIBRARY, command_buffer_compatible=True)
custom_call = callbridge.jax.custom_call
opaque = np.int64(SIZE).tobytes()
n, whole = expected(SIZE), expected(2048)
tell("add_repeated", custom_call("add_repeated", vector(2048)), B, C, want=[whole])
for name in ("add_repeated_or_fail", "add_repeated_unified"):
    call = custom_call(name, vector(SIZE), opaque=opaque)
    tell(name, call, B, C[:SIZE], want=[n])
call = custom_call("add_repeated_or_fail", vector(SIZE), opaque=b"many")
tell("failure", call, B, C[:SIZE], want=[n])
result = (vector(SIZE), (vector(SIZE),))
call = custom_call("add_repeated_twice", result, opaque=opaque)
tell("add_repeated_twice", call, (B, C[:SIZE]), want=[n, n])
call = custom_call("add_repeated_typed", vector(SIZE))
tell("add_repeated_typed", call, B, C[:SIZE], want=[n])
options = {"platform": "CUDA", "command_buffer_compatible": True}
call = custom_call(f"{LIBRARY}:AddRepeatedAot", vector(SIZE), **options)
tell("AddRepeatedAot", call, B, C[:SIZE], want=[n])
driver = ctypes.CDLL("libcuda.so.1")
graphs = driver.standin_calls(b"cuGraphLaunch", None) if hasattr(driver, "standin_calls") else None
print(json.dumps({"graphs launched": graphs}))
