"""The legacy_backend_config and the attributes that ffi_call() is given for a call."""

from __future__ import annotations

from typing import Any

from callbridge import _call_site, _jax_attributes, _target_abis
from callbridge._jax_typed_handlers import VersionThreeConfig, WorkspacesOf
from callbridge._registry import Entry


def for_typed_handler(path: str, attributes: dict, scratch: int | WorkspacesOf) -> tuple[Any, dict]:
    """Returns both for a call of a typed handler. By the path "typed" XLA has scratch memory, or
    none can be had."""
    if path == "typed":
        return None, attributes
    return VersionThreeConfig(tuple(sorted(attributes.items())), scratch), {}


def for_untyped_function(
    entry: Entry, path: str, operands: tuple, result: Any, tuple_layout: str, opaque: bytes
) -> tuple[bytes | None, dict]:
    """Returns both for a call of an untyped target, with a site descriptor if it needs one."""
    descriptor = None
    abi = entry.platform, entry.abi
    if _call_site.needs_descriptor(
        operands,
        result,
        tuple_layout,
        opaque,
        path,
        takes_tuples=_target_abis.takes_tuples(*abi),
        reads_opaque=_target_abis.reads_opaque(*abi),
        counts_buffers=_target_abis.counts_buffers(*abi),
    ):
        descriptor = _call_site.descriptor(operands, result, tuple_layout, opaque)
    if path == "version_3":
        return (opaque if descriptor is None else descriptor), {}
    if descriptor is None:
        return None, {}
    return None, _jax_attributes.freeze({_call_site.DESCRIPTOR_ATTRIBUTE: descriptor})
