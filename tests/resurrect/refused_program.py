"""Prints the names that are refused though a module of JAX's has them where they would be looked
for; run in a process of its own."""

import pkgutil
import warnings

import jaxlib
from callbridge.resurrect._names import _lazy, _row
from table_modules import module_of

DIALECTS = "jax.extend.mlir.dialects."


def private(path):
    """Modules that may have what a public one, `path`, had."""
    if path.startswith(("jax.lib.", "jaxlib.")):
        bindings = [f"jaxlib.{found.name}" for found in pkgutil.iter_modules(jaxlib.__path__)]
        parts = {
            f"{module}.{name}"
            for module in bindings
            if module.startswith("jaxlib._")
            for name, value in getattr(imported(module), "__dict__", {}).items()
            if type(value).__name__ == "module" and value.__name__.startswith("jaxlib")
        }
        return [*bindings, *sorted(parts), "jax._src.xla_bridge"]
    if path.startswith(DIALECTS):
        return ["jaxlib.mlir.dialects." + path.removeprefix(DIALECTS)]
    words = path.split(".")[1:]
    return [".".join(["jax", "_src", *words[at:]]) for at in range(len(words))]


def imported(path):
    """Of jaxlib's binaries some are no modules, and some need what is not there."""
    try:
        return module_of(path)
    except ImportError:
        return None


warnings.simplefilter("ignore")
for path, names in _lazy.rows().items():
    module = module_of(path)
    if module is None:
        continue
    for name in names:
        try:
            getattr(module, name)
        except _row.NotHadError:
            had = [one for one in private(path) if one != path and name in dir(imported(one))]
            if had:
                print(path, name, *had)
