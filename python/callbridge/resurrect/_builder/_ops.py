"""xla_client.ops: constants, tuples and custom calls here, and what other modules have.

Operations that StableHLO or jaxlib cannot say raise errors that name them when they are called.
"""

from __future__ import annotations

import enum
import importlib
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import jax
import numpy as np
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.jax._custom_call_op import custom_call_op
from callbridge.resurrect._builder._computation import XlaBuilder, XlaOp
from callbridge.resurrect._lowering import _custom_call, _xla_shapes
from callbridge.resurrect._lowering._custom_call import FRONTEND_ATTRIBUTES
from callbridge.resurrect._registration._untyped import callbridge_name, text

# ---- Constants and tuples ------------------------------------------------------------------------


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


# ---- Custom calls, for translation rules ---------------------------------------------------------


class CustomCallApiVersion(enum.IntEnum):
    API_VERSION_ORIGINAL = 1
    API_VERSION_STATUS_RETURNING = 2
    API_VERSION_STATUS_RETURNING_UNIFIED = 3


class CustomCallSchedule(enum.IntEnum):
    """Hints, which StableHLO cannot carry."""

    SCHEDULE_NONE = 0
    SCHEDULE_LATEST = 1
    SCHEDULE_EARLIEST = 2


def CustomCall(
    builder: XlaBuilder,
    call_target_name: str | bytes,
    operands: Sequence[XlaOp],
    shape: Shape,
    opaque: str | bytes = b"",
    has_side_effect: bool = False,
    schedule: CustomCallSchedule = CustomCallSchedule.SCHEDULE_NONE,
    api_version: CustomCallApiVersion = CustomCallApiVersion.API_VERSION_ORIGINAL,
) -> XlaOp:
    """Emits a call. Its operands are row-major."""
    operands = list(operands)
    return CustomCallWithAliasing(
        builder,
        call_target_name,
        operands,
        shape,
        [operand.shape for operand in operands],
        opaque,
        has_side_effect,
        api_version=api_version,
    )


def CustomCallWithLayout(
    builder: XlaBuilder,
    call_target_name: str | bytes,
    operands: Sequence[XlaOp],
    shape_with_layout: Shape,
    operand_shapes_with_layout: Sequence[Shape],
    opaque: str | bytes = b"",
    has_side_effect: bool = False,
    schedule: CustomCallSchedule = CustomCallSchedule.SCHEDULE_NONE,
    api_version: CustomCallApiVersion = CustomCallApiVersion.API_VERSION_ORIGINAL,
) -> XlaOp:
    """Emits a call whose arrays are in the layouts of the shapes."""
    return CustomCallWithAliasing(
        builder,
        call_target_name,
        operands,
        shape_with_layout,
        operand_shapes_with_layout,
        opaque,
        has_side_effect,
        api_version=api_version,
    )


def CustomCallWithAliasing(
    builder: XlaBuilder,
    call_target_name: str | bytes,
    operands: Sequence[XlaOp],
    shape_with_layout: Shape,
    operand_shapes_with_layout: Sequence[Shape],
    opaque: str | bytes = b"",
    has_side_effect: bool = False,
    output_operand_aliasing: Sequence = (),
    literal: Any = None,
    schedule: CustomCallSchedule = CustomCallSchedule.SCHEDULE_NONE,
    api_version: CustomCallApiVersion = CustomCallApiVersion.API_VERSION_ORIGINAL,
) -> XlaOp:
    """The same, of which results share memory with operands.

    `output_operand_aliasing` lists (index in the result, (operand, index in that operand)), where
    an index is the path into a tuple.
    """
    target, operands, shapes = text(call_target_name), list(operands), operand_shapes_with_layout
    if literal is not None:
        raise NotImplementedError(f"custom call {target!r}: StableHLO cannot carry its literal")
    shapes = list(shapes)
    if len(shapes) != len(operands):
        raise ValueError(
            f"custom call {target!r} has {len(operands)} operands and the shapes of {len(shapes)}"
        )
    served = callbridge_name(target)

    def make(builder: XlaBuilder, *given: XlaOp) -> XlaOp:
        leaves = (_emit_as_given if served is None else _emit_served)(
            served or target,
            list(given),
            shapes,
            shape_with_layout,
            int(api_version),
            opaque.encode() if isinstance(opaque, str) else bytes(opaque),
            has_side_effect=has_side_effect,
            aliases=_aliases(shapes, shape_with_layout, output_operand_aliasing),
        )
        return XlaOp.from_leaves(builder, shape_with_layout, iter(leaves))

    if builder.context is not None:
        return make(builder, *operands)
    from callbridge.resurrect._builder._emit import emit_lowered

    return emit_lowered(builder, make, shape_with_layout, *operands)


def _emit_served(target, operands, shapes, result, api_version, opaque, **others):
    result_type = _xla_shapes.type_of(result)
    trees = tuple(operand.tree() for operand in operands)
    form = _custom_call.form(target, api_version, trees, _xla_shapes.tree(result_type), opaque)
    return custom_call_op(
        form.target,
        [leaf for operand in operands for leaf in operand.leaves()],
        _xla_shapes.leaf_types(result_type),
        api_version=form.api_version,
        backend_config=form.backend_config,
        extra_attributes=None if form.mark is None else {FRONTEND_ATTRIBUTES: form.mark},
        operand_layouts=[layout for shape in shapes for layout in _layouts(shape)],
        result_layouts=_layouts(result),
        **others,
    )


