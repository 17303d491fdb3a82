"""Operations of xla_client.ops on parts of arrays, convolutions, matrices and random numbers."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jax._src.lax import linalg
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect._builder._computation import XlaBuilder, XlaOp
from callbridge.resurrect._builder._emit import emit, emit_lowered, of_elements
from callbridge.resurrect._lowering import _xla_shapes


class TransposeOptions(enum.IntEnum):
    """TriangularSolveOptions_Transpose."""

    TRANSPOSE_INVALID = 0
    NO_TRANSPOSE = 1
    TRANSPOSE = 2
    ADJOINT = 3


class RandomAlgorithm(enum.IntEnum):
    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2


# ---- Parts of arrays -----------------------------------------------------------------------------


def Gather(
    a: XlaOp,
    start_indices: XlaOp,
    dimension_numbers: Any,
    slice_sizes: Sequence[int],
    indices_are_sorted: bool = False,
) -> XlaOp:
    """Slices that would leave the array are moved inside."""

    def make(builder: XlaBuilder, operand: XlaOp, indices: XlaOp) -> XlaOp:
        gathered = stablehlo.GatherOp(
            operand.elements,
            indices.elements,
            ir.Attribute.parse(
                f"#stablehlo.gather<offset_dims = {list(dimension_numbers.offset_dims)}, "
                f"collapsed_slice_dims = {list(dimension_numbers.collapsed_slice_dims)}, "
                f"start_index_map = {list(dimension_numbers.start_index_map)}, "
                f"index_vector_dim = {dimension_numbers.index_vector_dim}>"
            ),
            ir.DenseI64ArrayAttr.get(list(slice_sizes)),
            indices_are_sorted=ir.BoolAttr.get(indices_are_sorted),
        )
        return XlaOp.of(builder, gathered.result)

    collapsed = set(dimension_numbers.collapsed_slice_dims)
    windows = [size for i, size in enumerate(slice_sizes) if i not in collapsed]
    batches = list(start_indices.shape.dimensions())
    if dimension_numbers.index_vector_dim < len(batches):
        del batches[dimension_numbers.index_vector_dim]
    offset_dims = set(dimension_numbers.offset_dims)
    dimensions = [
        (windows if i in offset_dims else batches).pop(0)
        for i in range(len(windows) + len(batches))
    ]
    shape = Shape.array_shape(a.shape.numpy_dtype(), dimensions)
    return emit_lowered(a.builder, make, shape, a, start_indices)


def RemoveDynamicDimension(operand: XlaOp, dimension: int) -> XlaOp:
    """No dimension is dynamic here."""
    return operand


def TopK(input: XlaOp, k: int) -> XlaOp:
    return emit(input.builder, lambda x: tuple(lax.top_k(x, k)), input)


def ApproxTopKFallback(
    builder: XlaBuilder,
    operands: Sequence[XlaOp],
    init_values: Sequence[XlaOp],
    top_k: int,
    reduction_dim: int,
    comparator: Any,
    recall_target: float = 0.9,
    aggregate_to_topk: bool = True,
    reduction_input_size_override: int = -1,
) -> XlaOp:
    """The first `top_k` by the comparator: all of them, as on all platforms but TPU."""
    if not aggregate_to_topk:
        raise NotImplementedError(
            "callbridge.resurrect cannot restore xla_client.ops.ApproxTopK with "
            "aggregate_to_topk=False, whose number of results is TPU's"
        )
    from callbridge.resurrect._builder._control import Sort

    ordered = Sort(builder, operands, comparator, reduction_dim, True)
    parts = [ordered] if len(operands) == 1 else ordered.elements
    cut = [
        emit(builder, lambda x: lax.slice_in_dim(x, 0, top_k, axis=reduction_dim), part)
        for part in parts
    ]
    shape = Shape.tuple_shape([part.shape for part in cut])
    return cut[0] if len(cut) == 1 else XlaOp(builder, shape, cut)


ApproxTopK = ApproxTopKFallback


def ApproxTopKReductionOutputSize(
    input_size: int,
    rank: int,
    top_k: int,
    recall_target: float,
    aggregate_to_topk: bool = True,
    input_size_override: int = -1,
) -> tuple[int, int]:
    from jaxlib import _jax

    return _jax.approx_top_k_reduction_output_size(
        input_size, rank, top_k, recall_target, aggregate_to_topk, input_size_override
    )


# ---- Convolutions --------------------------------------------------------------------------------


def ConvGeneralDilated(
    lhs: XlaOp,
    rhs: XlaOp,
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
    dimension_numbers: Any,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision_config: Any = None,
    preferred_element_type: Any = None,
    window_reversal: Sequence[bool] | None = None,
) -> XlaOp:
    from callbridge.resurrect._builder._math import dot_options

    numbers = dimension_numbers
    specs = lax.ConvDimensionNumbers(
        (
            numbers.input_batch_dimension,
            numbers.input_feature_dimension,
            *numbers.input_spatial_dimensions,
        ),
        (
            numbers.kernel_output_feature_dimension,
            numbers.kernel_input_feature_dimension,
            *numbers.kernel_spatial_dimensions,
        ),
        (
            numbers.output_batch_dimension,
            numbers.output_feature_dimension,
            *numbers.output_spatial_dimensions,
        ),
    )
    spatial = len(numbers.kernel_spatial_dimensions)
    is_reversed = zip(numbers.kernel_spatial_dimensions, window_reversal or [])
    reversed_dimensions = [dimension for dimension, is_so in is_reversed if is_so]
    return emit(
        lhs.builder,
        lambda x, y: lax.conv_general_dilated(
            x,
            lax.rev(y, reversed_dimensions),
            tuple(window_strides) or (1,) * spatial,
            [(low, high) for low, high in padding] or [(0, 0)] * spatial,
            tuple(lhs_dilation) or (1,) * spatial,
            tuple(rhs_dilation) or (1,) * spatial,
            specs,
            feature_group_count=feature_group_count,
            batch_group_count=batch_group_count,
            **dot_options(precision_config, preferred_element_type),
        ),
        lhs,
        rhs,
    )


# ---- Matrices ------------------------------------------------------------------------------------


def Cholesky(a: XlaOp, lower: bool = True) -> XlaOp:
    """What is on the other side of the diagonal is zero."""

    def adjoint(x: Any) -> Any:
        return jax.numpy.conj(jax.numpy.swapaxes(x, -1, -2))

    def factor(x: Any) -> Any:
        if lower:
            return lax.linalg.cholesky(x, symmetrize_input=False)
        return adjoint(lax.linalg.cholesky(adjoint(x), symmetrize_input=False))

    return emit(a.builder, factor, a)


def TriangularSolve(
    a: XlaOp, b: XlaOp, left_side: bool, lower: bool, unit_diagonal: bool, transpose_a: Any
) -> XlaOp:
    """`transpose_a`: 1 not, 2 transposed, 3 transposed and conjugated."""
    how = int(getattr(transpose_a, "value", transpose_a))
    return emit(
        a.builder,
        lambda x, y: lax.linalg.triangular_solve(
            x,
            y,
            left_side=left_side,
            lower=lower,
            transpose_a=how > 1,
            conjugate_a=how == 3,
            unit_diagonal=unit_diagonal,
        ),
        a,
        b,
    )


def _parts(op: XlaOp) -> tuple[XlaOp, ...]:
    return tuple(op.elements)


def LU(operand: XlaOp) -> tuple[XlaOp, ...]:
    """The factors in one matrix, the pivots, and the permutation of the rows."""
    return _parts(emit(operand.builder, lambda x: tuple(lax.linalg.lu(x)), operand))


def QR(operand: XlaOp, full_matrices: bool) -> tuple[XlaOp, ...]:
    return _parts(
        emit(
            operand.builder,
            lambda x: tuple(lax.linalg.qr(x, full_matrices=full_matrices)),
            operand,
        )
    )


def QrDecomposition(operand: XlaOp) -> tuple[XlaOp, ...]:
    """R with the Householder reflectors below it, and their scalar factors."""
    return _parts(emit(operand.builder, lambda x: tuple(linalg.geqrf(x)), operand))


def ProductOfElementaryHouseholderReflectors(a: XlaOp, taus: XlaOp) -> XlaOp:
    return emit(a.builder, lax.linalg.householder_product, a, taus)


def Eigh(
    a: XlaOp,
    lower: bool = True,
    max_iter: int = 15,
    epsilon: float = 1e-5,
    sort_eigenvalues: bool = True,
) -> tuple[XlaOp, ...]:
    """Eigenvectors and eigenvalues, to the precision of the type."""
    return _parts(
        emit(
            a.builder,
            lambda x: tuple(
                lax.linalg.eigh(
                    x, lower=lower, symmetrize_input=False, sort_eigenvalues=sort_eigenvalues
                )
            ),
            a,
        )
    )


def SVD(a: XlaOp, max_iter: int = 100, epsilon: float = 1e-6) -> tuple[XlaOp, ...]:
    """u, d and v of a = u diag(d) v*, to the precision of the type."""

    def factor(x: Any) -> tuple:
        u, d, vh = lax.linalg.svd(x, full_matrices=False)
        return u, d, jax.numpy.conj(jax.numpy.swapaxes(vh, -1, -2))

    return _parts(emit(a.builder, factor, a))


# ---- Random numbers ------------------------------------------------------------------------------


def RngUniform(a: XlaOp, b: XlaOp, shape: Shape) -> XlaOp:
    return _rng(a, b, shape, "UNIFORM")


def RngNormal(mu: XlaOp, sigma: XlaOp, shape: Shape) -> XlaOp:
    return _rng(mu, sigma, shape, "NORMAL")


def _rng(a: XlaOp, b: XlaOp, shape: Shape, distribution: str) -> XlaOp:
    def make(builder: XlaBuilder, *bounds: XlaOp) -> XlaOp:
        i64 = ir.IntegerType.get_signless(64)
        dimensions = stablehlo.ConstantOp(
            ir.DenseElementsAttr.get(
                [ir.IntegerAttr.get(i64, size) for size in shape.dimensions()],
                ir.RankedTensorType.get([len(shape.dimensions())], i64),
            )
        )
        made = stablehlo.RngOp.build_generic(
            results=[_xla_shapes.type_of(shape)],
            operands=[*[bound.elements for bound in bounds], dimensions.result],
            attributes={
                "rng_distribution": ir.Attribute.parse(
                    f"#stablehlo<rng_distribution {distribution}>"
                )
            },
        )
        return XlaOp.of(builder, made.results[0])

    return emit_lowered(a.builder, make, shape, a, b)


def RngBitGenerator(algorithm: Any, initial_state: XlaOp, shape: Shape) -> XlaOp:
    """A tuple of the state afterwards and the bits."""
    name = algorithm.name.removeprefix("RNG_")
    result = Shape.tuple_shape([initial_state.shape, shape])

    def make(builder: XlaBuilder, state: XlaOp) -> XlaOp:
        made = stablehlo.RngBitGeneratorOp.build_generic(
            results=[state.elements.type, _xla_shapes.type_of(shape)],
            operands=[state.elements],
            attributes={"rng_algorithm": ir.Attribute.parse(f"#stablehlo<rng_algorithm {name}>")},
        )
        return of_elements(builder, tuple(made.results))

    return emit_lowered(initial_state.builder, make, result, initial_state)
