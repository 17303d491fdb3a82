"""Aliases from operands to results, as jax.ffi.ffi_call is given them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from callbridge._error import CallbridgeError


def check(
    aliases: dict[int, int] | None,
    operands: Sequence[Any],
    operand_layouts: Sequence | None,
    results: Sequence[Any],
    result_layouts: Sequence | None,
) -> None:
    """INVALID_ARGUMENT where there is no such array, the two differ in form, or a result has two.
    TypeError for what is no dict of integers.

    Not all releases of JAX find negative numbers.
    """
    if not isinstance(aliases, (dict, type(None))):
        raise TypeError(f"input_output_aliases: expected a dict, got {type(aliases).__name__}")
    for operand, result in (aliases or {}).items():
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

    if len(set((aliases or {}).values())) != len(aliases or {}):
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
