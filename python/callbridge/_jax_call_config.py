"""What calls carry to their targets: the legacy_backend_config and the attributes of ffi_call."""

from __future__ import annotations

from typing import Any

from callbridge import _call_site, _jax_attributes, _target_abis
from callbridge._jax_typed import VersionThreeConfig
from callbridge._registry import Entry


def by_typed_handler(path: str, attributes: dict) -> tuple[Any, dict]:
    if path == "typed":
        return None, attributes
    return VersionThreeConfig(tuple(sorted(attributes.items()))), {}


def by_untyped_function(
    entry: Entry, path: str, operands: tuple, result: Any, tuple_layout: str, opaque: bytes
) -> tuple[bytes | None, dict]:
    descriptor = None
    if _needs_descriptor(entry, path, operands, result, tuple_layout, opaque):
        descriptor = _call_site.descriptor(operands, result, tuple_layout, opaque)
    if path == "version_3":
        return (opaque if descriptor is None else descriptor), {}
    if descriptor is None:
        return None, {}
    return None, _jax_attributes.freeze({_call_site.DESCRIPTOR_ATTRIBUTE: descriptor})


def _needs_descriptor(
    entry: Entry, path: str, operands: tuple, result: Any, tuple_layout: str, opaque: bytes
) -> bool:
    """True unless XLA hands the target by itself what the target expects."""
    abi = entry.platform, entry.abi
    if path == "version_3":
        opaque_arrives = not opaque.startswith(_call_site.DESCRIPTOR_MAGIC)
        counts_arrive = not _target_abis.counts_buffers(*abi)
    else:
        opaque_arrives = not (opaque and _target_abis.reads_opaque(*abi))
        counts_arrive = True
    trees_arrive = not _target_abis.takes_tuples(*abi) or _call_site.trees_arrive(
        operands, result, tuple_layout
    )
    return not (opaque_arrives and trees_arrive and counts_arrive)
