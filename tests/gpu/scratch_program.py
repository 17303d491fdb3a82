"""Runs handlers that ask for scratch memory in XLA:GPU, for test_scratch.py.

    scratch_program.py OPERATORS LIBRARY...

OPERATORS is workspaces.so; LIBRARY are builds of targets/typed.cc. Prints a line of JSON for each
check: what the call returned, "right" or "wrong", or its error; and whether the program has a
result of bytes, which nobody sees.
"""

import ctypes
import json
import pathlib
import sys

import callbridge.jax
import jax
import numpy as np

_, OPERATORS, *LIBRARIES = sys.argv
X = np.arange(300, dtype=np.float32)
BLOCK = (X.nbytes + 63) // 64 * 64


def tell(check, call, operand=X, runs=2):
    """Runs it on the default device and, if there is another, on that."""
    found = []
    compiled = jax.jit(call)
    try:
        text = compiled.lower(operand).as_text()
        for device in jax.devices() * runs:
            result = compiled(jax.device_put(operand, device))
            right = np.asarray(result).tobytes() == operand.tobytes()
            found.append("right" if right else "wrong")
    except Exception as error:
        found.append(f"{type(error).__name__}: {error}")
        text = ""
    hidden = "xui8>" in text
    print(json.dumps({"check": check, "found": found, "hidden": hidden}), flush=True)


def of_handlers(library):
    name = pathlib.Path(library).stem
    handler = ctypes.CDLL(library).gpu_typed_scratch
    callbridge.jax.register(name, handler, platform="CUDA", abi="typed_ffi")

    def call(shape=X.shape, **options):
        return callbridge.jax.custom_call(name, jax.ShapeDtypeStruct(shape, np.float32), **options)

    tell(f"{name}: default", call())
    tell(f"{name}: given", call(scratch_bytes=2 * BLOCK))
    for what, given in {
        "none": None,
        "zero": 0,
        "enough": 2 * BLOCK,
        "the least": BLOCK + X.nbytes,
        "too little": BLOCK,
    }.items():
        try:
            by_three = call(prefer="version_3", scratch_bytes=given)
        except callbridge.CallbridgeError as error:
            print(json.dumps({"check": f"{name}: no version 3", "found": [str(error)]}))
            break
        tell(f"{name}: {what}", by_three)
    else:
        mapped = call(prefer="version_3", scratch_bytes=2 * BLOCK, vmap_method="broadcast_all")
        tell(f"{name}: vmap", jax.vmap(mapped), np.stack([X, X + 1, X + 2]))
        twice = call(prefer="version_3", scratch_bytes=2 * BLOCK)
        tell(f"{name}: chain", lambda x, twice=twice: twice(twice(x)))
        donated = call(prefer="version_3", scratch_bytes=2 * BLOCK, input_output_aliases={0: 0})
        tell(f"{name}: in place", donated)


def of_operators():
    name = f"{OPERATORS}:CopyThrough"

    def call(count, shape=X.shape, **options):
        attributes = {"count": count, **options.pop("attributes", {})}
        result = jax.ShapeDtypeStruct(shape, np.float32)
        return callbridge.jax.custom_call(
            name, result, platform="CUDA", attributes=attributes, **options
        )

    for count in (0, 1, 5):
        tell(f"operator: {count} workspaces", call(count))
    tell("operator: no elements", call(2, (0,)), X[:0])
    tell("operator: of another shape", call(2, (2, 300)), np.stack([X, X]))
    tell("operator: mapped", jax.vmap(call(2, vmap_method="sequential")), np.stack([X, X + 1]))
    tell("operator: given", call(2, scratch_bytes=2 * BLOCK))
    tell("operator: too little", call(2, scratch_bytes=BLOCK))
    tell("operator: it grows", call(1, attributes={"grows": True}), runs=1)


of_operators()
for path in LIBRARIES:
    of_handlers(path)
