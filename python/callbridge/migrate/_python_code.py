"""Migrates a Python program by libcst: from what JAX removed to jax.ffi.

A call keeps what it says: names, operands, layouts, aliases. What it registers stays an untyped
target (api_version=0) unless its C++ is migrated in the same command.
"""

from __future__ import annotations

import pathlib

import libcst as cst
from libcst import matchers as m
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
)

from callbridge.migrate import _translation_rules as rules
from callbridge.migrate._plan import Change, Decision, MigrateError, Plan

_XLA_CLIENTS = ("jax.lib.xla_client", "jaxlib.xla_client", "jax._src.lib.xla_client")
_REGISTER = tuple(
    f"{client}.{name}"
    for client in _XLA_CLIENTS
    for name in ("register_custom_call_target", "register_cpu_custom_call_target")
)
_CUSTOM_CALL = (
    *("jaxlib.hlo_helpers.custom_call", "jax.interpreters.mlir.custom_call"),
    *("jaxlib.mhlo_helpers.custom_call", "jax._src.interpreters.mlir.custom_call"),
)
_CONSTANT = tuple(
    f"{module}.{name}"
    for module in ("jaxlib.hlo_helpers", "jaxlib.mhlo_helpers")
    for name in ("ir_constant", "hlo_const")
)
_EXTEND = "jax.extend.ffi"
_TRANSLATIONS = "jax.interpreters.xla.backend_specific_translations"
# Names that have another place, and are needed where primitives are defined.
_MOVED = {
    "jax.core.Primitive": ("jax.extend.core", "Primitive"),
    "jax.abstract_arrays.ShapedArray": ("jax.core", "ShapedArray"),
}
_GONE_MODULES = (*_XLA_CLIENTS, "jaxlib.hlo_helpers", "jaxlib.mhlo_helpers", _TRANSLATIONS)
# Options of jax.ffi.ffi_call; its other keywords are the call's attributes.
_CALL_OPTIONS = {
    *("has_side_effect", "vmap_method", "input_layouts", "output_layouts"),
    *("input_output_aliases", "custom_call_api_version", "legacy_backend_config"),
}
# The version by which hlo_helpers and mlir called unless told otherwise.
_DEFAULT_VERSION = "2"


def plan(path: pathlib.Path, untyped: str | None) -> Plan:
    """`untyped`: why what the program registers stays untyped; None if this command makes typed
    handlers of it."""
    content = path.read_bytes()
    try:
        module = cst.parse_module(content)
    except cst.ParserSyntaxError as error:
        raise MigrateError(
            f"{path}:{error.raw_line}:{error.raw_column}: {error.message}; a source must parse"
        ) from None
    except UnicodeDecodeError as error:
        raise MigrateError(f"{path}: {error}") from None
    context = CodemodContext()
    wrapper = MetadataWrapper(module)
    rewriter = _Rewriter(str(path), untyped, context)
    changed = wrapper.visit(rewriter)
    changed = AddImportsVisitor(context).transform_module(changed)
    changed = RemoveImportsVisitor(context).transform_module(changed)
    after = changed.bytes
    result = Plan([], rewriter.decisions)
    if after != content:
        result.changes.append(Change(path, content, after))
    return result


def platforms(path: pathlib.Path) -> set[str]:
    """The platforms that the program registers targets for, as far as it spells them."""
    try:
        wrapper = MetadataWrapper(cst.parse_module(path.read_bytes()))
    except (cst.ParserSyntaxError, UnicodeDecodeError):
        return set()  # plan() says why
    names = wrapper.resolve(QualifiedNameProvider)
    found = set()
    for call in m.findall(wrapper.module, m.Call()):
        of = names.get(call.func, set())  # type: ignore[attr-defined]
        if any(one.name in _REGISTER for one in (of() if callable(of) else of)):
            arguments, _ = _bind(call, ("name", "fn", "platform", "api_version"))  # type: ignore[arg-type]
            platform = arguments.get("platform", cst.SimpleString('"cpu"'))
            if isinstance(platform, cst.SimpleString):
                found.add(str(platform.evaluated_value))
    return found


