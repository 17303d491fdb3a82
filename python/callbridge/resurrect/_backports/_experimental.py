"""jax.experimental's modules that are gone: host_callback, export, and the contexts of x64."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import io_callback

# ---- host_callback, made of jax.debug.callback and io_callback -----------------------------------


class CallbackException(Exception):
    """A callback failed. JAX raises its own error now."""


def call(
    callback_func: Callable,
    arg: Any,
    *,
    result_shape: Any = None,
    call_with_device: bool = False,
    **_,
) -> Any:
    """The result of the function of NumPy arrays, which has the shapes and types of
    `result_shape`; None without."""
    _without_device(call_with_device)
    shapes = jax.tree_util.tree_map(_shape_dtype, result_shape)
    if result_shape is None:
        io_callback(lambda value: callback_func(_of_numpy(value)) and None, None, arg)
        return None
    return io_callback(lambda value: callback_func(_of_numpy(value)), shapes, arg)


def id_tap(
    tap_func: Callable,
    arg: Any,
    *,
    result: Any = None,
    tap_with_device: bool = False,
    device_index: int = 0,
    **_,
) -> Any:
    """`arg`, or `result`; tap_func(arg, transforms) is called as it is computed."""
    _without_device(tap_with_device)
    jax.debug.callback(lambda value: tap_func(_of_numpy(value), ()), arg, ordered=_has_order())
    return arg if result is None else result


def id_print(
    arg: Any,
    *,
    result: Any = None,
    tap_with_device: bool = False,
    device_index: int = 0,
    output_stream: Any = None,
    threshold: int = 1024,
    **values: Any,
) -> Any:
    """`arg`, or `result`; `arg` is printed as it is computed, after the other keywords."""
    _without_device(tap_with_device)
    before = " ".join(f"{name}: {value}" for name, value in sorted(values.items()))

    def show(value: Any) -> None:
        stream = output_stream or sys.stdout
        shown = np.array2string(np.asarray(value), threshold=threshold)
        text = "\n".join(filter(None, [before, shown]))
        stream.write(f"{text}\n")

    jax.debug.callback(show, arg, ordered=_has_order())
    return arg if result is None else result


def barrier_wait(logging_name: str | None = None) -> None:
    """Waits for the callbacks of what has been started."""
    jax.effects_barrier()


def _of_numpy(value: Any) -> Any:
    """What callbacks were given; an operation on an array of JAX may wait for them forever."""
    return jax.tree_util.tree_map(np.asarray, value)


def _has_order() -> bool:
    """Taps of a device were called in their order; JAX keeps none among several devices."""
    return jax.device_count() == 1


def _without_device(asked_for: bool) -> None:
    if asked_for:
        raise NotImplementedError(
            "callbridge.resurrect restores jax.experimental.host_callback without the device of a "
            "callback, which JAX no longer tells"
        )


def _shape_dtype(value: Any) -> Any:
    return jax.ShapeDtypeStruct(value.shape, value.dtype)


# ---- export, of 2023 and 2024, by jax.export -----------------------------------------------------


def export(
    fun_jax: Callable,
    *,
    lowering_platforms: Sequence[str] | None = None,
    disabled_checks: Sequence[Any] = (),
) -> Callable:
    """A function that takes shapes and dtypes of arguments, and returns the exported program."""
    jitted: Any = fun_jax if hasattr(fun_jax, "lower") else jax.jit(fun_jax)
    from jax.export import export

    return export(jitted, platforms=lowering_platforms, disabled_checks=disabled_checks)


def call_exported(exported: Any) -> Callable:
    return exported.call


def serialize(exp: Any, vjp_order: int = 0) -> bytearray:
    return exp.serialize(vjp_order)


# ---- x64_context ---------------------------------------------------------------------------------


def enable_x64(new_val: bool = True) -> Any:
    return jax.enable_x64(new_val)


def disable_x64(new_val: bool = False) -> Any:
    return jax.enable_x64(new_val)
