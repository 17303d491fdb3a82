"""The registries of the modules whose targets the embedded runtime calls."""

from __future__ import annotations

import functools

from callbridge import _typed_handlers
from callbridge._platform import HOST
from callbridge._registry import Entry, Registry
from callbridge.typing import Abi


@functools.cache
def of(module: str) -> Registry:
    """Returns that of the public module `module`, "callbridge.numpy" for one."""
    return Registry(module, module, _serve, lambda entry: None, lambda: HOST)


def _serve(entry: Entry, abi: Abi | None) -> tuple[str, ...]:
    """Refuses typed handlers that are none, and those that are declared untyped."""
    if "typed_ffi" in (entry.target.abi, abi):
        _typed_handlers.adapt(entry.target.name, entry.platform, entry.handlers, None)
    else:
        _typed_handlers.refuse_as_untyped(entry.target, entry.platform, abi)
    return ("embedded",)
