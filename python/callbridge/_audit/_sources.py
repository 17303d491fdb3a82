"""What a package's Python sources ask of JAX, by their syntax trees. None of them is imported.

A name is the longest dotted path that a source writes, through its imports and their aliases: after
`from jax import core as c`, `c.Primitive("x")` is jax.core.Primitive.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import itertools
import pathlib
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_ROOTS = ("jax", "jaxlib")
_MISSED = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
# Functions of JAX, of any release, that register custom calls.
_REGISTERS = re.compile(
    r"jax(lib)?\.(.*\.)?(register_(ffi_target|custom_call_target|cpu_custom_call_target|"
    r"ffi_target_as_batch_partitionable|custom_call_as_batch_partitionable))"
)


class Use(NamedTuple):
    name: str  # "jax.core.Primitive"
    line: int
    # The source tries it, and has another way: `try: ... except ImportError`.
    is_tried: bool
    # It is asked for whenever the module is imported, before anything else can fail.
    is_certain: bool

    @property
    def registers(self) -> bool:
        return _REGISTERS.fullmatch(self.name) is not None


@dataclasses.dataclass
class Source:
    """What one source has.

    Attributes:
      uses: names of JAX, in order.
      imports: modules that importing it imports for certain, as it writes them, with their level.
      may_import: those that it may import.
    """

    uses: list[Use] = dataclasses.field(default_factory=list)
    imports: set[tuple[int, str]] = dataclasses.field(default_factory=set)
    may_import: set[tuple[int, str]] = dataclasses.field(default_factory=set)


def is_source(name: str) -> bool:
    """Whether a package's file is a part of it, and no test, example or document."""
    parts = pathlib.PurePosixPath(name).parts
    if not name.endswith(".py") or parts[-1] in ("setup.py", "conftest.py"):
        return False
    if re.search(r"(^|_)tests?(_|\.py$)", parts[-1]):
        return False
    return not {"tests", "test", "testing", "examples", "docs", "benchmarks"} & set(parts[:-1])


