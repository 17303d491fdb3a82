"""Translation rules of XLA's builder, rule(c, *operands), as lowering rules, rule(ctx, *operands).

XLA's shapes say nothing there that the lowering does not know but the layout, so each becomes its
layout: the minor-to-major order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import libcst as cst
from libcst import matchers as m

from callbridge.migrate import _arguments
from callbridge.migrate._arguments import as_text, keyword, on_lines

LOWERING = "build_ffi_lowering_function"  # a key of _imports.FALLBACKS
_CALLS = {
    "ops.CustomCallWithLayout": (
        *("c", "call_target_name", "operands", "shape_with_layout"),
        *("operand_shapes_with_layout", "opaque", "has_side_effect"),
    ),
    "ops.CustomCall": (
        *("c", "call_target_name", "operands", "shape", "opaque", "has_side_effect"),
    ),
}
_CONSTANTS = ("ops.ConstantLiteral", "ops.Constant")
_LAYOUTS = ("shape", "shape_with_layout", "operand_shapes_with_layout")


@dataclasses.dataclass
class Spelled:
    """By how a function spells it, what of xla_client that is: "xops.Constant": "ops.Constant"."""

    names: dict[str, str] = dataclasses.field(default_factory=dict)
    numpy: str = "numpy"
    shaped_array: Callable[[], str] = lambda: "jax.core.ShapedArray"


def rule(value: cst.BaseExpression) -> tuple[str, int] | None:
    """The function that is registered, and how many arguments stand before its builder or context:
    RULE, or partial(RULE, ...)."""
    if isinstance(value, cst.Name):
        return value.value, 0
    partial = m.Call(func=m.Name("partial") | m.Attribute(attr=m.Name("partial")))
    if m.matches(value, partial):
        call = cst.ensure_type(value, cst.Call)
        if call.args and isinstance(call.args[0].value, cst.Name):
            bound = sum(one.keyword is None and not one.star for one in call.args[1:])
            return call.args[0].value.value, bound
    return None


def convert(
    function: cst.FunctionDef,
    before: int,
    spelled: Spelled,
    typed: bool,
    others: set[str],
) -> tuple[cst.FunctionDef, list[str]]:
    """Returns the lowering rule, and what of the function has no counterpart there.

    `before`: the number of parameters before the builder. `typed`: an opaque becomes an attribute.
    `others`: rules that may be called.
    """
    names = _arguments.parameters(function)
    if len(names) <= before:
        return function, [f"{function.name.value} takes no builder as its parameter {before + 1}"]
    builder = names[before]
    if not any(one in (*_CALLS, *_CONSTANTS) for one in spelled.names.values()) and not any(
        m.findall(function, m.Call(func=m.Name(one))) for one in others - {function.name.value}
    ):
        return function, []  # converted before
    if builder == "ctx":
        return function, []
    rewriter = _Rule(builder, names[before + 1 :], spelled, function, typed, others)
    converted = cst.ensure_type(function.visit(rewriter), cst.FunctionDef)
    if m.findall(converted.body, m.Name(builder)):
        rewriter.problems.append(
            f"{function.name.value} uses XLA's builder for more than shapes, constants and custom "
            "calls; write its lowering by hand"
        )
    return converted, rewriter.problems


class _Rule(cst.CSTTransformer):
    def __init__(
        self,
        builder: str,
        operands: list[str],
        spelled: Spelled,
        function: cst.FunctionDef,
        typed: bool,
        others: set[str],
    ):
        super().__init__()
        self.typed, self.others = typed, others
        self.builder, self.operands, self.spelled = builder, operands, spelled
        self.function = function
        rest = function.params.star_arg
        self.rest = rest.name.value if isinstance(rest, cst.Param) else None
        self.problems: list[str] = []
        self.means: dict[cst.Arg, str] = {}  # arguments of custom calls, by position
        self.opaque = 0
        self.layouts = 0  # how many arguments of layouts we are in

    def leave_Param(self, original_node, updated_node):
        if original_node.name.value == self.builder:
            return updated_node.with_changes(name=cst.Name("ctx"))
        return updated_node

    def visit_Call(self, node: cst.Call) -> None:
        name = self.spelled.names.get(cst.Module([]).code_for_node(node.func), "")
        for argument, meaning in zip(node.args, _CALLS.get(name, ())):
            if argument.keyword is None:
                self.means[argument] = meaning

    def _meaning(self, node: cst.Arg) -> str:
        return self.means.get(node, "") if node.keyword is None else node.keyword.value

    def visit_Arg(self, node: cst.Arg) -> None:
        self.opaque += self._meaning(node) == "opaque"
        self.layouts += self._meaning(node) in _LAYOUTS

    def leave_Arg(self, original_node, updated_node):
        self.opaque -= self._meaning(original_node) == "opaque"
        self.layouts -= self._meaning(original_node) in _LAYOUTS
        return updated_node

    def leave_SimpleString(self, original_node, updated_node):
        return updated_node if self.opaque else as_text(updated_node)

    def leave_Name(self, original_node, updated_node):
        """A shape that the program asked for is, where a layout is due, XLA's default."""
        if self.layouts and any(
            self._is_get_shape(one) for one in _assigned(self.function, original_node.value)
        ):
            return cst.Name("None")
        return updated_node

    def leave_GeneratorExp(self, original_node, updated_node):
        return self._comprehension(original_node, updated_node)

    def leave_ListComp(self, original_node, updated_node):
        return self._comprehension(original_node, updated_node)

    def leave_Call(self, original_node, updated_node):
        code = cst.Module([]).code_for_node(original_node.func)
        name = self.spelled.names.get(code)
        args = updated_node.args
        if name in _CALLS:
            return self._custom_call(original_node, updated_node)
        if name in _CONSTANTS:
            value = _arguments.numpy_value(args[1].value, self.spelled.numpy, self.function)
            return cst.Call(cst.parse_expression("mlir.ir_constant"), [cst.Arg(value)])
        if name == "Shape.array_shape":
            if len(args) > 2:
                return args[2].value
            dimensions = cst.Module([]).code_for_node(args[1].value)
            return cst.parse_expression(f"tuple(range(len({dimensions})))[::-1]")
        if name == "Shape.tuple_shape":
            return args[0].value
        if code in self.others and len(args) > 0:
            return updated_node.with_changes(
                args=[
                    one.with_changes(value=cst.Name("ctx"))
                    if m.matches(one.value, m.Name(self.builder))
                    else one
                    for one in args
                ]
            )
        if self._is_get_shape(original_node):
            operand = original_node.args[-1].value
            if self.layouts:
                return cst.Name("None")
            if isinstance(operand, cst.Name):
                if operand.value in self.operands:
                    at = self.operands.index(operand.value)
                    return cst.parse_expression(f"ctx.avals_in[{at}]")
                if self._loops_over_rest(operand.value):
                    return operand
            self.problems.append("get_shape() of what is no operand; write its lowering by hand")
        if (
            m.matches(original_node, m.Call(func=m.Name("map"), args=[m.Arg(), m.Arg()]))
            and cst.Module([]).code_for_node(args[0].value) == f"{self.builder}.get_shape"
            and m.matches(args[1].value, m.Name(self.rest or ""))
        ):
            return self._avals_of_rest()
        if not args and isinstance(updated_node.func, cst.Attribute):
            attribute = updated_node.func.attr.value
            if attribute in ("dimensions", "element_type"):
                new = "shape" if attribute == "dimensions" else "dtype"
                return cst.Attribute(updated_node.func.value, cst.Name(new))
            if attribute == "encode":
                return updated_node.func.value
        return updated_node

    def _is_get_shape(self, value) -> bool:
        if not isinstance(value, cst.Call):
            return False
        code = cst.Module([]).code_for_node(value.func)
        return code == f"{self.builder}.get_shape" or (
            self.spelled.names.get(code) == "ops.GetShape"
        )

    def _avals_of_rest(self) -> cst.BaseExpression:
        first = len(self.operands)
        return cst.parse_expression(f"ctx.avals_in[{first}:]" if first else "ctx.avals_in")

    def _loops_over_rest(self, name: str) -> bool:
        """True for a variable of a comprehension that is asked for shapes alone."""
        for one in m.findall(self.function, m.CompFor(target=m.Name(name))):
            if not m.matches(cst.ensure_type(one, cst.CompFor).iter, m.Name(self.rest or "")):
                return False
        asked = m.Call(func=m.DoesNotMatch(m.Call()), args=[m.Arg(value=m.Name(name))])
        calls = [one for one in m.findall(self.function, asked) if self._is_get_shape(one)]
        loops = m.findall(self.function, m.CompFor(target=m.Name(name)))
        uses = m.findall(self.function, m.Name(name))
        return bool(loops) and len(uses) == len(calls) + len(loops)

    def _comprehension(self, original_node, updated_node):
        target = original_node.for_in.target
        if not isinstance(target, cst.Name) or not self._loops_over_rest(target.value):
            return updated_node
        calls = m.findall(original_node, m.Call(args=[m.Arg(value=m.Name(target.value))]))
        if self.layouts or not any(self._is_get_shape(one) for one in calls):
            return updated_node
        for_in = updated_node.for_in.with_changes(iter=self._avals_of_rest())
        return updated_node.with_changes(for_in=for_in)

    def _is_several(self, results: cst.BaseExpression) -> bool:
        """True for shapes of results, a tuple; false for the shape of one."""
        if isinstance(results, cst.Name):
            values = _assigned(self.function, results.value)
            return any(self._is_several(one) for one in values)
        code = cst.Module([]).code_for_node(results.func) if isinstance(results, cst.Call) else ""
        return isinstance(results, (cst.List, cst.Tuple)) or (
            self.spelled.names.get(code) == "Shape.tuple_shape"
        )

    def _custom_call(self, original_node: cst.Call, call: cst.Call) -> cst.BaseExpression:
        before, given = (
            {
                "shape_with_layout" if meaning == "shape" else meaning: argument.value
                for meaning, argument in zip(map(self._meaning, original_node.args), arguments)
            }
            for arguments in (original_node.args, call.args)
        )
        module = cst.Module([])
        if given.keys() - {*_CALLS["ops.CustomCallWithLayout"], "api_version"}:
            self.problems.append("this CustomCall has options that a lowering has otherwise")
            return call
        operands = _arguments.flat(given["operands"])
        context = _arguments.context(
            *(self.builder, operands, self.function, "ctx"),
            *(self.spelled.shaped_array, self.spelled.numpy),
        )
        if isinstance(context, str):
            self.problems.append(context)
            return call
        code = {key: module.code_for_node(value) for key, value in given.items()}
        result_layouts = code["shape_with_layout"]
        if not self._is_several(before["shape_with_layout"]):
            result_layouts = f"[{result_layouts}]"
        options = [code["call_target_name"]]
        attributes = []
        if not self.typed:
            options.append(f"api_version={code.get('api_version', '1')}")
        if "operand_shapes_with_layout" in code:
            options.append(f"operand_layouts={code['operand_shapes_with_layout']}")
        if result_layouts != "[None]":
            options.append(f"result_layouts={result_layouts}")
        if "opaque" in code and not self.typed:
            options.append(f"backend_config={code['opaque']}")
        elif "opaque" in code:
            attributes.append(keyword("opaque", given["opaque"]))
        if "has_side_effect" in code:
            options.append(f"has_side_effect={code['has_side_effect']}")
        function = cst.ensure_type(
            cst.parse_expression(f"{LOWERING}({', '.join(options)})"), cst.Call
        )
        made = cst.Call(on_lines(function), [cst.Arg(context), *operands, *attributes])
        return cst.Attribute(on_lines(made), cst.Name("results"))


def _assigned(function: cst.FunctionDef, name: str) -> list[cst.BaseExpression]:
    """The values of the plain assignments to a name in the function."""
    assigns = m.findall(function, m.Assign(targets=[m.AssignTarget(m.Name(name))]))
    return [cst.ensure_type(one, cst.Assign).value for one in assigns]
