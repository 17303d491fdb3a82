"""Prints as JSON what the classes that callbridge.resurrect restores or lends are: by name, facts.

    class_facts.py             of those that this JAX has by itself
    class_facts.py restored    of those that callbridge.resurrect restores here

A fact says what a program sees that uses the class: in isinstance(), issubclass(), an annotation,
functools.singledispatch, an except clause, as a base, pickled, made and compared.
"""

import copy
import functools
import importlib
import json
import os
import pathlib
import pickle
import sys
import types
import typing
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
warnings.simplefilter("ignore")
RESTORED = sys.argv[1:] == ["restored"]
if RESTORED:
    import callbridge.resurrect

import samples  # noqa: E402
import table  # noqa: E402
from history import History  # noqa: E402
from made import MADE  # noqa: E402

HISTORY = History.read()


def names():
    """All (module, name) that are restored or lent on a release."""
    at_once = {(row.module, name) for row in table.rows() if row.at_once for name in row.names}
    return sorted(at_once | set(table.read()))


def value_of(module, name):
    """What a program gets; None where it gets none."""
    try:
        owner = importlib.import_module(module)
    except ImportError:
        parent, _, last = module.rpartition(".")
        owner = value_of(parent, last) if parent else None
    try:
        return None if owner is None else getattr(owner, name)
    except (AttributeError, ImportError):
        return None


def is_type(value):
    unions = (typing.Union, getattr(types, "UnionType", None))
    return isinstance(value, type) or typing.get_origin(value) in unions


def is_of_jax(cls):
    """Whether it is a class of this JAX: what it is otherwise than in another, JAX made so."""
    if type(cls).__module__.startswith("callbridge."):
        return False
    return str(getattr(cls, "__module__", "jaxlib")).partition(".")[0] in ("jax", "jaxlib")


def answer(call):
    """What it gives, or the name of its exception."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def derives(cls, base):
    return answer(lambda: issubclass(cls, base)) is True


def caught(cls, error):
    try:
        raise error
    except cls:
        return True
    except Exception:
        return False


def annotated(cls):
    def function(x: cls, y: typing.Optional[cls] = None) -> typing.List[cls]:  # noqa: UP006, UP045
        return [x, y]

    return sorted(typing.get_type_hints(function))


def facts(cls, values, public):
    """By word; one of which nothing is to be said is left out."""
    is_one = {n: answer(lambda v=v: isinstance(v, cls)) for n, v in values.items()}
    refused = {v for v in is_one.values() if not isinstance(v, bool)}
    found = {
        "kind": "class" if isinstance(cls, type) else "union",
        "instances": sorted(refused) or sorted(n for n, yes in is_one.items() if yes),
        "annotation": answer(lambda: annotated(cls)),
        "equal": answer(lambda: cls == cls and hash(cls) == hash(cls) and cls in {cls}),
    }
    if not isinstance(cls, type):
        return found
    if is_of_jax(cls):
        found["is_of_jax"] = True
    found["name"] = cls.__name__
    others = {n: other for n, other in public.items() if other is not cls}
    found["bases"] = sorted(n for n, other in others.items() if derives(cls, other))
    found["subclasses"] = sorted(n for n, other in others.items() if derives(other, cls))
    found["pickled"] = answer(lambda: pickle.loads(pickle.dumps(cls)) is cls)
    found["as_base"] = answer(lambda: isinstance(type(cls)("Derived", (cls,), {}), type)) is True
    found["match_args"] = list(getattr(cls, "__match_args__", ()))

    @functools.singledispatch
    def dispatched(x):
        return False

    registered = answer(lambda: dispatched.register(cls, lambda x: True) and "registered")
    found["dispatched"] = (
        sorted(n for n, v in values.items() if answer(functools.partial(dispatched, v)) is True)
        if registered == "registered"
        else registered
    )
    if issubclass(cls, BaseException):
        errors = {n: v for n, v in values.items() if isinstance(v, BaseException)}
        found["caught"] = sorted(n for n, v in errors.items() if caught(cls, v))
    return found


def made_facts(cls, make):
    """Of two that are made alike and one that is made otherwise."""
    try:
        one, same, other = make(cls)
    except Exception as error:
        return f"{type(error).__name__}"
    return {
        "is_one": isinstance(one, cls),
        "type": type(one).__name__,
        "equal": answer(lambda: bool(one == same)),
        "unequal": answer(lambda: bool(one == other)),
        "hash": answer(lambda: hash(one) == hash(same)),
        "pickled": answer(lambda: type(pickle.loads(pickle.dumps(one))).__name__),
        "copied": answer(lambda: type(copy.copy(one)).__name__),
        "text": answer(lambda: str(one).partition(" at 0x")[0]),
    }


def public_classes():
    """By name, each public class of this JAX, and Python's that JAX's derive from."""
    found = {}
    for module, by_name in sorted(HISTORY.changes.items(), key=lambda item: (len(item[0]), item)):
        if "dialects" in module or module.startswith("jax.lib"):
            continue
        for name, changes in sorted(by_name.items()):
            if any(what.startswith("class") for _, what in changes):
                value = value_of(module, name)
                if isinstance(value, type):
                    found[f"{module}.{name}"] = value
    python = [tuple, int, str, list, dict, Exception, TypeError, ValueError, RuntimeError]
    python += [IndexError, AttributeError, NotImplementedError]
    found.update({cls.__name__: cls for cls in python})
    return found


def main():
    import jax

    values = samples.made()
    public = public_classes()
    if RESTORED:
        restored = {(name.module, name.name) for name in callbridge.resurrect.names()}
    found, classes = {}, {}
    for module, name in names():
        if "dialects" in module:
            continue  # LLVM's classes
        if RESTORED and (module, name) not in restored:
            continue
        cls = value_of(module, name)
        if not is_type(cls) or isinstance(cls, types.ModuleType):
            continue
        classes[f"{module}.{name}"] = cls
    named = {**public, **classes}
    for key, cls in classes.items():
        found[key] = facts(cls, values, public)
        found[key]["is"] = sorted(n for n, other in named.items() if other is cls and n != key)
        if (make := MADE.get(key.rpartition(".")[2])) is not None:
            found[key]["made"] = made_facts(cls, make)
    json.dump(
        {"release": jax.__version__, "samples": sorted(values), "public": sorted(named),
         "classes": found},
        sys.stdout,
    )  # fmt: skip
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
