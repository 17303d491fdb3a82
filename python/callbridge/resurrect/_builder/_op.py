"""Values of old translation rules and of computations, and their shapes as JAX has them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jax._src import core
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect._lowering import _xla_shapes

# A jaxlib that builds computations has classes of its own.
_JAXLIBS = {name: vars(xla_client).get(name) for name in ("XlaBuilder", "XlaOp")}


def values_of(lowered: Any) -> list[ir.Value]:
    """The results of a lowering rule, which until JAX 0.4.34 was a list of lists."""
    if isinstance(lowered, ir.Value):
        return [lowered]
    return [value for each in lowered for value in values_of(each)]


class IsJaxlibs:
    """An instance of jaxlib's class of that name too, which programs ask isinstance() of."""

    __class__ = property(lambda self: _JAXLIBS[type(self).__name__] or type(self))


class XlaOp(IsJaxlibs):
    """A value of the computation: an array or a token, or a tuple of such."""

    def __init__(self, builder: Any, shape: Shape, elements: Any):
        """`elements` is an ir.Value; of a tuple, the XlaOps that are in it."""
        self.builder = builder
        self.shape = shape
        self.elements = elements

    @staticmethod
    def of(builder: Any, value: ir.Value) -> XlaOp:
        return XlaOp(builder, _xla_shapes.shape_of(value.type), value)

    @staticmethod
    def from_leaves(builder: Any, shape: Shape, leaves: Iterator[ir.Value]) -> XlaOp:
        if not shape.is_tuple():
            return XlaOp(builder, shape, next(leaves))
        elements = [XlaOp.from_leaves(builder, part, leaves) for part in shape.tuple_shapes()]
        return XlaOp(builder, shape, elements)

    def value(self, what: str) -> ir.Value:
        if self.shape.is_tuple():
            raise TypeError(f"{what} is a tuple, {self.shape}; expected an array")
        return self.elements

    def packed(self) -> ir.Value:
        """The value, of tuples too, as MLIR has them."""
        if not self.shape.is_tuple():
            return self.elements
        elements = [element.packed() for element in self.elements]
        type_ = ir.TupleType.get_tuple([element.type for element in elements])
        return stablehlo.TupleOp.build_generic(results=[type_], operands=elements).results[0]

    def leaves(self) -> list[ir.Value]:
        if not self.shape.is_tuple():
            return [self.elements]
        return [leaf for element in self.elements for leaf in element.leaves()]

    def tree(self) -> Any:
        """A shape tree, as _xla_shapes.tree() gives it."""
        if not self.shape.is_tuple():
            return _xla_shapes.tree(self.elements.type)
        return tuple(element.tree() for element in self.elements)


def in_64_bits() -> contextlib.AbstractContextManager:
    """Types are as the program says, whatever jax_enable_x64."""
    owner: Any = jax if hasattr(jax, "enable_x64") else jax.experimental
    return owner.enable_x64(True)


def aval_of(shape: Shape) -> Any:
    if shape.is_token():
        return core.abstract_token
    return core.ShapedArray(tuple(shape.dimensions()), np.dtype(shape.numpy_dtype()))


def elements(op: XlaOp) -> Any:
    """What stands for its value, in nested tuples where it is one."""
    return tuple(map(elements, op.elements)) if op.shape.is_tuple() else op.elements


def arrays_of(shape: Shape, leaf: Callable[[Shape], Any]) -> Any:
    """`leaf` of the shapes of arrays, in the tuples that the shape has."""
    if shape.is_tuple():
        return tuple(arrays_of(part, leaf) for part in shape.tuple_shapes())
    return leaf(shape)
