"""_hlo_module.attribute_dictionary(): MLIR parses its texts to attributes as jax.ffi makes them."""

import numpy as np
import pytest
from callbridge._calls import _hlo_module
from callbridge.jax import _frozen_attributes
from callbridge.library import CallbridgeError
from jax.interpreters import mlir
from jaxlib.mlir import ir

VALUES = {
    "true": True,
    "false": False,
    "int": -(2**63),
    "large": 2**63 - 1,
    "float": 0.1,
    "zero": -0.0,
    "infinity": float("inf"),
    "nan": float("nan"),
    "subnormal": 5e-324,
    "text": "plain",
    "escaped": 'ä"\\\n\t\0',
    "bytes": bytes(range(256)),
    "empty": "",
    "dictionary": {"x": 1, "inner": {"y": np.float32(0.1)}},
    "nothing": {},
    **{
        f"{kind}": np.dtype(kind).type(value)
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
        for value in (100,)
    },
    "float32": np.float32(0.1),
    "float64": np.float64(1e300),
    "nan32": np.float32("nan"),
    **{
        f"array of {kind}": np.array([1, 2, 100], kind)
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    "array of float32": np.array([0.1, -0.0, np.nan, np.inf], np.float32),
    "array of float64": np.array([0.1, -0.0, np.nan, 5e-324]),
    "array of nothing": np.array([], np.int32),
    "array of big-endian": np.array([1, 2], ">i4"),
    "matrix": np.arange(6, dtype=np.int64).reshape(2, 3),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_jax_ffi_makes(name):
    attributes = {name: VALUES[name]}
    with mlir.make_ir_context(), ir.Location.unknown():
        found = ir.Attribute.parse(_hlo_module.attribute_dictionary(attributes))
        frozen = _frozen_attributes.freeze(attributes)
        expected = ir.DictAttr.get({key: _frozen_attributes.to_mlir(frozen[key]) for key in frozen})
        assert found == expected


def test_several():
    text = _hlo_module.attribute_dictionary({"b": 1, "a": "x"})
    assert text == '{"a" = "x", "b" = 1 : i64}'
    assert _hlo_module.attribute_dictionary({}) == "{}"


@pytest.mark.parametrize(
    "value", [np.float16(1), np.complex64(1), np.array([True]), np.array([1.0], np.float16)]
)
def test_what_xla_does_not_decode(value):
    with pytest.raises(CallbridgeError, match=r"^UNIMPLEMENTED: attributes\['d'\]\['a'\]: XLA"):
        _hlo_module.attribute_dictionary({"d": {"a": value}})


def test_numbers_that_are_no_int64():
    with pytest.raises(OverflowError):
        _hlo_module.attribute_dictionary({"a": 2**63})
