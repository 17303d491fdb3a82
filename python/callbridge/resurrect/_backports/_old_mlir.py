"""Functions of jax.interpreters.mlir that were gone for a while."""

from __future__ import annotations

from typing import Any

from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def ir_constants(value: Any, canonicalize_types: bool = False) -> tuple:
    """The constants of a value: one, as no value has several any more."""
    return (mlir.ir_constant(value, canonicalize_types=canonicalize_types),)


def token_type() -> ir.Type:
    return stablehlo.TokenType.get()
