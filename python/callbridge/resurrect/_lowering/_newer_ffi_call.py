"""jax.extend.ffi.ffi_call of releases whose own takes operands and attributes beside the target."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

# The options that ffi_call() has today.
_OPTIONS = {
    "has_side_effect",
    "vmap_method",
    "input_layouts",
    "output_layouts",
    "input_output_aliases",
    "custom_call_api_version",
    "legacy_backend_config",
}


def ffi_call(original: Callable) -> Callable | None:
    """Returns a function of arrays, as today, if it is called with neither operands nor attributes.

    So a call of an older program without operands must be written as today's:
    ffi_call(name, result)().
    """
    if original.__module__.startswith("callbridge.") or _is_todays(original):
        return None

    @functools.wraps(original)
    def wrapper(target_name: str, result_shape_dtypes: Any, *operands: Any, **options: Any) -> Any:
        if operands or not options.keys() <= _OPTIONS:
            return original(target_name, result_shape_dtypes, *operands, **options)
        from callbridge.resurrect._lowering import _ffi_call

        return _ffi_call.ffi_call(target_name, result_shape_dtypes, **options)

    return wrapper


def _is_todays(function: Callable) -> bool:
    return "vmap_method" in inspect.signature(function).parameters
