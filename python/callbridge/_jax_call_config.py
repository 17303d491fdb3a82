"""What calls carry to their targets: the legacy_backend_config and the attributes of ffi_call."""

from __future__ import annotations

from typing import Any

from callbridge import _call_site, _jax_attributes
from callbridge._jax_typed import VersionThreeConfig
from callbridge._platform import HOST
from callbridge._registry import Entry


def by_typed_handler(path: str, attributes: dict) -> tuple[Any, dict]:
    if path == "typed":
        return None, attributes
    return VersionThreeConfig(tuple(sorted(attributes.items()))), {}


def by_untyped_function(
    entry: Entry, path: str, operands: tuple, result: Any, tuple_layout: str, opaque: bytes
) -> tuple[bytes | None, dict]:
    descriptor = None
    if _call_site.needs_descriptor(
        operands,
        result,
        tuple_layout,
        opaque,
        path,
        on_host=entry.platform == HOST,
        # On a GPU the ABI need not be known.
        reads_opaque=entry.platform != HOST or entry.abi == "status_returning_unified",
    ):
        descriptor = _call_site.descriptor(operands, result, tuple_layout, opaque)
    if path == "version_3":
        return (opaque if descriptor is None else descriptor), {}
    if descriptor is None:
        return None, {}
    return None, _jax_attributes.freeze({_call_site.DESCRIPTOR_ATTRIBUTE: descriptor})
