"""Prints what differs between what a release had by a name and JAX's own object that stands for it.

A line is "module.name: difference": of kinds, of the first parameters, or of a class's attributes.
"""

import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "releases"))
warnings.simplefilter("ignore")

import callbridge.resurrect  # noqa: E402
import history  # noqa: E402
import jax  # noqa: E402
import not_restored  # noqa: E402
import rows  # noqa: E402
import walk  # noqa: E402
from callbridge.resurrect._names import _changes, _row  # noqa: E402
from wrappers import is_ours, value_of  # noqa: E402

HISTORY = history.History.read()
HERE = history.numbers(jax.__version__)
NOT_HAD = {word for _, words in not_restored.ATTRIBUTES.values() for word in words.split()}
PARAMETERS = {*rows.paths([*rows.LOST_PARAMETERS, *rows.BY_POSITION, *rows.FORMS])}


def once(module, name):
    """What the last release here that had it says of it, None where the walks left it out."""
    changes = HISTORY.changes.get(module, {}).get(name, [])
    had = [w for since, w in changes if history.numbers(since) <= HERE and w != history.GONE]
    return had[-1] if had else None


def is_adapted(value):
    """Whether a row of lost parameters sees to calls of a class."""
    return any(
        name in ("__init__", "__new__") and _changes._find(path) is value
        for path, name in PARAMETERS
    )


def differences(value, before):
    now = walk.describe(value)
    if now.split()[0] != before.split()[0]:
        yield f"{before.split()[0]} once, {now.split()[0]} now"
        return
    (had, attributes), (takes, has) = history.parts(before), history.parts(now)
    if had and takes is not None and not is_adapted(value):
        # Those that may be passed by position in their order, the others by name.
        first, now_first = history.positions(before) or [], history.positions(now) or []
        if now_first[: len(first)] != first or not {*had} <= {*takes, *now_first}:
            yield f"took {' '.join(had)}, takes {' '.join(takes)}"
    lost = [a for a in attributes or () if a not in NOT_HAD and not hasattr(value, a)]
    lost = [a for a in lost if a not in getattr(value, "__annotations__", {}) and a not in has]
    if lost:
        yield f"has no {' '.join(lost)}"


compared = 0
for name in callbridge.resurrect.names():
    if not name.name or name.kind != "restored" or isinstance(_changes._find(name.module), type):
        continue
    value, before = value_of(name), once(name.module, name.name)
    if before is None or is_ours(value) or isinstance(value, _row._WithoutInstances):
        continue
    compared += 1
    for difference in differences(value, before):
        print(f"{name.module}.{name.name}: {difference}")
print(f"{compared} compared")
