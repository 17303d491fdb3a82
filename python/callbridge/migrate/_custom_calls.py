"""What a program takes from JAX and has another place today, or none: imports and names, and the
custom calls of lowering rules, hlo_helpers.custom_call and mlir's, as jax.ffi makes them."""

from __future__ import annotations

import libcst as cst
from libcst import matchers as m
from libcst.metadata import ParentNodeProvider, PositionProvider, QualifiedNameProvider

from callbridge.migrate import _arguments, _imports
from callbridge.migrate._arguments import as_text, bind, dotted, keyword, on_lines
from callbridge.migrate._sources import Decision
from callbridge.migrate._translation_rules import LOWERING

# ---- Imports and names

XLA_CLIENTS = ("jax.lib.xla_client", "jaxlib.xla_client", "jax._src.lib.xla_client")
CUSTOM_CALL = (
    *("jaxlib.hlo_helpers.custom_call", "jax.interpreters.mlir.custom_call"),
    *("jaxlib.mhlo_helpers.custom_call", "jax._src.interpreters.mlir.custom_call"),
)
EXTEND = "jax.extend.ffi"
TRANSLATIONS = (
    "jax.interpreters.xla.backend_specific_translations",
    "jax.interpreters.xla._backend_specific_translations",
    "jax._src.interpreters.xla._backend_specific_translations",
)
# Names that have another place, and are needed where primitives are defined and used.
_MOVED = {
    "jax.core.Primitive": ("jax.extend.core", "Primitive"),
    "jax.abstract_arrays.ShapedArray": ("jax.core", "ShapedArray"),
    "jax.config.config": ("jax", "config"),
}


