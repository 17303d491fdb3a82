"""How operations of xla_client.ops reach a program.

They are emitted at once where JAX lowers a translation rule, and recorded where a builder makes a
computation of its own (_computation.py).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
from jax._src import core
from jax.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect._builder._computation import (
    XlaBuilder,
    XlaComputation,
    XlaOp,
    arrays_of,
    aval_of,
    elements,
    in_64_bits,
    values_of,
)
from callbridge.resurrect._lowering import _xla_shapes


def emit(builder: XlaBuilder, function: Callable, *operands: XlaOp) -> XlaOp:
    """The result of a function of arrays and (nested) tuples of arrays; a tuple of a tuple."""
    if builder.context is None:
        return builder.program.add(builder, function, operands)
    leaves, structure = jax.tree_util.tree_flatten([elements(operand) for operand in operands])
    made = {}

    def flat(*values: Any) -> Any:
        results, made["structure"] = jax.tree_util.tree_flatten(
            function(*jax.tree_util.tree_unflatten(structure, values))
        )
        return results

    results = lower_here(builder.context, flat, leaves)
    return of_elements(builder, jax.tree_util.tree_unflatten(made["structure"], results))


def lower_here(context: Any, function: Callable, values: Any) -> list[ir.Value]:
    """The results, where MLIR is being built, of a function of arrays that returns a list."""
    inside = context.replace(
        primitive=None,
        avals_in=[aval_of(_xla_shapes.shape_of(value.type)) for value in values],
        avals_out=None,
    )
    with in_64_bits():
        return values_of(mlir.lower_fun(function, multiple_results=True)(inside, *values))


def of_elements(builder: XlaBuilder, tree: Any) -> XlaOp:
    if isinstance(tree, (tuple, list)):
        parts = [of_elements(builder, part) for part in tree]
        return XlaOp(builder, Shape.tuple_shape([part.shape for part in parts]), parts)
    return XlaOp.of(builder, tree)


# ---- Operations of StableHLO that no function of JAX is ------------------------------------------


@dataclasses.dataclass(eq=False)
class _Lowered:
    """Attributes:
    make: emits the operation: make(builder, *operands) is its result.
    shape: the result's.
    structure: of the operands.
    """

    make: Callable
    shape: Shape
    structure: Any


_lowered_p = core.Primitive("xla_client.ops")
_lowered_p.multiple_results = True


def _avals_out(*_: Any, what: _Lowered) -> Any:
    return jax.tree_util.tree_leaves(arrays_of(what.shape, aval_of))


_lowered_p.def_abstract_eval(_avals_out)


def _lower(context: Any, *values: Any, what: _Lowered) -> list[ir.Value]:
    builder = XlaBuilder("", context)
    operands = jax.tree_util.tree_unflatten(what.structure, values)
    return what.make(builder, *[of_elements(builder, operand) for operand in operands]).leaves()


mlir.register_lowering(_lowered_p, _lower)


def emit_lowered(builder: XlaBuilder, make: Callable, shape: Shape, *operands: XlaOp) -> XlaOp:
    """The result, of that shape, of make(builder, *operands), which emits StableHLO."""
    if builder.context is not None:
        return make(builder, *operands)

    return emit(builder, lambda *trees: bind_lowered(make, shape, trees), *operands)


def bind_lowered(make: Callable, shape: Shape, operands: Any) -> Any:
    """Likewise, as a function of arrays and tuples."""
    leaves, structure = jax.tree_util.tree_flatten(list(operands))
    results = iter(_lowered_p.bind(*leaves, what=_Lowered(make, shape, structure)))
    return arrays_of(shape, lambda _: next(results))


def fill(region: ir.Region, builder: XlaBuilder, function: Callable, types: list[ir.Type]) -> None:
    """Makes the region of a function of arrays of these types."""
    block = region.blocks.append(*types)
    with ir.InsertionPoint(block):
        results = lower_here(
            builder.context,
            lambda *values: jax.tree_util.tree_leaves(function(*values)),
            list(block.arguments),
        )
        stablehlo.ReturnOp(results)


def scalar_types(operands: Any) -> list[ir.Type]:
    return [ir.RankedTensorType.get((), op.elements.type.element_type) for op in operands]


# ---- Computations that operations are given ------------------------------------------------------


def function_of(computation: Any) -> Callable:
    """A function of arrays and tuples, as the computation's parameters are."""
    if isinstance(computation, XlaComputation):
        return computation.run
    if isinstance(computation, xla_client.XlaComputation):
        return _function_of_jaxlibs(computation)
    raise TypeError(f"expected an XlaComputation, got {type(computation)}")


def _function_of_jaxlibs(computation: Any) -> Callable:
    def make(builder: XlaBuilder, *operands: XlaOp) -> XlaOp:
        from jax._src.interpreters.mlir import merge_mlir_modules

        from callbridge.resurrect._lowering._mlir import text_of

        module = ir.Module.parse(text_of(computation))
        takes_tuples, returns_tuple, types = _tuples_of(module)
        inside = builder.context.module_context
        name = merge_mlir_modules(
            inside.module, "xla_computation", module, dst_symtab=inside.symbol_table
        )
        leaves = [leaf for operand in operands for leaf in operand.leaves()]
        given = [operand.packed() for operand in operands] if takes_tuples else leaves
        called = func.CallOp(types, ir.FlatSymbolRefAttr.get(name), given)
        values = _xla_shapes.take_apart(called.results[0]) if returns_tuple else called.results
        return XlaOp.from_leaves(builder, result, iter(values))

    result = computation.program_shape().result_shape()
    return lambda *trees: bind_lowered(make, result, trees)


def _tuples_of(module: Any) -> tuple[bool, bool, list[ir.Type]]:
    """Whether the module's function takes tuples, whether it returns one, and its results: that
    changed between jaxlibs."""
    (main,) = [op for op in module.body.operations if op.name.value == "main"]
    inputs, results = main.type.inputs, main.type.results
    returns_tuple = any(map(_xla_shapes.is_tuple, results))
    return any(map(_xla_shapes.is_tuple, inputs)), returns_tuple, list(results)
