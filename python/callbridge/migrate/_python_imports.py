"""Imports and names that have another place in today's JAX, or none."""

from __future__ import annotations

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.metadata import ParentNodeProvider, PositionProvider, QualifiedNameProvider

from callbridge.migrate._arguments import dotted

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
GONE_MODULES = (*XLA_CLIENTS, "jaxlib.hlo_helpers", "jaxlib.mhlo_helpers", *TRANSLATIONS)


class Imports(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (QualifiedNameProvider, PositionProvider, ParentNodeProvider)

    def __init__(self, context: CodemodContext):
        super().__init__()
        self.context = context
        self.numpy = "numpy"  # as the program names it

    def name_of(self, node: cst.CSTNode) -> str | None:
        """What an imported name is: "jax.lib.xla_client.ops"; None for others."""
        names = self.get_metadata(QualifiedNameProvider, node, set())
        names = names() if callable(names) else names
        imported = [one.name for one in names if one.source.name == "IMPORT"]
        return imported[0] if len(imported) == 1 else None

    def add_import(self, module: str, name: str | None = None) -> None:
        AddImportsVisitor.add_needed_import(self.context, module, name)

    def leave_ImportFrom(self, original_node, updated_node):
        if updated_node.module is None or isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        module = cst.Module([]).code_for_node(updated_node.module)
        if original_node.relative:
            return updated_node
        if module == EXTEND:
            return updated_node.with_changes(module=dotted("jax.ffi"))
        kept = []
        for alias in updated_node.names:
            name = alias.evaluated_name
            full = f"{module}.{name}"
            if full == EXTEND or full in _MOVED:
                to, moved = _MOVED.get(full, ("jax", "ffi"))
                if len(updated_node.names) == 1:  # it may stand in a `try`
                    names = [alias.with_changes(name=cst.Name(moved))]
                    return updated_node.with_changes(module=dotted(to), names=names)
                AddImportsVisitor.add_needed_import(self.context, to, moved, alias.evaluated_alias)
                continue
            if module in GONE_MODULES or full in (*GONE_MODULES, *CUSTOM_CALL):
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
            if name == EXTEND:
                alias = alias.with_changes(name=dotted("jax.ffi"))
            elif name in GONE_MODULES:
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
        if name == EXTEND and code.endswith(".ffi"):
            self.add_import("jax")
            return dotted("jax.ffi")
        if name in _MOVED and code != name.rpartition(".")[2]:
            module, moved = _MOVED[name]
            self.add_import(module)
            return dotted(f"{module}.{moved}")
        return updated_node


def what_is_left(before: cst.Module, after: cst.Module) -> list[tuple[int, str]]:
    """What a rewritten program still names of what today's JAX lacks: its line in the program as it
    was, and its name there."""
    lines = before.code.splitlines()
    found: list[tuple[int, str]] = []
    for line, name, gone in _gone(after):
        text = after.code.splitlines()[line - 1].strip()
        same = [i for i, one in enumerate(lines, 1) if one.strip() == text]
        near = [i for i, one in enumerate(lines, 1) if name in one]
        at = next((i for i in (*same, *near) if (i, gone) not in found), line)
        if all(gone != other for _, other in found):
            found.append((at, gone))
    return found


def _gone(module: cst.Module):
    wrapper = cst.MetadataWrapper(module)
    names = wrapper.resolve(QualifiedNameProvider)
    places = wrapper.resolve(PositionProvider)
    parents = wrapper.resolve(ParentNodeProvider)
    imports = (cst.ImportAlias, cst.ImportFrom, cst.Import)
    for node, of in names.items():
        if not isinstance(node, (cst.Name, cst.Attribute)):
            continue
        parent = parents.get(node)
        if isinstance(parent, (*imports, cst.Attribute, cst.AsName)):
            continue
        for one in of() if callable(of) else of:
            inside = any(one.name == gone or one.name.startswith(f"{gone}.") for gone in _GONE)
            if inside and one.source.name == "IMPORT":
                yield places[node].start.line, cst.Module([]).code_for_node(node), one.name


_GONE = (*GONE_MODULES, *CUSTOM_CALL)
