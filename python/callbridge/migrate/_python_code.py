"""Migrates a Python program by libcst: from what JAX removed to jax.ffi.

A call keeps what it says: names, operands, layouts, aliases. What it registers stays an untyped
target (api_version=0) unless its C++ is migrated in the same command.
"""

from __future__ import annotations

import ast
import functools
import pathlib
import re
import warnings
from collections.abc import Iterator, Mapping

import libcst as cst
from libcst import matchers as m
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
)

from callbridge.migrate import _imports, _removed_names
from callbridge.migrate import _translation_rules as rules
from callbridge.migrate._arguments import as_text, bind, clean, dotted, keyword, on_one_line
from callbridge.migrate._custom_calls import (
    CUSTOM_CALL,
    EXTEND,
    TRANSLATIONS,
    XLA_CLIENTS,
    CustomCalls,
)
from callbridge.migrate._sources import Change, Decision, MigrateError, Plan, read_python

# Options of jax.ffi.ffi_call; its other keywords are the call's attributes.
_OPTIONS = {
    *("has_side_effect", "vmap_method", "input_layouts", "output_layouts"),
    *("input_output_aliases", "custom_call_api_version", "legacy_backend_config"),
    "result_shape_dtypes",
}


def rewritten(call: cst.Call, is_called: bool) -> cst.Call | str:
    """Returns the call with its operands and attributes behind it, or a reason why not.

    `is_called`: what it returns is called at once, so its operands are there already.
    """
    positional = [one for one in call.args if one.keyword is None]
    attributes, options = [], []
    for one in call.args:
        if one.keyword is None:
            continue
        if one.keyword.value == "vectorized":
            if not isinstance(one.value, cst.Name) or one.value.value not in ("True", "False"):
                return "vectorized is not a constant; write vmap_method"
            method = "broadcast_all" if one.value.value == "True" else "sequential"
            options.append(keyword("vmap_method", cst.SimpleString(f'"{method}"')))
        elif one.keyword.value in _OPTIONS:
            options.append(one)
        else:
            attributes.append(one)
    operands = positional[2:]
    if is_called or not (operands or attributes):
        kept = [one for one in call.args if one.keyword is not None]
        if options == kept:
            return call
        return call.with_changes(args=clean([*positional, *options]))
    function = call.with_changes(args=clean([*positional[:2], *options]))
    return cst.Call(function, clean([*operands, *attributes]))


_REGISTER = tuple(
    f"{client}.{name}"
    for client in XLA_CLIENTS
    for name in ("register_custom_call_target", "register_cpu_custom_call_target")
)
_CONSTANT = tuple(
    f"{module}.{name}"
    for module in ("jaxlib.hlo_helpers", "jaxlib.mhlo_helpers")
    for name in ("ir_constant", "hlo_const")
)
_MLIR = ("jax.interpreters.mlir", "jax._src.interpreters.mlir")
# As today's jaxlib does (tests/migrate/test_untyped_programs.py).
_UNTYPED_ON_CPU = (
    'called with api_version 1 or 2, XLA:CPU runs it and logs the error "is not supported by '
    'XLA:CPU [...] It will be fully removed"'
)


def plan(path: pathlib.Path, untyped: str | None, symbols: Mapping[str, str] | None = None) -> Plan:
    """`untyped`: why what the program registers stays untyped; None if this command makes typed
    handlers of it. `symbols`: by function that it gets from a library, its handler."""
    source = read_python(path)
    try:
        wrapper = _wrapped(path, source.content.decode())
    except cst.ParserSyntaxError as error:
        raise MigrateError(
            f"{path}:{error.raw_line}:{error.raw_column}: {error.message}; a source must parse"
        ) from None
    module = wrapper.module
    rewriter = _Rewriter(str(path), untyped, symbols or {})
    changed = wrapper.visit(rewriter)
    if not changed.deep_equals(module):
        changed = _imports.finish(
            *(module, changed, rewriter.needed, rewriter.fallbacks), typed=untyped is None
        )
    after = changed.code.encode()
    result = Plan([], rewriter.decisions)
    said = {one.line for one in rewriter.decisions}
    for line, text in _removed_names.what_is_left(module, changed):
        if line not in said and not any(line in lines for lines in rewriter.left):
            result.decisions.append(Decision(str(path), line, text))
    if after != source.content:
        result.changes.append(Change(path, source.original, source.encode(after)))
    return result


