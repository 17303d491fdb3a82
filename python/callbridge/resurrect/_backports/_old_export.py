"""jax.experimental.export, of 2023 and 2024, by jax.export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import export as _export

deserialize = _export.deserialize
default_lowering_platform = _export.default_export_platform
maximum_supported_serialization_version = _export.maximum_supported_calling_convention_version
minimum_supported_serialization_version = _export.minimum_supported_calling_convention_version


def export(
    fun_jax: Callable,
    *,
    lowering_platforms: Sequence[str] | None = None,
    disabled_checks: Sequence[Any] = (),
) -> Callable:
    """A function that takes shapes and dtypes of arguments, and returns the exported program."""
    jitted: Any = fun_jax if hasattr(fun_jax, "lower") else jax.jit(fun_jax)
    return _export.export(jitted, platforms=lowering_platforms, disabled_checks=disabled_checks)


def call(exported: Any) -> Callable:
    return exported.call


call_exported = call


def serialize(exp: Any, vjp_order: int = 0) -> bytearray:
    return exp.serialize(vjp_order)
