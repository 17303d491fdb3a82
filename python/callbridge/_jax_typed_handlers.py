"""Typed FFI handlers, of any jaxlib's headers, for this JAX.

XLA is given a handler as it is where that runs, and a wrapper of callbridge's elsewhere. Where XLA
has no FFI, or not enough of it, an untyped function leads to the handler.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jaxlib

from callbridge import _call_site, _jax_attributes, _typed_handlers
from callbridge._attributes import Attributes
from callbridge._error import CallbridgeError
from callbridge._function_address import make_capsule
from callbridge.typing import Stage


def adapt(
    name: str, platform: str, handlers: dict[Stage, int], traits: int
) -> tuple[dict[Stage, Any], int]:
    """Returns the capsules to give XLA instead of the handlers, by stage, and their traits."""
    adapted, reported = _typed_handlers.adapt(name, platform, handlers, jaxlib.__version__, traits)
    return {stage: make_capsule(address) for stage, address in adapted.items()}, reported


@dataclasses.dataclass(frozen=True)
class VersionThreeConfig:
    """What _jax_ffi_call makes the opaque of, by which version 3 calls a typed handler.

    Of vmap's batches it is another than of one call, since it holds the shapes.
    """

    attributes: tuple  # of names and frozen values

    def opaque_for(self, operands: Sequence, results: Sequence) -> bytes:
        """Raises UNIMPLEMENTED if a dimension is known only at run time."""
        for array in (*operands, *results):
            if not all(isinstance(size, int) for size in array.shape):
                raise CallbridgeError(
                    "UNIMPLEMENTED",
                    f"version 3 cannot call a typed handler on an array of shape {array.shape}, "
                    "since its dimensions must be known when the program is compiled",
                )
        result = results[0] if len(results) == 1 else tuple(results)
        attributes = Attributes(_jax_attributes.thaw(dict(self.attributes)))
        return _call_site.typed_descriptor(tuple(operands), result, attributes)
