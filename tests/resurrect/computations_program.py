"""Calls the operations of xla_client.ops that take computations, and those on matrices, windows,
random numbers and replicas, in translation rules, and compares with NumPy and SciPy.
"""

import itertools

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
import scipy.linalg
import scipy.signal
from jax import core
from jax.interpreters import xla
from jax.lib import xla_client
from ops_checking import check, finish

ops, Shape = xla_client.ops, xla_client.Shape
F32, S32 = np.dtype(np.float32), np.dtype(np.int32)


def array(dtype=F32, *dimensions):
    return Shape.array_shape(dtype, dimensions)


def computation(function, *shapes, name="made"):
    """What a builder of its own builds of a function of its operations."""
    builder = xla_client.XlaBuilder(name)
    parameters = [ops.Parameter(builder, i, shape) for i, shape in enumerate(shapes)]
    return builder.build(function(builder, *parameters))


def scalar(builder, value, dtype=F32):
    return ops.Constant(builder, dtype.type(value))


add = computation(lambda _, a, b: ops.Add(a, b), array(), array())
mul = computation(lambda _, a, b: ops.Mul(a, b), array(), array())
odd = computation(lambda c, a, b: ops.Add(ops.Mul(a, scalar(c, 0.5)), b), array(), array())
x = np.array([[0.25, -0.5, 0.75], [0.125, 0.5, -0.25]], np.float32)
y = np.array([[2.0, 1.5, -3.0], [0.5, -0.25, 4.0]], np.float32)
one, zero = np.float32(1), np.float32(0)

# ---- Computations --------------------------------------------------------------------------------
check(lambda c, v: ops.Reduce(c, [v], [scalar(c, 0)], add, [0]), x.sum(0), x)
product = np.float32(2) * x.prod()
check(lambda c, v: ops.Reduce(c, [v], [scalar(c, 2)], mul, [0, 1]), product, x, close=True)
check(lambda c, v: ops.Reduce(c, [v], [scalar(c, 0)], add, []), x, x)


def larger(c, value, index, other, other_index):
    is_first = ops.Ge(value, other)
    return ops.Tuple(
        c, [ops.Select(is_first, value, other), ops.Select(is_first, index, other_index)]
    )


argmax = computation(larger, array(), array(S32), array(), array(S32))


def position(c, v):
    indices = ops.Iota(c, array(S32, 2, 3), 1)
    start = [scalar(c, -np.inf), scalar(c, 0, S32)]
    return ops.GetTupleElement(ops.Reduce(c, [v, indices], start, argmax, [1]), 1)


check(position, y.argmax(1).astype(np.int32), y)

state = Shape.tuple_shape([array(S32), array(F32, 2, 3)])
below = computation(
    lambda c, s: ops.Lt(ops.GetTupleElement(s, 0), scalar(c, 5, S32)), state, name="below"
)


def doubled(c, s):
    count, value = ops.GetTupleElement(s, 0), ops.GetTupleElement(s, 1)
    return ops.Tuple(c, [ops.Add(count, scalar(c, 1, S32)), ops.Add(value, value)])


body = computation(doubled, state)
check(
    lambda c, v: ops.GetTupleElement(
        ops.While(below, body, ops.Tuple(c, [scalar(c, 2, S32), v])), 1
    ),
    x * 8, x,
)  # fmt: skip
check(
    lambda c, v: ops.While(
        computation(lambda c, a: ops.Lt(a, scalar(c, 100)), array()),
        computation(lambda c, a: ops.Mul(a, a), array()),
        v,
    ),
    np.float32(256), np.float32(2),
)  # fmt: skip

negative = computation(lambda _, a: ops.Neg(a), array(F32, 2, 3))
squared = computation(lambda _, a: ops.Mul(a, a), array(F32, 2, 3))
total = computation(lambda c, a: ops.Broadcast(scalar(c, 7), (2, 3)), array(S32))
for flag in (True, False):
    check(
        lambda c, p, v, w: ops.Conditional(p, v, negative, w, squared),
        -x if flag else y * y, np.bool_(flag), x, y,
    )  # fmt: skip
