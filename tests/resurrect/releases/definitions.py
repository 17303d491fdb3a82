"""Prints as JSON what the modules of jax._src define, from their sources, which are not imported.

    definitions.py             of the JAX of this Python
    definitions.py FOLDER      of the JAX in a folder, such as an unpacked older one

By module and name: the kind ("function", "class", "value", "from": imported from JAX), and of a
function its parameters as walk.py has them, of a class its methods, of a value how it is made, of
an imported name where from.
"""

import ast
import importlib.util
import json
import pathlib
import re
import sys

# Tests, debuggers, and languages of kernels; copies of other libraries.
LEFT_OUT = re.compile(r"\.test_|internal_test|pallas|mosaic|debugger|third_party|\.lib\.mlir|_test")
_SHOWN = 120  # characters of a value, which tell one from another


def main(arguments):
    folder = pathlib.Path(arguments[0] if arguments else importlib.util.find_spec("jax").origin)
    root = folder if arguments else folder.parents[1]
    release = re.search(
        r"""^_?(?:_version__|version) = ["']([0-9.]+)["']""",
        (root / "jax/version.py").read_text(),
        re.MULTILINE,
    )[1]
    modules = {}
    for path in sorted((root / "jax/_src").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        if not LEFT_OUT.search(name):
            modules[name] = definitions(ast.parse(path.read_text()).body, name, is_package)
    json.dump({"release": release, "modules": modules}, sys.stdout)


def definitions(body, module, is_package):
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[node.name] = ["function", parameters(node.args)]
        elif isinstance(node, ast.ClassDef):
            methods = [part.name for part in node.body if isinstance(part, ast.FunctionDef)]
            found[node.name] = ["class", methods]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for part in getattr(target, "elts", [target]):
                    if isinstance(part, ast.Name) and node.value is not None:
                        found[part.id] = ["value", ast.unparse(node.value)[:_SHOWN]]
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                package = module.split(".")[: None if is_package else -1]
                package = package[: len(package) - node.level + 1]
                origin = ".".join([*package, *filter(None, [node.module])])
            if origin.partition(".")[0] == "jax":
                for alias in node.names:
                    found[alias.asname or alias.name] = ["from", [origin, alias.name]]
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            inside = [*node.body, *getattr(node, "orelse", [])]
            inside += [part for handler in getattr(node, "handlers", []) for part in handler.body]
            found.update(definitions(inside, module, is_package))
    return found


def parameters(args):
    by_position = [*args.posonlyargs, *args.args]
    first_optional = len(by_position) - len(args.defaults)
    found = []
    for index, parameter in enumerate(by_position):
        found.append(parameter.arg + "=" * (index >= first_optional))
        if args.posonlyargs and index == len(args.posonlyargs) - 1:
            found.append("/")
    if args.vararg:
        found.append(f"*{args.vararg.arg}")
    elif args.kwonlyargs:
        found.append("*")
    for parameter, default in zip(args.kwonlyargs, args.kw_defaults):
        found.append(parameter.arg + "=" * (default is not None))
    if args.kwarg:
        found.append(f"**{args.kwarg.arg}")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
