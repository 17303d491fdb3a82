"""Calls xla_client.ops in translation rules, and compares with NumPy and SciPy.

Where JAX has operations of its own, by jaxlib's builder. Run in a process of its own.
"""

import callbridge.resurrect  # noqa: F401
import numpy as np
import scipy.special as sp
from jax.lib import xla_client
from ops_checking import check, finish

ops = xla_client.ops

x = np.array([[0.25, -0.5, 0.75], [0.125, 0.5, -0.25]], np.float32)
y = np.array([[2.0, 1.5, -3.0], [0.5, -0.25, 4.0]], np.float32)
pos = np.abs(x) + 1
i = np.array([5, -7, 9], np.int32)
j = np.array([3, 2, -4], np.int32)
b = np.array([True, False, True])
c = np.array([1 + 2j, 3 - 1j], np.complex64)

for name, function, operand in [
    ("Abs", np.abs, x), ("Acos", np.arccos, x), ("Acosh", np.arccosh, pos), ("Asin", np.arcsin, x),
    ("Asinh", np.arcsinh, x), ("Atan", np.arctan, x), ("Atanh", np.arctanh, x),
    ("Cbrt", np.cbrt, y), ("Ceil", np.ceil, y), ("Cos", np.cos, x), ("Cosh", np.cosh, x),
    ("Digamma", sp.digamma, pos),
    ("Erf", sp.erf, x), ("Erfc", sp.erfc, x), ("ErfInv", sp.erfinv, x), ("Exp", np.exp, x),
    ("Expm1", np.expm1, x), ("Floor", np.floor, y), ("IsFinite", np.isfinite, x),
    ("Lgamma", sp.gammaln, pos), ("Log", np.log, pos), ("Log1p", np.log1p, x),
    ("Logistic", sp.expit, x), ("Neg", np.negative, x), ("Rsqrt", lambda v: 1 / np.sqrt(v), pos),
    ("Sign", np.sign, x), ("Sin", np.sin, x), ("Sinh", np.sinh, x), ("Sqrt", np.sqrt, pos),
    ("Tan", np.tan, x), ("Tanh", np.tanh, x), ("BesselI0e", sp.i0e, x), ("BesselI1e", sp.i1e, x),
    ("RoundNearestEven", np.rint, y), ("Not", np.invert, i), ("Not", np.invert, b),
    ("Conj", np.conj, c), ("Real", np.real, c), ("Imag", np.imag, c), ("Square", np.square, x),
]:  # fmt: skip
    expected = np.asarray(function(operand))
    if operand.dtype == np.float32 and expected.dtype == np.float64:
        expected = expected.astype(np.float32)
    check(lambda _, v, op=name: getattr(ops, op)(v), expected, operand, close=True)
halves = np.array([0.5, -0.5, 1.5, -2.5, 2.4], np.float32)
check(lambda _, v: ops.Round(v), np.array([1, -1, 2, -3, 2], np.float32), halves)
check(lambda _, v: ops.PopulationCount(v), np.array([2, 30, 2], np.int32), i)
check(lambda _, v: ops.Clz(v), np.array([29, 0, 28], np.int32), i)

for name, function, left, right in [
    ("Add", np.add, x, y), ("Sub", np.subtract, x, y), ("Mul", np.multiply, x, y),
    ("Div", np.divide, x, y), ("Rem", np.fmod, i, j), ("Max", np.maximum, x, y),
    ("Min", np.minimum, x, y), ("Pow", np.power, pos, y), ("Atan2", np.arctan2, x, y),
    ("And", np.bitwise_and, i, j), ("Or", np.bitwise_or, i, j), ("Xor", np.bitwise_xor, i, j),
    ("And", np.logical_and, b, ~b), ("Eq", np.equal, i, j), ("Ne", np.not_equal, i, j),
    ("Lt", np.less, x, y), ("Le", np.less_equal, x, x), ("Gt", np.greater, x, y),
    ("Ge", np.greater_equal, x, x), ("Complex", lambda p, q: (p + 1j * q).astype("c8"), x, y),
    ("ShiftLeft", np.left_shift, i, np.array([1, 2, 3], np.int32)),
    ("ShiftRightArithmetic", np.right_shift, i, np.array([1, 2, 3], np.int32)),
    ("NextAfter", np.nextafter, x, y), ("Igamma", sp.gammainc, pos, pos),
    ("Igammac", sp.gammaincc, pos, pos), ("Zeta", sp.zeta, pos + 1, pos),
]:  # fmt: skip
    expected = np.asarray(function(left, right))
    if left.dtype == np.float32 and expected.dtype == np.float64:
        expected = expected.astype(np.float32)
    check(
        lambda _, p, q, op=name: getattr(ops, op)(p, q),
        expected,
        left,
        right,
        close=name not in ("NextAfter", "Add", "Mul"),
    )