def _emit_as_given(target, operands, shapes, result, api_version, opaque, aliases, **others):
    has_tuples = any(shape.is_tuple() for shape in shapes)
    parts = result.tuple_shapes() if result.is_tuple() else [result]
    if any(part.is_tuple() for part in parts):
        raise NotImplementedError(
            f"custom call {target!r} has the result {result}, and XLA has no nested tuples there; "
            "it would work for a target that is registered with callbridge"
        )
    if has_tuples and aliases:
        raise NotImplementedError(
            f"custom call {target!r} has both tuple operands and aliases; it would work for a "
            "target that is registered with callbridge"
        )
    layouts: dict[str, Any] = {}
    if not has_tuples:
        # XLA takes layouts of arrays only.
        layouts["operand_layouts"] = [layout for shape in shapes for layout in _layouts(shape)]
        layouts["result_layouts"] = _layouts(result)
    return custom_call_op(
        target,
        [operand.packed() for operand in operands],
        [_xla_shapes.type_of(part) for part in parts],
        api_version=api_version,
        backend_config=opaque,
        aliases=aliases,
        tuple_result=result.is_tuple(),
        **layouts,
        **others,
    )


def _layouts(shape: Shape) -> list[tuple[int, ...]]:
    if not shape.is_tuple():
        return [_xla_shapes.layout(shape)]
    return [layout for element in shape.tuple_shapes() for layout in _layouts(element)]


def _aliases(shapes: list[Shape], result: Shape, aliasing: Sequence) -> dict[int, int]:
    """From operands to results, both counted as arrays in preorder."""
    before = [0]
    for shape in shapes:
        before.append(before[-1] + len(_layouts(shape)))
    return {
        before[operand] + _leaf_number(shapes[operand], operand_index): _leaf_number(
            result, result_index
        )
        for result_index, (operand, operand_index) in aliasing
    }


def _leaf_number(shape: Shape, index: Sequence[int]) -> int:
    number = 0
    for i in index:
        parts = shape.tuple_shapes()
        number += sum(len(_layouts(part)) for part in parts[:i])
        shape = parts[i]
    return number


# ---- The module ----------------------------------------------------------------------------------

_OPS = {
    "Constant": Constant,
    "ConstantLiteral": ConstantLiteral,
    "CustomCall": CustomCall,
    "CustomCallWithAliasing": CustomCallWithAliasing,
    "CustomCallWithLayout": CustomCallWithLayout,
    "GetTupleElement": GetTupleElement,
    "Tuple": Tuple,
}

# The other operations, by the module that has them. They need all of jax.lax.
_LATER = {
    "_math": (
        "Abs Acos Acosh Add And Asin Asinh Atan Atan2 Atanh BesselI0e BesselI1e "
        "BitcastConvertType Broadcast BroadcastInDim Cbrt Ceil Clamp Clz Collapse Complex "
        "ConcatInDim Conj ConvertElementType Cos Cosh Digamma Div Dot DotGeneral DynamicSlice "
        "DynamicUpdateSlice Eq Erf ErfInv Erfc Exp Expm1 Fft Floor Ge GetDimensionSize Gt "
        "Igamma IgammaGradA Igammac Imag Iota IsFinite Le Lgamma Log Log1p Logistic Lt Max "
        "Min Mul Ne Neg NextAfter Not OptimizationBarrier Or Pad PopulationCount Pow "
        "RandomGammaGrad Real Reciprocal ReducePrecision RegularizedIncompleteBeta Rem "
        "Reshape Rev Round RoundNearestEven Rsqrt Select ShiftLeft ShiftRightArithmetic "
        "ShiftRightLogical Sign Sin Sinh Slice SliceInDim Sqrt Square Sub Tan Tanh Transpose "
        "Xor Zeta"
    ),
    "_arrays": (
        "ApproxTopK ApproxTopKFallback ApproxTopKReductionOutputSize Cholesky "
        "ConvGeneralDilated Eigh Gather LU ProductOfElementaryHouseholderReflectors QR "
        "QrDecomposition RemoveDynamicDimension RngBitGenerator RngNormal RngUniform SVD TopK "
        "TriangularSolve"
    ),
    "_control": (
        "Call Conditional Map Reduce ReduceWindowWithGeneralPadding Scatter "
        "SelectAndScatterWithGeneralPadding Sort While"
    ),
    "_collectives": (
        "AfterAll AllGather AllReduce AllToAll CollectivePermute CreateToken CrossReplicaSum "
        "MultiCollectivePermute ReduceScatter ReplicaId"
    ),
    "_computation": "Parameter",
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

OPERATIONS = (*_OPS, *REFUSED, *(name for names in _LATER.values() for name in names.split()))


def _refused(name: str, reason: str) -> Callable:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(
            f"callbridge.resurrect cannot restore xla_client.ops.{name}: {reason}"
        )

    return refuse


def _load() -> None:
    """Adds the other operations. Those of jax.lax that this JAX lacks are left out."""
    from callbridge.resurrect._builder import _arrays, _math

    for name, reason in REFUSED.items():
        vars(ops)[name] = _refused(name, reason)
    for path, names in _LATER.items():
        has = vars(importlib.import_module(f"{__package__}.{path}"))
        if path == "_math":
            has = {**_math.BY_NAME, **has}
        vars(ops).update((name, has[name]) for name in names.split() if name in has)
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
vars(ops).update(
    _OPS,
    CustomCallApiVersion=CustomCallApiVersion,
    CustomCallSchedule=CustomCallSchedule,
    __getattr__=_asked_for,
    __dir__=_names,
)
