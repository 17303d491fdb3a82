"""Prints which modules are not reached as attributes after one bare import, by that import, under
callbridge.resurrect; and which cannot be imported: submodules_program.py BARE... : MODULE..."""

import importlib
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "releases"))

import callbridge.resurrect  # noqa: E402, F401
import submodules  # noqa: E402

colon = sys.argv.index(":")
bares, wanted = sys.argv[1:colon], sys.argv[colon + 1 :]


def absent():
    found = []
    for path in wanted:
        try:
            importlib.import_module(path)
        except ImportError:
            parent, _, name = path.rpartition(".")
            if not hasattr(sys.modules.get(parent), name):
                found.append(path)
    return found


def missing(bare, paths):
    try:
        importlib.import_module(bare)
    except ImportError:
        return []  # which this JAX has not
    found = []
    for path in paths:
        # Of a package that programs must import, what is in it.
        package = next(p for p in packages(path) if p not in wanted)
        try:
            value = importlib.import_module(package)
            for name in path[len(package) + 1 :].split("."):
                value = getattr(value, name)
        except AttributeError:
            found.append(path)
    return found


def packages(path):
    """Those that it is in, from the inside."""
    while "." in path:
        path = path.rpartition(".")[0]
        yield path


none = submodules.in_a_fork(absent)
paths = [path for path in wanted if path not in none]
print(json.dumps({
    "absent": none,
    "missing": {bare: submodules.in_a_fork(missing, bare, paths) for bare in bares},
}))  # fmt: skip
