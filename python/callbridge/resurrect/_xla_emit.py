"""How operations of xla_client.ops reach a program.

They are emitted at once where JAX lowers a translation rule, and recorded where a builder makes a
computation of its own (_xla_computation.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax._src import core
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect import _xla_shapes
from callbridge.resurrect._xla_op import XlaBuilder, XlaOp, values_of


def in_64_bits() -> contextlib.AbstractContextManager:
    """Types are as the program says, whatever jax_enable_x64."""
    owner: Any = jax if hasattr(jax, "enable_x64") else jax.experimental
    return owner.enable_x64(True)


def aval_of(shape: Shape) -> Any:
    if shape.is_token():
        return core.abstract_token
    return core.ShapedArray(tuple(shape.dimensions()), np.dtype(shape.numpy_dtype()))


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


def elements(op: XlaOp) -> Any:
    """What stands for its value, in nested tuples where it is one."""
    return tuple(map(elements, op.elements)) if op.shape.is_tuple() else op.elements


def of_elements(builder: XlaBuilder, tree: Any) -> XlaOp:
    if isinstance(tree, (tuple, list)):
        parts = [of_elements(builder, part) for part in tree]
        return XlaOp(builder, Shape.tuple_shape([part.shape for part in parts]), parts)
    return XlaOp.of(builder, tree)


def arrays_of(shape: Shape, leaf: Callable[[Shape], Any]) -> Any:
    """`leaf` of the shapes of arrays, in the tuples that the shape has."""
    if shape.is_tuple():
        return tuple(arrays_of(part, leaf) for part in shape.tuple_shapes())
    return leaf(shape)


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