for index in (-1, 0, 1, 2, 3):
    check(
        lambda c, i, v, w: ops.Conditional(
            i, branch_computations=[negative, squared, total],
            branch_operands=[v, w, scalar(c, 1, S32)],
        ),
        {0: -x, 1: y * y}.get(index, np.full_like(x, 7)), np.int32(index), x, y,
    )  # fmt: skip

check(lambda c, v, w: ops.Map(c, [v, w], odd, [0, 1]), x * np.float32(0.5) + y, x, y)
difference = computation(lambda _, a, b: ops.Sub(a, b), *[array(F32, 2, 3)] * 2)
check(lambda c, v, w: ops.Call(c, difference, [v, w]), x - y, x, y)
pair = Shape.tuple_shape([array(F32, 2, 3), array(F32, 2, 3)])
swapped = computation(
    lambda c, t: ops.Tuple(c, [ops.GetTupleElement(t, 1), ops.GetTupleElement(t, 0)]), pair
)
check(lambda c, v, w: ops.GetTupleElement(ops.Call(c, swapped, [ops.Tuple(c, [v, w])]), 0), y, x, y)
nested = computation(
    lambda c, a: ops.Call(c, negative, [ops.Call(c, squared, [a])]), array(F32, 2, 3)
)
check(lambda c, v: ops.Call(c, nested, [v]), -(y * y), y)
# One of jaxlib's own, which JAX makes.
of_jax = jax.jit(lambda a, b: (a * b, a - b)).lower(x, y).compiler_ir("hlo")
check(lambda c, v, w: ops.GetTupleElement(ops.Call(c, of_jax, [v, w]), 1), x - y, x, y)
add_of_jax = jax.jit(lambda a, b: a + b).lower(one, one).compiler_ir("hlo")

# ---- Sorting -------------------------------------------------------------------------------------
greater = computation(lambda _, a, b: ops.Gt(a, b), array(), array())
check(lambda c, v: ops.Sort(c, [v]), np.sort(y, -1), y)
check(lambda c, v: ops.Sort(c, [v], dimension=0), np.sort(y, 0), y)
check(lambda c, v: ops.Sort(c, [v], greater, 1), -np.sort(-y, 1), y)
check(lambda c, v: ops.Sort(c, [v], greater, 0), -np.sort(-y, 0), y)
by_second = computation(
    lambda _, a, b, i, j: ops.Lt(i, j), array(), array(), array(S32), array(S32)
)
order = np.array([[2, 0, 1], [1, 2, 0]], np.int32)
check(
    lambda c, v, i: ops.GetTupleElement(ops.Sort(c, [v, i], by_second, 1, True), 0),
    np.take_along_axis(y, np.argsort(order, 1), 1), y, order,
)  # fmt: skip
check(
    lambda c, v, i: ops.GetTupleElement(ops.Sort(c, [v, i], None, 1), 1),
    np.take_along_axis(order, np.argsort(y, 1), 1), y, order,
)  # fmt: skip
check(lambda c, v: ops.GetTupleElement(ops.TopK(v, 2), 0), -np.sort(-y, 1)[:, :2], y)
check(
    lambda c, v: ops.GetTupleElement(ops.TopK(v, 2), 1),
    np.argsort(-y, 1)[:, :2].astype(np.int32), y,
)  # fmt: skip
by_first = computation(lambda _, a, b, i, j: ops.Gt(a, b), array(), array(), array(S32), array(S32))
for approximate in (ops.ApproxTopK, ops.ApproxTopKFallback):
    check(
        lambda c, v, i, op=approximate: ops.GetTupleElement(
            op(c, [v, i], [scalar(c, -np.inf), scalar(c, -1, S32)], 2, 1, by_first), 1
        ),
        np.take_along_axis(order, np.argsort(-y, 1), 1)[:, :2], y, order,
    )  # fmt: skip
assert ops.ApproxTopKReductionOutputSize(100, 1, 10, 0.95)[0] >= 10

