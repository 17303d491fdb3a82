"""What a migrated program has of JAX: imports of what it needs now, in their places, and no others;
and another way for each release that lacks some of it.
"""

from __future__ import annotations

import libcst as cst
from libcst import matchers as m
from libcst.metadata import ScopeProvider

# ---- Functions of jax.ffi, and what stands for them where JAX lacks them
#
# Each is what the programs use of it that the codemod writes. jaxlib runs typed handlers since
# 0.4.30, and untyped targets on all releases: what programs have of JAX for these, 0.4.13 has, too.

_REGISTER = """
try:
    from jax.ffi import register_ffi_target
except ImportError:  # JAX before 0.5
    from jax.lib import xla_client

    def register_ffi_target(name, fn, platform="cpu", api_version=1):
        # JAX 0.4.13 has untyped targets, 0, and no such parameter.
        version = {"api_version": api_version} if api_version else {}
        xla_client.register_custom_call_target(name, fn, platform, **version)
"""
_LOWERING = """
try:
    from jax.ffi import build_ffi_lowering_function
except ImportError:  # JAX before 0.7.1
    from jax.interpreters import mlir
    from jaxlib.mlir import ir

    def build_ffi_lowering_function(
        name, *, operand_layouts=None, result_layouts=None, api_version=4, **options
    ):
        def layouts(avals, given):
            row_major = [tuple(range(len(aval.shape)))[::-1] for aval in avals]
            pairs = zip(given or [None] * len(avals), row_major)
            return [own if one is None else one for one, own in pairs]

        def lower(ctx, *operands, **attributes):
            call = {
                "result_types": [mlir.aval_to_ir_type(aval) for aval in ctx.avals_out],
                "operand_layouts": layouts(ctx.avals_in, operand_layouts),
                "result_layouts": layouts(ctx.avals_out, result_layouts),
                "api_version": api_version,
                **options,
            }
            if api_version == 4:
                texts = {key: ir.StringAttr.get(text) for key, text in attributes.items()}
                call["backend_config"] = {**options.get("backend_config", {}), **texts}
            return mlir.custom_call(name, operands=operands, **call)

        return lower
"""
# Its last call, where targets stay untyped.
_TYPED_CALL = """\
            return mlir.custom_call(name, operands=operands, **call)
"""
_UNTYPED_CALL = """\
            if hasattr(mlir, "custom_call"):
                return mlir.custom_call(name, operands=operands, **call)
            from types import SimpleNamespace  # JAX before 0.4.16

            from jaxlib.hlo_helpers import custom_call

            results = custom_call(name, call.pop("result_types"), operands, **call)
            return SimpleNamespace(results=results, result=results[0])
"""
_PRIMITIVE = """
try:
    from jax.extend.core import Primitive
except ImportError:  # JAX before 0.4.17
    from jax.core import Primitive
"""
_FFI = """
try:
    from jax import ffi
except ImportError:  # JAX before 0.5
    from jax.extend import ffi
"""
# Since when ffi_call returns a function of the operands.
FFI_CALL_SINCE = "0.4.35"
FALLBACKS = {
    "register_ffi_target": _REGISTER,
    "build_ffi_lowering_function": _LOWERING,
    "Primitive": _PRIMITIVE,
    "ffi": _FFI,
}


def since_0_5(names: str, module: str = "jax") -> cst.Try:
    """Imports jax.ffi, or names of it, which is jax.extend.ffi on older releases."""
    old = module.replace("jax", "jax.extend", 1)
    text = (
        f"try:\n    from {module} import {names}\n"
        f"except ImportError:  # JAX before 0.5\n    from {old} import {names}\n"
    )
    return cst.ensure_type(cst.parse_statement(text), cst.Try)


# ---- All of them


def finish(
    before: cst.Module,
    after: cst.Module,
    needed: set[tuple[str, str | None]],
    others: list[str],
    typed: bool,
) -> cst.Module:
    """Returns `after` with what it imports as it must be.

    `needed`: modules, or names of modules, as (module, name); `others`: keys of FALLBACKS;
    `typed`: what the program registers becomes typed handlers.
    """
    # What nothing used before is there for others.
    kept = {_local(alias) for alias in _unused(before)}
    body = list(after.body)
    for module, name in sorted(needed, key=lambda one: (one[0], one[1] or "")):
        if not _has(body, module, name):
            _add(body, module, name)
    # What goes shows where what comes belongs, so it goes last.
    after = after.with_changes(body=body)
    gone = {alias for alias in _unused(after) if _local(alias) not in kept}
    body = _without(after, gone)
    known = {name for line in body for name in _bound(line)}
    blocks = [FALLBACKS[name] for name in others if name not in known]
    if not typed:
        blocks = [one.replace(_TYPED_CALL, _UNTYPED_CALL) for one in blocks]
    return after.with_changes(body=_with_blocks(body, blocks))


