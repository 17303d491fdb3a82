"""Prints, by sample, the classes that its value is of, and what it lacks under callbridge.resurrect
of all that values of it have on any release."""

import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "releases"))

import callbridge.resurrect  # noqa: E402, F401
import members  # noqa: E402
import samples  # noqa: E402
import walk  # noqa: E402
from history import History  # noqa: E402

wanted = History.read("members.txt").changes
ABSENT = object()


def has(value, name):
    try:
        getattr(value, name)
    except AttributeError:
        return False
    except Exception:
        return True  # it is there, and refuses this value
    return True


found = {}
for sample, value in samples.made().items():
    if sample in wanted and sample not in members.LEFT_OUT:
        cls = value if isinstance(value, type) else value.__class__
        lacks = [name for name in wanted[sample] if not has(value, name)]
        found[sample] = {"classes": [base.__name__ for base in cls.__mro__], "lacks": lacks}
with_tables = [path.rpartition(".") for path in wanted["tables"]]
tables = {
    f"{module}.{name}": value
    for module, _, name in with_tables
    if (value := getattr(walk.find(module), name, ABSENT)) is not ABSENT
}
lacks = [path for path, value in tables.items() if not members.is_table(value)]
found["tables"] = {"classes": ["tables"], "lacks": lacks}
print(json.dumps(found))
