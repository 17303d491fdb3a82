"""Floating-point attributes of jax.ffi.ffi_call reach a handler bit for bit.

    attribute_bits_program.py LIBRARY

JAX's own ffi_call passes a scalar through a double, which makes a signaling NaN quiet.
"""

import ctypes
import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
from attribute_bits import ROWS, TARGETS, attributes, quieted, words

library = ctypes.CDLL(sys.argv[1])
SYMBOLS = dict(zip(TARGETS, ("AttributeBitsHandler", "InnerAttributeBitsHandler")))  # noqa: B905
for target, symbol in SYMBOLS.items():
    handler = jax.ffi.pycapsule(getattr(library, symbol))
    jax.ffi.register_ffi_target(target, handler, platform="cpu")
IS_LENT = jax.ffi.ffi_call.__module__.startswith("callbridge")
for target in TARGETS:
    for row in ROWS:
        call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct((9,), np.uint32))
        given = attributes(target, row)
        found = np.asarray(jax.jit(lambda call=call, given=given: call(**given))()).tolist()
        assert found in [words(row)] if IS_LENT else [words(row), quieted(row)], (target, row)
print("done")
