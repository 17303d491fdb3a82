"""Adds the private names that moved to the names that went, _jax_names.py.

    moved.py DEFINITIONS...            adds them, from what definitions.py printed, oldest first,
                                       and prints their rows for _table.py
    moved.py --missing DEFINITIONS...  prints what has no row

A name moved where one other module of jax._src, and no second one, defines the same: a function
that takes what it took, a class with its methods, a value that is made alike; or by its name with
a "_" more or less. What a module never defined, and only imported, is not looked at.
"""

import json
import pathlib
import re
import sys

import history
import table
from history import numbers

# The oldest release that has an environment; what went before is gone in it.
OLDEST = "0.4.13"
# What says nothing by its name, or is Python's; a class that there were two of.
COMMON = {"PytreeLeaf", "logger", "map", "partial", "zip"}


def accepts(now, then):
    """Whether a function of parameters `now` takes all calls of one of parameters `then`."""
    at = {word.strip("*=/"): index for index, word in enumerate(now)}
    for index, word in enumerate(then):
        name = word.strip("*=/")
        if word in now and (at.get(name) == index or "*" in then[:index]):
            continue
        if f"{name}=" not in now or at[name] != index:
            return False
    known = {word.strip("*=/") for word in then}
    return all(w.strip("*=/") in known or w[-1] == "=" or w[0] == "*" for w in now)


def is_same(now, then):
    (kind, about), (old_kind, old_about) = now, then
    if kind != old_kind:
        return False
    if kind == "function":
        return accepts(about, old_about)
    if kind == "class":
        # One without methods may be any.
        return bool(old_about) and len({*about} & {*old_about}) * 2 >= len(old_about)
    # `dtypes.f(x)` was `f(x)` once.
    plain = [re.sub(r"\b[\w.]+\.(?=\w)", "", text) for text in (about, old_about)]
    says_little = re.fullmatch(r"[\w.'\"-]*|[\[{(][\])}]|\w+\(\)|(TypeVar|getLogger)\(.*", plain[0])
    return plain[0] == plain[1] and not says_little


class Release:
    def __init__(self, walked):
        self.number, self.modules = walked["release"], walked["modules"]
        self.definers = {}
        for module, names in self.modules.items():
            for name, (kind, _) in names.items():
                if kind != "from":
                    self.definers.setdefault(name, []).append(module)

    def definition(self, module, name, steps=8):
        """(name, what it is) where it is defined, of a name that may be imported; None."""
        found = self.modules.get(module, {}).get(name)
        if found is None or found[0] != "from":
            return found and (name, found)
        return self.definition(*found[1], steps - 1) if steps else None

    def home(self, name, then):
        """The one module that defines the same, None if there is none or are several."""
        found = self.definers.get(name, [])
        same = [m for m in found if is_same(self.modules[m][name], then)]
        return same[0] if len(found) == len(same) == 1 else None


def moved(releases):
    """By (module, name): the release it is gone in, its origins, its name there."""
    own, had, gone = set(), {}, {}
    for release in releases:
        for module, names in release.modules.items():
            for name, (kind, _) in names.items():
                own |= {(module, name)} if kind != "from" else set()
                if (found := release.definition(module, name)) is not None:
                    had[module, name] = found
                    gone.pop((module, name), None)
        for module, name in had:
            if name not in release.modules.get(module, {}):
                gone.setdefault((module, name), release.number)
    rows = {}
    for (module, name), since in sorted(gone.items()):
        other, then = had[module, name]
        if (module, name) not in own or name.startswith("__") or name in COMMON:
            continue
        without = [r for r in releases if numbers(r.number) >= numbers(since)]
        for spelt in (other, other.lstrip("_"), f"_{other}"):
            homes = [release.home(spelt, then) for release in reversed(without)]
            if all(homes):
                since = max(since, OLDEST, key=numbers)
                rows[module, name] = (since, " ".join(dict.fromkeys(homes)), spelt)
                break
    rows.update(modules_that_went({module for module, _ in rows}, releases))
    return rows


def modules_that_went(modules, releases):
    """By (package, name): likewise, of modules which are made where programs look for names."""
    rows = {}
    for path in sorted(modules):
        lacking = [r.number for r in releases if path not in r.modules]
        # Those that came later were never gone.
        gone = [r for r in lacking if numbers(r) > numbers(first_with(path, releases))]
        if gone:
            parent, _, last = path.rpartition(".")
            rows[parent, last] = (max(gone[0], OLDEST, key=numbers), "import", path)
    return rows


def first_with(path, releases):
    return next(r.number for r in releases if path in r.modules)


def row_of(module, name, origins, other):
    if origins == "import":
        stand_in = f'Modules({{"{name}": "{other}"}})'
    else:
        modules = ", ".join(f'"{origin}"' for origin in origins.split())
        names = f', names={{"{name}": "{other}"}}' if name != other else ""
        stand_in = f"origin({modules}{names})"
    return f'    row("{module}", "{name}", {stand_in}),'


def main(arguments):
    is_question = arguments[:1] == ["--missing"]
    texts = [pathlib.Path(path).read_text() for path in arguments[is_question:]]
    known = table.read()
    found = moved([*map(Release, map(json.loads, texts))])
    rows = {key: row for key, row in found.items() if key not in known}
    if is_question:
        print(*sorted(".".join(key) for key in rows), sep="\n")
    else:
        gone = {**known, **{key: since for key, (since, *_) in rows.items()}}
        table.TABLE.write_text(table.text_of(gone, history.History.read()))
        for (module, name), (_, origins, other) in sorted(rows.items()):
            print(row_of(module, name, origins, other))


if __name__ == "__main__":
    main(sys.argv[1:])
