"""Attributes of typed calls, as jax.ffi.ffi_call can be given them, and as it gives them to XLA.

JAX compares what a call is compiled with by `==`, which takes float32(1) for int32(1) and -0.0 for
0.0, and so would run the program of the other; and it hashes no dictionary in a dictionary. So each
attribute is wrapped in an object that is compared by type and bits.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from jax.interpreters import mlir
from jaxlib.mlir import ir

from callbridge._core import _call_site, _shapes
from callbridge._core._error import HOST, CallbridgeError, utf_8
from callbridge._core._installation import NEWEST
from callbridge.jax._runtimes import (
    IR_ATTRIBUTE,
    REGISTER_ATTRIBUTE_HANDLER,
    RUNTIME,
    RUNTIMES,
    Runtime,
    jax_function_or,
    release_text,
    unimplemented,
)
from callbridge.typing import Attributes

# The types from which jax.ffi makes scalar attributes.
_SCALARS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "bfloat16"),
)
_SCALARS_OF_NO_XLA = ("float16", "bfloat16")  # version 3 passes them
_INT64_MAX = 2**63 - 1
_EXPECTED = "a bool, int, float, str or bytes, a NumPy scalar or array, or a dict of such"


class _Attribute:
    """A value that JAX lowers as what it holds."""

    def __init__(self, value: Any, identity: Any):
        self._value = value
        self._identity = identity
        self._hash = hash(identity)  # JAX needs it in every call

    def __jax_array__(self) -> Any:
        return self._value

    def __eq__(self, other: Any) -> bool:
        return other is self or (
            isinstance(other, _Attribute) and self._identity == other._identity
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return repr(self._value)


def freeze(attributes: Attributes | None) -> dict[str, Any]:
    """Returns keyword arguments for the function that jax.ffi.ffi_call() returns. Copies arrays.

    Raises TypeError for what is not an attribute, INVALID_ARGUMENT for arrays without an element
    type of XLA's, UNIMPLEMENTED for what jax.ffi cannot pass.
    """
    if attributes is None:
        return {}
    frozen = _freeze_dictionary(attributes, "attributes")
    if "ctx" in frozen:  # the name of a parameter in jax.ffi
        raise CallbridgeError(
            "UNIMPLEMENTED",
            "attributes: jax.ffi cannot pass one by the name 'ctx'; have the handler read it from "
            "a dictionary attribute, or by another name",
        )
    return frozen


def _freeze_dictionary(attributes: Any, what: str) -> dict[str, _Attribute]:
    if not isinstance(attributes, Mapping):
        raise TypeError(f"{what}: expected a dict, got {type(attributes).__name__}")
    for name in attributes:
        if not isinstance(name, str):
            raise TypeError(f"{what}: expected names that are str, got {name!r}")
        utf_8(name, what)
    return {name: _freeze(value, f"{what}[{name!r}]") for name, value in attributes.items()}


def _freeze(value: Any, what: str) -> _Attribute:
    if isinstance(value, Mapping):
        frozen = _freeze_dictionary(value, what)
        return _Attribute(frozen, frozenset(frozen.items()))
    if isinstance(value, np.generic):  # first, since float64 is a float
        if value.dtype.name not in _SCALARS:
            raise TypeError(f"{what}: XLA has no scalar attributes of type {value.dtype.name}")
        if value.dtype == np.uint64 and int(value) > _INT64_MAX:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"{what}: jax.ffi cannot pass the uint64 {value}, being more than {_INT64_MAX}; "
                "have the handler take an array of one",
            )
        return _Attribute(value, (value.dtype, value.tobytes()))
    if isinstance(value, np.ndarray):
        _call_site.refuse_masked(value, what)
        _shapes.element_type(value.dtype, what)
        array = np.array(value, value.dtype.newbyteorder("="), order="C", subok=False)
        return _Attribute(array, (array.dtype, array.shape, array.tobytes()))
    if isinstance(value, float):
        return _Attribute(value, (float, struct.pack("=d", value)))  # NaNs have one hex()
    _call_site.refuse_wide(value, what)
    if isinstance(value, str):
        utf_8(value, what)
    if isinstance(value, (bool, int, str, bytes)):
        return _Attribute(value, (type(value), value))
    raise TypeError(f"{what}: expected {_EXPECTED}; got {type(value).__name__}")


def thaw(attributes: dict[str, _Attribute]) -> dict[str, Any]:
    """Returns the argument of freeze()."""
    values = {name: attribute.__jax_array__() for name, attribute in attributes.items()}
    return {n: thaw(value) if isinstance(value, dict) else value for n, value in values.items()}


def check_typed(attributes: dict[str, _Attribute], platform: str, what: str = "attributes") -> None:
    """Raises UNIMPLEMENTED if the XLA of this JAX does not decode one, and that of another does.

    Arrays that none decodes XLA refuses itself, when the program runs; but arrays of bool some
    releases of JAX pass as other bytes.
    """
    for name, attribute in attributes.items():
        value, subject = attribute.__jax_array__(), f"{what}[{name!r}]"
        if isinstance(value, dict):
            if not RUNTIME.has_dictionary_attributes:
                raise unimplemented(
                    f"{subject}: a dictionary", lambda row: row.has_dictionary_attributes
                )
            check_typed(value, platform, subject)
        elif isinstance(value, np.ndarray):
            _check_array(value.dtype, platform, subject)
        elif isinstance(value, np.generic) and value.dtype.name in _SCALARS_OF_NO_XLA:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"{subject}: XLA decodes no scalars of {value.dtype.name} up to jax "
                f"{release_text(NEWEST)}, and this is jax {jax.__version__}; have the handler take "
                "a float32",
            )


def _check_array(dtype: np.dtype, platform: str, subject: str) -> None:
    if dtype == np.bool_:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"{subject}: XLA decodes no arrays of bool up to jax {release_text(NEWEST)}, and this "
            f"is jax {jax.__version__}; have the handler take one of uint8 or int8",
        )
    if platform != HOST and not _takes_tensors(RUNTIME):
        raise unimplemented(f"{subject}: an array of {dtype.name}, on {platform},", _takes_tensors)
    if dtype.name in RUNTIME.array_attributes or dtype.name not in RUNTIMES[-1].array_attributes:
        return
    raise unimplemented(
        f"{subject}: an array of {dtype.name}", lambda row: dtype.name in row.array_attributes
    )


def _takes_tensors(runtime: Runtime) -> bool:
    """Whether XLA decodes a tensor as an array. Arrays of unsigned integers are always tensors."""
    return "uint8" in runtime.array_attributes


# ---- As XLA gets them ---------------------------------------------------------------------------


def _int16_array(values: np.ndarray) -> ir.Attribute:
    # MLIR's Python has no function for it.
    elements = ", ".join(map(str, values))
    return ir.Attribute.parse(f"array<i16{': ' if elements else ''}{elements}>")


def _float_array(values: np.ndarray, make: Callable) -> ir.Attribute:
    if not np.isnan(values).any():
        return make(values.tolist())
    type_ = mlir.dtype_to_ir_type(values.dtype)
    return ir.Attribute.parse(f"array<{type_}: {', '.join(map(_bits, values))}>")


def _float32_array(values: np.ndarray) -> ir.Attribute:
    return _float_array(values, ir.DenseF32ArrayAttr.get)


def _float64_array(values: np.ndarray) -> ir.Attribute:
    return _float_array(values, ir.DenseF64ArrayAttr.get)


# Arrays of other types become tensors.
_ARRAYS: dict[str, Callable[[Any], ir.Attribute]] = {
    "int8": ir.DenseI8ArrayAttr.get,
    "int16": _int16_array,
    "int32": ir.DenseI32ArrayAttr.get,
    "int64": ir.DenseI64ArrayAttr.get,
    "float32": _float32_array,
    "float64": _float64_array,
}


def _nan(scalar: np.ndarray) -> ir.Attribute:
    return ir.Attribute.parse(f"{_bits(scalar)} : {mlir.dtype_to_ir_type(scalar.dtype)}")


def _bits(scalar: Any) -> str:
    """A NaN in MLIR's text. MLIR's Python takes a double, which makes a signaling NaN quiet."""
    bits = int.from_bytes(scalar.tobytes(), sys.byteorder)
    return f"0x{bits:0{2 * scalar.dtype.itemsize}X}"


def to_mlir(attribute: _Attribute, for_plugin: bool = False) -> ir.Attribute:
    """What jax.ffi makes of it, for where that is not there; within a context of MLIR's.

    Programs for a plugin are serialized, and the releases without jax.ffi serialize no arrays but
    tensors.
    """
    value = attribute.__jax_array__()
    if isinstance(value, dict):
        return ir.DictAttr.get({name: to_mlir(inner, for_plugin) for name, inner in value.items()})
    if isinstance(value, (str, bytes)):
        return ir.StringAttr.get(value)
    if isinstance(value, np.ndarray):
        if value.dtype.name in _ARRAYS and not for_plugin:
            return _ARRAYS[value.dtype.name](value.reshape(-1))
        type_ = mlir.dtype_to_ir_type(value.dtype)
        return ir.DenseElementsAttr.get(value, type=type_, shape=value.shape)
    scalar = _call_site.as_array(value)
    type_ = mlir.dtype_to_ir_type(scalar.dtype)
    if isinstance(type_, ir.IntegerType):
        return ir.IntegerAttr.get(type_, scalar.item())
    return _nan(scalar) if np.isnan(scalar) else ir.FloatAttr.get(type_, scalar.item())


# ---- As jax.ffi gives them to XLA, but for NaNs --------------------------------------------------

_ir_attribute = jax_function_or(IR_ATTRIBUTE, None)


def _with_nans(attribute: _Attribute) -> ir.Attribute:
    value = attribute.__jax_array__()
    if isinstance(value, (float, np.inexact)) and np.isnan(value):
        return _nan(_call_site.as_array(value))
    return _ir_attribute(value)


if (register_attribute_handler := jax_function_or(REGISTER_ATTRIBUTE_HANDLER, None)) is not None:
    register_attribute_handler(_Attribute, _with_nans)
