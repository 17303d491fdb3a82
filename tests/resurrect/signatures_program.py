"""Prints as JSON the parameters of functions and classes: "module.name" to [name, kind, default].

signatures_program.py               of those that callbridge.resurrect made, and puts back here
signatures_program.py lent          of those that it lends older releases; JAX has its own here
signatures_program.py given         of those that standard input lists, as this JAX has them
"""

import enum
import importlib
import inspect
import json
import re
import sys
import warnings

warnings.simplefilter("ignore")


def shown(value):
    """In words that are the same in each process and release; nothing of whatever kind is None."""
    if isinstance(value, enum.Enum):
        return value.name
    text = re.sub(r" at 0x\w+|jaxlib\.(\w+\.)*(?=[A-Z])|<class '(\S+)'>", r"\2", repr(value))
    return "None" if text in ("()", "[]", "{}") else text


def parameters(path, value):
    # Of the operations, JAX's functions are their __wrapped__.
    is_operation = path.startswith("jaxlib.xla_client.ops.")
    try:
        known = inspect.signature(value, follow_wrapped=not is_operation).parameters.values()
    except ValueError:
        return of_text(path.rpartition(".")[2], str(value.__doc__))
    return [[p.name, p.kind.name, "" if p.default is p.empty else shown(p.default)] for p in known]


def of_text(name, text):
    """What the first line of a binding's documentation says, if it has one form alone."""
    forms = re.findall(rf"^{name}\((.*)\) ->", text, re.MULTILINE)
    if len(forms) != 1:
        raise ValueError(text)
    found, depth, start = [], 0, 0
    for at, letter in enumerate(f"{forms[0]}, "):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            found.append(forms[0][start:at])
            start = at + 2
    split = [re.fullmatch(r"(\w+)(?:: .*?)?(?: = (.+))?", word) for word in found]
    known = [match.groups("") for match in split if match is not None]
    return [
        [word, "POSITIONAL_OR_KEYWORD", default and shown(Text(default))] for word, default in known
    ]


class Text(str):
    __repr__ = str.__str__


def restored():
    import callbridge.resurrect._builder._ops
    import wrappers

    for name in callbridge.resurrect.names():
        value = wrappers.value_of(name) if name.name and name.kind == "restored" else None
        if value is not None and wrappers.is_ours(value):
            yield f"{name.module}.{name.name}", value
    for name in dir(ops := callbridge.resurrect._builder._ops.ops):
        if name[0].isupper() and inspect.isfunction(value := getattr(ops, name)):
            yield f"jaxlib.xla_client.ops.{name}", value


def lent():
    import rows
    from callbridge.resurrect._names._row import From

    for row in rows.LENT:
        for found in row.at_once or row.stand_ins:
            for origin in found.modules if isinstance(found, From) else ():
                for name in row.names if origin.startswith("callbridge.") else ():
                    other = found.names.get(name, name)
                    value = getattr(importlib.import_module(origin), other, None)
                    if callable(value):
                        yield f"{row.module}.{name}", value


def find(path):
    """What has that path; None where this JAX has none."""
    try:
        return importlib.import_module(path)
    except Exception:
        owner, _, name = path.rpartition(".")
        return getattr(find(owner), name, None) if owner else None


def given():
    for path in json.load(sys.stdin):
        if callable(value := find(path)):
            yield path, value


found = {}
for path, value in {"": restored, "lent": lent, "given": given}["".join(sys.argv[1:])]():
    try:
        found[path] = parameters(path, getattr(value, "__func__", value))
    except (TypeError, ValueError):
        continue
print(json.dumps(found))
