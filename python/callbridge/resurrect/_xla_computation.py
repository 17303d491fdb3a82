"""Computations that programs build by themselves: what an XlaBuilder records outside of rules.

They are given to operations (Reduce, While, ...), which call them as functions of arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func
from jaxlib.xla_client import Shape

from callbridge.resurrect import _xla_emit, _xla_shapes
from callbridge.resurrect._xla_op import XlaBuilder, XlaOp


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
        with _xla_emit.in_64_bits():
            results = jax.eval_shape(function, *[_struct(operand.shape) for operand in operands])
        self.last = _op(builder, _shape(results))
        given = [_xla_emit.elements(operand) for operand in operands]
        self.steps.append((function, given, _xla_emit.elements(self.last)))
        return self.last

    def run(self, root: XlaOp, arguments: Sequence[Any]) -> Any:
        values: dict[_Value, Any] = {}
        for number, argument in enumerate(arguments):
            _bind(values, _xla_emit.elements(self.parameters[number]), argument)
        for function, given, results in self.steps:
            operands = jax.tree_util.tree_map(values.__getitem__, given)
            _bind(values, results, function(*operands))
        return jax.tree_util.tree_map(values.__getitem__, _xla_emit.elements(root))

    def depends_on_parameters(self, op: XlaOp) -> bool:
        known = set(jax.tree_util.tree_leaves(list(map(_xla_emit.elements, self._in_order()))))
        for _, given, results in self.steps:
            if known.intersection(jax.tree_util.tree_leaves(given)):
                known.update(jax.tree_util.tree_leaves(results))
        return bool(known.intersection(jax.tree_util.tree_leaves(_xla_emit.elements(op))))

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
        aval = _xla_emit.aval_of(shape)
        return jax.ShapeDtypeStruct(aval.shape, aval.dtype)

    return _xla_emit.arrays_of(shape, leaf)


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
        with _xla_emit.in_64_bits():
            structs = [_struct(shape) for shape in self._program.parameter_shapes()]
            return jax.jit(self.run, keep_unused=True).lower(*structs).compiler_ir("hlo")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.of_jaxlib, name)


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


def build(builder: XlaBuilder, root: XlaOp | None) -> XlaComputation:
    root = builder.program.last if root is None else root
    if root is None:
        raise ValueError(f"computation {builder.name!r} is empty")
    if root.builder is not builder:
        raise ValueError("the root is of another XlaBuilder")
    builder.program.parameter_shapes()
    return XlaComputation(builder.name, builder.program, root)


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

        from callbridge.resurrect._old_jax import text_of

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
    return lambda *trees: _xla_emit.bind_lowered(make, result, trees)


def _tuples_of(module: Any) -> tuple[bool, bool, list[ir.Type]]:
    """Whether the module's function takes tuples, whether it returns one, and its results: that
    changed between jaxlibs."""
    (main,) = [op for op in module.body.operations if op.name.value == "main"]
    inputs, results = main.type.inputs, main.type.results
    returns_tuple = any(map(_xla_shapes.is_tuple, results))
    return any(map(_xla_shapes.is_tuple, inputs)), returns_tuple, list(results)
