"""xla_client.ops other than custom calls and constants, as functions of jax.lax.

JAX lowers each where the translation rule is lowered, so that operations, their types and errors
are its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax

from callbridge.resurrect._builder._computation import XlaBuilder, XlaOp
from callbridge.resurrect._builder._emit import emit

# ---- One and two operands ------------------------------------------------------------------------

_UNARY = {
    name: name.lower()
    for name in (
        "Abs Acos Acosh Asin Asinh Atan Atanh Cbrt Ceil Clz Conj Cos Cosh Digamma Erf Erfc Exp "
        "Expm1 Floor Imag Lgamma Log Log1p Logistic Neg Real Rsqrt Sign Sin Sinh Sqrt Tan Tanh"
    ).split()
} | {
    "BesselI0e": "bessel_i0e",
    "BesselI1e": "bessel_i1e",
    "ErfInv": "erf_inv",
    "IsFinite": "is_finite",
    "Not": "bitwise_not",
    "PopulationCount": "population_count",
}
_BINARY = {
    name: name.lower()
    for name in (
        "Add Atan2 Complex Div Eq Ge Gt Igamma Igammac Le Lt Max Min Mul Ne Pow Rem Sub Zeta"
    ).split()
} | {
    "And": "bitwise_and",
    "IgammaGradA": "igamma_grad_a",
    "NextAfter": "nextafter",
    "Or": "bitwise_or",
    "RandomGammaGrad": "random_gamma_grad",
    "ShiftLeft": "shift_left",
    "ShiftRightArithmetic": "shift_right_arithmetic",
    "ShiftRightLogical": "shift_right_logical",
    "Xor": "bitwise_xor",
}


def _unary(function: Callable) -> Callable:
    def operation(arg: XlaOp) -> XlaOp:
        return emit(arg.builder, function, arg)

    return operation


def _binary(function: Callable) -> Callable:
    def operation(lhs: XlaOp, rhs: XlaOp, broadcast_dimensions: Any = ()) -> XlaOp:
        return emit(
            lhs.builder, lambda x, y: function(*_broadcast(x, y, broadcast_dimensions)), lhs, rhs
        )

    return operation


def _broadcast(x: Any, y: Any, dimensions: Any) -> tuple:
    """XLA's rules: dimensions of the lower rank go where they are said to, none of a scalar's; then
    those of size 1 are expanded."""
    rank = max(x.ndim, y.ndim)
    if x.ndim != y.ndim:
        low = x if x.ndim < y.ndim else y
        where = tuple(dimensions or ())
        if len(where) != low.ndim:
            raise ValueError(
                f"operands {x.shape} and {y.shape} of other ranks: expected {low.ndim} "
                f"broadcast_dimensions, got {where}"
            )
        spread = [1] * rank
        for dimension, size in zip(where, low.shape):
            spread[dimension] = size
        same_rank = lax.reshape(low, spread)
        x, y = (same_rank, y) if low is x else (x, same_rank)
    shape = tuple(b if a == 1 else a for a, b in zip(x.shape, y.shape))
    every = tuple(range(rank))
    return lax.broadcast_in_dim(x, shape, every), lax.broadcast_in_dim(y, shape, every)


# ---- Types ---------------------------------------------------------------------------------------


def _dtype(element_type: Any) -> np.dtype:
    from callbridge.resurrect._builder._client import _element_types_of_numpy

    return _element_types_of_numpy()[element_type]


def ConvertElementType(operand: XlaOp, new_element_type: Any) -> XlaOp:
    dtype = _dtype(new_element_type)
    return emit(operand.builder, lambda x: lax.convert_element_type(x, dtype), operand)


def BitcastConvertType(operand: XlaOp, new_element_type: Any) -> XlaOp:
    dtype = _dtype(new_element_type)
    return emit(operand.builder, lambda x: lax.bitcast_convert_type(x, dtype), operand)


def ReducePrecision(operand: XlaOp, exponent_bits: int, mantissa_bits: int) -> XlaOp:
    return emit(
        operand.builder, lambda x: lax.reduce_precision(x, exponent_bits, mantissa_bits), operand
    )


# ---- Shapes --------------------------------------------------------------------------------------


def Reshape(operand: XlaOp, *sizes: Sequence[int], **named: Any) -> XlaOp:
    """Reshape(operand, new_sizes); Reshape(operand, dimensions, new_sizes) transposes before."""
    new_sizes = named.get("new_sizes", sizes[-1] if sizes else ())
    dimensions = named.get("dimensions", sizes[0] if len(sizes) > 1 else None)
    order = None if dimensions is None else tuple(dimensions)
    return emit(operand.builder, lambda x: lax.reshape(x, tuple(new_sizes), order), operand)


def Transpose(operand: XlaOp, permutation: Sequence[int]) -> XlaOp:
    return emit(operand.builder, lambda x: lax.transpose(x, tuple(permutation)), operand)


def Broadcast(operand: XlaOp, sizes: Sequence[int]) -> XlaOp:
    return emit(operand.builder, lambda x: lax.broadcast(x, tuple(sizes)), operand)


def BroadcastInDim(
    operand: XlaOp, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> XlaOp:
    return emit(
        operand.builder,
        lambda x: lax.broadcast_in_dim(x, tuple(shape), tuple(broadcast_dimensions)),
        operand,
    )


def Collapse(operand: XlaOp, dimensions: Sequence[int]) -> XlaOp:
    if not dimensions:
        return operand
    first, last = dimensions[0], dimensions[-1] + 1
    return emit(operand.builder, lambda x: lax.collapse(x, first, last), operand)


def ConcatInDim(builder: XlaBuilder, operands: Sequence[XlaOp], dimension: int) -> XlaOp:
    return emit(builder, lambda *xs: lax.concatenate(xs, dimension), *operands)


def Rev(operand: XlaOp, dimensions: Sequence[int]) -> XlaOp:
    return emit(operand.builder, lambda x: lax.rev(x, tuple(dimensions)), operand)


def Pad(operand: XlaOp, padding_value: XlaOp, padding_config: Any) -> XlaOp:
    config = [
        (d.edge_padding_low, d.edge_padding_high, d.interior_padding)
        for d in padding_config.dimensions
    ]
    return emit(operand.builder, lambda x, y: lax.pad(x, y, config), operand, padding_value)


def Slice(
    operand: XlaOp,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int],
) -> XlaOp:
    return emit(
        operand.builder, lambda x: lax.slice(x, start_indices, limit_indices, strides), operand
    )


def SliceInDim(
    operand: XlaOp, start_index: int, limit_index: int, stride: int, dimno: int
) -> XlaOp:
    return emit(
        operand.builder,
        lambda x: lax.slice_in_dim(x, start_index, limit_index, stride, dimno),
        operand,
    )


def _starts(starts: Any) -> list[XlaOp]:
    return [starts] if isinstance(starts, XlaOp) else list(starts)


def _each(starts: Sequence[Any]) -> list:
    """The starts by dimension: of one array of rank 1, its elements."""
    if len(starts) == 1 and starts[0].ndim == 1:
        return [starts[0][i] for i in range(starts[0].shape[0])]
    return list(starts)


def DynamicSlice(operand: XlaOp, start_indices: Any, slice_sizes: Sequence[int]) -> XlaOp:
    return emit(
        operand.builder,
        lambda x, *starts: lax.dynamic_slice(x, _each(starts), slice_sizes),
        operand,
        *_starts(start_indices),
    )


def DynamicUpdateSlice(operand: XlaOp, update: XlaOp, start_indices: Any) -> XlaOp:
    return emit(
        operand.builder,
        lambda x, part, *starts: lax.dynamic_update_slice(x, part, _each(starts)),
        operand,
        update,
        *_starts(start_indices),
    )


def Iota(builder: XlaBuilder, what: Any, dimension: int) -> XlaOp:
    """Of a Shape along a dimension; Iota(builder, element type, size) has one dimension."""
    if hasattr(what, "dimensions"):
        shape, dtype = tuple(what.dimensions()), np.dtype(what.numpy_dtype())
        return emit(builder, lambda: lax.broadcasted_iota(dtype, shape, dimension))
    return emit(builder, lambda: lax.iota(_dtype(what), dimension))


def GetDimensionSize(operand: XlaOp, dimension: int) -> XlaOp:
    size = np.int32(operand.shape.dimensions()[dimension])
    return emit(operand.builder, lambda: jax.numpy.asarray(size))


# ---- Others --------------------------------------------------------------------------------------


def Select(pred: XlaOp, on_true: XlaOp, on_false: XlaOp) -> XlaOp:
    return emit(pred.builder, lambda p, x, y: lax.select(p, x, y), pred, on_true, on_false)


def Clamp(min: XlaOp, operand: XlaOp, max: XlaOp) -> XlaOp:
    return emit(operand.builder, lax.clamp, min, operand, max)


def Round(arg: XlaOp) -> XlaOp:
    """Halves away from zero."""
    return emit(arg.builder, lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), arg)


def RoundNearestEven(arg: XlaOp) -> XlaOp:
    return emit(arg.builder, lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), arg)


def Reciprocal(arg: XlaOp) -> XlaOp:
    return emit(arg.builder, lambda x: lax.div(lax.full_like(x, 1), x), arg)


def Square(arg: XlaOp) -> XlaOp:
    return emit(arg.builder, lambda x: lax.mul(x, x), arg)


def RegularizedIncompleteBeta(a: XlaOp, b: XlaOp, x: XlaOp) -> XlaOp:
    return emit(a.builder, lax.betainc, a, b, x)


def Dot(lhs: XlaOp, rhs: XlaOp, precision_config: Any = None, preferred_element_type=None) -> XlaOp:
    return emit(
        lhs.builder,
        lambda x, y: lax.dot(x, y, **dot_options(precision_config, preferred_element_type)),
        lhs,
        rhs,
    )


def DotGeneral(
    lhs: XlaOp,
    rhs: XlaOp,
    dimension_numbers: Any,
    precision_config: Any = None,
    preferred_element_type: Any = None,
) -> XlaOp:
    numbers = (
        (
            tuple(dimension_numbers.lhs_contracting_dimensions),
            tuple(dimension_numbers.rhs_contracting_dimensions),
        ),
        (
            tuple(dimension_numbers.lhs_batch_dimensions),
            tuple(dimension_numbers.rhs_batch_dimensions),
        ),
    )
    options = dot_options(precision_config, preferred_element_type)
    return emit(lhs.builder, lambda x, y: lax.dot_general(x, y, numbers, **options), lhs, rhs)


def dot_options(precision_config: Any, element_type: Any) -> dict:
    precision = None
    if precision_config is not None and precision_config.operand_precision:
        names = [p if isinstance(p, str) else p.name for p in precision_config.operand_precision]
        precision = tuple(lax.Precision[name] for name in names)
    dtype = None if element_type is None else _dtype(element_type)
    return {"precision": precision, "preferred_element_type": dtype}


def Fft(operand: XlaOp, fft_type: Any, fft_length: Sequence[int]) -> XlaOp:
    kind = lax.FftType[fft_type.name] if hasattr(fft_type, "name") else fft_type
    return emit(operand.builder, lambda x: lax.fft(x, kind, tuple(fft_length)), operand)


def OptimizationBarrier(operand: XlaOp) -> XlaOp:
    return emit(operand.builder, lax.optimization_barrier, operand)


# Those of jax.lax that this JAX lacks are left out.
BY_NAME: dict[str, Callable] = {
    name: functools.wraps(getattr(lax, of_lax), assigned=())(kind(getattr(lax, of_lax)))
    for names, kind in ((_UNARY, _unary), (_BINARY, _binary))
    for name, of_lax in names.items()
    if hasattr(lax, of_lax)
}