def _without(module: cst.Module, gone: set[cst.ImportAlias]) -> list:
    """The lines of a module without imports; a blank line above a group stays above it."""
    body: list = []
    above: list = []
    for line in module.body:
        left = line.visit(_Remover(gone))
        if not isinstance(left, cst.CSTNode):
            above = above or [one for one in line.leading_lines if one.comment is None]
            continue
        if above and _import(left) is not None and not line.leading_lines:
            left = left.with_changes(leading_lines=above)
        above = []
        body.append(left)
    return body


def _unused(module: cst.Module) -> list[cst.ImportAlias]:
    """A name that a text has, as `__all__` and annotations do, is used."""
    wrapper = cst.MetadataWrapper(module, unsafe_skip_copy=True)
    scopes = wrapper.resolve(ScopeProvider)
    texts = {one.value.strip("'\"") for one in m.findall(module, m.SimpleString())}  # type: ignore[attr-defined]
    aliases: list[cst.ImportAlias] = []
    used = set()
    for scope in set(scopes.values()):
        for assignment in scope.assignments if scope is not None else ():
            line = getattr(assignment, "node", None)
            if not isinstance(line, (cst.Import, cst.ImportFrom)) or isinstance(
                line.names, cst.ImportStar
            ):
                continue
            for alias in line.names:
                if f"{_local(alias)}.".startswith(f"{assignment.name}."):
                    aliases.append(alias)
                    if assignment.references or assignment.name in texts:
                        used.add(alias)
    return [alias for alias in aliases if alias not in used]


def _local(alias: cst.ImportAlias) -> str:
    return alias.evaluated_alias or alias.evaluated_name


class _Remover(cst.CSTTransformer):
    """Removes imports where others stand for them; those of a `try` stay, for their handlers."""

    def __init__(self, gone: set[cst.ImportAlias]):
        super().__init__()
        self.gone = gone

    def visit_Try(self, node: cst.Try) -> bool:
        return False

    def leave_SimpleStatementLine(self, original_node, updated_node):
        line = original_node.body[0]
        if len(original_node.body) != 1 or not isinstance(line, (cst.Import, cst.ImportFrom)):
            return updated_node
        if isinstance(line.names, cst.ImportStar):
            return updated_node
        names = [alias for alias in line.names if alias not in self.gone]
        if len(names) == len(line.names):
            return updated_node
        if not names:
            return cst.RemoveFromParent()
        names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(body=[line.with_changes(names=names)])


# ---- Where they stand


def _import(line: cst.CSTNode) -> cst.Import | cst.ImportFrom | None:
    """The import that a line of a module is alone."""
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        if isinstance(line.body[0], (cst.Import, cst.ImportFrom)):
            return line.body[0]
    return None


def _module(line: cst.Import | cst.ImportFrom) -> str:
    code = cst.Module([]).code_for_node
    if isinstance(line, cst.Import):
        return line.names[0].evaluated_name
    return "." * len(line.relative) + ("" if line.module is None else code(line.module))


def _key(line: cst.Import | cst.ImportFrom) -> tuple[bool, str]:
    """By which linters sort the imports of a group."""
    return isinstance(line, cst.ImportFrom), _module(line).lower()


def _has(body: list, module: str, name: str | None) -> bool:
    for line in body:
        found = _import(line)
        if found is None or isinstance(found.names, cst.ImportStar):
            continue
        if isinstance(found, cst.ImportFrom):
            aliases = [(one.evaluated_name, one.evaluated_alias) for one in found.names]
            if name is not None and _module(found) == module and (name, None) in aliases:
                return True
        elif name is None and any(
            one.evaluated_alias is None
            and (one.evaluated_name == module or one.evaluated_name.startswith(f"{module}."))
            for one in found.names
        ):
            return True
    return False


