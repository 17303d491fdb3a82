"""Looks for names, the first of each line of a file, as programs do; prints those that are missing.

corpus_program.py FILE          what is missing, with those that use it
corpus_program.py FILE names    each name that is missing; not those that callbridge says it cannot
                                restore
"""

import importlib
import sys
import types
import warnings

import callbridge.resurrect  # noqa: F401

warnings.simplefilter("ignore")


def missing(path):
    """The part of the path that is not there; None. What an object has is not looked at."""
    first, *rest = path.split(".")
    owner, seen = importlib.import_module(first), first
    for name in rest:
        seen += f".{name}"
        if not isinstance(owner, (types.ModuleType, type)):
            return None
        try:
            owner = getattr(owner, name)
        except (AttributeError, ImportError) as error:
            try:
                owner = importlib.import_module(seen)
            except (ImportError, AttributeError):
                return f"{seen}: {error}"
    return None


if sys.argv[2:] == ["names"]:
    with open(sys.argv[1]) as lines:
        asked = {line.split()[0] for line in lines}
    for name in sorted(asked):
        what = missing(name)
        if what is not None and "callbridge.resurrect cannot restore" not in what:
            print(name)
    sys.exit()
with open(sys.argv[1]) as lines:
    found = {missing(line.split()[0]): line.split()[1:] for line in lines}
for what, packages in sorted((w, p) for w, p in found.items() if w is not None):
    print(what, packages)
