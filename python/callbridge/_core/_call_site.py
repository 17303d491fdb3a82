"""Call sites: what is known about a call before its arrays exist."""

from __future__ import annotations

import ctypes
from typing import Any

from callbridge._core import _c_api, _shapes
from callbridge._core._arguments import check_choice
from callbridge._core._attributes import Attributes

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
