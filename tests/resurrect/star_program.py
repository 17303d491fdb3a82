"""Asks each module by `from module import *` for the names that it had on an older release."""

import importlib
import sys
import types
import warnings

warnings.simplefilter("ignore")
import jax  # noqa: E402

before = {}
for path in ("jax.numpy", "jax.lax", "jax.random", "jax.interpreters.xla", "jax.tree_util"):
    exec(f"from {path} import *", before.setdefault(path, {}))

from callbridge.jax._runtimes import is_since  # noqa: E402
from callbridge.resurrect._names._row import gone_in  # noqa: E402

went = {}
for path, releases in gone_in().items():
    for name, release in releases.items():
        if is_since(release) and name[0] != "_":
            went.setdefault(path, set()).add(name)
checked = 0
for path, names in went.items():
    try:
        module = importlib.import_module(path)
    except ImportError:
        continue
    if not isinstance(module, types.ModuleType) or "__all__" in vars(module):
        continue
    # Which is asked in a program alone.
    assert getattr(module, "__all__", None) is None, path
    found = {}
    try:
        exec(f"from {path} import *", found)
    except Exception as error:
        sys.exit(f"from {path} import *: {error!r}")
    for name in names:
        if name in vars(module) or hasattr(module, name):
            assert name in found, f"{path}.{name}"
            checked += 1
    lost = before.get(path, {}).keys() - found.keys()
    assert not lost, (path, lost)
assert checked > 5, checked

# As packages do that wrap all of it.
numpy_names = went.get("jax.numpy", set())
lacking = {n for n in numpy_names if hasattr(jax.numpy, n)} - vars(jax.numpy).keys()
assert all(n in jax.numpy._deprecations for n in lacking), lacking

from jax.numpy import *  # noqa: E402, F403

assert float(round_(1.5)) == 2  # noqa: F405
print("star: ok")