shifted = (i.view(np.uint32) >> np.uint32(3)).view(np.int32)
check(lambda _, p, q: ops.ShiftRightLogical(p, q), shifted, i, np.full(3, 3, np.int32))
row = np.array([10, 20, 30], np.float32)
column = np.array([[1], [2]], np.float32)
check(lambda _, p, q: ops.Add(p, q, [1]), x + row, x, row)
check(lambda _, p, q: ops.Sub(q, p, broadcast_dimensions=[1]), row - x, x, row)
# Of operands of two ranks, on each side, the one that is the operation's second stays so.
for name, function, high, low in [
    ("Sub", np.subtract, x, row), ("Div", np.divide, x, row), ("Pow", np.power, pos, np.abs(row)),
    ("Atan2", np.arctan2, x, row), ("Rem", np.fmod, i, np.int32(4)), ("Lt", np.less, x, x[0]),
    ("Le", np.less_equal, x, x[0]), ("Gt", np.greater, x, x[0]), ("Ge", np.greater_equal, x, x[0]),
    ("ShiftLeft", np.left_shift, np.abs(i), np.int32(2)), ("NextAfter", np.nextafter, x, row),
    ("Complex", lambda p, q: (p + 1j * q).astype("c8"), x, row), ("Sub", np.subtract, x, row[0]),
    ("Igamma", sp.gammainc, pos, pos[0]), ("Igammac", sp.gammaincc, pos, pos[0]),
    ("Zeta", sp.zeta, pos + 1, pos[0] + 1),
]:  # fmt: skip
    where = tuple(range(high.ndim - low.ndim, high.ndim)) if low.ndim else ()
    for left, right in ((high, low), (low, high)):
        expected = np.asarray(function(left, right))
        if left.dtype == np.float32 and expected.dtype == np.float64:
            expected = expected.astype(np.float32)
        check(
            lambda _, p, q, op=name, where=where: getattr(ops, op)(p, q, where),
            expected, left, right,
            close=True,
        )  # fmt: skip
check(lambda _, p, q: ops.Sub(p, q), 2 - x, np.float32(2), x)
check(lambda _, p, q: ops.Mul(p, q), x * column, x, column)