class _Rewriter(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (QualifiedNameProvider, PositionProvider, ParentNodeProvider)

    def __init__(self, path: str, untyped: str | None, context: CodemodContext):
        super().__init__()
        self.path, self.untyped, self.context = path, untyped, context
        self.typed = untyped is None
        self.decisions: list[Decision] = []
        self.functions: list[cst.FunctionDef | cst.Lambda] = []
        self.rules: set[str] = set()  # functions that are translation rules
        self.unconverted: set[str] = set()  # those of them that stay
        self.aliases: dict[str, str] = {}  # of parts of xla_client
        self.numpy = "numpy"  # as the program names it

    # ---- What a node is

    def name_of(self, node: cst.CSTNode) -> str | None:
        names = self.get_metadata(QualifiedNameProvider, node, set())
        names = names() if callable(names) else names
        imported = [one.name for one in names if one.source.name == "IMPORT"]
        return imported[0] if len(imported) == 1 else None

    def decide(self, node: cst.CSTNode, text: str) -> None:
        line = self.get_metadata(PositionProvider, node).start.line
        self.decisions.append(Decision(self.path, line, text))

    def add_import(self, module: str, name: str | None = None) -> None:
        AddImportsVisitor.add_needed_import(self.context, module, name)

    # ---- Where we are

    def visit_Module(self, node: cst.Module) -> None:
        # xops = xla_client.ops
        for assign in m.findall(node, m.Assign(targets=[m.AssignTarget(m.Name())])):
            name = self.name_of(assign.value)  # type: ignore[attr-defined]
            for client in _XLA_CLIENTS:
                if name is not None and name.startswith(f"{client}."):
                    local = assign.targets[0].target.value  # type: ignore[attr-defined]
                    self.aliases[local] = name[len(client) + 1 :]
        for assign in m.findall(node, m.Assign()):
            target = assign.targets[0].target  # type: ignore[attr-defined]
            if self._translation(target) is not None:
                name = rules.rule_name(assign.value)  # type: ignore[attr-defined]
                if name is not None:
                    self.rules.add(name)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.functions.append(node)

    def leave_FunctionDef(self, original_node, updated_node):
        self.functions.pop()
        if updated_node.name.value in self.rules and not self.functions:
            spelled = self._names_of_xla(original_node)
            opaque = self._opaque if self.typed else None
            converted, problems = rules.convert(updated_node, spelled, opaque)
            if problems:
                self.unconverted.add(updated_node.name.value)
                for problem in problems:
                    self.decide(original_node, problem)
            else:
                self.add_import("jax")
                self.add_import("jax.interpreters", "mlir")
                return converted
        return updated_node

    def _names_of_xla(self, function: cst.FunctionDef) -> rules.Spelled:
        """How this function spells what XLA's builder has."""
        module = cst.Module([])
        spelled = rules.Spelled()
        for node in m.findall(function, m.Attribute() | m.Name()):
            name = self.name_of(node)
            for client in _XLA_CLIENTS:
                if name is not None and name.startswith(f"{client}."):
                    spelled.names[module.code_for_node(node)] = name[len(client) + 1 :]
            code = module.code_for_node(node)
            first, dot, rest = code.partition(".")
            if dot and first in self.aliases:
                spelled.names[code] = f"{self.aliases[first]}.{rest}"
        return spelled

    def leave_Module(self, original_node, updated_node):
        """Without the aliases that nothing uses any more."""
        unused = {name for name in self.aliases if len(m.findall(updated_node, m.Name(name))) == 1}
        body = [line for line in updated_node.body if not _assigns(line, unused)]
        return updated_node.with_changes(body=body)

    # ---- Imports

    def leave_ImportFrom(self, original_node, updated_node):
        if updated_node.module is None or isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        module = cst.Module([]).code_for_node(updated_node.module)
        if original_node.relative:
            return updated_node
        if module == _EXTEND:
            return updated_node.with_changes(module=_dotted("jax.ffi"))
        kept = []
        for alias in updated_node.names:
            name = alias.evaluated_name
            full = f"{module}.{name}"
            if full == _EXTEND:
                AddImportsVisitor.add_needed_import(
                    self.context, "jax", "ffi", alias.evaluated_alias
                )
                continue
            if full in _MOVED:
                to, moved = _MOVED[full]
                AddImportsVisitor.add_needed_import(self.context, to, moved, alias.evaluated_alias)
                continue
            if module in _GONE_MODULES or full in (*_GONE_MODULES, *_CUSTOM_CALL):
                RemoveImportsVisitor.remove_unused_import(
                    self.context, module, name, alias.evaluated_alias
                )
            kept.append(alias)
        if not kept:
            return cst.RemoveFromParent()
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        if len(kept) == len(updated_node.names):
            return updated_node
        return updated_node.with_changes(names=kept)

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            if alias.evaluated_name == "numpy" and alias.evaluated_alias:
                self.numpy = alias.evaluated_alias

    def leave_Import(self, original_node, updated_node):
        names = []
        for alias in updated_node.names:
            name = alias.evaluated_name
            if name == _EXTEND:
                alias = alias.with_changes(name=_dotted("jax.ffi"))
            elif name in _GONE_MODULES:
                RemoveImportsVisitor.remove_unused_import(
                    self.context, name, asname=alias.evaluated_alias
                )
            names.append(alias)
        return updated_node.with_changes(names=names)

    def leave_Attribute(self, original_node, updated_node):
        parent = self.get_metadata(ParentNodeProvider, original_node)
        if isinstance(parent, (cst.Import, cst.ImportAlias, cst.ImportFrom)):
            return updated_node
        name = self.name_of(original_node)
        code = cst.Module([]).code_for_node(original_node)
        if name == _EXTEND and code.endswith(".ffi"):
            self.add_import("jax")
            return _dotted("jax.ffi")
        if name in _MOVED and code != name.rpartition(".")[2]:
            module, moved = _MOVED[name]
            self.add_import(module)
            return _dotted(f"{module}.{moved}")
        return updated_node

    # ---- Calls

    def leave_Call(self, original_node, updated_node):
        if isinstance(original_node.func, cst.Call):
            return updated_node  # libcst names a call as what it calls
        name = self.name_of(original_node.func)
        if name in _REGISTER:
            return self._register(original_node, updated_node)
        if name in _CUSTOM_CALL:
            return self._custom_call(original_node, updated_node)
        if name in _CONSTANT:
            self.add_import("jax.interpreters", "mlir")
            return updated_node.with_changes(func=_dotted("mlir.ir_constant"))
        if name in (f"{_EXTEND}.ffi_call", "jax.ffi.ffi_call"):
            return self._ffi_call(original_node, updated_node)
        return updated_node

    def _register(self, original_node, call):
        arguments, rest = _bind(call, ("name", "fn", "platform", "api_version"))
        if rest or "name" not in arguments or "fn" not in arguments:
            self.decide(original_node, "this registration is not spelled out; write it by hand")
            return call
        args = [cst.Arg(rules.as_text(arguments["name"])), cst.Arg(arguments["fn"])]
        if "platform" in arguments:
            args.append(_keyword("platform", arguments["platform"]))
        if "api_version" in arguments:
            args.append(_keyword("api_version", arguments["api_version"]))
        elif not self.typed:
            args.append(_keyword("api_version", cst.Integer("0")))
            self.decide(
                original_node,
                "this stays an untyped target, whose end on CPU XLA has announced; "
                f"{self.untyped}, and it becomes a typed handler",
            )
        self.add_import("jax")
        return call.with_changes(func=_dotted("jax.ffi.register_ffi_target"), args=args)

    def _custom_call(self, original_node, call):
        context = self._context()
        if context is None:
            self.decide(
                original_node,
                "this custom call is not in a function whose first parameter is the lowering's "
                "context, which jax.ffi needs; pass ctx to it",
            )
            return call
        arguments, rest = _bind(call, ("call_target_name", "result_types", "operands"))
        old_form = "out_types" in rest
        if old_form:
            arguments["result_types"] = rest.pop("out_types")
        if "**" in rest or not {"call_target_name", "operands"} <= arguments.keys():
            self.decide(
                original_node, "the operands or options of this call are not spelled out here"
            )
            return call
        options = [cst.Arg(rules.as_text(arguments["call_target_name"]))]
        if "result_types" in arguments:
            options.append(_keyword("result_types", arguments["result_types"]))
        version = rest.pop("api_version", None)
        config = rest.pop("backend_config", None)
        attributes = []
        typed_before = isinstance(version, cst.Integer) and int(version.value) >= 4
        if typed_before or not self.typed:
            version = version or cst.Integer(_DEFAULT_VERSION)
            options.append(_keyword("api_version", version))
            if config is not None:
                options.append(_keyword("backend_config", config))
        elif config is not None:
            attributes.append(_keyword("opaque", self._opaque(config)))
        options += [_keyword(key, value) for key, value in rest.items()]
        operands = rules.operands_of(arguments["operands"])
        replaced = rules.context_with_constants(context, operands, self.functions[-1])
        if isinstance(replaced, str):
            self.decide(original_node, replaced)
            return call
        self.add_import("jax")
        function = rules.on_lines(cst.Call(_dotted(rules.LOWERING), options))
        made = rules.on_lines(cst.Call(function, [cst.Arg(replaced), *operands, *attributes]))
        if not old_form:
            return made
        types = arguments["result_types"]
        one = isinstance(types, (cst.List, cst.Tuple)) and len(types.elements) == 1
        return cst.Attribute(made, cst.Name("result" if one else "results"))

    def _opaque(self, config: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(config, cst.SimpleString) and "b" not in config.prefix.lower():
            return config
        if self.numpy == "numpy":
            self.add_import("numpy")
        return cst.Call(
            _dotted(f"{self.numpy}.frombuffer"),
            [cst.Arg(config), cst.Arg(_dotted(f"{self.numpy}.uint8"))],
        )

    def _context(self) -> str | None:
        for function in reversed(self.functions):
            parameters = function.params.params
            if parameters and parameters[0].name.value in ("ctx", "context"):
                return parameters[0].name.value
        return None

    def _ffi_call(self, original_node, call):
        parent = self.get_metadata(ParentNodeProvider, original_node)
        positional = [one for one in call.args if one.keyword is None]
        attributes, options = [], []
        for one in call.args:
            if one.keyword is None:
                continue
            if one.keyword.value == "vectorized":
                if not isinstance(one.value, cst.Name) or one.value.value not in ("True", "False"):
                    self.decide(original_node, "vectorized is not a constant; write vmap_method")
                    return call
                method = "broadcast_all" if one.value.value == "True" else "sequential"
                options.append(_keyword("vmap_method", cst.SimpleString(f'"{method}"')))
            elif one.keyword.value in _CALL_OPTIONS or one.keyword.value == "result_shape_dtypes":
                options.append(one)
            else:
                attributes.append(one)
        operands = positional[2:]
        called = isinstance(parent, cst.Call) and parent.func is original_node
        if called or not (operands or attributes):
            changed = [*positional, *options]
            return (
                call
                if len(options) == len(call.args) - len(positional)
                and not any(
                    one.keyword is not None and one.keyword.value == "vectorized"
                    for one in call.args
                )
                else call.with_changes(args=_clean(changed))
            )
        function = call.with_changes(args=_clean([*positional[:2], *options]))
        return cst.Call(function, _clean([*operands, *attributes]))

    # ---- Translation rules

    def _translation(self, target) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """The platform and the primitive of backend_specific_translations[PLATFORM][PRIMITIVE]."""
        if not m.matches(target, m.Subscript(value=m.Subscript())):
            return None
        if self.name_of(target.value.value) != _TRANSLATIONS:
            return None
        platform, primitive = target.value.slice[0].slice, target.slice[0].slice
        if not isinstance(platform, cst.Index) or not isinstance(primitive, cst.Index):
            return None
        return platform.value, primitive.value

    def leave_SimpleStatementLine(self, original_node, updated_node):
        if len(original_node.body) != 1 or not isinstance(original_node.body[0], cst.Assign):
            return updated_node
        assign = original_node.body[0]
        found = self._translation(assign.targets[0].target)
        if found is None or rules.rule_name(assign.value) in self.unconverted:
            return updated_node
        platform, primitive = found
        self.add_import("jax.interpreters", "mlir")
        registration = cst.Call(
            _dotted("mlir.register_lowering"),
            [
                cst.Arg(primitive),
                cst.Arg(_on_one_line(updated_node.body[0].value)),
                _keyword("platform", platform),
            ],
        )
        return updated_node.with_changes(body=[cst.Expr(registration)])


def _assigns(line: cst.CSTNode, names: set[str]) -> bool:
    found = m.findall(line, m.Assign()) if isinstance(line, cst.SimpleStatementLine) else []
    return len(found) == 1 and any(
        m.matches(found[0], m.Assign(targets=[m.AssignTarget(m.Name(name))])) for name in names
    )


def _bind(call: cst.Call, names: tuple[str, ...]):
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


def _on_one_line(value: cst.BaseExpression) -> cst.BaseExpression:
    if not isinstance(value, cst.Call):
        return value
    plain = cst.SimpleWhitespace("")
    return value.with_changes(args=_clean(value.args), whitespace_before_args=plain)


def _clean(arguments):
    plain = cst.SimpleWhitespace("")
    return [
        one.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=plain)
        for one in arguments
    ]


def _keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    return cst.Arg(
        value,
        keyword=cst.Name(name),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )


def _dotted(name: str):
    return cst.parse_expression(name)
