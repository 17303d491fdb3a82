"""The lists of jaxlib 0.4.14 to 0.4.29, whose entries have no traits, and at first no API version,
before and after callbridge.resurrect looks at them.

short_entries_program.py LIBRARY
"""

import ctypes
import sys

import registering
from callbridge.resurrect._registration import _registries

library = ctypes.CDLL(sys.argv[1])
made = registering.capsule(
    ctypes.cast(library.add, ctypes.c_void_p).value, b"xla._CUSTOM_CALL_TARGET"
)
entries = [("two", made), ("three", made, 0), ("four", made, 0, 0)]

waiting = {"Host": list(entries)}
_registries._replace_pending(waiting)
assert waiting == {"Host": entries}, waiting

lists = _registries._Lists({}, _registries._replaced_target)
for entry in entries:
    lists.setdefault("Host", []).append((f"later {entry[0]}", *entry[1:]))
assert [len(entry) for entry in lists.original["Host"]] == [2, 3, 4]
print("short entries: ok")
