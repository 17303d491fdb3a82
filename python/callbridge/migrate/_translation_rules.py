"""Translation rules of XLA's builder, rule(c, *operands), as lowering rules, rule(ctx, *operands).

XLA's shapes say nothing there that the lowering does not know but the layout, so each becomes its
layout: the minor-to-major order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import libcst as cst
from libcst import matchers as m

LOWERING = "jax.ffi.build_ffi_lowering_function"
_CALLS = ("ops.CustomCallWithLayout", "ops.CustomCall")
_CONSTANTS = ("ops.ConstantLiteral", "ops.Constant")


@dataclasses.dataclass
class Spelled:
    """By how a function spells it, what of xla_client that is: "xops.Constant": "ops.Constant"."""

    names: dict[str, str] = dataclasses.field(default_factory=dict)


def rule_name(value: cst.BaseExpression) -> str | None:
    """The function that is registered: RULE, or partial(RULE, ...)."""
    if isinstance(value, cst.Name):
        return value.value
    if isinstance(value, cst.Call) and value.args and isinstance(value.args[0].value, cst.Name):
        return value.args[0].value.value
    return None


def as_text(value: cst.BaseExpression) -> cst.BaseExpression:
    """A name as jax.ffi takes it: not bytes."""
    if isinstance(value, cst.SimpleString) and "b" in value.prefix.lower():
        return cst.SimpleString(value.value[len(value.prefix) :])
    if m.matches(value, m.Call(func=m.Attribute(attr=m.Name("encode")))):
        return value.func.value  # type: ignore[attr-defined]
    return value


def on_lines(call: cst.Call) -> cst.Call:
    """The call with an argument a line, if it is a long one."""
    arguments = [one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in call.args]
    plain = call.with_changes(args=arguments)
    written = cst.Module([]).code_for_node(plain.with_changes(func=cst.Name("f")))
    if len(written) < 60 and "\n" not in written:
        return plain
    plain_equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    arguments = [
        one.with_changes(equal=plain_equal) if one.keyword is not None else one for one in arguments
    ]
    inside = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace("    "))
    last = cst.ParenthesizedWhitespace(indent=True)
    comma = cst.Comma(whitespace_after=inside)
    return plain.with_changes(
        whitespace_before_args=inside,
        args=[
            *(one.with_changes(comma=comma) for one in arguments[:-1]),
            arguments[-1].with_changes(comma=cst.Comma(whitespace_after=last)),
        ],
    )


def operands_of(value: cst.BaseExpression) -> list[cst.Arg]:
    """The elements of a list or tuple as arguments; another expression as *expression."""
    if not isinstance(value, (cst.List, cst.Tuple)):
        return [cst.Arg(value, star="*")]
    return [
        cst.Arg(one.value, star="*" if isinstance(one, cst.StarredElement) else "")
        for one in value.elements
    ]


def context_with_constants(
    context: str, operands: list[cst.Arg], function
) -> cst.BaseExpression | str:
    """The context for jax.ffi, which has a layout for each operand that the context knows: with
    the constants among the operands. Returns a reason where that cannot be written."""
    if not any(_constant(one) for one in operands):
        return cst.Name(context)
    parameters = [one.name.value for one in function.params.params[1:]]
    rest = function.params.star_arg
    rest_name = rest.name.value if isinstance(rest, cst.Param) else None
    module = cst.Module([])
    avals = []
    for operand in operands:
        constant = _constant(operand)
        name = operand.value.value if isinstance(operand.value, cst.Name) else None
        if constant is not None:
            avals.append(f"jax.typeof({module.code_for_node(constant)})")
        elif name in parameters and not operand.star:
            avals.append(f"{context}.avals_in[{parameters.index(name)}]")
        elif name is not None and name == rest_name and operand.star:
            avals.append(f"*{context}.avals_in[{len(parameters)}:]")
        else:
            return (
                f"the operand {module.code_for_node(operand.value)} stands beside constants, and "
                "is no parameter of the rule, so its layout is not known here; write it by hand"
            )
    return cst.parse_expression(f"{context}.replace(avals_in=[{', '.join(avals)}])")


def _constant(operand: cst.Arg) -> cst.BaseExpression | None:
    value = operand.value
    if m.matches(value, m.Call(func=m.Attribute(attr=m.Name("ir_constant")))):
        return value.args[0].value  # type: ignore[attr-defined]
    return None


def convert(
    function: cst.FunctionDef,
    spelled: Spelled,
    attribute: Callable[[cst.BaseExpression], cst.BaseExpression] | None,
) -> tuple[cst.FunctionDef, list[str]]:
    """Returns the lowering rule, and what of the function has no counterpart there.

    `attribute` makes an attribute of an opaque; None if targets stay untyped, with their opaque.
    """
    if not function.params.params:
        return function, [f"{function.name.value} takes no builder as its first parameter"]
    builder = function.params.params[0].name.value
    operands = [one.name.value for one in function.params.params[1:]]
    if not any(one in (*_CALLS, *_CONSTANTS) for one in spelled.names.values()):
        return function, []  # converted before
    rewriter = _Rule(builder, operands, spelled, function, attribute)
    converted = cst.ensure_type(function.visit(rewriter), cst.FunctionDef)
    body = m.findall(converted.body, m.Name(builder))
    if body and builder != "ctx":
        rewriter.problems.append(
            f"{function.name.value} uses XLA's builder for more than shapes, constants and custom "
            "calls; write its lowering by hand"
        )
    return converted, rewriter.problems


class _Rule(cst.CSTTransformer):
    def __init__(self, builder: str, operands: list[str], spelled: Spelled, function, attribute):
        super().__init__()
        self.attribute = attribute
        self.builder, self.operands, self.spelled = builder, operands, spelled
        self.function = function
        self.problems: list[str] = []
        self.opaque = 0

    def leave_Param(self, original_node, updated_node):
        if original_node is self.function.params.params[0]:
            return updated_node.with_changes(name=cst.Name("ctx"))
        return updated_node

    def visit_Arg(self, node: cst.Arg) -> None:
        self.opaque += node.keyword is not None and node.keyword.value == "opaque"

    def leave_Arg(self, original_node, updated_node):
        keyword = original_node.keyword
        self.opaque -= keyword is not None and keyword.value == "opaque"
        return updated_node

    def leave_SimpleString(self, original_node, updated_node):
        return updated_node if self.opaque else as_text(updated_node)

    def leave_Call(self, original_node, updated_node):
        code = cst.Module([]).code_for_node(original_node.func)
        name = self.spelled.names.get(code)
        args = updated_node.args
        if name in _CALLS:
            return self._custom_call(updated_node)
        if name in _CONSTANTS:
            return cst.parse_expression("mlir.ir_constant(value)").with_changes(
                args=[cst.Arg(args[1].value)]
            )
        if name == "Shape.array_shape":
            if len(args) > 2:
                return args[2].value
            dimensions = cst.Module([]).code_for_node(args[1].value)
            return cst.parse_expression(f"tuple(range(len({dimensions})))[::-1]")
        if name == "Shape.tuple_shape":
            return args[0].value
        if code == f"{self.builder}.get_shape" or name == "ops.GetShape":
            operand = args[-1].value
            if isinstance(operand, cst.Name) and operand.value in self.operands:
                return cst.parse_expression(f"ctx.avals_in[{self.operands.index(operand.value)}]")
            self.problems.append("get_shape() of what is no operand; write its lowering by hand")
        if not args and isinstance(updated_node.func, cst.Attribute):
            attribute = updated_node.func.attr.value
            if attribute in ("dimensions", "element_type"):
                new = "shape" if attribute == "dimensions" else "dtype"
                return cst.Attribute(updated_node.func.value, cst.Name(new))
            if attribute == "encode":
                return updated_node.func.value
        return updated_node

    def _custom_call(self, call: cst.Call) -> cst.BaseExpression:
        names = [
            *("c", "call_target_name", "operands", "shape_with_layout"),
            *("operand_shapes_with_layout", "opaque"),
        ]
        given = {
            (names[i] if one.keyword is None else one.keyword.value): one.value
            for i, one in enumerate(call.args)
        }
        module = cst.Module([])
        operands = operands_of(given["operands"])
        if given.keys() - set(names) - {"has_side_effect", "api_version"} or "shape" in given:
            self.problems.append("this CustomCall has options that a lowering has otherwise")
            return call
        context = context_with_constants("ctx", operands, self.function)
        if isinstance(context, str):
            self.problems.append(context)
            return call
        results = given["shape_with_layout"]
        code = {key: module.code_for_node(value) for key, value in given.items()}
        several = isinstance(results, (cst.List, cst.Tuple))
        result_layouts = code["shape_with_layout"] if several else f"[{code['shape_with_layout']}]"
        options = [code["call_target_name"]]
        attributes = []
        if self.attribute is None:
            options.append(f"api_version={code.get('api_version', '1')}")
        if "operand_shapes_with_layout" in code:
            options.append(f"operand_layouts={code['operand_shapes_with_layout']}")
        options.append(f"result_layouts={result_layouts}")
        if "opaque" in code and self.attribute is None:
            options.append(f"backend_config={code['opaque']}")
        elif "opaque" in code:
            value = self.attribute(given["opaque"])
            attributes.append(cst.Arg(value, keyword=cst.Name("opaque")))
        if "has_side_effect" in code:
            options.append(f"has_side_effect={code['has_side_effect']}")
        function = cst.ensure_type(
            cst.parse_expression(f"{LOWERING}({', '.join(options)})"), cst.Call
        )
        made = cst.Call(on_lines(function), [cst.Arg(context), *operands, *attributes])
        return cst.Attribute(on_lines(made), cst.Name("results"))
