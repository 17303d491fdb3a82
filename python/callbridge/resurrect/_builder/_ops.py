"""xla_client.ops: constants and tuples here, and what other modules have.

Operations that StableHLO or jaxlib cannot say raise errors that name them when they are called.
"""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import jax
import numpy as np
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect._builder import _custom_call
from callbridge.resurrect._builder._computation import XlaBuilder
from callbridge.resurrect._builder._op import XlaOp

__all__ = ["Constant", "ConstantLiteral", "GetTupleElement", "Tuple", "destructure", "ops"]


def ConstantLiteral(builder: XlaBuilder, literal: Any) -> XlaOp:
    """`literal` is a NumPy array or scalar, of whose type the constant is, 64 bits included."""
    array = np.ascontiguousarray(literal).reshape(np.shape(literal))
    if builder.context is None:
        from callbridge.resurrect._builder._emit import emit

        return emit(builder, lambda: jax.numpy.asarray(array))
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
    "CustomCall": _custom_call.CustomCall,
    "CustomCallApiVersion": _custom_call.CustomCallApiVersion,
    "CustomCallSchedule": _custom_call.CustomCallSchedule,
    "CustomCallWithAliasing": _custom_call.CustomCallWithAliasing,
    "CustomCallWithLayout": _custom_call.CustomCallWithLayout,
    "GetTupleElement": GetTupleElement,
    "Tuple": Tuple,
}


# What is refused, with the reason.
REFUSED = {
    "CustomCallWithComputation": "no target of a custom call is given a computation",
    **dict.fromkeys(
        ("DynamicReshape", "SetDimensionSize"), "JAX removed arrays of dynamic shape; pad them"
    ),
    **dict.fromkeys(
        ("InfeedWithToken", "OutfeedWithToken", "RecvFromHost", "SendToHost"),
        "jaxlib's clients have no infeed, outfeed and host transfers in Python; use "
        "jax.experimental.io_callback",
    ),
}


def _refused(name: str, reason: str) -> Callable:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(
            f"callbridge.resurrect cannot restore xla_client.ops.{name}: {reason}"
        )

    return refuse


def _load() -> None:
    """Adds the other operations, which need all of jax.lax."""
    from callbridge.resurrect._builder import _arrays, _math

    for name, reason in REFUSED.items():
        vars(ops)[name] = _refused(name, reason)
    vars(ops).update(_math.BY_NAME)
    for path in ("math", "arrays", "control", "collectives", "computation"):
        module = importlib.import_module(f"{__package__}._{path}")
        for name, value in vars(module).items():
            if (
                name[0].isupper()
                and inspect.isfunction(value)
                and value.__module__ == module.__name__
            ):
                vars(ops)[name] = value
    vars(ops).update(
        RandomAlgorithm=_arrays.RandomAlgorithm,
        TriangularSolveOptions_Transpose=_arrays.TransposeOptions,
    )


def _asked_for(name: str) -> Any:
    if name[0].isupper() and "Add" not in vars(ops):
        _load()
        if name in vars(ops):
            return vars(ops)[name]
    names = ", ".join(sorted(n for n in vars(ops) if n[0].isupper()))
    raise AttributeError(
        f"xla_client.ops.{name} is not restored by callbridge.resurrect, which has {names}"
    )


def _names() -> list[str]:
    if "Add" not in vars(ops):
        _load()
    return sorted(vars(ops))


ops = types.ModuleType("jaxlib.xla_extension.ops", __doc__)
vars(ops).update(_OPS, __getattr__=_asked_for, __dir__=_names)
