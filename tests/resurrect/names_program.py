"""Puts names back and takes them away again; run in a process of its own, so that JAX is fresh."""

import importlib
import sys
import types
import warnings

warnings.simplefilter("ignore")

import jax  # noqa: E402, F401
import jaxlib.mlir.dialects.stablehlo as stablehlo  # noqa: E402


def snapshot():
    """All that JAX's modules have, and the classes that are changed. JAX has some by two names."""
    found = {
        module.__name__: dict(vars(module))
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in ("jax", "jaxlib") and isinstance(module, types.ModuleType)
    }
    found.update({owner.__name__: dict(vars(owner)) for owner in classes})
    return found


def load_what_resurrect_imports():
    """Importing a module changes JAX too; those that JAX has are not what is looked at here."""
    for row in [row for row in [*AT_ONCE, *WRAPPED] if not row.came and not row.wrapped_until]:
        for path in (row.module, *modules_of([*row.at_once, row.wrapped_by])):
            if path.partition(".")[0] in ("jax", "jaxlib"):
                _changes._find(path)


def differences(before, after):
    changed = set()
    for module in before.keys() | after.keys():
        old, new = before.get(module), after.get(module)
        if old is None or new is None:
            changed.add((module, ""))
            continue
        for name in old.keys() | new.keys():
            if old.get(name, changed) is not new.get(name, changed):
                changed.add((module, name))
    return changed


import callbridge.resurrect as resurrect  # noqa: E402
from callbridge.resurrect._names import _changes, _lazy, _members_table  # noqa: E402
from rows import AT_ONCE, WRAPPED, modules_of  # noqa: E402
from table_modules import module_of  # noqa: E402

CLASSES = [row.module for row in [*AT_ONCE, *WRAPPED, *_members_table.ROWS]]
# Some are in modules that are restored.
classes = [owner for path in CLASSES if isinstance(owner := _changes._find(path), type)]
listed = resurrect.names()
assert listed and list(listed) == sorted(set(listed))
for name in listed:
    assert name.kind in ("restored", "wrapped"), name
    owner = name.module
    if owner.endswith("CustomCallOp"):
        assert hasattr(stablehlo.CustomCallOp, name.name)
        continue
    module = importlib.import_module(owner) if owner in sys.modules else None
    if name.name and module is not None:
        getattr(module, name.name)
    elif not name.name:
        assert owner in sys.modules
# The context manager also removes what the import restored.
with resurrect.revived():
    assert resurrect.names() == listed
assert resurrect.names() == ()

load_what_resurrect_imports()
# Also those of the table of what is made when it is asked for, which are asked for here.
with resurrect.revived():
    resurrect.names()
before = snapshot()
with resurrect.revived():
    again = resurrect.names()
    assert again == listed, sorted({*again} ^ {*listed})
    during = snapshot()
    lazy = [n for n in listed if n.name and n.name not in vars(_changes._find(n.module))]
    during_of = {n: getattr(_changes._find(n.module), n.name) for n in lazy}
    assert not [n for n in lazy if n.name in before.get(_changes._find(n.module).__name__, {})]
    hooked = {found.__name__ for path in _lazy.paths() if (found := module_of(path))}
    # jax.lib.xla_client was jaxlib.xla_client once.
    own_names = {n.module: _changes._find(n.module).__name__ for n in listed}
    with resurrect.revived():
        pass
    assert resurrect.names() == listed
    assert not differences(during, snapshot())
assert resurrect.names() == ()
left = differences(before, snapshot())
assert not left, sorted(left)
# All that changed is listed, and nothing else is; but for what is in modules that came and went,
# and in those of jaxlib's that Python does not list.
changed = differences(before, during)
names = {(own_names[n.module], n.name) for n in listed}
unseen = {n.module for n in listed if not n.name or own_names[n.module] not in before}
names -= {(own_names[n.module], n.name) for n in lazy}
names -= {(own, "") for own in own_names.values() if own in before}  # by another path, too
changed -= {(module, "__getattr__") for module in hooked}
wrong = {(module, name) for module, name in changed ^ names if module not in unseen}
assert not wrong, sorted(wrong)
for n in lazy:
    if (module := _changes._find(n.module)) is not None:
        assert n.name not in vars(module), n
        if deprecated := _changes.deprecations_of(module).get(n.name, (None, None))[1]:
            # JAX has it, and it is JAX's own again.
            assert deprecated is not during_of[n], n
            assert n.kind == "restored" or deprecated is during_of[n].__wrapped__, n
            continue
        try:
            getattr(module, n.name)
        except (AttributeError, ImportError):
            continue
        raise AssertionError(f"{n} outlasts revived()")
try:
    with resurrect.revived():
        raise KeyError
except KeyError:
    assert not differences(before, snapshot())
print(f"{len(listed)} names")
