"""Typed FFI handlers, of any jaxlib's headers, for this JAX.

XLA is given a handler as it is where that runs, and a wrapper of callbridge's elsewhere. Where XLA
has no FFI, or not enough of it, an untyped function leads to the handler.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Sequence
from typing import Any

import jaxlib

from callbridge._core import _c_api, _call_site, _native_functions
from callbridge._core._call_site import Attributes
from callbridge._core._error import CallbridgeError
from callbridge._core._native_functions import make_capsule
from callbridge.jax import _frozen_attributes
from callbridge.typing import Stage


def adapt(
    name: str, platform: str, handlers: dict[Stage, int], traits: int
) -> tuple[dict[Stage, Any], int]:
    """Returns the capsules to give XLA instead of the handlers, by stage, and their traits."""
    adapted, reported = _native_functions.adapt(
        name, platform, handlers, jaxlib.__version__, traits
    )
    return {stage: make_capsule(address) for stage, address in adapted.items()}, reported


@dataclasses.dataclass(frozen=True)
class WorkspacesOf:
    """An AOT operator, whose FInit says how much scratch memory a call needs."""

    name: str
    platform: str
    target: _c_api.Target = dataclasses.field(compare=False)


@dataclasses.dataclass(frozen=True)
class VersionThreeConfig:
    """What _ffi_call makes the opaque of, by which version 3 calls a typed handler.

    Of vmap's batches it is another than of one call, since it holds the shapes.
    """

    attributes: tuple  # of names and frozen values
    scratch: int | WorkspacesOf = 0  # bytes, or the operator that says how many

    def batched(self, size: int) -> VersionThreeConfig:
        """Returns that of one call of so many."""
        if isinstance(self.scratch, WorkspacesOf):
            return self
        return dataclasses.replace(self, scratch=self.scratch * size)

    def opaque_for(self, operands: Sequence, results: Sequence) -> tuple[bytes, int]:
        """Returns the opaque, and how many bytes the call's hidden result has; 0: there is none.

        Raises UNIMPLEMENTED if a dimension is known only at run time; as
        callbridge_infer_scratch_bytes().
        """
        for array in (*operands, *results):
            if not all(isinstance(size, int) for size in array.shape):
                raise CallbridgeError(
                    "UNIMPLEMENTED",
                    f"version 3 cannot call a typed handler on an array of shape {array.shape}, "
                    "since its dimensions must be known when the program is compiled",
                )
        result = results[0] if len(results) == 1 else tuple(results)
        attributes = Attributes(_frozen_attributes.thaw(dict(self.attributes)))
        site = _call_site.typed_site(tuple(operands), result, attributes)
        if isinstance(self.scratch, WorkspacesOf):
            bytes_ = ctypes.c_int64()
            _c_api.infer_scratch_bytes(self.scratch.target, site, ctypes.byref(bytes_))
            site.scratch_bytes = bytes_.value
        else:
            site.scratch_bytes = self.scratch
        return _call_site.encoded(site), site.scratch_bytes
