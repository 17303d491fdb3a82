"""xla_client.ops: constants and tuples here, and what other modules have.

Operations that StableHLO cannot say in a translation rule are AttributeErrors that name them.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect import _xla_custom_call
from callbridge.resurrect._xla_op import XlaBuilder, XlaOp

__all__ = ["Constant", "ConstantLiteral", "GetTupleElement", "Tuple", "destructure", "ops"]


def ConstantLiteral(builder: XlaBuilder, literal: Any) -> XlaOp:
    """`literal` is a NumPy array or scalar, of whose type the constant is, 64 bits included."""
    array = np.ascontiguousarray(literal).reshape(np.shape(literal))
    # How MLIR takes packed booleans changed between jaxlibs.
    stored = array.astype(np.uint8) if array.dtype == bool else array
    element = mlir.dtype_to_ir_type(stored.dtype)
    if stored.dtype.kind == "V":
        stored = stored.view(f"u{stored.itemsize}")  # one of ml_dtypes, by its bits
    constant = stablehlo.ConstantOp(
        ir.DenseElementsAttr.get(stored, type=element, shape=array.shape)
    ).result
    if array.dtype == bool:
        type_ = ir.RankedTensorType.get(array.shape, mlir.dtype_to_ir_type(array.dtype))
        constant = stablehlo.ConvertOp(type_, constant).result
    return XlaOp.of(builder, constant)


Constant = ConstantLiteral


def Tuple(builder: XlaBuilder, elements: Sequence[XlaOp]) -> XlaOp:
    elements = list(elements)
    return XlaOp(builder, Shape.tuple_shape([element.shape for element in elements]), elements)


def GetTupleElement(tuple_data: XlaOp, index: int) -> XlaOp:
    if not tuple_data.shape.is_tuple():
        raise TypeError(f"GetTupleElement of {tuple_data.shape}, which is not a tuple")
    return tuple_data.elements[index]


def destructure(builder: XlaBuilder, op: XlaOp) -> list[XlaOp]:
    """Returns the elements of a tuple."""
    return [GetTupleElement(op, i) for i in range(len(op.shape.tuple_shapes()))]


_OPS = {
    "Constant": Constant,
    "ConstantLiteral": ConstantLiteral,
    "CustomCall": _xla_custom_call.CustomCall,
    "CustomCallApiVersion": _xla_custom_call.CustomCallApiVersion,
    "CustomCallSchedule": _xla_custom_call.CustomCallSchedule,
    "CustomCallWithAliasing": _xla_custom_call.CustomCallWithAliasing,
    "CustomCallWithLayout": _xla_custom_call.CustomCallWithLayout,
    "GetTupleElement": GetTupleElement,
    "Tuple": Tuple,
}


def _asked_for(name: str) -> Any:
    """The other operations, which need all of jax.lax."""
    from callbridge.resurrect import _xla_math

    found = _xla_math.functions()
    if name in found:
        vars(ops).update(found)
        return found[name]
    raise AttributeError(
        f"xla_client.ops.{name} is not restored by callbridge.resurrect, which has "
        f"{', '.join(sorted({*_OPS, *found}))}"
    )


ops = types.ModuleType("jaxlib.xla_extension.ops", __doc__)
vars(ops).update(_OPS, __getattr__=_asked_for)
