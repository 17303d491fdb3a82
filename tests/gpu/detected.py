"""detected.py LIBRARY WHAT...: a program that is wrong, by targets of untyped.cc, in XLA:GPU.

dereferences   the host reads device memory
throws         the target throws an exception: prints the error
late           the target computes on a stream of its own and does not wait: prints the result
"""

import pathlib
import struct
import sys

import callbridge.jax
import jax
import numpy as np

_, library, *targets = sys.argv
callbridge.jax.load(pathlib.Path(library))
x = np.arange(1, 5, dtype=np.float32)
for what in targets:
    call = callbridge.jax.custom_call(
        f"gpu_{what}",
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        platform="CUDA",
        opaque=struct.pack("Q", 4),
    )
    try:
        print(np.asarray(jax.jit(call)(x)), flush=True)
    except RuntimeError as error:
        print(error, flush=True)