def _add(body: list, module: str, name: str | None) -> None:
    """Into a line of that module, or else by a line in the group of JAX's, or the last one that has
    no modules of the same package: linters put the standard library's before others."""
    code = f"import {module}" if name is None else f"from {module} import {name}"
    if name is not None:
        for i, line in enumerate(body):
            found = _import(line)
            if (
                isinstance(found, cst.ImportFrom)
                and _module(found) == module
                and not isinstance(found.names, cst.ImportStar)
            ):
                body[i] = line.with_changes(body=[_with_name(found, name)])
                return
    new = cst.ensure_type(cst.parse_statement(code), cst.SimpleStatementLine)
    groups = _groups(body)
    if not groups:
        at = _header_end(body)
        body.insert(at, new)
        return
    groups = [one for one in groups if not _is_relative(body[one[0]])] or groups
    jaxs = [
        group
        for group in groups
        if any(_module(_import(body[i])).split(".")[0] in ("jax", "jaxlib") for i in group)  # type: ignore[arg-type]
    ]
    group = jaxs[0] if jaxs else groups[-1]
    key = _key(new.body[0])  # type: ignore[arg-type]
    at = next((i for i in group if _key(_import(body[i])) > key), group[-1] + 1)  # type: ignore[arg-type]
    if at == group[0]:  # the blank line, and the comment, stand above the group
        new = new.with_changes(leading_lines=body[at].leading_lines)
        body[at] = body[at].with_changes(leading_lines=[])
    body.insert(at, new)


def _with_name(line: cst.ImportFrom, name: str) -> cst.ImportFrom:
    """In order, if the line's names are."""
    names = [one for one in line.names]  # type: ignore[union-attr]
    spelled = [one.evaluated_name for one in names]
    at = len(names)
    if spelled == sorted(spelled):
        at = next((i for i, one in enumerate(spelled) if one > name), at)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if len(names) > 1 and isinstance(names[0].comma, cst.Comma):
        comma = names[0].comma
    if at == len(names):
        last = names[-1].comma
        names[-1] = names[-1].with_changes(comma=comma)
        names.append(cst.ImportAlias(cst.Name(name), comma=last))
    else:
        names.insert(at, cst.ImportAlias(cst.Name(name), comma=comma))
    return line.with_changes(names=names)


def _is_relative(line: cst.CSTNode) -> bool:
    return m.matches(
        line, m.SimpleStatementLine(body=[m.ImportFrom(relative=[m.Dot(), m.ZeroOrMore()])])
    )


def _groups(body: list) -> list[list[int]]:
    """The places of the imports that stand together, without a blank line, up to the first code."""
    groups: list[list[int]] = []
    for i, line in enumerate(body[: _header_end(body)]):
        found = _import(line)
        if found is None or _module(found) == "__future__":
            continue
        if not groups or groups[-1][-1] != i - 1 or line.leading_lines:
            groups.append([])
        groups[-1].append(i)
    return groups


def _header_end(body: list) -> int:
    """The place behind the imports that a module begins with, and its docstring."""
    at = 0
    text = m.SimpleStatementLine(body=[m.Expr(m.SimpleString() | m.ConcatenatedString())])
    name = m.Name(m.MatchRegex("__.*__"))  # __all__ stands above the imports in many modules
    dunder = m.SimpleStatementLine(body=[m.Assign(targets=[m.AssignTarget(name)])])
    for i, line in enumerate(body):
        if i == 0 and m.matches(line, text):
            at = 1
        elif _import(line) is not None or _imports_alone(line):
            at = i + 1
        elif not m.matches(line, dunder):
            break
    return at


def _imports_alone(line: cst.CSTNode) -> bool:
    if not isinstance(line, cst.Try) or not isinstance(line.body, cst.IndentedBlock):
        return False
    return all(_import(one) is not None for one in line.body.body)


def _bound(line: cst.CSTNode) -> list[str]:
    """The names that imports bind, in a `try`, too."""
    found = m.findall(line, m.ImportAlias()) if not m.matches(line, m.FunctionDef()) else []
    return [_local(cst.ensure_type(one, cst.ImportAlias)) for one in found]


def _with_blocks(body: list, blocks: list[str]) -> list:
    if not blocks:
        return body
    at = _header_end(body)
    blank = cst.EmptyLine(indent=False)
    made = [
        cst.parse_statement(block.lstrip("\n")).with_changes(leading_lines=[blank])
        for block in blocks
    ]
    if at == 0:
        made[0] = made[0].with_changes(leading_lines=[])
    rest = body[at:]
    if rest and not any(one.comment is None for one in rest[0].leading_lines):
        rest[0] = rest[0].with_changes(leading_lines=[blank, *rest[0].leading_lines])
    return [*body[:at], *made, *rest]
