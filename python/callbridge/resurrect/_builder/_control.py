"""Operations of xla_client.ops that are given computations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect._builder._computation import XlaBuilder, XlaOp, in_64_bits
from callbridge.resurrect._builder._emit import (
    emit,
    emit_lowered,
    fill,
    function_of,
    of_elements,
    scalar_types,
)
from callbridge.resurrect._lowering import _xla_shapes

# One operation's operand, or those of one with several.
Operands = Any


def _list(operands: Operands) -> list[XlaOp]:
    return [operands] if isinstance(operands, XlaOp) else list(operands)


def _one_or_tuple(values: Sequence[Any]) -> Any:
    """XLA's result of an operation on several arrays is a tuple, and on one an array."""
    return values[0] if len(values) == 1 else tuple(values)


def Call(builder: XlaBuilder, computation: Any, operands: Sequence[XlaOp]) -> XlaOp:
    return emit(builder, function_of(computation), *operands)


def Conditional(selector: XlaOp, *given: Any, **named: Any) -> XlaOp:
    """Conditional(branch_index, branch_computations, branch_operands), of which the last is taken
    for an index out of range; Conditional(predicate, true_operand, true_computation,
    false_operand, false_computation)."""
    if len(given) + len(named) == 4:
        names = ("true_operand", "true_computation", "false_operand", "false_computation")
        on_true, if_true, on_false, if_false = _arguments(names, given, named)
        return emit(
            selector.builder,
            lambda p, x, y: lax.cond(
                p, lambda x, _: function_of(if_true)(x), lambda _, y: function_of(if_false)(y), x, y
            ),
            selector,
            on_true,
            on_false,
        )
    computations, operands = _arguments(("branch_computations", "branch_operands"), given, named)
    functions = [function_of(computation) for computation in computations]
    branches = [lambda *values, i=i, call=call: call(values[i]) for i, call in enumerate(functions)]

    def switch(index: Any, *values: Any) -> Any:
        last = len(branches) - 1
        is_one = (index >= 0) & (index <= last)
        return lax.switch(jax.numpy.where(is_one, index, last), branches, *values)

    return emit(selector.builder, switch, selector, *operands)


def _arguments(names: Sequence[str], given: Sequence[Any], named: dict) -> list:
    return [*given, *[named[name] for name in names[len(given) :]]]


def While(condition: Any, body: Any, init: XlaOp) -> XlaOp:
    return emit(
        init.builder,
        lambda x: lax.while_loop(function_of(condition), function_of(body), x),
        init,
    )


def Map(
    builder: XlaBuilder,
    operands: Sequence[XlaOp],
    computation: Any,
    dimensions: Sequence[int],
    static_operands: Sequence[XlaOp] = (),
) -> XlaOp:
    """The computation of each element. XLA has it over all dimensions alone."""
    rank = len(operands[0].shape.dimensions())
    if list(dimensions) != list(range(rank)) or static_operands:
        raise NotImplementedError(
            f"xla_client.ops.Map: expected dimensions 0 to {rank - 1} and no static_operands, as "
            f"XLA does; got {list(dimensions)} and {list(static_operands)}"
        )
    function = function_of(computation)
    with in_64_bits():
        scalars = [jax.ShapeDtypeStruct((), op.shape.numpy_dtype()) for op in operands]
        dtype = jax.eval_shape(function, *scalars).dtype
    shape = Shape.array_shape(dtype, operands[0].shape.dimensions())

    def make(builder: XlaBuilder, *given: XlaOp) -> XlaOp:
        operation = stablehlo.MapOp(
            _xla_shapes.type_of(shape),
            [op.elements for op in given],
            ir.DenseI64ArrayAttr.get(list(dimensions)),
        )
        fill(operation.computation, builder, function, scalar_types(given))
        return XlaOp.of(builder, operation.result)

    return emit_lowered(builder, make, shape, *operands)


def Reduce(
    builder: XlaBuilder,
    operands: Sequence[XlaOp],
    init_values: Sequence[XlaOp],
    computation: Any,
    dimensions_to_reduce: Sequence[int],
) -> XlaOp:
    """The computation's operands are the values so far, and then the elements."""
    count = len(operands)

    def reduce(*values: Any) -> Any:
        results = lax.reduce(
            tuple(values[:count]),
            tuple(values[count:]),
            _of_pairs(computation),
            tuple(dimensions_to_reduce),
        )
        return _one_or_tuple(results)

    return emit(builder, reduce, *operands, *init_values)


def _of_pairs(computation: Any) -> Any:
    """A function of two tuples, as jax.lax has it, that returns a tuple."""
    function = function_of(computation)

    def combine(left: Sequence[Any], right: Sequence[Any]) -> tuple:
        return tuple(jax.tree_util.tree_leaves(function(*left, *right)))

    return combine


