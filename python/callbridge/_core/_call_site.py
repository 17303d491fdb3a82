"""Call sites: what is known about a call before its arrays exist; its attributes and aliases."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from callbridge._core import _c_api, _shapes
from callbridge._core._error import CallbridgeError, check_choice, utf_8
from callbridge._core._shapes import element_type

TUPLE_LAYOUTS = {"nested": 0, "flat": 1}

# abi/site_descriptor.h: the first bytes of a descriptor, and its attribute in typed calls.
DESCRIPTOR_MAGIC = b"\xcb\0site\0\1"
DESCRIPTOR_ATTRIBUTE = "callbridge_site"


def check_tuple_layout(tuple_layout: str) -> None:
    check_choice(tuple_layout, "tuple_layout", TUPLE_LAYOUTS)


def opaque_bytes(opaque: Any) -> bytes:
    if isinstance(opaque, str):
        raise TypeError("opaque is a str, but targets get bytes; pass opaque.encode(...)")
    if not isinstance(opaque, (bytes, bytearray, memoryview)):
        raise TypeError(f"opaque: expected bytes, got {type(opaque).__name__}")
    return bytes(opaque)


def site(
    operands: tuple,
    result: Any,
    tuple_layout: str,
    opaque: bytes,
    leaf_text,
    attributes: Any = None,
    operator_info: Any = None,
    scratch_bytes: int = 0,
) -> _c_api.Site:
    """`leaf_text` says how much of an array matters: _shapes.array_text or _shapes.type_text.

    `attributes` and `operator_info` are handles of the C API's, which must live as long as the
    site.
    """
    check_tuple_layout(tuple_layout)
    texts = [
        _c_api.text(_shapes.tree_text(operand, leaf_text, f"operands[{i}]"), "shape")
        for i, operand in enumerate(operands)
    ]
    return _c_api.Site(
        tuple_layout=TUPLE_LAYOUTS[tuple_layout],
        operands=(ctypes.c_char_p * len(texts))(*texts),
        operand_count=len(texts),
        result=_c_api.text(_shapes.tree_text(result, leaf_text, "result"), "shape"),
        opaque=opaque,
        opaque_size=len(opaque),
        attributes=attributes,
        operator_info=operator_info,
        scratch_bytes=scratch_bytes,
    )


def needs_descriptor(
    operands: tuple,
    result: Any,
    tuple_layout: str,
    opaque: bytes,
    path: str,
    *,
    takes_tuples: bool = True,
    reads_opaque: bool = True,
    counts_buffers: bool = False,
) -> bool:
    """Returns whether a call needs a site descriptor, so that the target gets what it expects.

    XLA is given the leaves of the operands and of the result, and, by the path "version_3", the
    opaque. hlo/upgrade.cc has the same rule for HLO, by the path "typed"; a test compares the two.

    Args:
      operands: shape trees.
      result: likewise.
      tuple_layout: which the target expects.
      opaque: likewise.
      path: "version_3" or "typed".
      takes_tuples: false if the target expects leaves, as on a GPU.
      reads_opaque: false if the target takes no opaque.
      counts_buffers: true if the target gets the numbers of operands and results of its call, which
        version 3 does not say.
    """
    if path == "version_3":
        opaque_arrives = not opaque.startswith(DESCRIPTOR_MAGIC)
        counts_arrive = not counts_buffers
    else:
        opaque_arrives = not (opaque and reads_opaque)
        counts_arrive = True
    trees_arrive = not takes_tuples or _leaves_are_enough(operands, result, tuple_layout)
    return not (opaque_arrives and trees_arrive and counts_arrive)


def _leaves_are_enough(operands: tuple, result: Any, tuple_layout: str) -> bool:
    """Returns whether a target on the CPU expects what XLA makes of the leaves alone.

    XLA passes a pointer for each leaf of the operands; of the result one pointer to the array, or a
    table of any other number of arrays.
    """
    is_table = type(result) is tuple
    if is_table and _shapes.leaf_count(result) == 1:
        return False
    return tuple_layout == "flat" or not any(
        type(tree) is tuple for tree in (*operands, *(result if is_table else ()))
    )


def descriptor(
    operands: tuple, result: Any, tuple_layout: str, opaque: bytes, leaf_text=_shapes.type_text
) -> bytes:
    """Returns the site descriptor. It has no dimensions, so those of `operands` may be symbolic."""
    return encoded(site(operands, result, tuple_layout, opaque, leaf_text))


def typed_site(
    operands: tuple, result: Any, attributes: Attributes, scratch_bytes: int = 0
) -> _c_api.Site:
    """Returns the site of a call of a typed handler, with the dimensions."""
    return site(
        operands,
        result,
        "nested",
        b"",
        _shapes.array_text,
        attributes.handle,
        scratch_bytes=scratch_bytes,
    )


def encoded(site: _c_api.Site) -> bytes:
    """Returns the site's descriptor; a typed handler's is the opaque of a version-3 call."""
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    _c_api.site_encode(site, ctypes.byref(data), ctypes.byref(size))
    try:
        return ctypes.string_at(data, size.value)
    finally:
        _c_api.bytes_free(data)


# ---- Attributes of typed calls, as the C API takes them -----------------------------------------

_EXPECTED = "a bool, int, float, str or bytes, a NumPy scalar or array, or a dict of such"


class Attributes:
    """A dictionary that the C API reads; it is freed with the last reference to `handle`."""

    def __init__(self, attributes: Any, what: str = "attributes"):
        """Raises TypeError if something in it is not an attribute. `what` names it in errors."""
        if not isinstance(attributes, Mapping):
            raise TypeError(f"{what}: expected a dict, got {type(attributes).__name__}")
        self.handle = _c_api.make_attributes()
        for name, value in attributes.items():
            if not isinstance(name, str):
                raise TypeError(f"{what}: expected names that are str, got {name!r}")
            encoded = utf_8(name, f"{what}[{name!r}]")
            if b"\0" in encoded:
                raise CallbridgeError(
                    "INVALID_ARGUMENT", f"{what}: expected names without NULs, got {name!r}"
                )
            self._set(encoded, value, f"{what}[{name!r}]")

    def _set(self, name: bytes, value: Any, what: str) -> None:
        if isinstance(value, Mapping):
            inner = Attributes(value, what)
            _c_api.ffi_attributes_set_dictionary(self.handle, name, inner.handle)
        elif isinstance(value, (str, bytes)):
            text = utf_8(value, what) if isinstance(value, str) else value
            _c_api.ffi_attributes_set_string(self.handle, name, text, len(text))
        elif isinstance(value, (bool, int, float, np.generic, np.ndarray)):
            refuse_masked(value, what)
            refuse_wide(value, what)
            array = as_array(value)
            number = element_type(array.dtype, what).number
            if isinstance(value, np.ndarray):
                _c_api.ffi_attributes_set_array(
                    self.handle, name, number, array.ctypes.data, array.size
                )
            else:
                _c_api.ffi_attributes_set_scalar(self.handle, name, number, array.ctypes.data)
        else:
            raise TypeError(f"{what}: expected {_EXPECTED}; got {type(value).__name__}")


def refuse_masked(value: Any, what: str) -> None:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{what} is a masked array, whose mask handlers do not get; pass its filled(...), and "
            "the mask as another attribute if the handler takes one"
        )


def refuse_wide(value: Any, what: str) -> None:
    """Raises TypeError for an int that is not an int64, which handlers get."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise TypeError(f"{what}: {value} is not an int64; pass a numpy.uint64 or an array of one")


