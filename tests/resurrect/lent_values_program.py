"""Calls what an older JAX is lent, and prints as JSON what the calls give.

    lent_values_program.py [lent]

"values": by the names that a case calls, as full paths, parameters in parentheses; of one that
fails, "failed, " and why. "lent" imports callbridge.resurrect first, and prints besides, of the
names that came, by their rows: "restored" and "wrapped", those that are so here; "ours",
those of them that this package made.
"""

import json
import os
import sys
import warnings

# What another JAX's XLA may not know stays out; enough devices for a mesh of two axes.
os.environ["XLA_FLAGS"] = (
    "--xla_force_host_platform_device_count=4 --xla_backend_optimization_level=0 "
    "--xla_llvm_disable_expensive_passes=true"
)
warnings.simplefilter("ignore")
LENT = sys.argv[1:] == ["lent"]
if LENT:
    import callbridge.resurrect

import jax  # noqa: E402
import lent_arrays  # noqa: E402
import lent_transformations  # noqa: E402
import numpy as np  # noqa: E402

# Whose default is another since.
jax.config.update("jax_threefry_partitionable", False)


def shown(value):
    if isinstance(value, (list, tuple, dict)):
        return [shown(part) for part in (value.values() if isinstance(value, dict) else value)]
    if hasattr(value, "shape"):
        array = np.asarray(value)
        numbers = [repr(part) for part in array.ravel().tolist()]
        return [str(array.dtype), list(array.shape), numbers]
    return value


found = {}
for name, call in {**lent_arrays.CALLS, **lent_transformations.CALLS}.items():
    try:
        found[name] = shown(call())
    except Exception as error:
        found[name] = f"failed, {type(error).__name__}: {error}".partition("\n")[0][:200]
printed = {"values": found}
if LENT:
    import wrappers
    from rows import LENT, WRAPPED_OLDER

    newer = {f"{row.module}.{name}" for row in [*LENT, *WRAPPED_OLDER] for name in row.names}
    for name in callbridge.resurrect.names():
        if (path := f"{name.module}.{name.name}") in newer:
            printed.setdefault(name.kind, []).append(path)
            if wrappers.is_ours(wrappers.value_of(name)):
                printed.setdefault("ours", []).append(path)
print(json.dumps(printed))