def ReduceWindowWithGeneralPadding(
    operands: Operands,
    init_values: Operands,
    computation: Any,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    base_dilations: Sequence[int],
    window_dilations: Sequence[int],
    padding: Sequence[tuple[int, int]],
) -> XlaOp:
    operands, init_values = _list(operands), _list(init_values)
    count, rank = len(operands), len(operands[0].shape.dimensions())

    def reduce(*values: Any) -> Any:
        results = lax.reduce_window(
            tuple(values[:count]),
            tuple(values[count:]),
            _of_pairs(computation),
            tuple(window_dimensions),
            tuple(window_strides),
            [(low, high) for low, high in padding],
            tuple(base_dilations) or (1,) * rank,
            tuple(window_dilations) or (1,) * rank,
        )
        return _one_or_tuple(results)

    return emit(operands[0].builder, reduce, *operands, *init_values)


def SelectAndScatterWithGeneralPadding(
    operand: XlaOp,
    select: Any,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    source: XlaOp,
    init_value: XlaOp,
    scatter: Any,
) -> XlaOp:
    def make(builder: XlaBuilder, *given: XlaOp) -> XlaOp:
        values = [op.elements for op in given]
        operation = stablehlo.SelectAndScatterOp(
            values[0].type,
            *values,
            window_dimensions=ir.DenseI64ArrayAttr.get(list(window_dimensions)),
            window_strides=ir.DenseI64ArrayAttr.get(list(window_strides)),
            padding=ir.DenseIntElementsAttr.get(
                jax.numpy.asarray(padding).__array__().astype("i8").reshape(-1, 2)
            ),
        )
        scalar = scalar_types(given[:1])
        fill(operation.select, builder, function_of(select), scalar * 2)
        fill(operation.scatter, builder, function_of(scatter), scalar * 2)
        return XlaOp.of(builder, operation.result)

    return emit_lowered(operand.builder, make, operand.shape, operand, source, init_value)


def Sort(
    builder: XlaBuilder,
    operands: Sequence[XlaOp],
    comparator: Any = None,
    dimension: int = -1,
    is_stable: bool = False,
) -> XlaOp:
    """By the first operand, or by the comparator, of two elements of each operand."""
    operands = list(operands)
    rank = len(operands[0].shape.dimensions())
    if comparator is None:
        return emit(
            builder,
            lambda *values: _one_or_tuple(
                lax.sort(values, dimension=dimension % rank, is_stable=is_stable, num_keys=1)
            ),
            *operands,
        )

    def make(builder: XlaBuilder, *given: XlaOp) -> XlaOp:
        operation = stablehlo.SortOp(
            [op.elements.type for op in given],
            [op.elements for op in given],
            dimension=ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dimension % rank),
            is_stable=ir.BoolAttr.get(is_stable),
        )
        pairs = [type_ for type_ in scalar_types(given) for _ in range(2)]
        fill(operation.comparator, builder, function_of(comparator), pairs)
        return of_elements(builder, _one_or_tuple(list(operation.results)))

    shape = operands[0].shape if len(operands) == 1 else _tuple_shape(operands)
    return emit_lowered(builder, make, shape, *operands)


def _tuple_shape(operands: Sequence[XlaOp]) -> Any:
    return Shape.tuple_shape([operand.shape for operand in operands])


def Scatter(
    inputs: Operands,
    scatter_indices: XlaOp,
    updates: Operands,
    update_computation: Any,
    dimension_numbers: Any,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
) -> XlaOp:
    """The computation's operands are the elements that are there, and then the updates."""
    inputs, updates = _list(inputs), _list(updates)
    count = len(inputs)

    def make(builder: XlaBuilder, indices: XlaOp, *given: XlaOp) -> XlaOp:
        values = [op.elements for op in given]
        operation = stablehlo.ScatterOp(
            [value.type for value in values[:count]],
            values[:count],
            indices.elements,
            values[count:],
            ir.Attribute.parse(
                "#stablehlo.scatter<"
                f"update_window_dims = {list(dimension_numbers.update_window_dims)}, "
                f"inserted_window_dims = {list(dimension_numbers.inserted_window_dims)}, "
                "scatter_dims_to_operand_dims = "
                f"{list(dimension_numbers.scatter_dims_to_operand_dims)}, "
                f"index_vector_dim = {dimension_numbers.index_vector_dim}>"
            ),
            indices_are_sorted=ir.BoolAttr.get(indices_are_sorted),
            unique_indices=ir.BoolAttr.get(unique_indices),
        )
        types = scalar_types(given[:count]) * 2
        fill(operation.update_computation, builder, function_of(update_computation), types)
        return of_elements(builder, _one_or_tuple(list(operation.results)))

    shape = inputs[0].shape if count == 1 else _tuple_shape(inputs)
    return emit_lowered(inputs[0].builder, make, shape, scatter_indices, *inputs, *updates)