def read(text: str | bytes) -> Source:
    """Raises ValueError for what this Python cannot parse: Python 2's, templates."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        reader = _Reader(_bindings(tree))
        reader.visit(tree)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(str(error)) from error
    return reader.source


def _bindings(tree: ast.AST) -> collections.Counter[str]:
    """How many times each name is bound anywhere in a module."""
    found: collections.Counter[str] = collections.Counter()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((each.asname or each.name).partition(".")[0] for each in node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.arg):
            found[node.arg] += 1
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] += 1
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] += 1
    return found


class _Reader(ast.NodeVisitor):
    def __init__(self, bindings: Mapping[str, int]) -> None:
        self.source = Source()
        self._bindings = bindings
        self._aliases: dict[str, str] = {}
        self._tried = 0
        self._conditional = 0  # inside what may not run when the module is imported

    # ---- What runs when

    def _maybe(self, nodes: Iterable[ast.AST | None]) -> None:
        self._conditional += 1
        for node in nodes:
            if node is not None:
                self.visit(node)
        self._conditional -= 1

    def visit_Try(self, node: ast.Try) -> None:
        caught = {
            part.id if isinstance(part, ast.Name) else "Exception"
            for handler in node.handlers
            for part in (
                handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            )
        }
        may_miss = bool(caught & _MISSED)
        self._tried += may_miss
        self._conditional += may_miss
        for statement in node.body:
            self.visit(statement)
        self._tried -= may_miss
        self._conditional -= may_miss
        # The other way, which is for other releases as well.
        self._tried += 1
        self._maybe([*node.handlers, *node.orelse])
        self._tried -= 1
        for part in node.finalbody:
            self.visit(part)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._maybe([*node.body, *node.orelse])

    def visit_While(self, node: ast.While) -> None:
        self._maybe([node.test, *node.body, *node.orelse])

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self._maybe([node.target, *node.body, *node.orelse])

    def visit_With(self, node: ast.With) -> None:
        # It may suppress errors.
        self._maybe([*node.items, *node.body])

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        self._maybe([node.body, node.orelse])

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.visit(node.values[0])
        self._maybe(node.values[1:])

    def visit_Assert(self, node: ast.Assert) -> None:
        self._maybe([node.test, node.msg])

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in node.decorator_list:
            self.visit(part)
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        for default in defaults:
            if default is not None:
                self.visit(default)
        # Annotations may stay texts.
        arguments = [
            *itertools.chain(node.args.posonlyargs, node.args.args, node.args.kwonlyargs),
            *(each for each in (node.args.vararg, node.args.kwarg) if each is not None),
        ]
        self._maybe([*(each.annotation for each in arguments), node.returns, *node.body])

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
        self._maybe([node.annotation, node.target])

    def _visit_later(self, node: ast.AST) -> None:
        self._maybe(ast.iter_child_nodes(node))

    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = (
        _visit_later
    )
    visit_Match = visit_TryStar = visit_AsyncFor = visit_AsyncWith = _visit_later

    # ---- Names

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._note_import(0, alias.name)
            if alias.name.partition(".")[0] in _ROOTS:
                self._add(alias.name, node.lineno)
                if alias.asname:
                    self._aliases[alias.asname] = alias.name
                else:
                    root = alias.name.partition(".")[0]
                    self._aliases[root] = root

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        self._note_import(node.level, module)
        for alias in node.names:
            self._note_import(node.level, f"{module}.{alias.name}".lstrip("."))
        if node.level == 0 and module.partition(".")[0] in _ROOTS:
            for alias in node.names:
                if alias.name == "*":
                    self._add(module, node.lineno)
                    continue
                name = f"{module}.{alias.name}"
                self._add(name, node.lineno)
                self._aliases[alias.asname or alias.name] = name

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            path.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._aliases:
            name = ".".join([self._aliases[inner.id], *reversed(path)])
            is_plain = isinstance(node.ctx, ast.Load) and self._bindings[inner.id] == 1
            self._add(name, node.lineno, is_plain)
        else:
            self.visit(inner)

    def _note_import(self, level: int, module: str) -> None:
        into = self.source.may_import if self._conditional else self.source.imports
        into.add((level, module))

    def _add(self, name: str, line: int, is_plain: bool = True) -> None:
        is_certain = is_plain and not self._conditional
        self.source.uses.append(Use(name, line, bool(self._tried), is_certain))


# ---- The modules of a package


def imported_for_certain(sources: Mapping[str, Source]) -> set[str]:
    """Returns the files that importing a public module of the package imports, whatever happens.

    `sources` are those of the files, by their paths in the wheel. Public modules are those that a
    user may import: no other file of the package imports them, or they are packages at the top, and
    no part of their names begins with "_".
    """
    files = {_module(path): path for path in sources}
    certain = {path: set(_within(path, source.imports, files)) for path, source in sources.items()}
    maybe = {path: set(_within(path, source.may_import, files)) for path, source in sources.items()}
    imported = {
        other
        for found in (certain, maybe)
        for path, others in found.items()
        for other in others
        if other != path
    }
    rest = [
        path
        for module, path in files.items()
        if not any(part.startswith("_") for part in module.split("."))
        and (path not in imported or "." not in module)
    ]
    reached: set[str] = set()
    while rest:
        path = rest.pop()
        if path not in reached:
            reached.add(path)
            rest += [*certain[path], *_parents(_module(path), files)]
    return reached


def _module(path: str) -> str:
    parts = list(pathlib.PurePosixPath(path).with_suffix("").parts)
    if re.fullmatch(r".*\.data", parts[0]) and len(parts) > 2:
        del parts[:2]  # NAME.data/purelib
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _parents(module: str, files: Mapping[str, str]) -> Iterator[str]:
    parts = module.split(".")
    for count in range(1, len(parts)):
        if (path := files.get(".".join(parts[:count]))) is not None:
            yield path


def _within(
    path: str, imports: Iterable[tuple[int, str]], files: Mapping[str, str]
) -> Iterator[str]:
    """Returns the files of the package that these imports run."""
    module = _module(path)
    package = module.split(".") if path.endswith("/__init__.py") else module.split(".")[:-1]
    for level, name in imports:
        above = package[: len(package) - level + 1] if level else []
        full = ".".join([*above, *([name] if name else [])])
        if full in files:
            yield files[full]
        yield from _parents(full, files)
