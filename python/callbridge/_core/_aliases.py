"""Aliases from operands to results, as jax.ffi.ffi_call is given them."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from callbridge._core._error import CallbridgeError


def copied(aliases: Any) -> dict[int, int]:
    """Returns a copy of `aliases`. Raises TypeError for anything but a dict and None."""
    if aliases is None:
        return {}
    if not isinstance(aliases, Mapping):
        raise TypeError(
            "input_output_aliases: expected a dict, from operands to results, got "
            f"{type(aliases).__name__}"
        )
    return dict(aliases)


def check(
    aliases: dict[int, int],
    operands: Sequence[Any],
    operand_layouts: Sequence | None,
    results: Sequence[Any],
    result_layouts: Sequence | None,
) -> None:
    """Raises INVALID_ARGUMENT if there is no such array, the forms differ, or a result has two.
    Raises TypeError for anything but integers.

    Not all releases of JAX find negative numbers.
    """
    if not aliases:
        return
    for operand, result in aliases.items():
        for number in (operand, result):
            _check_integer(number)
        what = f"input_output_aliases: {operand!r} to {result!r}"
        for index, arrays, side in ((operand, operands, "operand"), (result, results, "result")):
            if index not in range(len(arrays)):
                raise CallbridgeError(
                    "INVALID_ARGUMENT",
                    f"{what}: there is no {side} {index!r}, but {len(arrays)} {side}s, counted as "
                    "the arrays in preorder from 0",
                )
        forms = (
            _form(operands[operand], operand_layouts, operand),
            _form(results[result], result_layouts, result),
        )
        if forms[0] != forms[1]:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"{what}: the operand is {_text(*forms[0])}, the result {_text(*forms[1])}; arrays "
                "that share memory must be alike",
            )

    if len(set(aliases.values())) != len(aliases):
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"input_output_aliases: {aliases} has a result of two operands"
        )


def _check_integer(number: Any) -> None:
    try:
        operator.index(number)
    except TypeError:
        raise TypeError(
            "input_output_aliases: expected integers, from operands to results, both counted as "
            f"the arrays in preorder from 0; got {number!r}"
        ) from None


def _form(array: Any, layouts: Sequence | None, index: int) -> tuple:
    layout = layouts[index] if layouts is not None else None
    if layout is None:
        layout = tuple(range(len(array.shape)))
    return array.dtype.name, tuple(array.shape), layout


def _text(dtype: str, shape: tuple, layout: tuple) -> str:
    return f"{dtype}{list(shape)} of the layout {layout}"
