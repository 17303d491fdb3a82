"""Prints as JSON what the JAX of this Python has: each public name of its own, by module.

    walk.py [MODULE...]

The modules are those of ROOTS, with all that is in them, and the arguments, alone. A name is JAX's
own if JAX defines it: what a module imports from elsewhere (typing, NumPy) is not.
"""

import ast
import enum
import importlib
import inspect
import json
import pkgutil
import sys
import types
import typing
import warnings

# Alone, and with their submodules.
ROOTS = ["jax", "jax.core", "jax.ffi", "jax.lax", "jax.linear_util", "jax.abstract_arrays"]
ROOTS_WITH_ALL = ["jax.interpreters", "jax.lib", "jax.extend"]

_OURS = ("jax", "jaxlib")


def modules(arguments):
    """The names of the modules to look at that this JAX has."""
    names = [*ROOTS, *arguments]
    for root in ROOTS_WITH_ALL:
        package = find(root)
        names.append(root)
        if hasattr(package, "__path__"):
            names += [found.name for found in pkgutil.walk_packages(package.__path__, f"{root}.")]
    # Up to 0.5, jax.lib imports these from elsewhere under its name.
    names += ["jax.lib.xla_client", "jax.lib.xla_extension", "jax.lib.xla_bridge"]
    return sorted({name for name in names if find(name) is not None})


def find(path):
    """The module, or what a module has by that name and programs import from; else None."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        pass
    parent, _, name = path.rpartition(".")
    owner = find(parent) if parent else None
    value = getattr(owner, name, None)
    return value if isinstance(value, types.ModuleType) else None


def is_ours(module_name):
    return str(module_name).partition(".")[0] in _OURS


def imported(module):
    """By name, whether it is imported from JAX: only names that the module imports are there."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = is_ours(alias.name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = node.level > 0 or is_ours(node.module)
    return found


def own_names(module):
    """Each public name that is JAX's own, and its value."""
    from_where = imported(module)
    deprecated = vars(module).get("_deprecations", {})
    if not isinstance(deprecated, dict):
        deprecated = {}
    for name in sorted({*dir(module), *deprecated}):
        if name.startswith("_"):
            continue
        if (
            name in deprecated
            and isinstance(deprecated[name], tuple)
            and deprecated[name][1] is None
        ):
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        if is_own(name, value, from_where):
            yield name, value


def is_own(name, value, from_where):
    if isinstance(value, types.ModuleType):
        return is_ours(value.__name__)
    if isinstance(value, (typing.TypeVar, typing.ParamSpec)) or value is typing.TYPE_CHECKING:
        return False
    home = getattr(value, "__module__", None)
    if isinstance(home, str) and is_callable(value) and home != "builtins":
        return is_ours(home)
    # A plain value says nothing of where it is from.
    return from_where.get(name, True)


def is_callable(value):
    return isinstance(value, type) or callable(value)


def describe(value):
    """What is compared between releases: the kind, the parameters, a class's attributes."""
    if isinstance(value, types.ModuleType):
        return "module"
    kind = "class" if isinstance(value, type) else "function" if callable(value) else "value"
    if kind == "value" or str(getattr(value, "__module__", "")).startswith("jaxlib.mlir"):
        return kind  # LLVM's classes, in MLIR's bindings, are compared by their names
    words = [kind]
    # Python makes the constructors of these.
    if kind == "function" or not issubclass(value, (BaseException, enum.Enum)):
        found = parameters(value)
        words += [] if found is None else [f"({' '.join(found)})"]
    return " ".join(words + (attributes(value) if kind == "class" else []))


def parameters(value):
    """The names of the parameters, as they are passed: "*" before those by keyword alone, "**" for
    any; None where Python cannot tell."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    found = []
    for parameter in signature.parameters.values():
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
            parameter.kind, ""
        )
        if parameter.kind == parameter.KEYWORD_ONLY and "*" not in found:
            if not any(name.startswith("*") for name in found):
                found.append("*")
        found.append(prefix + parameter.name)
    return found


def attributes(cls):
    """The public attributes that JAX gives the class or its bases."""
    found = set()
    for base in cls.__mro__:
        if is_ours(getattr(base, "__module__", "")):
            found |= {name for name in vars(base) if name.isidentifier() and name[0] != "_"}
            found |= {name for name in annotations(base) if name[0] != "_"}
    return sorted(found)


def annotations(cls):
    try:
        return cls.__dict__.get("__annotations__", {})
    except AttributeError:
        return {}


def main():
    warnings.simplefilter("ignore")
    import jax

    found = {}
    for path in modules(sys.argv[1:]):
        found[path] = {name: describe(value) for name, value in own_names(find(path))}
    json.dump({"release": jax.__version__, "names": found}, sys.stdout, indent=0, sort_keys=True)


if __name__ == "__main__":
    main()
