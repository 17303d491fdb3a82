"""Calls a target and a typed handler in all ways; test_runtimes.py judges what is logged.

python -W error silent_program.py FOLDER [native]     `native`: without callbridge, as version 1
"""

import ctypes
import sys

import jax
import numpy as np
from this_platform import PLATFORM

X = np.arange(4, dtype=np.float32)
RESULT = jax.ShapeDtypeStruct((4,), np.float32)


def by_callbridge(folder):
    import callbridge.jax
    from callbridge.jax._runtimes import OWN_FFI_CALL, RUNTIME

    own = RUNTIME.ffi_call == OWN_FFI_CALL
    callbridge.jax.load(f"{folder}/targets.so")
    handlers = ctypes.CDLL(f"{folder}/typed_targets.so")
    callbridge.jax.register("typed_scale", handlers.typed_scale, PLATFORM, abi="typed_ffi")
    untyped_paths = ["version_3"] + (["typed"] if RUNTIME.has_instantiate else [])
    typed_paths = (["typed"] if RUNTIME.has_typed_ffi else []) + (["version_3"] if own else [])
    size = np.uint64(16).tobytes()
    options = {"vmap_method": "sequential", "input_output_aliases": {0: 0}}
    for path in [None, *untyped_paths]:
        yield callbridge.jax.custom_call("copy_bytes", RESULT, opaque=size, prefer=path, **options)
    for path in [None, *typed_paths]:
        factor = {"factor": np.float32(2)}
        yield callbridge.jax.custom_call(
            "typed_scale", RESULT, attributes=factor, prefer=path, has_side_effect=True, **options
        )


def natively(folder):
    """What XLA warns of."""
    from callbridge._core._native_functions import make_capsule
    from callbridge.library import load

    target = load(f"{folder}/targets.so").target("example", PLATFORM)
    jax.ffi.register_ffi_target(
        "native", make_capsule(target.address), platform=PLATFORM, api_version=0
    )
    big = jax.ShapeDtypeStruct((2048,), np.float32)
    call = jax.ffi.ffi_call("native", big, custom_call_api_version=1, legacy_backend_config=b"")
    yield lambda x: call(np.zeros(128, np.float32), np.zeros(2048, np.float32))


def main(folder, how="callbridge"):
    for call in natively(folder) if how == "native" else by_callbridge(folder):
        for one in (call, jax.jit(call)):
            np.asarray(one(X))
        if how != "native":
            np.asarray(jax.jit(jax.vmap(call))(np.stack([X, X])))
    print("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
