"""Imports callbridge.resurrect in one of the ways that notebooks do, and checks what is restored.

imports_program.py reload|purge|interrupt LIBRARY
"""

import importlib
import sys
import types
import warnings

import jax
import jax.extend
import jax.interpreters.xla
import jax.numpy  # noqa: F401

HOW, LIBRARY = sys.argv[1:]


def values():
    """What JAX's public modules have, by path; some private ones are set up when they are used."""
    return {
        (path, name): value
        for path, module in list(sys.modules.items())
        if path.partition(".")[0] in ("jax", "jaxlib") and "._src" not in path
        if isinstance(module, types.ModuleType)
        for name, value in own(module).items()
    }


def own(module):
    """What the module has but for what each import sets."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("__") or name == "__getattr__"
    }


def finders():
    return [finder for finder in sys.meta_path if "callbridge" in type(finder).__module__]


def names():
    """In an order and in a type that outlive the package's import."""
    found = sys.modules["callbridge.resurrect"].names()
    return sorted((name.module, name.name, name.kind) for name in found)


def purge():
    for name in [name for name in sys.modules if name.partition(".")[0] == "callbridge"]:
        del sys.modules[name]


class Interrupts:
    """Interrupts the import of callbridge.resurrect in the n-th call of its own functions."""

    def __init__(self, number):
        self._left = number

    def __call__(self, frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.endswith(("_names/_changes.py", "_names/_lazy.py")):
            self._left -= 1
            if self._left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt


def is_interrupted(number):
    sys.setprofile(Interrupts(number))
    try:
        importlib.import_module("callbridge.resurrect")
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


if HOW == "interrupt":
    # In the very first call, in one of a module's body, and in more and more of those that change.
    number = 1
    while is_interrupted(number):
        number = 2 * number + 1
    assert number > 1000, number
    interrupted = names()
    assert len(finders()) == 2
    with sys.modules["callbridge.resurrect"].revived():
        pass
    assert not finders()

before = values()
import callbridge.resurrect as revived  # noqa: E402

if HOW == "interrupt":
    revived = importlib.reload(revived)
first = names()
assert len(finders()) == 2, finders()

if HOW == "reload":
    revived = importlib.reload(revived)
elif HOW == "purge":
    purge()
    revived = importlib.import_module("callbridge.resurrect")
else:
    assert interrupted == first, set(interrupted) ^ set(first)
assert names() == first, set(names()) ^ set(first)
assert len(finders()) == 2, finders()

# ---- Modules that were put back stay what they are where a program reloads them -----------------
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    made = [name.module for name in revived.names() if not name.name]
    lazy = importlib.import_module("callbridge.resurrect._names._lazy")
    for path in made:
        module = importlib.import_module(path)
        # What stands for another module is JAX's own, or part of what jaxlib binds.
        loader = getattr(getattr(module, "__spec__", None), "loader", None)
        if isinstance(loader, (lazy.Kept, lazy._Made)):
            kept = own(module)
            assert importlib.reload(module) is module, path
            assert own(module) == kept, path
assert made

# ---- What is restored works ----------------------------------------------------------------------
import numpy as np  # noqa: E402
import registering  # noqa: E402

library = registering.Library(LIBRARY)
x = registering.like(1, 2, 3)
registering.xla_client.register_custom_call_target("add", library.handler("add"), "cpu", 1)
add = registering.caller(registering.by_mlir_with(revived), "add", x)
np.testing.assert_array_equal(add(x, x), 2 * x)

# ---- And ends where its users want it to ---------------------------------------------------------
with revived.revived():
    pass
assert revived.names() == ()
assert not finders()
after = values()
left = {
    key
    for key, value in before.items()
    if key in after and type(value) is types.FunctionType and after[key] is not value
}
assert not left, sorted(left)
print("imports: ok")
