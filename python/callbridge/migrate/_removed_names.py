"""The names that a program asks JAX for, and that JAX removed: what to write instead.

_core/_jax_names.py says what went, and the tables of resurrect what stands for it there. Those are
read as texts: importing them imports JAX, and changes it.
"""

from __future__ import annotations

import ast
import functools
import pathlib
import warnings
from typing import Any

import libcst as cst

from callbridge._core import _jax_names

_TABLES = pathlib.Path(_jax_names.__file__).parents[1] / "resurrect/_names"
# Gone before the oldest release that was walked, or private.
_GONE_BEFORE = ("jaxlib.mhlo_helpers", "jax._src.lib.xla_client.ops", "jax.ad_util")


def what_is_left(before: cst.Module, after: cst.Module) -> list[tuple[int, str]]:
    """Returns what the program `after` asks for that JAX removed: the line in the program `before`,
    and what to write. What it tries, and has another way for, is left out."""
    lines = before.code.splitlines()
    found: list[tuple[int, str]] = []
    texts = set()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            asked = _asked_for(ast.parse(after.code))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        return [(line, f"names that JAX removed are not looked for, as Python says: {error}")]
    for line, name in asked:
        text = _removed(name)
        # Of a module, what it is asked for says more.
        if text is None or text in texts or any(one.startswith(f"{name}.") for _, one in asked):
            continue
        texts.add(text)
        spelled = after.code.splitlines()[line - 1].strip()
        same = [i for i, one in enumerate(lines, 1) if one.strip() == spelled]
        near = [i for i, one in enumerate(lines, 1) if name.rpartition(".")[2] in one]
        found.append((next(iter([*same, *near]), line), text))
    return found


_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _asked_for(tree: ast.Module) -> list[tuple[int, str]]:
    """By line, the longest names of JAX's that the program writes. libcst's providers know them,
    too, and take as long for it as all of the rest."""
    asked: set[tuple[int, str]] = set()

    def visit(node: ast.AST, scopes: list[dict[str, set[str | None]]]) -> None:
        if isinstance(node, ast.Try) and node.handlers:
            return
        if isinstance(node, _SCOPES):
            scopes = [*scopes, _bindings(node)]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            asked.update((node.lineno, _full(node, one)) for one in node.names if one.name != "*")
        path = _path(node)
        if not path:
            for child in ast.iter_child_nodes(node):
                visit(child, scopes)
            return
        part = node
        while not isinstance(part, ast.Name):  # what is written between its parts
            if isinstance(part, ast.Attribute):
                part = part.value
            elif isinstance(part, ast.Subscript):
                visit(part.slice, scopes)
                part = part.value
            else:
                for child in [*part.args, *part.keywords]:  # type: ignore[attr-defined]
                    visit(child, scopes)
                part = part.func  # type: ignore[attr-defined]
        known = next((one[path[0]] for one in reversed(scopes) if path[0] in one), set())
        if len(known) == 1 and None not in known:
            asked.add((node.lineno, ".".join([*known, *path[1:]])))  # type: ignore[attr-defined, list-item]

    visit(tree, [_bindings(tree)])
    return sorted(asked)


