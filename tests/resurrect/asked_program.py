"""Asks for each name of the table, as programs do; run in a process of its own."""

import sys
import warnings

import jax

before = set(sys.modules)

from callbridge.resurrect._names import _lazy, _row  # noqa: E402
from callbridge.resurrect._names._row import Refused  # noqa: E402
from rows import AT_ONCE, WRAPPED, modules_of  # noqa: E402
from table_modules import module_of  # noqa: E402

# What stands for names is imported when they are asked for.
late = {
    origin
    for names in _lazy.rows().values()
    for row in names.values()
    for origin in modules_of(row.stand_ins)
    if origin.startswith("callbridge.")
}
at_once = {origin for row in AT_ONCE for origin in modules_of(row.at_once)}
at_once |= {origin for row in WRAPPED for origin in modules_of([row.wrapped_by])}
at_once |= {
    f"callbridge.resurrect.{name}"
    for name in ("_backports._avals", "_backports._interpreters", "_builder._computation")
}
at_once |= {o for r in _lazy.rows().get("jax.numpy", {}).values() for o in modules_of(r.stand_ins)}
early = {name for name in sys.modules if name in late and name not in before} - at_once
assert not early, early
warnings.simplefilter("ignore")
asked = 0
for path, names in _lazy.rows().items():
    module = module_of(path)
    if module is None:
        continue
    is_alias = module.__name__ != path and path not in sys.modules
    for name, row in names.items():
        asked += 1
        reason = next((s.reason for s in row.stand_ins if isinstance(s, Refused)), None)
        try:
            value = getattr(module, name)
        except _row.NotHadError as error:
            assert reason is not None, (path, name)
            assert str(error).endswith(_row.REASONS[reason])
            # By one of the module's paths, of which it may have several.
            assert f".{name}: " in str(error), str(error)
            assert not hasattr(module, name)
            if is_alias:
                continue
            try:
                exec(f"from {path} import {name}")
            except ImportError as other:
                assert str(other) == str(error) or name in vars(module), (str(other), path, name)
            else:
                raise AssertionError((path, name)) from None
            continue
        assert getattr(module, name) is value, (path, name)
        if is_alias:
            continue
        scope = {}
        exec(f"from {path} import {name} as found", scope)
        assert scope["found"] is value, (path, name)
    try:
        module.no_such_name  # noqa: B018
    except AttributeError as error:
        assert "no_such_name" in str(error), error
    else:
        raise AssertionError(path)
assert asked or jax.__version_info__ <= (0, 4, 13), asked
print(f"{asked} asked")
