"""jax.extend.ffi.ffi_call, of 0.4.31 to 0.5: with the operands inline, and `vectorized`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import jax


def ffi_call(
    target_name: str,
    result_shape_dtypes: Any,
    *args: Any,
    vectorized: Any = None,
    vmap_method: str | None = None,
    has_side_effect: bool = False,
    custom_call_api_version: int = 4,
    legacy_backend_config: str | None = None,
    input_output_aliases: dict[int, int] | None = None,
    input_layouts: Sequence[Any] | None = None,
    output_layouts: Any = None,
    **kwargs: Any,
) -> Any:
    """Calls the target: at once where operands or attributes are given, and otherwise returns a
    function of them, as jax.ffi.ffi_call() does.

    `vectorized`: True is vmap_method="legacy_vectorized", False "sequential"; without either, vmap
    runs the calls one after another, as it did.
    """
    if vectorized is not None and vmap_method is not None:
        raise ValueError("ffi_call: expected vectorized or vmap_method, got both")
    if vmap_method is None:
        vmap_method = "legacy_vectorized" if vectorized else "sequential"
    others = {
        "input_output_aliases": input_output_aliases,
        "input_layouts": input_layouts,
        "output_layouts": output_layouts,
    }
    given = {name: value for name, value in others.items() if value is not None}
    call = jax.ffi.ffi_call(
        target_name,
        result_shape_dtypes,
        has_side_effect=has_side_effect,
        vmap_method=vmap_method,
        custom_call_api_version=custom_call_api_version,
        legacy_backend_config=legacy_backend_config,
        **given,
    )
    return call(*args, **kwargs) if args or kwargs else call


ffi_call.__signature__ = inspect.signature(ffi_call)  # type: ignore[attr-defined]
