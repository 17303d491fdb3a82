"""Names of JAX that packages use, found in their syntax trees without importing them.

    scan.py ARCHIVE...     wheels and sdists; prints "NAME PACKAGE-VERSION..." a line

A name is the longest dotted path that a package writes, through its imports and their aliases:
after `from jax import core as c`, `c.Primitive("x")` is jax.core.Primitive. What a package tries
(`try: ... except ImportError`) and has another way for is left out.
"""

import ast
import pathlib
import re
import sys
import tarfile
import zipfile

ROOTS = ("jax", "jaxlib")
_MISSED = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}


def sources(archive):
    """The package's Python files: (path, text). Its tests, examples and documents are left out."""
    if str(archive).endswith((".whl", ".zip")):
        with zipfile.ZipFile(archive) as opened:
            names = [name for name in opened.namelist() if is_source(name)]
            yield from ((name, opened.read(name)) for name in names)
    else:
        with tarfile.open(archive) as opened:
            for member in opened:
                if member.isfile() and is_source(member.name):
                    yield member.name, opened.extractfile(member).read()


def is_source(name):
    parts = pathlib.PurePosixPath(name).parts
    if not name.endswith(".py") or parts[-1] in ("setup.py", "conftest.py"):
        return False
    if re.search(r"(^|_)tests?(_|\.py$)", parts[-1]):
        return False
    return not {"tests", "test", "testing", "examples", "docs", "benchmarks"} & set(parts[:-1])


class _Names(ast.NodeVisitor):
    def __init__(self):
        self.names = set()
        self._aliases = {}
        self._tried = 0

    def visit_Try(self, node):
        caught = {
            part.id if isinstance(part, ast.Name) else "Exception"
            for handler in node.handlers
            for part in (
                handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            )
        }
        self._tried += bool(caught & _MISSED)
        for statement in node.body:
            self.visit(statement)
        self._tried -= bool(caught & _MISSED)
        # The other way, which is for other releases as well.
        self._tried += 1
        for part in [*node.handlers, *node.orelse]:
            self.visit(part)
        self._tried -= 1
        for part in node.finalbody:
            self.visit(part)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.partition(".")[0] in ROOTS:
                self._add(alias.name)
                if alias.asname:
                    self._aliases[alias.asname] = alias.name
                else:
                    root = alias.name.partition(".")[0]
                    self._aliases[root] = root

    def visit_ImportFrom(self, node):
        if node.level == 0 and (node.module or "").partition(".")[0] in ROOTS:
            for alias in node.names:
                if alias.name == "*":
                    self._add(node.module)
                    continue
                name = f"{node.module}.{alias.name}"
                self._add(name)
                self._aliases[alias.asname or alias.name] = name

    def visit_Attribute(self, node):
        path, inner = [], node
        while isinstance(inner, ast.Attribute):
            path.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._aliases:
            self._add(".".join([self._aliases[inner.id], *reversed(path)]))
        else:
            self.visit(inner)

    def _add(self, name):
        if not self._tried:
            self.names.add(name)


def scan(archive):
    found = set()
    for _, text in sources(archive):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue  # Python 2's, templates
        visitor = _Names()
        visitor.visit(tree)
        found |= visitor.names
    return found


def main(archives):
    users = {}
    for archive in archives:
        package = "-".join(pathlib.Path(archive).name.split("-")[:2]).removesuffix(".tar.gz")
        for name in scan(archive):
            users.setdefault(name, set()).add(package)
    for name, packages in sorted(users.items()):
        print(name, *sorted(packages))


if __name__ == "__main__":
    main(sys.argv[1:])
