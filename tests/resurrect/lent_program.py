"""Prints which names of newer releases this JAX lacks under callbridge.resurrect, by module."""

import importlib
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "releases"))

import callbridge.resurrect  # noqa: E402, F401
import jax  # noqa: E402
from history import GONE, History, numbers  # noqa: E402

HISTORY = History.read()
# LLVM's and jaxlib's own, which no package lends; a copy of jax.numpy, by its name for a while.
LEFT_OUT = (
    *("jax.extend.mlir.dialects.", "jax.extend.mlir.ir.", "jax.extend.mlir.passmanager."),
    *("jax.lib.", "jaxlib.", "jax.interpreters."),
    "jax.experimental.array_api",
)


def lacks(module, names):
    try:
        owner = importlib.import_module(module)
    except ImportError:
        return names
    return [name for name in names if not hasattr(owner, name)]


found = {}
for module, names in sorted(HISTORY.changes.items()):
    if f"{module}.".startswith(LEFT_OUT):
        continue
    here = numbers(jax.__version__)
    came = [n for n, c in sorted(names.items()) if numbers(c[0][0]) > here and c[-1][1] != GONE]
    if missing := lacks(module, came):
        found[module] = missing
print(json.dumps(found))