def as_array(value: Any) -> np.ndarray:
    """A bool, int, float, or what is of NumPy: contiguous, in this machine's byte order."""
    if isinstance(value, (np.generic, np.ndarray)):
        return np.ascontiguousarray(value, value.dtype.newbyteorder("="))
    for type_, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64)):
        if isinstance(value, type_):
            return np.array(value, dtype)
    raise AssertionError(value)


# ---- Aliases from operands to results, as jax.ffi.ffi_call is given them ------------------------


def copied_aliases(aliases: Any) -> dict[int, int]:
    """Returns a copy of `aliases`. Raises TypeError for anything but a dict and None."""
    if aliases is None:
        return {}
    if not isinstance(aliases, Mapping):
        raise TypeError(
            "input_output_aliases: expected a dict, from operands to results, got "
            f"{type(aliases).__name__}"
        )
    return dict(aliases)


def check_aliases(
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
            _check_number(number)
        what = f"input_output_aliases: {operand!r} to {result!r}"
        for index, arrays, side in ((operand, operands, "operand"), (result, results, "result")):
            if index not in range(len(arrays)):
                raise CallbridgeError(
                    "INVALID_ARGUMENT",
                    f"{what}: there is no {side} {index!r}, but {len(arrays)} {side}s, counted as "
                    "the arrays in preorder from 0",
                )
        forms = (
            _aliased_form(operands[operand], operand_layouts, operand),
            _aliased_form(results[result], result_layouts, result),
        )
        if forms[0] != forms[1]:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"{what}: the operand is {_form_text(*forms[0])}, the result "
                f"{_form_text(*forms[1])}; arrays that share memory must be alike",
            )

    if len(set(aliases.values())) != len(aliases):
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"input_output_aliases: {aliases} has a result of two operands"
        )


def _check_number(number: Any) -> None:
    try:
        operator.index(number)
    except TypeError:
        raise TypeError(
            "input_output_aliases: expected integers, from operands to results, both counted as "
            f"the arrays in preorder from 0; got {number!r}"
        ) from None


def _aliased_form(array: Any, layouts: Sequence | None, index: int) -> tuple:
    layout = layouts[index] if layouts is not None else None
    if layout is None:
        layout = tuple(range(len(array.shape)))
    return array.dtype.name, tuple(array.shape), layout


def _form_text(dtype: str, shape: tuple, layout: tuple) -> str:
    return f"{dtype}{list(shape)} of the layout {layout}"
