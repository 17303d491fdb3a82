"""Values and the builder of translation rules, over the place where JAX lowers to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlib.mlir import ir
from jaxlib.xla_client import Shape

from callbridge.resurrect import _xla_shapes


def values_of(lowered: Any) -> list[ir.Value]:
    """The results of a lowering rule, which until JAX 0.4.34 was a list of lists."""
    if isinstance(lowered, ir.Value):
        return [lowered]
    return [value for each in lowered for value in values_of(each)]


class XlaBuilder:
    """The first argument of a translation rule. What it builds is emitted at once."""

    def __init__(self, name: str, context: Any = None):
        """`context` is the LoweringRuleContext, where there is one."""
        self._name = name
        self.context = context

    def get_shape(self, op: XlaOp) -> Shape:
        return op.shape

    GetShape = get_shape

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"XlaBuilder.{name} is not restored by callbridge.resurrect, which has get_shape only"
        )


class XlaOp:
    """A value of the computation: an array or a token, or a tuple of such."""

    def __init__(self, builder: XlaBuilder, shape: Shape, elements: Any):
        """`elements` is an ir.Value; of a tuple, the XlaOps that are in it."""
        self.builder = builder
        self.shape = shape
        self.elements = elements

    @staticmethod
    def of(builder: XlaBuilder, value: ir.Value) -> XlaOp:
        return XlaOp(builder, _xla_shapes.shape_of(value.type), value)

    @staticmethod
    def from_leaves(builder: XlaBuilder, shape: Shape, leaves: Iterator[ir.Value]) -> XlaOp:
        if not shape.is_tuple():
            return XlaOp(builder, shape, next(leaves))
        elements = [XlaOp.from_leaves(builder, part, leaves) for part in shape.tuple_shapes()]
        return XlaOp(builder, shape, elements)

    def value(self, what: str) -> ir.Value:
        if self.shape.is_tuple():
            raise TypeError(f"{what} is a tuple, {self.shape}; expected an array")
        return self.elements

    def leaves(self) -> list[ir.Value]:
        if not self.shape.is_tuple():
            return [self.elements]
        return [leaf for element in self.elements for leaf in element.leaves()]

    def tree(self) -> Any:
        """A shape tree, as _xla_shapes.tree() gives it."""
        if not self.shape.is_tuple():
            return _xla_shapes.tree(self.elements.type)
        return tuple(element.tree() for element in self.elements)
