"""Prints which names of the table of names that went are, in this Python's JAX, another object than
the one that is to stand for them, where both are here: "module.name origin.other" in a line.

Of two functions or classes that are not one, their own names tell whether they are another.
"""

import importlib
import inspect
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


compared = 0
gone = table.read()
for row, name in [(each, name) for each in table.rows() for name in each.names]:
    module, here = row.module, found(row.module, name)
    if hasattr(row, "came") and (module, name) not in gone:
        continue  # which older releases lack
    homes = [
        (home, stand_in.names.get(name, name))
        for stand_in in (*row.at_once, *row.stand_ins)
        for home in (stand_in.args if stand_in.kind == "origin" and here else ())
        if home.startswith("jax")
    ]
    home, other, there = next(((h, n, o) for h, n in homes if (o := found(h, n))), (None, None, []))
    if home is not None:
        compared += 1
        if not is_same(*here, *there):
            print(f"{module}.{name} {home}.{other}")
print(f"{compared} compared")
