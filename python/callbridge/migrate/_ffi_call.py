"""jax.extend.ffi.ffi_call(name, types, *operands, **options), as jax.ffi calls now."""

from __future__ import annotations

import libcst as cst

from callbridge.migrate._arguments import clean, keyword

# Options of jax.ffi.ffi_call; its other keywords are the call's attributes.
_OPTIONS = {
    *("has_side_effect", "vmap_method", "input_layouts", "output_layouts"),
    *("input_output_aliases", "custom_call_api_version", "legacy_backend_config"),
    "result_shape_dtypes",
}


def rewritten(call: cst.Call, is_called: bool) -> cst.Call | str:
    """Returns the call with its operands and attributes behind it, or a reason why not.

    `is_called`: what it returns is called at once, so its operands are there already.
    """
    positional = [one for one in call.args if one.keyword is None]
    attributes, options = [], []
    for one in call.args:
        if one.keyword is None:
            continue
        if one.keyword.value == "vectorized":
            if not isinstance(one.value, cst.Name) or one.value.value not in ("True", "False"):
                return "vectorized is not a constant; write vmap_method"
            method = "broadcast_all" if one.value.value == "True" else "sequential"
            options.append(keyword("vmap_method", cst.SimpleString(f'"{method}"')))
        elif one.keyword.value in _OPTIONS:
            options.append(one)
        else:
            attributes.append(one)
    operands = positional[2:]
    if is_called or not (operands or attributes):
        kept = [one for one in call.args if one.keyword is not None]
        if options == kept:
            return call
        return call.with_changes(args=clean([*positional, *options]))
    function = call.with_changes(args=clean([*positional[:2], *options]))
    return cst.Call(function, clean([*operands, *attributes]))