def _parsed(path: pathlib.Path, text: str) -> cst.Module:
    """Raises MigrateError where Python's own parser gives up: libcst's crashes there."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (MemoryError, RecursionError):
        raise MigrateError(f"{path}: is nested too deeply for Python") from None
    except SyntaxError as error:
        if "too many nested" in str(error):
            raise MigrateError(f"{path}:{error.lineno}: {error.msg}") from None
    except ValueError:
        pass  # a NUL, which libcst names
    return cst.parse_module(text)


def _read(path: pathlib.Path) -> MetadataWrapper | None:
    """None for what does not parse: plan() says why."""
    try:
        return _wrapped(path, read_python(path).content.decode())
    except (cst.ParserSyntaxError, MigrateError):
        return None


@functools.lru_cache(maxsize=64)
def _wrapped(path: pathlib.Path, text: str) -> MetadataWrapper:
    """It keeps what was resolved. No node is in a parsed module twice, so it needs no copies."""
    return MetadataWrapper(_parsed(path, text), unsafe_skip_copy=True)


def _calls(path: pathlib.Path) -> Iterator[tuple[cst.Call, set[str], int]]:
    """The calls of a program: what each calls by its names, and its line."""
    wrapper = _read(path)
    if wrapper is None:
        return
    names = wrapper.resolve(QualifiedNameProvider)
    places = wrapper.resolve(PositionProvider)
    for one in m.findall(wrapper.module, m.Call()):
        call = cst.ensure_type(one, cst.Call)
        of = names.get(call.func, set())
        called = {one.name for one in (of() if callable(of) else of)}
        yield call, called, places[call].start.line


def platforms(path: pathlib.Path) -> set[str]:
    """The platforms that the program registers targets for, as far as it spells them."""
    found = set()
    for call, called, _ in _calls(path):
        if called & {*_REGISTER}:
            arguments, _ = bind(call, ("name", "fn", "platform", "api_version"))
            platform = arguments.get("platform", cst.SimpleString('"cpu"'))
            if isinstance(platform, cst.SimpleString):
                found.add(str(platform.evaluated_value))
    return found


def untyped_calls(path: pathlib.Path) -> list[int]:
    """The lines of custom calls of a program that stay calls of untyped targets."""
    found = []
    for call, called, line in _calls(path):
        versions = [
            one.value
            for one in call.args
            if one.keyword is not None and one.keyword.value == "custom_call_api_version"
        ]
        is_untyped = bool(versions) and not m.matches(versions[0], m.Integer("4"))
        if is_untyped or any(one.rpartition(".")[2] == "CustomCallOp" for one in called):
            found.append(line)
    return sorted(found)


def attributes(path: pathlib.Path) -> set[str]:
    """The names that a program gets of what it does not call by them: LIBRARY.NAME."""
    wrapper = _read(path)
    if wrapper is None:
        return set()
    found = m.findall(wrapper.module, m.Attribute())
    return {cst.ensure_type(one, cst.Attribute).attr.value for one in found}


def uses_ctypes(path: pathlib.Path) -> bool:
    """Whether a program may find functions of a library by their names."""
    return (
        re.search(r"\b(ctypes|cffi|numpy\.ctypeslib)\b", read_python(path).content.decode())
        is not None
    )


class _Rewriter(CustomCalls):
    def __init__(self, path: str, untyped: str | None, symbols: Mapping[str, str]):
        super().__init__(path, untyped is None)
        self.untyped, self.symbols = untyped, symbols
        # Functions that are translation rules: the number of parameters before their builder.
        self.rules: dict[str, int] = {}
        self.unconverted: set[str] = set()  # those of them that stay
        self.says_minimum = False
        self.left: list[range] = []  # the lines of what stays, for which a decision says why
        self.aliases: dict[str, str] = {}  # of parts of xla_client

    # ---- Where we are

    def visit_Module(self, node: cst.Module) -> None:
        for line in m.findall(node, m.Import() | m.ImportFrom()):
            if isinstance(line, cst.Import):
                self.visit_Import(line)
            else:
                self.visit_ImportFrom(cst.ensure_type(line, cst.ImportFrom))
        # xops = xla_client.ops
        for assign in m.findall(node, m.Assign(targets=[m.AssignTarget(m.Name())])):
            name = self.name_of(assign.value)  # type: ignore[attr-defined]
            for client in XLA_CLIENTS:
                if name is not None and name.startswith(f"{client}."):
                    local = assign.targets[0].target.value  # type: ignore[attr-defined]
                    self.aliases[local] = name[len(client) + 1 :]
        own = m.Name("Primitive")
        binds = m.ClassDef(name=own) | m.FunctionDef(name=own) | m.AsName(name=own)
        self.has_primitive = bool(m.findall(node, binds | m.AssignTarget(target=own)))
        defined = {one.name.value: one for one in node.body if isinstance(one, cst.FunctionDef)}
        for assign in m.findall(node, m.Assign()):
            target = assign.targets[0].target  # type: ignore[attr-defined]
            if self._translation(target) is not None:
                found = rules.rule(assign.value)  # type: ignore[attr-defined]
                if found is not None and found[0] in defined:
                    self.rules[found[0]] = found[1]
        for name in self.rules:
            _, problems = self._convert(defined[name], defined[name])
            for problem in problems:
                self.decide(defined[name], problem)
            if problems:
                self.unconverted.add(name)
                self.left.append(self._lines(defined[name]))

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.functions.append(node)

    def leave_FunctionDef(self, original_node, updated_node):
        self.functions.pop()
        name = updated_node.name.value
        if name not in self.rules or name in self.unconverted or self.functions:
            return updated_node
        self.add_import("jax.interpreters", "mlir")
        converted = self._convert(original_node, updated_node)[0]
        if m.findall(converted, m.Call(func=m.Name(rules.LOWERING))):
            self.with_fallback(rules.LOWERING)
        # Of constants that are numbers of Python's.
        array = m.Attribute(value=m.Name("numpy"), attr=m.Name("asarray"))
        if self.numpy == "numpy" and m.findall(converted, array):
            self.add_import("numpy")
        return converted

    def _convert(self, original, function) -> tuple[cst.FunctionDef, list[str]]:
        spelled = self._names_of_xla(original)
        before = self.rules[original.name.value]
        return rules.convert(function, before, spelled, self.typed, set(self.rules))

    def _lines(self, node: cst.CSTNode) -> range:
        place = self.get_metadata(PositionProvider, node)
        return range(place.start.line, place.end.line + 1)

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self.functions.append(node)

    def leave_Lambda(self, original_node, updated_node):
        self.functions.pop()
        return updated_node

    def _names_of_xla(self, function: cst.FunctionDef) -> rules.Spelled:
        """How this function spells what XLA's builder has."""
        module = cst.Module([])
        spelled = rules.Spelled(numpy=self.numpy, shaped_array=self.shaped_array)
        for node in m.findall(function, m.Attribute() | m.Name()):
            name = self.name_of(node)
            for client in XLA_CLIENTS:
                if name is not None and name.startswith(f"{client}."):
                    spelled.names[module.code_for_node(node)] = name[len(client) + 1 :]
            code = module.code_for_node(node)
            first, dot, rest = code.partition(".")
            if first in self.aliases:
                spelled.names[code] = f"{self.aliases[first]}{dot}{rest}"
        return spelled

    def leave_Module(self, original_node, updated_node):
        """Without the aliases that nothing uses any more."""
        for call in self.types:
            self.decide(
                call,
                "today's mlir.aval_to_ir_type takes the module's context first; write "
                "mlir.aval_to_ir_type(ctx.module_context, AVAL)",
            )
        unused = {name for name in self.aliases if _uses(updated_node, name) == 1}
        return updated_node.visit(_WithoutAliases(unused)) if unused else updated_node

    def leave_Attribute(self, original_node, updated_node):
        """LIBRARY.FUNCTION, which is registered, is LIBRARY.HANDLER."""
        handler = self.symbols.get(original_node.attr.value)
        if handler is not None and self.name_of(original_node) is None:
            parent = self.get_metadata(ParentNodeProvider, original_node)
            if not (isinstance(parent, cst.Call) and parent.func is original_node):
                return updated_node.with_changes(attr=cst.Name(handler))
        return super().leave_Attribute(original_node, updated_node)

    # ---- Calls

    def leave_Call(self, original_node, updated_node):
        if isinstance(original_node.func, cst.Call):
            return updated_node  # libcst names a call as what it calls
        name = self.name_of(original_node.func)
        if name in _REGISTER:
            return self._register(original_node, updated_node)
        if name in CUSTOM_CALL:
            return self.custom_call(original_node, updated_node)
        if name in _CONSTANT:
            self.add_import("jax.interpreters", "mlir")
            return self.constant(updated_node.with_changes(func=dotted("mlir.ir_constant")))
        if name in [f"{mlir}.ir_constant" for mlir in _MLIR] and len(original_node.args) == 1:
            return self.constant(updated_node)
        if name in [f"{mlir}.aval_to_ir_type" for mlir in _MLIR] and len(original_node.args) == 1:
            return self.type_of_aval(original_node, updated_node)
        if name in (f"{EXTEND}.ffi_call", "jax.ffi.ffi_call"):
            self._point_at_narrowed(original_node)
            changed = rewritten(updated_node, self._is_called(original_node))
            if isinstance(changed, str):
                self.decide(original_node, changed)
                return updated_node
            if changed is not updated_node and not self.says_minimum:
                self.says_minimum = True
                self.decide(
                    original_node,
                    f"ffi_call takes its operands like this since JAX {_imports.FFI_CALL_SINCE}: "
                    f"require jax>={_imports.FFI_CALL_SINCE}, which callbridge audit reads",
                )
            return changed
        return updated_node

    def _register(self, original_node, call):
        arguments, rest = bind(call, ("name", "fn", "platform", "api_version"))
        if rest or "name" not in arguments or "fn" not in arguments:
            self.decide(original_node, "this registration is not spelled out; write it by hand")
            return call
        args = [cst.Arg(as_text(arguments["name"])), cst.Arg(arguments["fn"])]
        if "platform" in arguments:
            args.append(keyword("platform", arguments["platform"]))
        if "api_version" in arguments:
            args.append(keyword("api_version", arguments["api_version"]))
        elif not self.typed:
            args.append(keyword("api_version", cst.Integer("0")))
            self.decide(
                original_node,
                f"this stays an untyped target; {_UNTYPED_ON_CPU}; {self.untyped}, and it becomes "
                "a typed handler",
            )
        function = cst.Name(self.with_fallback("register_ffi_target"))
        return on_one_line(call).with_changes(func=function, args=args)

    def _is_called(self, node: cst.Call) -> bool:
        parent = self.get_metadata(ParentNodeProvider, node)
        return isinstance(parent, cst.Call) and parent.func is node

    def _point_at_narrowed(self, call: cst.Call) -> None:
        """Operands of an ffi_call that are numbers of 64 bits."""
        parent = self.get_metadata(ParentNodeProvider, call)
        outer = [parent] if isinstance(parent, cst.Call) and parent.func is call else []
        for argument in [one for of in (call, *outer) for one in of.args if one.keyword is None]:
            code = cst.Module([]).code_for_node(argument.value)
            wide = re.match(rf"(?:{self.numpy}|jnp)\.(u?int64|float64|complex128)\(", code)
            if wide is not None:
                self.decide(
                    call,
                    f"JAX makes the operand {code} one of 32 bits unless jax_enable_x64 is set: "
                    f"hand it over as an attribute, or set it if its target reads {wide[1]}",
                )

    # ---- Translation rules

    def _translation(self, target) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """The platform and the primitive of backend_specific_translations[PLATFORM][PRIMITIVE]."""
        if not m.matches(target, m.Subscript(value=m.Subscript())):
            return None
        if self.name_of(target.value.value) not in TRANSLATIONS:
            return None
        platform, primitive = target.value.slice[0].slice, target.slice[0].slice
        if not isinstance(platform, cst.Index) or not isinstance(primitive, cst.Index):
            return None
        return platform.value, primitive.value

    def leave_SimpleStatementLine(self, original_node, updated_node):
        if self.deletes_context(original_node):
            return cst.RemoveFromParent()
        moved = self.moved_import(original_node, updated_node)
        if moved is not None:
            return moved
        if len(original_node.body) != 1 or not isinstance(original_node.body[0], cst.Assign):
            return updated_node
        assign = original_node.body[0]
        found = self._translation(assign.targets[0].target)
        if found is None:
            return updated_node
        rule = rules.rule(assign.value)
        if rule is None or rule[0] not in self.rules or rule[0] in self.unconverted:
            self.left.append(self._lines(original_node))
            if rule is None or rule[0] not in self.rules:
                self.decide(
                    original_node,
                    "this translation rule is no function that is defined here at module level, "
                    "or a partial of one; write its lowering by hand",
                )
            return updated_node
        platform, primitive = found
        self.add_import("jax.interpreters", "mlir")
        registration = cst.Call(
            dotted("mlir.register_lowering"),
            [
                cst.Arg(primitive),
                cst.Arg(_with_texts(on_one_line(updated_node.body[0].value))),
                keyword("platform", platform),
            ],
        )
        return updated_node.with_changes(body=[cst.Expr(registration)])


def _with_texts(rule: cst.BaseExpression) -> cst.BaseExpression:
    """partial(RULE, b"name") as the rule takes its names now."""
    if not isinstance(rule, cst.Call):
        return rule
    return rule.with_changes(args=[one.with_changes(value=as_text(one.value)) for one in rule.args])


def _uses(module: cst.Module, name: str) -> int:
    parts = m.findall(module, m.Attribute(attr=m.Name(name)))
    return len(m.findall(module, m.Name(name))) - len(parts)


class _WithoutAliases(cst.CSTTransformer):
    """Removes assignments to names that nothing uses."""

    def __init__(self, names: set[str]):
        super().__init__()
        self.names = names

    def leave_SimpleStatementLine(self, original_node, updated_node):
        found = m.findall(original_node, m.Assign())
        if len(found) != 1 or not any(
            m.matches(found[0], m.Assign(targets=[m.AssignTarget(m.Name(name))]))
            for name in self.names
        ):
            return updated_node
        return cst.RemoveFromParent()