def _full(line: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(line, ast.Import):
        return alias.name
    return f"{'.' * line.level}{line.module or ''}.{alias.name}"


def _path(node: ast.AST) -> list[str]:
    """The parts of a dotted name, `a.b(c)[d].e` being a.b.e; none of anything else."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _path(node.value)
        return [*before, node.attr] if before else []
    if isinstance(node, (ast.Call, ast.Subscript)):
        return _path(node.func if isinstance(node, ast.Call) else node.value)
    return []


def _bindings(scope: ast.AST) -> dict[str, set[str | None]]:
    """By name, what it is in a scope: what is imported by it, or None."""
    found: dict[str, set[str | None]] = {}
    left = list(ast.iter_child_nodes(scope))
    while left:
        node = left.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                is_first = isinstance(node, ast.Import) and alias.asname is None
                local = alias.asname or first
                found.setdefault(local, set()).add(first if is_first else _full(node, alias))
            continue
        bound = {
            **{ast.FunctionDef: "name", ast.AsyncFunctionDef: "name", ast.ClassDef: "name"},
            **{ast.ExceptHandler: "name", ast.arg: "arg"},
        }.get(type(node))
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound = "id"
        if bound is not None:
            found.setdefault(getattr(node, bound), set()).add(None)
        if not isinstance(node, _SCOPES):
            left += ast.iter_child_nodes(node)
    return found


def _removed(name: str) -> str | None:
    """What to write for a name that JAX removed; None if it did not."""
    found = _gone_parts(name)
    if not found:
        if any(name == one or name.startswith(f"{one}.") for one in _GONE_BEFORE):
            return f"today's JAX has no {name}; write it by hand"
        return None
    module, last, _ = found[-1]
    least = min((release for *_, release in found), key=_numbers)
    return f"JAX has no {module}.{last} since {least}; {_instead(module, last)}"


def _gone_parts(name: str) -> list[tuple[str, str, str]]:
    """The modules and names of the path that went, and when; the outermost first."""
    parts = name.split(".")
    paths = [(".".join(parts[:i]), parts[i]) for i in range(1, len(parts))]
    return [(*path, _gone()[path]) for path in paths if path in _gone()]


def _numbers(release: str) -> list[int]:
    return [int(one) for one in release.split(".")]


@functools.cache
def _gone() -> dict[tuple[str, str], str]:
    """By module, or class, and name, the first release that was walked and has it no more."""
    gone = {
        (module, name): release
        for module, releases in _jax_names.GONE.items()
        for release, names in releases.items()
        for name in names.split()
    }
    for own, like in _jax_names.LIKE.items():
        gone.update({(own, name): at for (module, name), at in gone.items() if module == like})
    for row in _rows("_members_table.py"):
        if "members" in row["keywords"] and "gone" in row["keywords"]:
            for name in row["names"]:
                gone[row["module"], name] = ast.literal_eval(row["keywords"]["gone"])
    return gone


@functools.cache
def _instead(module: str, name: str) -> str:
    full = f"{module}.{name}"
    told = _literal("INSTEAD").get(full)
    if told is not None:
        return f"write {told}"
    private = ""
    for row in _rows("_table.py"):
        if row["module"] != _jax_names.LIKE.get(module, module) or name not in row["names"]:
            continue
        for call in row["stand_ins"]:
            arguments = [ast.literal_eval(one) for one in call.args]
            if call.func.id in ("Refused", "no_instances"):
                return _literal("REASONS")[arguments[0]]
            renamed = {one.arg: ast.literal_eval(one.value) for one in call.keywords}.get(
                "names", {}
            )
            if call.func.id == "Modules":
                arguments, renamed = [arguments[0][name].rpartition(".")[0]], {}
            for origin in arguments:
                there = f"{origin}.{renamed.get(name, name)}"
                is_public = not any(part.startswith("_") for part in there.split("."))
                if is_public and not _gone_parts(there):
                    return f"write {there}"
                if not is_public and not origin.startswith("callbridge"):
                    private = private or there
    if private:
        return f"{private} has it, which is private; or import callbridge.resurrect before"
    return "write it by hand, or import callbridge.resurrect before"


@functools.cache
def _tree(table: str) -> ast.Module:
    return ast.parse((_TABLES / table).read_text())


@functools.cache
def _rows(table: str) -> list[dict[str, Any]]:
    """The rows of a table, as far as they are texts."""
    found = []
    for node in ast.walk(_tree(table)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "row":
            keywords = {one.arg: one.value for one in node.keywords}
            calls = [*node.args[2:], keywords.get("at_once")]
            found.append(
                {
                    "module": ast.literal_eval(node.args[0]),
                    "names": set(ast.literal_eval(node.args[1]).split()),
                    "stand_ins": [one for one in calls if isinstance(one, ast.Call)],
                    "keywords": keywords,
                }
            )
    return found


@functools.cache
def _literal(name: str) -> dict[str, str]:
    """A table of texts of resurrect's."""
    for node in _tree("_row.py").body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return ast.literal_eval(node.value)
    raise KeyError(name)