f32, s32, f64 = (xla_client.dtype_to_etype(np.dtype(t)) for t in ("f4", "i4", "f8"))
check(lambda _, v: ops.ConvertElementType(v, s32), y.astype(np.int32), y)
check(lambda _, v: ops.BitcastConvertType(v, s32), x.view(np.int32), x)
check(lambda _, v: ops.Reshape(v, (3, 2)), x.reshape(3, 2), x)
check(lambda _, v: ops.Reshape(v, (1, 0), (6,)), x.T.reshape(6), x)
check(lambda _, v: ops.Transpose(v, (1, 0)), x.T, x)
check(lambda _, v: ops.Broadcast(v, (4,)), np.broadcast_to(x, (4, 2, 3)), x)
check(lambda _, v: ops.BroadcastInDim(v, (2, 3), (1,)), np.broadcast_to(row, (2, 3)), row)
check(lambda _, v: ops.Collapse(v, (0, 1)), x.reshape(6), x)
check(lambda c, p, q: ops.ConcatInDim(c, [p, q], 0), np.concatenate([x, y]), x, y)
check(lambda _, v: ops.Rev(v, (0,)), x[::-1], x)
check(lambda _, v: ops.Slice(v, (0, 1), (2, 3), (1, 1)), x[:, 1:], x)
check(lambda _, v: ops.SliceInDim(v, 0, 3, 2, 1), x[:, ::2], x)
check(
    lambda _, v, p, q: ops.DynamicSlice(v, [p, q], (1, 2)), x[1:, 1:], x, np.int32(1), np.int32(1)
)
updated = x.copy()
updated[1:, :2] = 0
check(
    lambda _, v, u, p, q: ops.DynamicUpdateSlice(v, u, [p, q]),
    updated, x, np.zeros((1, 2), np.float32), np.int32(1), np.int32(0),
)  # fmt: skip
check(lambda _, p, v, w: ops.Select(p, v, w), np.where(b, i, j), b, i, j)
check(lambda _, p, v, w: ops.Clamp(p, v, w), np.clip(i, -1, 6), np.int32(-1), i, np.int32(6))
check(
    lambda c, v: ops.Add(v, ops.Iota(c, xla_client.Shape.array_shape(np.dtype("i4"), (3,)), 0)),
    i + np.arange(3, dtype=np.int32), i,
)  # fmt: skip
check(lambda c, v: ops.Add(v, ops.Iota(c, s32, 3)), i + np.arange(3, dtype=np.int32), i)
config = xla_client.make_padding_config([(1, 0, 0), (0, 2, 1)])
padded = np.full((3, 7), 9, np.float32)
padded[1:, 0:5:2] = x
check(lambda _, v, w: ops.Pad(v, w, config), padded, x, np.float32(9))
check(lambda _, p, q: ops.Dot(p, q), x @ y.T, x, np.ascontiguousarray(y.T), close=True)
numbers = xla_client.make_dot_dimension_numbers((([1], [1]), ([], [])))
check(lambda _, p, q: ops.DotGeneral(p, q, numbers), x @ y.T, x, y, close=True)
numbers = xla_client.make_dot_dimension_numbers((([2], [0]), ([0], [1])))
many = np.arange(24).reshape(2, 3, 4)
others = 10 * np.arange(40).reshape(4, 2, 5) - 100
bytes_ = many.astype(np.int8)
check(
    lambda _, p, q: ops.DotGeneral(p, q, numbers),
    np.einsum("bij,jbk->bik", many, others).astype(np.int32),
    many.astype(np.int32), others.astype(np.int32),
)  # fmt: skip
check(
    lambda _, p, q: ops.DotGeneral(p, q, numbers, preferred_element_type=s32),
    np.einsum("bij,jbk->bik", bytes_, others.astype(np.int8), dtype=np.int32),
    bytes_, others.astype(np.int8),
)  # fmt: skip
check(
    lambda _, p, q: ops.Dot(p, q, None, s32),
    np.dot(bytes_[1].astype(np.int32), bytes_[1].T), bytes_[1], np.ascontiguousarray(bytes_[1].T),
)  # fmt: skip
spd = np.array([[4, 2], [2, 5]], np.float32)
check(lambda _, v: ops.ReducePrecision(v, 8, 3), np.float32(1.125), np.float32(1.15))
lower = np.linalg.cholesky(spd)
upper_or_lower = ops.Cholesky
check(
    lambda _, v, w: ops.TriangularSolve(v, w, True, True, False, 1),
    np.linalg.solve(lower, spd), lower, spd, close=True,
)  # fmt: skip
check(lambda _, v: ops.Mul(v, ops.ConvertElementType(ops.GetDimensionSize(v, 1), f32)), x * 3, x)
check(
    lambda _, p, q, r: ops.RegularizedIncompleteBeta(p, q, r),
    sp.betainc(pos, pos, np.abs(x)).astype(np.float32), pos, pos, np.abs(x), close=True,
)  # fmt: skip
check(lambda c, v: ops.Add(v, ops.ConstantLiteral(c, y)), x + y, x)
# By differences; a sample grows as its parameter does, at the same probability.
step = 1e-6
wide = pos.astype(np.float64)
slope = (sp.gammainc(wide + step, wide) - sp.gammainc(wide - step, wide)) / (2 * step)
density = wide ** (wide - 1) * np.exp(-wide) / sp.gamma(wide)
check(lambda _, p, q: ops.IgammaGradA(p, q), slope.astype(np.float32), pos, pos, close=True)
check(
    lambda _, p, q: ops.RandomGammaGrad(p, q),
    (-slope / density).astype(np.float32), pos, pos, close=True,
)  # fmt: skip
finish()