# ---- Windows and convolutions --------------------------------------------------------------------
image = np.arange(30, dtype=np.float32).reshape(5, 6)
windows = np.lib.stride_tricks.sliding_window_view(image, (2, 3))
check(
    lambda c, v: ops.ReduceWindowWithGeneralPadding(
        v, scalar(c, 0), add, (2, 3), (1, 2), (), (), [(0, 0), (0, 0)]
    ),
    windows.sum((2, 3))[:, ::2], image,
)  # fmt: skip
spread = np.ones((5, 8), np.float32)
spread[:, 1:-1] = image
check(
    lambda c, v: ops.ReduceWindowWithGeneralPadding(
        [v], [scalar(c, 1)], mul, (1, 2), (1, 1), (1, 1), (1, 3), [(0, 0), (1, 1)]
    ),
    spread[:, :-3] * spread[:, 3:], image,
)  # fmt: skip


def with_zeros(of, rows, columns):
    """`of`, as far apart as a dilation says."""
    wide = np.zeros([(size - 1) * by + 1 for size, by in zip(of.shape, (rows, columns))], F32)
    wide[::rows, ::columns] = of
    return wide


spread = np.pad(with_zeros(image, 2, 1), ((1, 0), (0, 2)))
check(
    lambda c, v: ops.ReduceWindowWithGeneralPadding(
        v, scalar(c, 0), add, (1, 2), (1, 1), (2, 1), (), [(1, 0), (0, 2)]
    ),
    np.lib.stride_tricks.sliding_window_view(spread, (1, 2)).sum((2, 3)), image,
)  # fmt: skip
rows = np.lib.stride_tricks.sliding_window_view(y, (1, 2))[:, :, 0]
check(
    lambda c, v: ops.GetTupleElement(
        ops.ReduceWindowWithGeneralPadding(
            [v, ops.Iota(c, array(S32, 2, 3), 1)], [scalar(c, -np.inf), scalar(c, 0, S32)],
            argmax, (1, 2), (1, 1), (), (), [(0, 0), (0, 0)],
        ),
        0,
    ),
    rows.max(-1), y,
)  # fmt: skip
at_least = computation(lambda _, a, b: ops.Ge(a, b), array(), array())
source = np.array([[10, 20], [30, 40]], np.float32)
scattered = np.full((4, 4), 0.5, np.float32)
grid = np.array([[1, 2, 5, 0], [3, 4, 1, 1], [0, 9, 2, 2], [1, 1, 8, 3]], np.float32)
for (i, j), value in np.ndenumerate(source):
    part = grid[2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
    a, b = np.unravel_index(part.argmax(), (2, 2))
    scattered[2 * i + a, 2 * j + b] += value
check(
    lambda c, v, s: ops.SelectAndScatterWithGeneralPadding(
        v, at_least, (2, 2), (2, 2), [(0, 0), (0, 0)], s, scalar(c, 0.5), add
    ),
    scattered, grid, source,
)  # fmt: skip
kernel = np.array([[1, 2], [3, -1]], np.float32)
numbers = xla_client.make_convolution_dimension_numbers(("NCHW", "OIHW", "NCHW"), 2)


def convolve(padding=((0, 0), (0, 0)), strides=(1, 1), lhs=(), rhs=(), **options):
    return lambda _, v, k: ops.ConvGeneralDilated(
        v, k, strides, padding, lhs, rhs, numbers, **options
    )


def correlated(of, by):
    return scipy.signal.correlate(of, by, "valid")


padded = np.pad(image, ((1, 0), (0, 2)))
for rule, expected in (
    (convolve(), correlated(image, kernel)),
    (convolve(window_reversal=[True, True]), scipy.signal.convolve(image, kernel, "valid")),
    (convolve(window_reversal=[True, False]), correlated(image, kernel[::-1])),
    (convolve([(1, 1), (1, 1)], (2, 1)), scipy.signal.correlate(image, kernel, "full")[::2]),
    (convolve([(1, 0), (0, 2)], (1, 3)), correlated(padded, kernel)[:, ::3]),
    (convolve(lhs=(2, 3)), correlated(with_zeros(image, 2, 3), kernel)),
    (convolve(rhs=(2, 3)), correlated(image, with_zeros(kernel, 2, 3))),
):
    check(rule, expected[None, None], image[None, None], kernel[None, None])
images, kernels = np.stack([image, image[::-1] + 1]), np.stack([kernel, 2 - kernel.T])
each = np.stack(list(map(correlated, images, kernels)))[None]
check(convolve(feature_group_count=2), each, images[None], kernels[:, None])
check(convolve(batch_group_count=2), each, images[:, None], kernels[:, None])

# ---- Parts of arrays -----------------------------------------------------------------------------
gather = xla_client.GatherDimensionNumbers()
gather.offset_dims.extend([1])
gather.collapsed_slice_dims.extend([0])
gather.start_index_map.extend([0])
gather.index_vector_dim = 1
picked = np.array([3, 0, 9], np.int32)
check(
    lambda _, v, i: ops.Gather(v, i, gather, (1, 6)),
    image[np.minimum(picked, 4)], image, picked,
)  # fmt: skip
gather.index_vector_dim = 0
check(
    lambda _, v, i: ops.Gather(v, ops.Reshape(i, (1, 3)), gather, (1, 2)),
    image[np.minimum(picked, 4), :2], image, picked,
)  # fmt: skip
numbers = xla_client.ScatterDimensionNumbers()
numbers.update_window_dims.extend([1])
numbers.inserted_window_dims.extend([0])
numbers.scatter_dims_to_operand_dims.extend([0])
numbers.index_vector_dim = 1
added = image.copy()
np.add.at(added, [1, 3, 1], np.ones((3, 6), np.float32))
where = np.array([1, 3, 1], np.int32)
for computed in (add, add_of_jax):
    check(
        lambda _, v, i, u, f=computed: ops.Scatter(v, i, u, f, numbers),
        added, image, where, np.ones((3, 6), np.float32),
    )  # fmt: skip
both = computation(
    lambda c, a, b, u, v: ops.Tuple(c, [ops.Add(a, u), ops.Max(b, v)]), *[array()] * 4
)
highest = image.copy()
np.maximum.at(highest, where, np.full((3, 6), 10, np.float32))
# Of two operands: XLA writes both results over one that is given twice, on this CPU.
check(
    lambda _, v, w, i, u: ops.GetTupleElement(
        ops.Scatter([w, v], i, [u, u], both, numbers, False, False), 1
    ),
    highest, image, -image, where, np.full((3, 6), 10, np.float32),
)  # fmt: skip
check(lambda _, v: ops.RemoveDynamicDimension(v, 0), x, x)
check(lambda _, v: ops.OptimizationBarrier(v), x, x)
check(
    lambda c, v, w: ops.GetTupleElement(ops.OptimizationBarrier(ops.Tuple(c, [v, w])), 1), y, x, y
)
check(lambda _, v: ops.Reciprocal(v), 1 / y, y)
check(lambda _, v: ops.Square(v), y * y, y)

# ---- Matrices ------------------------------------------------------------------------------------
square = np.array([[4, 2, 1], [2, 5, 3], [1, 3, 6]], np.float32)
general = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 10], [1, 0, 2]], np.float32)
factors, pivots = scipy.linalg.lu_factor(general)
check(lambda _, v: ops.LU(v)[0], factors, general, close=True)
check(lambda _, v: ops.LU(v)[1], pivots.astype(np.int32), general)
check(lambda _, v: ops.Cholesky(v), np.linalg.cholesky(square), square, close=True)
check(lambda _, v: ops.Cholesky(v, lower=False), np.linalg.cholesky(square).T, square, close=True)
(reflectors, scales), _ = scipy.linalg.qr(general, mode="raw")
check(lambda _, v: ops.QrDecomposition(v)[0], np.array(reflectors), general, close=True)
check(lambda _, v: ops.QrDecomposition(v)[1], scales, general, close=True)
for full in (True, False):
    q, r = np.linalg.qr(general, "complete" if full else "reduced")
    check(lambda _, v, full=full: ops.QR(v, full)[0], q, general, close=True)
    check(lambda _, v, full=full: ops.QR(v, full_matrices=full)[1], r, general, close=True)
