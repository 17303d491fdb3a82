"""Runs a program, and says what of callbridge.resurrect's the package in a folder used meanwhile.

python -m callbridge.resurrect put_back.py FOLDER PROGRAM

Writes a line to standard error, "put back: " and JSON: "restored" and "wrapped", the names that
code in FOLDER asked for, as callbridge.resurrect.names() lists them; "targets", how many targets
that the program registered XLA reaches through callbridge. Writes nothing if the program fails.
"""

import json
import os
import runpy
import sys
import types

import callbridge.resurrect
from callbridge.jax import _registry
from callbridge.resurrect._names import _changes, _lazy
from callbridge.resurrect._registration import _typed, _untyped_of_xla

_asked_for = set()  # (id of a module or class, attribute)
_folder = ""


def _note(owner, name):
    if sys._getframe(2).f_code.co_filename.startswith(_folder):
        _asked_for.add((id(owner), name))


class _Module(types.ModuleType):
    def __getattribute__(self, name):
        _note(self, name)
        return super().__getattribute__(name)


class _Attribute:
    """Stands for an attribute that was put back in a class."""

    def __init__(self, owner, name):
        self._owner, self._name, self._value = owner, name, vars(owner)[name]

    def __get__(self, instance, class_):
        _note(self._owner, self._name)
        get = getattr(type(self._value), "__get__", None)
        return self._value if get is None else get(self._value, instance, class_)


def _watch(module):
    if type(module) is types.ModuleType:
        module.__class__ = _Module


def _watch_all():
    at_once = [change.name for change in callbridge.resurrect._revival._changes_made if change.name]
    for path in {*_lazy.rows(), *(name.module for name in at_once)}:
        if path in sys.modules:
            _watch(sys.modules[path])
    for name in at_once:
        owner = _changes._find(name.module)
        if isinstance(owner, type) and name.name in vars(owner):
            setattr(owner, name.name, _Attribute(owner, name.name))
    hook = _lazy.Names.hook

    def watched(names, module, path):
        hook(names, module, path)
        _watch(module)

    _lazy.Names.hook = watched


def _used():
    found = {"restored": set(), "wrapped": set()}
    asked_for = set(_asked_for)
    for name in callbridge.resurrect.names():
        owner = _changes._find(name.module)
        if (id(owner), name.name) in asked_for:
            found[name.kind].add(f"{name.module}.{name.name}")
    return {kind: sorted(names) for kind, names in found.items()}


def _targets():
    """The names that XLA has callbridge's functions or wrappers by."""
    registered = [_registry.registry, _untyped_of_xla._registry]
    served = {
        name
        for registry in registered
        for (name, _), entry in registry._entries.items()
        if entry.paths
    }
    return served | {name for name, _ in _typed._wrapped}


def main():
    global _folder
    _folder = os.path.join(os.path.realpath(sys.argv[1]), "")
    del sys.argv[:2]
    sys.path[0] = os.path.dirname(os.path.realpath(sys.argv[0]))
    _watch_all()
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.stdout.flush()
    print("put back:", json.dumps({**_used(), "targets": len(_targets())}), file=sys.stderr)


if __name__ == "__main__":
    main()
