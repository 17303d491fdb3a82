"""jax.ffi.ffi_call, for releases that lack it, and jax.extend.ffi.ffi_call, as past and later
releases have it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax._src import core

from callbridge.jax import _ffi_call, _frozen_attributes
from callbridge.resurrect._backports import _avals
from callbridge.resurrect._lowering import _ffi_lowering

# ---- jax.ffi, with the signature and the errors of the newest release ----------------------------

_VMAP_METHODS = [
    *("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized"),
    None,
]


def ffi_call(
    target_name: str,
    result_shape_dtypes: Any,
    *,
    has_side_effect: bool = False,
    vmap_method: str | None = None,
    input_layouts: Sequence[Any] | None = None,
    output_layouts: Any = None,
    input_output_aliases: Mapping[int, int] | None = None,
    custom_call_api_version: int = 4,
    legacy_backend_config: str | bytes | None = None,
) -> Callable[..., Any]:
    """Returns a function of arrays that calls a target; keywords of that are attributes.

    Args:
      target_name: as it is registered.
      result_shape_dtypes: what has `shape` and `dtype`, or is jax.core.abstract_token; or a
        sequence of these.
      has_side_effect: XLA keeps the call if its results are not used.
      vmap_method: "sequential", "sequential_unrolled", "expand_dims" or "broadcast_all". None:
        jax.vmap raises an error.
      input_layouts: for each operand its dimensions from the major to the minor one, an object of a
        class of layouts, or None for row-major.
      output_layouts: likewise; one layout if there is one result.
      input_output_aliases: from operands to the results that may share their memory.
      custom_call_api_version: 4 for typed handlers, 1 to 3 for untyped functions.
      legacy_backend_config: the opaque of untyped functions.

    Raises:
      ValueError: as the newest JAX, whose texts the errors have.
    """
    if vmap_method not in _VMAP_METHODS:
        raise ValueError(
            f"vmap_method must be on of the allowed methods {_VMAP_METHODS}, but got: {vmap_method}"
        )
    is_single = not isinstance(result_shape_dtypes, Sequence)
    results = _result_avals([result_shape_dtypes] if is_single else result_shape_dtypes)
    layouts_out = (output_layouts,) if is_single else output_layouts
    if custom_call_api_version >= _ffi_lowering.TYPED_VERSION and legacy_backend_config is not None:
        raise ValueError(
            "The use of the legacy_backend_config parameter requires custom_call_api_version < 4; "
            f"got {custom_call_api_version}."
        )

    def call(*operands: Any, **attributes: Any) -> Any:
        avals = list(map(_avals.abstractify, operands))
        operand_layouts = _layouts(avals, input_layouts, "input arguments", "input")
        result_layouts = _layouts(results, layouts_out, "outputs", "output")
        given = _ffi_call_p.bind(
            *operands,
            target_name=target_name,
            result_avals=results,
            has_side_effect=has_side_effect,
            vmap_method=vmap_method,
            operand_layouts=operand_layouts,
            result_layouts=result_layouts,
            aliases=_aliases(input_output_aliases, avals, operand_layouts, results, result_layouts),
            api_version=custom_call_api_version,
            config=legacy_backend_config,
            attributes=tuple(
                (name, _hashable(name, value)) for name, value in sorted(attributes.items())
            ),
        )
        if is_single:
            return given[0]
        return tuple(given) if isinstance(result_shape_dtypes, tuple) else given

    return call


def _lower(
    context: Any,
    *operands: Any,
    target_name: str,
    has_side_effect: bool,
    operand_layouts: Any,
    result_layouts: Any,
    aliases: Any,
    api_version: int,
    config: Any,
    attributes: Any,
    **_: Any,
) -> Any:
    rule = _ffi_lowering.ffi_lowering(
        target_name,
        operand_layouts=operand_layouts,
        result_layouts=result_layouts,
        backend_config=config,
        has_side_effect=has_side_effect,
        operand_output_aliases=dict(aliases),
        api_version=api_version,
    )
    return rule(context, *operands, **_frozen_attributes.thaw(dict(attributes)))


_ffi_call_p = _ffi_call.make_primitive("ffi_call", _lower)


def _result_avals(results: Sequence[Any]) -> tuple[Any, ...]:
    avals: list[Any] = []
    for i, result in enumerate(results):
        if result is core.abstract_token:
            avals.append(result)
        elif hasattr(result, "shape") and hasattr(result, "dtype"):
            avals.append(core.ShapedArray(tuple(result.shape), result.dtype))
        else:
            raise ValueError(
                "All elements of result_shape_dtypes must have 'shape' and 'dtype' attributes. Got "
                f"{result} at position {i}."
            )
    return tuple(avals)


def _layouts(
    avals: Sequence[Any], layouts: Sequence[Any] | None, subject: str, kind: str
) -> tuple[tuple[int, ...], ...]:
    if layouts is None:
        layouts = [None] * len(avals)
    elif len(layouts) != len(avals):
        raise ValueError(
            f"The number of {subject} ({len(avals)}) must equal the number of {kind} layouts "
            f"({len(layouts)})."
        )
    return tuple(
        _ffi_lowering.minor_to_major(
            len(getattr(aval, "shape", ())),
            layout if layout is None or hasattr(layout, "major_to_minor") else layout[::-1],
        )
        for aval, layout in zip(avals, layouts)
    )


def _aliases(
    given: Mapping[int, int] | None,
    operands: Sequence[Any],
    operand_layouts: Sequence[Any],
    results: Sequence[Any],
    result_layouts: Sequence[Any],
) -> tuple[tuple[int, int], ...]:
    aliases = []
    for key, value in sorted((given or {}).items()):
        i, o = int(key), int(value)
        start = f"input_output_aliases contains the mapping '{i}:{o}' "
        if i >= len(operands):
            raise ValueError(f"{start}with input index {i} outside the range [0, {len(operands)}).")
        if o >= len(results):
            raise ValueError(f"{start}with output index {o} outside the range [0, {len(results)}).")
        if _form(operands[i]) != _form(results[o]):
            raise ValueError(
                f"{start}referring to an input with abstract value {operands[i].str_short()} and "
                f"an output with a different abstract value {results[o].str_short()}."
            )
        if operand_layouts[i] != result_layouts[o]:
            raise ValueError(
                f"{start}referring to an input with layout {operand_layouts[i]} and an output with "
                f"a different layout {result_layouts[o]}."
            )
        aliases.append((i, o))
    return tuple(aliases)


def _form(aval: Any) -> tuple[Any, Any]:
    return getattr(aval, "shape", ()), getattr(aval, "dtype", None)


def _hashable(name: str, value: Any) -> Any:
    """Returns an attribute that JAX can compare. Raises TypeError for what cannot be one."""
    if not isinstance(value, (np.ndarray, dict)):
        try:
            hash(value)
        except TypeError as error:
            raise TypeError(f"Non-hashable keyword argument to ffi_call {name}: {value}") from error
    return _ffi_lowering.freeze(value)


# ---- jax.extend.ffi of 0.4.31 to 0.5: with the operands inline, and `vectorized` -----------------


def extend_ffi_call(
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


extend_ffi_call.__name__ = extend_ffi_call.__qualname__ = "ffi_call"
extend_ffi_call.__signature__ = inspect.signature(extend_ffi_call)  # type: ignore[attr-defined]


# ---- jax.extend.ffi of releases whose own takes operands and attributes beside the target --------

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


def returns_a_function(original: Callable) -> Callable | None:
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
        return ffi_call(target_name, result_shape_dtypes, **options)

    return wrapper


def _is_todays(function: Callable) -> bool:
    return "vmap_method" in inspect.signature(function).parameters