check(
    lambda _, v, t: ops.ProductOfElementaryHouseholderReflectors(v, t),
    np.linalg.qr(general)[0], np.array(reflectors), scales, close=True,
)  # fmt: skip
check(lambda _, v: ops.Eigh(v)[1], np.linalg.eigvalsh(square), square, close=True)


def rebuilt(c, v):
    vectors, values = ops.Eigh(v)
    return ops.Dot(ops.Mul(vectors, values, [1]), ops.Transpose(vectors, (1, 0)))


check(rebuilt, square, square, close=True)
check(lambda _, v: ops.SVD(v)[1], np.linalg.svd(general)[1], general, close=True)


def recomposed(c, v):
    left, values, right = ops.SVD(v)
    return ops.Dot(ops.Mul(left, values, [1]), ops.Transpose(right, (1, 0)))


check(recomposed, general, general, close=True)
transpose = ops.TriangularSolveOptions_Transpose
for how, matrix in ((transpose.NO_TRANSPOSE, general), (transpose.TRANSPOSE, general)):
    lower = np.tril(square)
    solved = scipy.linalg.solve_triangular(
        lower, matrix[:3], lower=True, trans=0 if how == transpose.NO_TRANSPOSE else 1
    )
    check(
        lambda _, v, w, how=how: ops.TriangularSolve(v, w, True, True, False, how),
        solved, square, np.ascontiguousarray(matrix[:3]), close=True,
    )  # fmt: skip
