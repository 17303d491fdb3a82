"""The arguments of calls: by which names they are given, and how new ones are spelled."""

from __future__ import annotations

import libcst as cst
from libcst import matchers as m


def bind(
    call: cst.Call, names: tuple[str, ...]
) -> tuple[dict[str, cst.BaseExpression], dict[str, cst.BaseExpression]]:
    """The arguments by name: those of `names`, and the other keywords; "**" for what has none."""
    found, rest = {}, {}
    for i, argument in enumerate(call.args):
        if argument.star or (argument.keyword is None and i >= len(names)):
            rest["**"] = argument.value
        elif argument.keyword is None:
            found[names[i]] = argument.value
        elif argument.keyword.value in names:
            found[argument.keyword.value] = argument.value
        else:
            rest[argument.keyword.value] = argument.value
    return found, rest


def keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    return cst.Arg(
        value,
        keyword=cst.Name(name),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )


def clean(arguments) -> list[cst.Arg]:
    """The arguments on one line."""
    plain = cst.SimpleWhitespace("")
    return [
        one.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=plain)
        for one in arguments
    ]


def on_one_line(value: cst.BaseExpression) -> cst.BaseExpression:
    if not isinstance(value, cst.Call):
        return value
    plain = cst.SimpleWhitespace("")
    return value.with_changes(args=clean(value.args), whitespace_before_args=plain)


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


def as_text(value: cst.BaseExpression) -> cst.BaseExpression:
    """A name as jax.ffi takes it: not bytes."""
    if isinstance(value, cst.SimpleString) and "b" in value.prefix.lower():
        prefix = value.prefix.lower().replace("b", "")
        return cst.SimpleString(prefix + value.value[len(value.prefix) :])
    if m.matches(value, m.Call(func=m.Attribute(attr=m.Name("encode")))):
        return value.func.value  # type: ignore[attr-defined]
    return value


def dotted(name: str) -> cst.BaseExpression:
    return cst.parse_expression(name)
