"""detected.py WHAT LIBRARY: a program that is wrong, by a target of untyped.cc, in XLA:GPU.

dereferences   the host reads device memory
throws         the target throws an exception
late           the target computes on a stream of its own and does not wait: prints the result
"""

import pathlib
import struct
import sys

import callbridge.jax
import jax
import numpy as np

_, what, library = sys.argv
callbridge.jax.load(pathlib.Path(library))
x = np.arange(1, 5, dtype=np.float32)
call = callbridge.jax.custom_call(
    f"gpu_{what}",
    jax.ShapeDtypeStruct(x.shape, x.dtype),
    platform="CUDA",
    opaque=struct.pack("Q", 4),
)
print(np.asarray(jax.jit(call)(x)))