# What is on the other side of the diagonal, and on one of ones, is not read.
hows = itertools.cycle([transpose.NO_TRANSPOSE, transpose.TRANSPOSE, transpose.ADJOINT])
right = (general[:3] * (1 - 2j)).astype(np.complex64)
for lower in (True, False):
    side = np.tril if lower else np.triu
    half = np.where(side(np.ones((3, 3), bool)), square, np.float32(9))
    expected = np.linalg.cholesky(square)
    expected = expected if lower else expected.T
    check(lambda _, v, lower=lower: ops.Cholesky(v, lower), expected, half, close=True)
    expected = np.linalg.eigvalsh(square)
    check(lambda _, v, lower=lower: ops.Eigh(v, lower)[1], expected, half, close=True)
    half = (half * (1 + 0.5j)).astype(np.complex64)
    for left, unit in itertools.product((True, False), (True, False)):
        how = next(hows)
        read = side(half)
        if unit:
            np.fill_diagonal(read, 1)
        read = read if how == transpose.NO_TRANSPOSE else read.T
        read = read.conj() if how == transpose.ADJOINT else read
        solved = np.linalg.solve(read, right) if left else np.linalg.solve(read.T, right.T).T
        options = left, lower, unit, how
        check(
            lambda _, v, w, options=options: ops.TriangularSolve(v, w, *options),
            solved, half, right, close=True,
        )  # fmt: skip
wave = np.array([1, 2, -1, 0.5], np.float32)
kinds = xla_client.FftType
check(lambda _, v: ops.Fft(v, kinds.RFFT, (4,)), np.fft.rfft(wave).astype("c8"), wave, close=True)
pairs = (wave[:2] + 1j * wave[2:]).astype(np.complex64)
check(lambda _, v: ops.Fft(v, kinds.FFT, (2,)), np.fft.fft(pairs).astype("c8"), pairs, close=True)
check(lambda _, v: ops.Fft(v, kinds.IFFT, (2,)), np.fft.ifft(pairs).astype("c8"), pairs, close=True)

# ---- Random numbers ------------------------------------------------------------------------------
many = array(F32, 4000)


def statistics(c, op):
    """The mean, rounded to tenths."""
    sums = ops.Reduce(c, [op], [scalar(c, 0)], add, [0])
    return ops.Div(ops.Round(ops.Div(sums, scalar(c, 400))), scalar(c, 10))


