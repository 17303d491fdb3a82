"""Prints which names of the table of names that went are, in this Python's JAX, another object than
the one that is to stand for them, where both are here: "module.name origin.other" in a line.

Of two functions or classes that are not one, their own names tell whether they are another.
"""

import importlib
import inspect
import runpy
import warnings

import table

warnings.simplefilter("ignore")


def found(module, name):
    """In a list, which is empty if this JAX has none."""
    try:
        return [getattr(importlib.import_module(module), name)]
    except Exception:
        return []


def own_name(value):
    return str(getattr(inspect.unwrap(value), "__name__", value)).strip("_")


def is_same(value, other):
    return value is other or own_name(value) == own_name(other)


def rows():
    """Those of _restored.py too: module, name, origins, name there."""
    for (module, name), (_, origins, other) in table.read().items():
        yield module, name, origins, other
    path = table.TABLE.with_name("_restored.py")
    for module, origin, names in runpy.run_path(str(path))["RESTORED"]:
        for entry in names.split():
            name, _, other = entry.partition("=")
            yield module, name, origin, other or name


compared = 0
for module, name, origins, other in rows():
    here = found(module, name)
    homes = [home for home in origins.split() if home.startswith("jax") and here]
    home, there = next(((h, o) for h in homes if (o := found(h, other))), (None, []))
    if home is not None:
        compared += 1
        if not is_same(*here, *there):
            print(f"{module}.{name} {home}.{other}")
print(f"{compared} compared")
