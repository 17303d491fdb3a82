"""Calls of typed handlers that this JAX or its XLA cannot make as typed calls.

They become calls of version 3, whose opaque has the shapes and the attributes: on a JAX without
XLA's FFI all of them, and where XLA calls no stage but "execute" those of handlers with others.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxlib.mlir import ir

import callbridge.jax
from callbridge._core import _call_site
from callbridge._core._call_site import Attributes
from callbridge._core._error import CallbridgeError
from callbridge._core._shapes import TOKEN, ShapeDtype
from callbridge.jax import _registry
from callbridge.jax._runtimes import RUNTIME, unimplemented
from callbridge.resurrect._lowering import _xla_shapes
from callbridge.resurrect._registration import _typed

TYPED = 4  # as calls are numbered


def opaque(
    target: str,
    operand_types: Sequence[ir.Type],
    result_types: Sequence[ir.Type],
    attributes: Mapping[str, ir.Attribute],
) -> bytes | None:
    """Returns the opaque to call `target` by version 3 with, None where XLA makes typed calls.

    Raises UNIMPLEMENTED for dimensions that are known only at run time, and for attributes of
    kinds that handlers cannot be given.
    """
    if not _needs_version_3(target, lacks_tokens((*operand_types, *result_types))):
        return None
    return descriptor(target, operand_types, result_types, attributes)


def descriptor(
    target: str,
    operand_types: Sequence[ir.Type],
    result_types: Sequence[ir.Type],
    attributes: Mapping[str, ir.Attribute],
) -> bytes:
    """Returns the opaque of such a call. Raises as opaque()."""
    results = tuple(_array(type_, target) for type_ in result_types)
    # The site has the handle of the attributes, which must live until it is encoded.
    plain = Attributes({name: _plain(value, name) for name, value in attributes.items()})
    site = _call_site.typed_site(
        tuple(_array(type_, target) for type_ in operand_types),
        results[0] if len(results) == 1 else results,
        plain,
    )
    return _call_site.encoded(site)


def lacks_tokens(types: Sequence[ir.Type]) -> bool:
    """Returns whether a typed call of these operands and results has a token that XLA does not
    pass. A tuple may have one."""
    if RUNTIME.typed_takes_tokens:
        return False
    return any(
        _xla_shapes.is_token(leaf) for type_ in types for leaf in _xla_shapes.leaf_types(type_)
    )


def _needs_version_3(target: str, has_tokens: bool) -> bool:
    """Raises UNIMPLEMENTED for tokens in a call of a handler that version 3 does not lead to."""
    if RUNTIME.has_instantiate and not has_tokens:  # XLA calls all stages
        return False
    for platform, handlers, is_compatible in _typed.not_for_xla(target, has_tokens=has_tokens):
        callbridge.jax.register(  # raises while a type has not come
            target, handlers, platform, "typed_ffi", command_buffer_compatible=is_compatible
        )
        _typed.given_to_callbridge(target, platform)
    entries = [entry for entry in _registry.registry.entries(target) if entry.abi == "typed_ffi"]
    if has_tokens and not (entries and all("version_3" in entry.paths for entry in entries)):
        raise unimplemented(
            f"a typed call of target {target!r} with a token", lambda row: row.typed_takes_tokens
        )
    return bool(entries) and (has_tokens or all("typed" not in entry.paths for entry in entries))


def _array(type_: ir.Type, target: str) -> ShapeDtype:
    if _xla_shapes.is_token(type_):
        token: Any = TOKEN
        return ShapeDtype((), token)
    array = ir.RankedTensorType(type_)
    if not array.has_static_shape:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"target {target!r} is called by version 3 on {type_}, whose dimensions must be known "
            "when the program is compiled",
        )
    return ShapeDtype(tuple(array.shape), _xla_shapes.dtype_of(array.element_type))


def _plain(attribute: ir.Attribute, name: str) -> Any:
    """The value, as callbridge.jax.custom_call() takes it."""
    if ir.DictAttr.isinstance(attribute):
        inner = ir.DictAttr(attribute)
        return {
            inner[i].name: _plain(inner[i].attr, f"{name}.{inner[i].name}")
            for i in range(len(inner))
        }
    if ir.StringAttr.isinstance(attribute):
        return _bytes(ir.StringAttr(attribute))
    if ir.BoolAttr.isinstance(attribute):
        return bool(ir.BoolAttr(attribute).value)
    if ir.IntegerAttr.isinstance(attribute):
        integer = ir.IntegerAttr(attribute)
        return _xla_shapes.dtype_of(integer.type).type(integer.value)
    if ir.FloatAttr.isinstance(attribute):
        number = ir.FloatAttr(attribute)
        one: np.ndarray = np.array([number.value], _xla_shapes.dtype_of(number.type))
        return _with_nans(one, str(attribute).split(" : ")[:1])[0]
    for class_name, dtype in _ARRAYS.items():
        class_ = getattr(ir, class_name, None)
        if class_ is not None and class_.isinstance(attribute):
            array = class_(attribute)
            values: np.ndarray = np.array([array[i] for i in range(len(array))], dtype)
            return _with_nans(values, str(attribute).partition(":")[2].rstrip(">").split(","))
    if ir.DenseElementsAttr.isinstance(attribute):
        type_ = ir.RankedTensorType(attribute.type)
        return np.array(ir.DenseElementsAttr(attribute), _xla_shapes.dtype_of(type_.element_type))
    raise CallbridgeError(
        "UNIMPLEMENTED",
        f"attribute {name!r} is {attribute}; a handler that this JAX calls by version 3 takes "
        "booleans, numbers, strings, arrays and dictionaries of them",
    )


def _with_nans(values: np.ndarray, texts: Sequence[str]) -> np.ndarray:
    """NaNs with the bits that MLIR writes: its Python gives doubles, and no signaling ones."""
    for i in map(int, np.flatnonzero(values != values)):
        bits = int(texts[i], 16).to_bytes(values.dtype.itemsize, sys.byteorder)
        values[i : i + 1] = np.frombuffer(bits, values.dtype)
    return values


_ARRAYS = {
    "DenseBoolArrayAttr": np.bool_,
    "DenseI8ArrayAttr": np.int8,
    "DenseI16ArrayAttr": np.int16,
    "DenseI32ArrayAttr": np.int32,
    "DenseI64ArrayAttr": np.int64,
    "DenseF32ArrayAttr": np.float32,
    "DenseF64ArrayAttr": np.float64,
}


def _bytes(attribute: ir.StringAttr) -> bytes:
    if hasattr(attribute, "value_bytes"):
        return bytes(attribute.value_bytes)
    return str(attribute.value).encode()