check(lambda c, a: statistics(c, ops.RngUniform(a, scalar(c, 3), many)), np.float32(2), one)
check(lambda c, a: statistics(c, ops.RngNormal(a, scalar(c, 0.1), many)), np.float32(1), one)
key = np.array([1, 2], np.uint64)
bits = Shape.array_shape(np.dtype(np.uint32), (3,))
for algorithm, lax_algorithm in (
    (ops.RandomAlgorithm.RNG_THREE_FRY, jax.lax.RandomAlgorithm.RNG_THREE_FRY),
    (ops.RandomAlgorithm.RNG_PHILOX, jax.lax.RandomAlgorithm.RNG_PHILOX),
    (ops.RandomAlgorithm.RNG_DEFAULT, jax.lax.RandomAlgorithm.RNG_DEFAULT),
):
    expected = jax.lax.rng_bit_generator(
        np.array([1, 0, 2, 0], np.uint32), (3,), np.uint32, algorithm=lax_algorithm
    )[1]

    def generated(c, k, algorithm=algorithm):
        state = ops.BitcastConvertType(
            ops.Reshape(k, (2, 2)), xla_client.dtype_to_etype(np.dtype(np.uint64))
        )
        return ops.GetTupleElement(ops.RngBitGenerator(algorithm, state, bits), 1)

    check(generated, np.asarray(expected), np.array([1, 0, 2, 0], np.uint32))

# ---- Replicas: there is one here, and programs for more are lowered ------------------------------


def lowered(rule, operand, *expected):
    """Has JAX lower the rule, which XLA:CPU needs more devices to run, and MLIR verify it."""
    primitive = core.Primitive("lowered")
    aval = core.ShapedArray(expected, operand.dtype)
    primitive.def_abstract_eval(lambda _: aval)
    built = []

    def translate(builder, value):
        op = rule(builder, value)
        built.append(tuple(builder.get_shape(op).dimensions()))
        return op

    xla.translations[primitive] = translate
    jax.jit(primitive.bind).lower(operand)
    assert built == [expected], (built, expected)


of_three = xla_client.make_replica_groups([[0, 1, 2], [3, 4, 5]])
cube = np.zeros((3, 6, 9), np.float32)
for axis in range(3):
    sizes = [*cube.shape]
    sizes[axis] *= 3
    lowered(lambda _, v, d=axis: ops.AllGather(v, d, 3, of_three), cube, *sizes)
    sizes[axis] //= 9
    lowered(lambda _, v, d=axis: ops.ReduceScatter(v, add, d, 3, of_three), cube, *sizes)
    for to in range(3):
        moved = [*sizes]
        moved[to] *= 3
        rule = lambda _, v, d=axis, to=to: ops.AllToAll(v, d, to, 3, of_three)  # noqa: E731
        lowered(rule, cube, *moved)
group = xla_client.make_replica_groups([[0]])
check(lambda _, v: ops.AllReduce(v, add, group), x, x)
check(lambda _, v: ops.AllReduce(v, add), x, x)
check(lambda _, v: ops.CrossReplicaSum(v), x, x)
check(lambda _, v: ops.ReduceScatter(v, add, 0, 1, group), x, x)
check(lambda _, v: ops.AllGather(v, 0, 1, group), x, x)
check(lambda _, v: ops.AllToAll(v, 0, 1, 1, group), x, x)
check(lambda _, v: ops.CollectivePermute(v, [(0, 0)]), x, x)
if hasattr(ops, "MultiCollectivePermute"):  # which jaxlib had for a while
    check(lambda _, v: ops.GetTupleElement(ops.MultiCollectivePermute([v], [(0, 0)]), 0), x, x)
check(lambda c, v: ops.Add(v, ops.ReplicaId(c)), np.uint32(3), np.uint32(3))
check(lambda c, v: (ops.AfterAll(c, [ops.CreateToken(c)]), v)[1], x, x)

# ---- Builders of their own -----------------------------------------------------------------------
builder = xla_client.XlaBuilder("sum_of_squares")
v = ops.Parameter(builder, 0, array(F32, 2, 3), "v")
w = ops.Constant(builder, y)
last = ops.Reduce(builder, [ops.Mul(v, w)], [scalar(builder, 0)], add, [0, 1])
assert builder.is_constant(w) and not builder.is_constant(last)
assert str(builder.get_program_shape().result_shape()) == "f32[]"
made = builder.build()
assert made.name() == "sum_of_squares"
assert "reduce(" in made.as_hlo_text() and "parameter(0)" in made.as_hlo_text()
assert made.as_serialized_hlo_module_proto() and str(made.program_shape().parameter_shapes()[0])
np.testing.assert_allclose(made.run(x), (x * y).sum(), rtol=1e-6)
check(lambda c, a: ops.Call(c, made, [a]), (x * y).sum(), x, close=True)

finish()