class Imports(cst.CSTTransformer):
    """`typed`: what the program registers becomes typed handlers."""

    METADATA_DEPENDENCIES = (QualifiedNameProvider, PositionProvider, ParentNodeProvider)

    def __init__(self, typed: bool) -> None:
        super().__init__()
        self.typed = typed
        self.numpy = "numpy"  # as the program names it
        self.ffi = "ffi"  # and jax.ffi
        self.core = "jax.core"  # and jax.core
        # What is imported in the end: modules, or names of modules; and keys of FALLBACKS.
        self.needed: set[tuple[str, str | None]] = set()
        self.fallbacks: list[str] = []
        self.handlers = 0  # of a `try`, that we are in: what they have is for other releases
        self.tries: list[cst.Try] = []  # that we are in
        self.has_primitive = False  # it has another thing of that name

    def name_of(self, node: cst.CSTNode) -> str | None:
        """What an imported name is: "jax.lib.xla_client.ops"; None for others."""
        if self.handlers:
            return None
        names = self.get_metadata(QualifiedNameProvider, node, set())
        names = names() if callable(names) else names
        imported = {_one_client(one.name) for one in names if one.source.name == "IMPORT"}
        return imported.pop() if len(imported) == 1 else None

    def add_import(self, module: str, name: str | None = None) -> None:
        self.needed.add((module, name))

    def with_fallback(self, name: str) -> str:
        """Returns how the program calls a function of jax.ffi, which it has on each release."""
        if name not in self.fallbacks:
            self.fallbacks.append(name)
        return name

    def shaped_array(self) -> str:
        """Returns how the program calls jax.core.ShapedArray, with a shape and type of NumPy's."""
        if self.numpy == "numpy":
            self.add_import("numpy")
        if self.core == "jax.core":
            self.add_import("jax")
        return f"{self.core}.ShapedArray"

    def visit_Try(self, node: cst.Try) -> None:
        self.tries.append(node)

    def leave_Try(self, original_node, updated_node):
        self.tries.pop()
        return updated_node

    def _has_another_way(self, alias: cst.ImportAlias) -> bool:
        """Where it is tried: whether a handler imports the same name."""
        local = alias.evaluated_alias or alias.evaluated_name
        imported = m.ImportAlias(name=m.Name(local)) | m.ImportAlias(
            asname=m.AsName(name=m.Name(local))
        )
        return any(m.findall(one, imported) for of in self.tries for one in of.handlers)

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        self.handlers += 1

    def leave_ExceptHandler(self, original_node, updated_node):
        self.handlers -= 1
        return updated_node

    def moved_import(self, original_node, updated_node):
        """Returns what stands for an import of jax.extend.ffi; None for other lines."""
        line = original_node.body[0]
        if len(original_node.body) != 1 or self.handlers or isinstance(line, cst.Import):
            alias = line.names[0] if isinstance(line, cst.Import) else None
            if alias is None or alias.evaluated_name != EXTEND or alias.evaluated_alias is None:
                return None
            made = _imports.since_0_5(f"ffi as {alias.evaluated_alias}")
            return made.with_changes(leading_lines=updated_node.leading_lines)
        if not isinstance(line, cst.ImportFrom) or isinstance(line.names, cst.ImportStar):
            return None
        module = "" if line.module is None or line.relative else _code(line.module)
        if module == EXTEND:
            moved, left = list(line.names), []
        else:
            moved = [one for one in line.names if f"{module}.{one.evaluated_name}" == EXTEND]
            left = [one for one in line.names if one not in moved]
        if not moved:
            return None
        made = _imports.since_0_5(
            ", ".join(_code(one.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for one in moved),
            "jax.ffi" if module == EXTEND else "jax",
        )
        if not left:
            return made.with_changes(leading_lines=updated_node.leading_lines)
        left[-1] = left[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        kept = updated_node.with_changes(body=[line.with_changes(names=left)])
        return cst.FlattenSentinel([kept, made])

    def leave_ImportFrom(self, original_node, updated_node):
        if updated_node.module is None or isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        module = _code(updated_node.module)
        if original_node.relative or self.handlers:
            return updated_node
        kept = []
        for alias in updated_node.names:
            full = f"{module}.{alias.evaluated_name}"
            if full in _MOVED and not self._has_another_way(alias):
                to, moved = _MOVED[full]
                if self._needs_another_way(full) and alias.evaluated_alias is None:
                    self.with_fallback(moved)
                    continue
                if len(updated_node.names) == 1:  # it may stand in a `try`
                    names = [alias.with_changes(name=cst.Name(moved))]
                    return updated_node.with_changes(module=dotted(to), names=names)
                if alias.evaluated_alias is None:
                    self.add_import(to, moved)
                    continue
            kept.append(alias)
        if not kept:
            return cst.RemoveFromParent()
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        if len(kept) == len(updated_node.names):
            return updated_node
        return updated_node.with_changes(names=kept)

    def _needs_another_way(self, full: str) -> bool:
        """jaxlib 0.4.13 runs untyped targets, and its JAX has no jax.extend.core."""
        return full == "jax.core.Primitive" and not (self.typed or self.tries or self.has_primitive)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if node.module is None or node.relative or isinstance(node.names, cst.ImportStar):
            return
        for alias in node.names:
            local = alias.evaluated_alias or alias.evaluated_name
            full = f"{_code(node.module)}.{alias.evaluated_name}"
            if full in (EXTEND, "jax.ffi"):
                self.ffi = local
            elif full == "jax.core":
                self.core = local

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            if alias.evaluated_name == "numpy" and alias.evaluated_alias:
                self.numpy = alias.evaluated_alias
            elif alias.evaluated_name == EXTEND and alias.evaluated_alias:
                self.ffi = alias.evaluated_alias

    def leave_Import(self, original_node, updated_node):
        gone = [
            one
            for one in updated_node.names
            if one.evaluated_name == EXTEND and one.evaluated_alias is None and not self.handlers
        ]
        kept = [one for one in updated_node.names if one not in gone]
        if not gone:
            return updated_node
        if self.tries:  # what it is tried for may be JAX
            names = [
                one.with_changes(name=dotted("jax")) if one in gone else one
                for one in updated_node.names
            ]
            return updated_node.with_changes(names=names)
        self.add_import("jax")
        if not kept:
            return cst.RemoveFromParent()
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(names=kept)

    def leave_Attribute(self, original_node, updated_node):
        parent = self.get_metadata(ParentNodeProvider, original_node)
        if isinstance(parent, (cst.Import, cst.ImportAlias, cst.ImportFrom)):
            return updated_node
        name = self.name_of(original_node)
        code = _code(original_node)
        if name == EXTEND and code.endswith(".ffi"):
            self.with_fallback("ffi")
            return cst.Name(self.ffi)
        if name in _MOVED and code != name.rpartition(".")[2]:
            module, moved = _MOVED[name]
            if self._needs_another_way(name):
                return cst.Name(self.with_fallback(moved))
            self.add_import(module)
            return dotted(f"{module}.{moved}")
        return updated_node


def _one_client(name: str) -> str:
    """xla_client is one module, by whichever of its paths a program has it."""
    for client in XLA_CLIENTS[1:]:
        if name == client or name.startswith(f"{client}."):
            return XLA_CLIENTS[0] + name[len(client) :]
    return name


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


# ---- Custom calls

_NEW_FORM = ("call_target_name", "result_types", "operands")
_OLD_FORM = (
    *("call_target_name", "out_types", "operands", "operand_layouts", "result_layouts"),
    *("backend_config", "has_side_effect", "api_version", "operand_output_aliases"),
    "result_shapes",
)
# The version by which hlo_helpers and mlir called unless told otherwise.
_DEFAULT_VERSION = "2"


class CustomCalls(Imports):
    def __init__(self, path: str, typed: bool):
        super().__init__(typed)
        self.path = path
        self.decisions: list[Decision] = []
        self.functions: list[cst.FunctionDef | cst.Lambda] = []  # that we are in
        self.types: list[cst.Call] = []  # mlir.aval_to_ir_type(AVAL), which takes more now

    def decide(self, node: cst.CSTNode, text: str) -> None:
        line = self.get_metadata(PositionProvider, node).start.line
        self.decisions.append(Decision(self.path, line, text))

    def custom_call(self, original_node, call):
        context = self._context()
        if context is None:
            self.decide(
                original_node,
                "this custom call is not in a function that has the lowering's context as a "
                "parameter, ctx, which jax.ffi needs; pass ctx to it",
            )
            return call
        arguments, rest = bind(call, _NEW_FORM)
        # jaxlib's older form, whose result is a value or a list of them.
        old_form = "out_types" in rest or sum(one.keyword is None for one in call.args) > 1
        if old_form:
            arguments, rest = bind(call, _OLD_FORM)
            arguments["result_types"] = arguments.pop("out_types", cst.Name("None"))
            rest |= {one: arguments.pop(one) for one in _OLD_FORM[3:] if one in arguments}
        if "**" in rest or not {"call_target_name", "operands"} <= arguments.keys():
            self.decide(
                original_node, "the operands or options of this call are not spelled out here"
            )
            return call
        options = [cst.Arg(as_text(arguments["call_target_name"]))]
        types = arguments.get("result_types")
        before = bind(original_node, _OLD_FORM if old_form else _NEW_FORM)[0]
        types_before = before.get("out_types" if old_form else "result_types")
        if types_before is not None and _is_of_results(types_before, context[0]):
            dropped = m.findall(original_node, m.Call())
            self.types = [one for one in self.types if one not in dropped]
        elif types is not None:
            options.append(keyword("result_types", types))
        version = rest.pop("api_version", None)
        config = rest.pop("backend_config", None)
        attributes = []
        typed_before = isinstance(version, cst.Integer) and int(version.value) >= 4
        if typed_before or not self.typed:
            version = version or cst.Integer(_DEFAULT_VERSION)
            options.append(keyword("api_version", version))
            if config is not None:
                options.append(keyword("backend_config", config))
        elif config is not None:
            attributes.append(keyword("opaque", config))
        options += [keyword(key, value) for key, value in rest.items()]
        operands = _arguments.flat(arguments["operands"])
        replaced = _arguments.context(
            *(context[0], operands, context[1], context[0]), self.shaped_array, self.numpy
        )
        if isinstance(replaced, str):
            self.decide(original_node, replaced)
            return call
        function = on_lines(cst.Call(dotted(self.with_fallback(LOWERING)), options))
        made = on_lines(cst.Call(function, [cst.Arg(replaced), *operands, *attributes]))
        if not old_form:
            return made
        one = isinstance(types, (cst.List, cst.Tuple)) and len(types.elements) == 1
        is_value = one and self._is_value(original_node)
        return cst.Attribute(made, cst.Name("result" if is_value else "results"))

    def _is_value(self, call: cst.Call) -> bool:
        """Whether the older form's only result is used as a value, as at first, or a list."""
        parent = self.get_metadata(ParentNodeProvider, call)
        uses: list[cst.CSTNode] = [call]
        if m.matches(parent, m.Assign(targets=[m.AssignTarget(m.Name())])):
            name = parent.targets[0].target.value  # type: ignore[attr-defined]
            uses = list(m.findall(self.functions[-1], m.Name(name)))
        parents = [self.get_metadata(ParentNodeProvider, one) for one in uses]
        return any(m.matches(one, m.Element() | m.Arg(star="")) for one in parents)

    def _context(self) -> tuple[str, cst.FunctionDef | cst.Lambda] | None:
        """The lowering's context, a parameter, and the function that has it."""
        for function in reversed(self.functions):
            for name in _arguments.parameters(function):
                if name in ("ctx", "context"):
                    return name, function
        return None

    def constant(self, call: cst.Call) -> cst.Call:
        if not self.functions or not call.args:
            return call
        value = call.args[0].value
        new = _arguments.numpy_value(value, self.numpy, self.functions[-1])
        if new is value:
            return call
        if self.numpy == "numpy":
            self.add_import("numpy")
        return call.with_changes(args=[call.args[0].with_changes(value=new), *call.args[1:]])

    def type_of_aval(self, original_node, call: cst.Call) -> cst.BaseExpression:
        """Returns mlir.aval_to_ir_type(AVAL), which takes more today, in words of each release."""
        aval = call.args[0].value
        if not isinstance(aval, (cst.Name, cst.Attribute, cst.Subscript)):
            self.types.append(original_node)
            return call
        self.add_import("jaxlib.mlir", "ir")
        mlir = _code(call.func).rpartition(".")[0]
        if not mlir:
            self.add_import("jax.interpreters", "mlir")
        code, mlir = _code(aval), mlir or "mlir"
        return dotted(
            f"ir.RankedTensorType.get({code}.shape, {mlir}.dtype_to_ir_type({code}.dtype))"
        )

    def deletes_context(self, line: cst.SimpleStatementLine) -> bool:
        """True for `del ctx` in a function with a custom call, which needs it now."""
        context = self._context()
        return (
            context is not None
            and len(line.body) == 1
            and m.matches(line.body[0], m.Del(target=m.Name(context[0])))
            and any(
                self.name_of(cst.ensure_type(one, cst.Call).func) in CUSTOM_CALL
                for one in m.findall(context[1], m.Call())
            )
        )


def _is_of_results(types: cst.BaseExpression, context: str) -> bool:
    """True for the types of ctx.avals_out, which jax.ffi takes by itself."""
    results = m.Attribute(value=m.Name(context), attr=m.Name("avals_out"))
    type_of = m.Name("aval_to_ir_type") | m.Attribute(attr=m.Name("aval_to_ir_type"))
    if m.matches(types, m.Call(func=m.Name("list") | m.Name("tuple"), args=[m.Arg()])):
        types = cst.ensure_type(types, cst.Call).args[0].value
    if m.matches(types, m.Call(func=m.Name("map"), args=[m.Arg(type_of), m.Arg(results)])):
        return True
    if isinstance(types, (cst.ListComp, cst.GeneratorExp)):
        loop = m.CompFor(target=m.Name(), iter=results, ifs=[], inner_for_in=None)
        if not m.matches(types.for_in, loop):
            return False
        variable = cst.ensure_type(types.for_in.target, cst.Name).value
        return m.matches(types.elt, m.Call(func=type_of, args=[m.Arg(m.Name(variable))]))
    if not isinstance(types, (cst.List, cst.Tuple)):
        return False
    module = cst.Module([])
    return all(
        m.matches(one.value, m.Call(func=type_of, args=[m.Arg()]))
        and module.code_for_node(one.value.args[0].value) == f"{context}.avals_out[{i}]"  # type: ignore[attr-defined]
        for i, one in enumerate(types.elements)
    )
