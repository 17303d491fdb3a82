"""The arguments of calls: by which names they are given, how new ones are spelled, and what the
operands of custom calls are."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
from libcst import matchers as m

_CONSTANTS = ("ir_constant", "hlo_const", "ConstantLiteral", "Constant")
_SEQUENCES = ("list", "tuple")
_AS_TYPE = m.Name("astype")


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


# ---- The operands of a rewritten call, and the context that jax.ffi takes the layouts of them from
#
# jax.ffi pairs a call's operands with ctx.avals_in. A rule that adds constants, leaves an operand
# out, or changes their order needs a context that says so. What each operand is, is followed
# through variables that are assigned once, sums of tuples, slices and comprehensions.


class _Unknown(Exception):
    """The operand that is not followed."""


def flat(value: cst.BaseExpression) -> list[cst.Arg]:
    """The operands as arguments: what a list, a tuple or a sum of them has, and *the rest."""
    if isinstance(value, (cst.List, cst.Tuple)):
        return [
            cst.Arg(one.value, star="*" if isinstance(one, cst.StarredElement) else "")
            for one in value.elements
        ]
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        return [*flat(value.left), *flat(value.right)]
    return [cst.Arg(value, star="*")]


def context(
    name: str,
    operands: list[cst.Arg],
    function: cst.FunctionDef | cst.Lambda,
    written: str,
    shaped_array: Callable[[], str],
    numpy: str,
) -> cst.BaseExpression | str:
    """Returns the rule's context, with other avals where the operands are not the rule's own.

    `name`: of the parameter of `function` that is the context, or becomes it; `written`: as the
    new code names it; `shaped_array` and `numpy`: as it names jax.core.ShapedArray and NumPy.
    Returns a reason, a text, where an operand is not known.
    """
    rule = _Rule(name, function, written, shaped_array, numpy)
    try:
        avals = [one for operand in operands for one in rule.avals(operand.value, operand.star)]
    except _Unknown as unknown:
        return (
            f"what the operand {unknown} is, and so its layout, is not seen here: it is no "
            "parameter of the rule and no constant; write this call by hand, or hand its operands "
            "over one by one"
        )
    if avals == rule.all:
        return cst.Name(written)
    return cst.parse_expression(f"{written}.replace(avals_in=[{', '.join(avals)}])")


def constant(value: cst.CSTNode) -> cst.BaseExpression | None:
    """The value of a constant in a program: of mlir.ir_constant(VALUE) and its kin."""
    if not m.matches(value, m.Call(func=m.Name() | m.Attribute())):
        return None
    call = cst.ensure_type(value, cst.Call)
    called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    if cst.ensure_type(called, cst.Name).value not in _CONSTANTS or not call.args:
        return None
    of_a_builder = called.value in ("ConstantLiteral", "Constant")  # type: ignore[attr-defined]
    return call.args[1 if of_a_builder and len(call.args) > 1 else 0].value


def numpy_value(
    value: cst.BaseExpression, numpy: str, function: cst.FunctionDef | cst.Lambda
) -> cst.BaseExpression:
    """A constant's value as mlir.ir_constant takes it, which takes no number of Python's any more.

    `numpy`: as the program names it.
    """
    seen = value
    if isinstance(value, cst.Name):
        values = _assigned(function).get(value.value, [])
        seen = values[0] if len(values) == 1 and values[0] is not None else value
    code = _code(seen)
    if isinstance(seen, cst.Call) and (
        code.split(".")[0] in (numpy, "jnp") or m.matches(seen.func, m.Attribute(attr=_AS_TYPE))
    ):
        return value
    return cst.parse_expression(f"{numpy}.asarray({_code(value)})")


def parameters(function: cst.FunctionDef | cst.Lambda) -> list[str]:
    """The positional parameters."""
    all_ = (*function.params.posonly_params, *function.params.params)
    return [one.name.value for one in all_]


class _Rule:
    """A rule's parameters behind its context, and what is assigned in it."""

    def __init__(
        self,
        context_name: str,
        function: cst.FunctionDef | cst.Lambda,
        written: str,
        shaped_array: Callable[[], str],
        numpy: str,
    ):
        self.context = written
        self.shaped_array, self.numpy = shaped_array, numpy
        names = parameters(function)
        self.operands = names[names.index(context_name) + 1 :]
        rest = function.params.star_arg
        self.rest = rest.name.value if isinstance(rest, cst.Param) else None
        self.all = [f"{written}.avals_in[{i}]" for i in range(len(self.operands))]
        if self.rest is not None:
            self.all.append(f"*{self._behind()}")
        self.assigned = _assigned(function)

    def _behind(self) -> str:
        first = len(self.operands)
        return f"{self.context}.avals_in[{first}:]" if first else f"{self.context}.avals_in"

    def avals(self, value: cst.BaseExpression, star: str) -> list[str]:
        return self._of_several(value) if star else [self._of_one(value)]

    def _of_one(self, value: cst.BaseExpression) -> str:
        found = constant(value)
        if found is not None:
            return self._aval_of(found)
        if isinstance(value, cst.Name):
            once = self._value_of(value)
            if once is not None:
                return self._named(value, lambda: self._of_one(once))
            if value.value in self.operands and value.value not in self.assigned:
                return f"{self.context}.avals_in[{self.operands.index(value.value)}]"
        if self._is_part_of_rest(value):
            return f"{self._behind()}{_slices(value)}"
        raise _Unknown(_code(value))

    def _aval_of(self, value: cst.BaseExpression) -> str:
        """Of a constant: its shape and type, which every release of JAX says alike like this."""
        code, numpy = _code(value), self.numpy
        return f"{self.shaped_array()}({numpy}.shape({code}), {numpy}.result_type({code}))"

    def _of_several(self, value: cst.BaseExpression) -> list[str]:
        if isinstance(value, (cst.List, cst.Tuple, cst.BinaryOperation)):
            arguments = flat(value)
            if len(arguments) != 1 or arguments[0].value is not value:
                return [one for each in arguments for one in self.avals(each.value, each.star)]
        if isinstance(value, cst.Name):
            once = self._value_of(value)
            if once is not None:
                return self._named(value, lambda: self._of_several(once), "*")
            if value.value == self.rest and value.value not in self.assigned:
                return [f"*{self._behind()}"]
        if m.matches(value, m.Call(func=m.Name(), args=[m.Arg(keyword=None, star="")])):
            call = cst.ensure_type(value, cst.Call)
            if call.func.value in _SEQUENCES:  # type: ignore[attr-defined]
                return self._of_several(call.args[0].value)
        if isinstance(value, (cst.GeneratorExp, cst.ListComp)):
            found = constant(value.elt)
            if found is not None:
                return [f"*({self._aval_of(found)} {_code(value.for_in).strip()})"]
        if self._is_part_of_rest(value):
            return [f"*{self._behind()}{_slices(value)}"]
        raise _Unknown(f"*{_code(value)}")

    def _named(self, name: cst.Name, find, star: str = ""):
        """What is not known is the operand as the call has it."""
        try:
            return find()
        except _Unknown:
            raise _Unknown(f"{star}{name.value}") from None

    def _value_of(self, name: cst.Name) -> cst.BaseExpression | None:
        values = self.assigned.get(name.value, [])
        own = (*self.operands, self.rest)
        return values[0] if len(values) == 1 and name.value not in own else None

    def _is_part_of_rest(self, value: cst.BaseExpression) -> bool:
        return (
            m.matches(value, m.Subscript(value=m.Name(self.rest or "")))
            and self.rest not in self.assigned
        )


def _assigned(function: cst.FunctionDef | cst.Lambda) -> dict[str, list]:
    assigned: dict[str, list[cst.BaseExpression | None]] = {}
    function.body.visit(_Assignments(assigned))
    return assigned


class _Assignments(cst.CSTVisitor):
    """What names are assigned; None for a value that stands in no plain assignment."""

    def __init__(self, assigned: dict[str, list[cst.BaseExpression | None]]):
        super().__init__()
        self.assigned = assigned

    def add(self, target: cst.CSTNode, value: cst.BaseExpression | None) -> None:
        if isinstance(target, cst.Name):
            self.assigned.setdefault(target.value, []).append(value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            for one in target.elements:
                self.add(one.value, None)

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self.add(target.target, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self.add(node.target, node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.add(node.target, None)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self.add(node.target, None)

    def visit_For(self, node: cst.For) -> None:
        self.add(node.target, None)

    def visit_AsName(self, node: cst.AsName) -> None:
        self.add(node.name, None)


def _slices(value: cst.BaseExpression) -> str:
    code = _code(value)
    return code[code.index("[") :]


def _code(value: cst.CSTNode) -> str:
    return " ".join(cst.Module([]).code_for_node(value).split())
