"""Prints as JSON what the JAX of this Python has: each public name of its own, by module.

The modules are all public ones of JAX and jaxlib but those of LEFT_OUT. A name is JAX's own if JAX
defines or assigns it: what a module imports from elsewhere (typing, NumPy) is not.
"""

import ast
import enum
import importlib
import inspect
import json
import logging
import pkgutil
import re
import sys
import types
import typing
import warnings

# Languages of kernels, each with a compiler of its own; a bridge to TensorFlow; JAX's own tools and
# tests.
LEFT_OUT = {
    "jax.collect_profile",
    "jax.experimental.colocated_python",
    "jax.experimental.jax2tf",
    "jax.experimental.mosaic",
    "jax.experimental.pallas",
    "jax.experimental.roofline",
    "jax.experimental.source_mapper",
    "jax.extend.pallas",
    "jax.test_util",
    "jax.tools",
    "jax.version",
    "jaxlib.cuda",
    "jaxlib.libjax_common",
    "jaxlib.mlir",
    "jaxlib.mosaic",
    "jaxlib.plugin_support",
    "jaxlib.rocm",
    "jaxlib.tools",
    "jaxlib.triton",
    "jaxlib.version",
}

_OURS = ("jax", "jaxlib")


def modules():
    """The names of the modules to look at that this JAX has."""
    import jax
    import jaxlib

    names = ["jax", "jaxlib"]
    packages = [("jax", jax.__path__), ("jaxlib", jaxlib.__path__)]
    while packages:
        package, path = packages.pop()
        for found in pkgutil.iter_modules(path, f"{package}."):
            last = found.name.rpartition(".")[2]
            if found.name in LEFT_OUT or last[0] == "_" or last.endswith(("_test", "test_util")):
                continue
            try:
                module = find(found.name)
            except ModuleNotFoundError:
                UNKNOWN.append(found.name)
                continue
            if module is not None:
                names.append(found.name)
                if found.ispkg:
                    packages.append((found.name, module.__path__))
    # Up to 0.5, jax.lib imports these from elsewhere under its name.
    names += ["jax.lib.xla_client", "jax.lib.xla_extension", "jax.lib.xla_bridge"]
    return sorted({name for name in names if find(name) is not None})


# Those that need a package which is not here.
UNKNOWN = []


def find(path):
    """The module, or what a module has by that name and programs import from; else None."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if not f"{path}.".startswith(f"{error.name}.") and is_ours(path):
            raise
    parent, _, name = path.rpartition(".")
    owner = find(parent) if parent else None
    value = getattr(owner, name, None)
    return value if isinstance(value, types.ModuleType) else None


def is_ours(module_name):
    return str(module_name).partition(".")[0] in _OURS


def parsed(module):
    """Its source's tree: an empty one where it has none that Python reads."""
    try:
        return ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return ast.Module([], [])


def imported(tree):
    """By name, whether it is imported from JAX: only names that the module imports are there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = is_ours(alias.name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                # `from numpy import pi as pi` says that it is the module's own too.
                is_given_on = alias.asname == alias.name
                is_from_ours = node.level > 0 or is_ours(node.module)
                found[alias.asname or alias.name] = is_from_ours or is_given_on
    return found


def assigned(tree):
    """The names that the module gives values to, from wherever: x = ml_dtypes.bfloat16."""
    targets = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets.append(node.target)
    return {
        name.id
        for target in targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }


def own_names(module):
    """Each public name that is JAX's own, and its value."""
    tree = parsed(module)
    from_where, given = imported(tree), assigned(tree)
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
        if is_own(name, value, from_where, given):
            yield name, value


def is_own(name, value, from_where, given):
    if isinstance(value, types.ModuleType):
        return is_ours(value.__name__)
    if isinstance(value, (typing.TypeVar, typing.ParamSpec)) or value is typing.TYPE_CHECKING:
        return False
    if isinstance(value, (logging.Logger, re.Pattern)):
        return False
    if name in given:
        return True
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
    """The names of the parameters, with "=" after those that need not be passed, "/" after those by
    position alone, "*" before those by keyword alone, "**" for any; None where Python cannot tell.
    """
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    found = []
    by_position = False
    for parameter in signature.parameters.values():
        if by_position and parameter.kind != parameter.POSITIONAL_ONLY:
            found.append("/")
        by_position = parameter.kind == parameter.POSITIONAL_ONLY
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
            parameter.kind, ""
        )
        if parameter.kind == parameter.KEYWORD_ONLY and "*" not in found:
            if not any(name.startswith("*") for name in found):
                found.append("*")
        is_optional = parameter.default is not parameter.empty
        found.append(prefix + parameter.name + "=" * is_optional)
    return [*found, *["/"] * by_position]


def attributes(cls):
    """The public attributes that JAX gives the class or its bases."""
    # Which are jaxlib's own where it makes its enumerations itself.
    found = {"name", "value"} if issubclass(cls, enum.Enum) else set()
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
    for path in modules():
        found[path] = {name: describe(value) for name, value in own_names(find(path))}
    walked = {"release": jax.__version__, "names": found, "unknown": UNKNOWN}
    json.dump(walked, sys.stdout, indent=0, sort_keys=True)


if __name__ == "__main__":
    main()
