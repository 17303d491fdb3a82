"""XlaOp, XlaBuilder and XlaComputation: the values, the builders and the computations of programs.

What a builder records outside of rules is a computation. Computations are given to operations
(Reduce, While, ...), which call them as functions of arrays.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
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


class IsJaxlibs:
    """An instance of jaxlib's class of that name too, which programs ask isinstance() of."""

    __class__ = property(lambda self: _JAXLIBS[type(self).__name__] or type(self))


# ---- Values, and their shapes as JAX has them ----------------------------------------------------


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


def values_of(lowered: Any) -> list[ir.Value]:
    """The results of a lowering rule, which until JAX 0.4.34 was a list of lists."""
    if isinstance(lowered, ir.Value):
        return [lowered]
    return [value for each in lowered for value in values_of(each)]


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


# ---- Builders ------------------------------------------------------------------------------------


class XlaBuilder(IsJaxlibs):
    """The first argument of a translation rule, where what it builds is emitted at once; a builder
    that programs make records a computation."""

    def __init__(self, name: str, context: Any = None):
        """`context` is the LoweringRuleContext, where there is one."""
        self.name = name
        self.context = context

    @functools.cached_property
    def program(self) -> Program:
        """What is recorded."""
        return Program()

    def get_shape(self, op: XlaOp) -> Shape:
        return op.shape

    GetShape = get_shape

    def build(self, root: XlaOp | None = None) -> Any:
        """The computation; its result is `root`, or the last operation."""
        self._only_its_own("build", "whose result is what the rule returns")
        return _build(self, root)

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


def Parameter(
    builder: XlaBuilder,
    parameter_number: int,
    shape: Shape,
    name: str = "",
    replicated_at_leaf_buffers: Sequence[bool] = (),
) -> XlaOp:
    if builder.context is not None:
        raise NotImplementedError(
            "callbridge.resurrect cannot restore xla_client.ops.Parameter in a translation rule, "
            "which is lowered inside JAX's program, and is given its operands"
        )
    return builder.program.parameter(builder, parameter_number, shape)


# ---- Computations --------------------------------------------------------------------------------


class _Value:
    """One array of a recorded program."""


class Program:
    """The parameters and operations of a computation, in the order that they were added in."""

    def __init__(self) -> None:
        self.parameters: dict[int, XlaOp] = {}
        # Functions, what stands for their operands, and what for their results.
        self.steps: list[tuple[Callable, list, Any]] = []
        self.last: XlaOp | None = None

    def parameter(self, builder: XlaBuilder, number: int, shape: Shape) -> XlaOp:
        if number in self.parameters:
            raise ValueError(f"Parameter: the computation has a parameter {number} already")
        self.last = self.parameters[number] = _op(builder, shape)
        return self.last

    def add(self, builder: XlaBuilder, function: Callable, operands: Sequence[XlaOp]) -> XlaOp:
        for operand in operands:
            if operand.builder is not builder:
                raise ValueError("an operand is of another XlaBuilder")
        with in_64_bits():
            results = jax.eval_shape(function, *[_struct(operand.shape) for operand in operands])
        self.last = _op(builder, _shape(results))
        given = [elements(operand) for operand in operands]
        self.steps.append((function, given, elements(self.last)))
        return self.last

    def run(self, root: XlaOp, arguments: Sequence[Any]) -> Any:
        values: dict[_Value, Any] = {}
        for number, argument in enumerate(arguments):
            _bind(values, elements(self.parameters[number]), argument)
        for function, given, results in self.steps:
            operands = jax.tree_util.tree_map(values.__getitem__, given)
            _bind(values, results, function(*operands))
        return jax.tree_util.tree_map(values.__getitem__, elements(root))

    def depends_on_parameters(self, op: XlaOp) -> bool:
        known = set(jax.tree_util.tree_leaves(list(map(elements, self._in_order()))))
        for _, given, results in self.steps:
            if known.intersection(jax.tree_util.tree_leaves(given)):
                known.update(jax.tree_util.tree_leaves(results))
        return bool(known.intersection(jax.tree_util.tree_leaves(elements(op))))

    def _in_order(self) -> list[XlaOp]:
        missing = set(range(len(self.parameters))) - self.parameters.keys()
        if missing:
            raise ValueError(f"the computation has no parameter {min(missing)}")
        return [self.parameters[number] for number in sorted(self.parameters)]

    def parameter_shapes(self) -> list[Shape]:
        return [parameter.shape for parameter in self._in_order()]


def _bind(values: dict, names: Any, value: Any) -> None:
    leaves = jax.tree_util.tree_leaves(value)
    for name, leaf in zip(jax.tree_util.tree_leaves(names), leaves):
        values[name] = leaf


def _op(builder: XlaBuilder, shape: Shape) -> XlaOp:
    if not shape.is_tuple():
        return XlaOp(builder, shape, _Value())
    return XlaOp(builder, shape, [_op(builder, part) for part in shape.tuple_shapes()])


def _struct(shape: Shape) -> Any:
    def leaf(shape: Shape) -> Any:
        aval = aval_of(shape)
        return jax.ShapeDtypeStruct(aval.shape, aval.dtype)

    return arrays_of(shape, leaf)


def _shape(tree: Any) -> Shape:
    if isinstance(tree, (tuple, list)):
        return Shape.tuple_shape([_shape(part) for part in tree])
    return Shape.array_shape(tree.dtype, tree.shape)


class XlaComputation:
    """What XlaBuilder.build() returns. Its functions are those of jaxlib's XlaComputation."""

    def __init__(self, name: str, program: Program, root: XlaOp):
        self._name = name
        self._program = program
        self._root = root

    def name(self) -> str:
        return self._name

    def run(self, *arguments: Any) -> Any:
        """The results for arrays, or (nested) tuples of arrays."""
        expected = len(self._program.parameters)
        if len(arguments) != expected:
            raise TypeError(
                f"computation {self._name!r} takes {expected} operands, got {len(arguments)}"
            )
        return self._program.run(self._root, arguments)

    @functools.cached_property
    def of_jaxlib(self) -> Any:
        """The same as jaxlib's own XlaComputation."""
        with in_64_bits():
            structs = [_struct(shape) for shape in self._program.parameter_shapes()]
            return jax.jit(self.run, keep_unused=True).lower(*structs).compiler_ir("hlo")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.of_jaxlib, name)


def _build(builder: XlaBuilder, root: XlaOp | None) -> XlaComputation:
    root = builder.program.last if root is None else root
    if root is None:
        raise ValueError(f"computation {builder.name!r} is empty")
    if root.builder is not builder:
        raise ValueError("the root is of another XlaBuilder")
    builder.program.parameter_shapes()
    return XlaComputation(builder.name, builder.program, root)
