"""How JAX calls and registers custom calls: what depends on its version, as data. jax 0.10.2."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Path:
    custom_call_api_version: int  # of jax.ffi.ffi_call
    registration_api_version: int  # of jax.ffi.register_ffi_target
    entry_point: str  # the field of callbridge_entry_points


# In the order of registering: of a name that somebody else has registered with another address, the
# typed registry tells by an exception, the untyped one by ending the process.
PATHS = {
    "typed": Path(custom_call_api_version=4, registration_api_version=1, entry_point="typed"),
    "version_3": Path(custom_call_api_version=3, registration_api_version=0, entry_point="untyped"),
}

# By platform, the fastest path that XLA serves without a warning.
FASTEST = {"Host": "version_3", "CUDA": "typed", "ROCM": "typed"}

# jax.ffi.register_ffi_target's names.
JAX_PLATFORM = {"Host": "cpu", "CUDA": "CUDA", "ROCM": "ROCM"}
