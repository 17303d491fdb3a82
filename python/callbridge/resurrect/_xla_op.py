"""Values and the builder of translation rules, over the place where JAX lowers to."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect import _xla_shapes

# A jaxlib that builds computations has classes of its own.
_JAXLIBS = {name: vars(xla_client).get(name) for name in ("XlaBuilder", "XlaOp")}


def values_of(lowered: Any) -> list[ir.Value]:
    """The results of a lowering rule, which until JAX 0.4.34 was a list of lists."""
    if isinstance(lowered, ir.Value):
        return [lowered]
    return [value for each in lowered for value in values_of(each)]


class _IsJaxlibs:
    """An instance of jaxlib's class of that name too, which programs ask isinstance() of."""

    __class__ = property(lambda self: _JAXLIBS[type(self).__name__] or type(self))


class XlaBuilder(_IsJaxlibs):
    """The first argument of a translation rule, where what it builds is emitted at once; a builder
    that programs make records a computation."""

    def __init__(self, name: str, context: Any = None):
        """`context` is the LoweringRuleContext, where there is one."""
        self.name = name
        self.context = context

    @functools.cached_property
    def program(self) -> Any:
        """What is recorded."""
        from callbridge.resurrect._xla_computation import Program

        return Program()

    def get_shape(self, op: XlaOp) -> Shape:
        return op.shape

    GetShape = get_shape

    def build(self, root: XlaOp | None = None) -> Any:
        """The computation; its result is `root`, or the last operation."""
        self._only_its_own("build", "whose result is what the rule returns")
        from callbridge.resurrect import _xla_computation

        return _xla_computation.build(self, root)

    Build = build

    def get_program_shape(self, root: XlaOp | None = None) -> Any:
        self._only_its_own("get_program_shape", "whose operands and results JAX knows")
        return self.build(root).program_shape()

    def is_constant(self, op: XlaOp) -> bool:
        """Whether it depends on no parameter."""
        self._only_its_own("is_constant", "of whose operands JAX does not say what they are")
        return not self.program.depends_on_parameters(op)

    def set_op_metadata(self, metadata: Any) -> None:
        """Metadata say where operations are from, which JAX notes by itself."""

    def clear_op_metadata(self) -> None:
        """See set_op_metadata()."""

    def clear_sharding(self) -> None:
        """Ends what set_sharding() begins, which is refused."""

    def clear_frontend_attributes(self) -> None:
        """Ends what set_frontend_attributes() begins, which is refused."""

    def set_sharding(self, sharding: Any) -> None:
        self._refuse("set_sharding", "give the operands jax.lax.with_sharding_constraint")

    def set_frontend_attributes(self, attributes: Any) -> None:
        self._refuse("set_frontend_attributes", "jax.experimental.xla_metadata sets them")

    def setup_alias(self, *_: Any) -> None:
        self._refuse("setup_alias", "jax.jit aliases what donate_argnums says")

    def _only_its_own(self, name: str, why: str) -> None:
        if self.context is not None:
            raise NotImplementedError(
                f"callbridge.resurrect cannot restore XlaBuilder.{name} in a translation rule, "
                f"which is lowered inside JAX's program, {why}"
            )

    def _refuse(self, name: str, instead: str) -> None:
        raise NotImplementedError(
            f"callbridge.resurrect cannot restore XlaBuilder.{name}: operations are lowered by "
            f"JAX; {instead}"
        )


class XlaOp(_IsJaxlibs):
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
