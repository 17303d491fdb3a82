"""A table of the calls of an artifact: which targets they need, and who has these."""

from __future__ import annotations

import os
from collections.abc import Sequence

import jaxlib

import callbridge.jax
from callbridge._core._error import find_platform
from callbridge._core._library_files import library_at
from callbridge.jax import _registry
from callbridge.jax._artifact import Call
from callbridge.jax._runtimes import JAX_PLATFORM
from callbridge.jax._stablehlo_calls import TYPED_VERSION
from callbridge.library import Library

_HEADINGS = ("target", "version", "platform", "registered", "library")


def table(calls: Sequence[Call], libraries: Sequence[str]) -> str:
    """Returns the lines. Loads the libraries. Raises what callbridge.jax.load() raises."""
    for library in libraries:
        callbridge.jax.load(library)
    rows = [row for call in calls for row in _rows(call)]
    counted = dict.fromkeys(rows)  # each once, in the order of the calls
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *counted)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in (_HEADINGS, *counted)
    ]
    return "".join(f"{line}\n" for line in lines)


def _rows(call: Call) -> list[tuple[str, ...]]:
    version = str(call.api_version)
    if call.is_xlas_own:
        platforms = ",".join(call.platforms) or "-"
        return [(call.target, version, platforms, "XLA's own", "-")]
    if call.platforms:
        return [
            (call.target, version, platform, *_registration(call, platform))
            for platform in call.platforms
        ]
    # The artifact does not say: those that have the target.
    found = {platform.lower(): _registration(call, platform) for platform in JAX_PLATFORM.values()}
    known = {p: registration for p, registration in found.items() if registration[0] != "no"}
    return [
        (call.target, version, platform, *registration)
        for platform, registration in (known or {"-": ("no", "-")}).items()
    ]


def _registration(call: Call, platform: str) -> tuple[str, str]:
    """Returns whether a target is registered for a platform, and by which library."""
    canonical = find_platform(platform)
    if canonical is None:
        return "no", "-"
    is_typed = call.api_version >= TYPED_VERSION
    entry = _registry.registry.entry(call.target, canonical, is_typed)
    if entry is not None:
        source = entry.owner.path if isinstance(entry.owner, Library) else entry.source
        return _answer(is_typed, entry.abi == "typed_ffi"), source
    registered = _registry.registered(call.target, canonical)
    if not registered:
        return "no", "-"
    kind = is_typed if is_typed in registered else not is_typed
    addresses = registered[kind]
    library = None if addresses is None else library_at(next(iter(addresses.values()), 0))
    name = "-" if library is None else _short(os.fsdecode(library))
    return _answer(is_typed, bool(kind)), name


def _answer(is_typed: bool, is_typed_target: bool) -> str:
    if is_typed == is_typed_target:
        return "yes"
    return "typed" if is_typed_target else "untyped"


def _short(path: str) -> str:
    """JAX's own libraries by the package's name."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(jaxlib.__file__)))
    return os.path.relpath(path, folder) if path.startswith(folder + os.sep) else path
