"""What help() and type checkers see of a function whose options are declared elsewhere."""

import inspect
import pydoc
import re
import typing


def options_of(function):
    """The annotations of its options, as they are written."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.annotation for p in parameters if p.kind is p.KEYWORD_ONLY}


def types_of(options):
    """Those of a TypedDict."""
    return {name: type_.__forward_arg__ for name, type_ in options.__annotations__.items()}


def check_help(function):
    """Each parameter is in the text that help() shows, in its order, with words of its own; its
    annotation is one that typing knows the meaning of."""
    parameters = [*inspect.signature(function).parameters]
    text = inspect.cleandoc(function.__doc__)
    section = re.search(r"^Args:\n((?: +\S.*\n)+)", text, re.MULTILINE)
    assert section is not None
    entries = re.findall(r"^  (\w+): (.*)$", section[1], re.MULTILINE)
    assert [name for name, _ in entries] == parameters
    assert [name for name, words in entries if words.startswith("...")] == []
    assert max(map(len, function.__doc__.splitlines())) <= 100
    shown = pydoc.plain(pydoc.render_doc(function))
    assert f"{function.__name__}(" in shown and text.splitlines()[0] in shown
    assert {*parameters, "return"} == {*function.__annotations__}


def check_public(function, module):
    """It is the module's: pickle finds it there, and errors and pydoc name it so."""
    assert function.__module__ == module.__name__
    assert getattr(module, function.__qualname__) is function
    assert inspect.isfunction(function)


def check_hints(function):
    hints = typing.get_type_hints(function)
    assert {*hints} == {*inspect.signature(function).parameters, "return"}
    assert not [hint for hint in hints.values() if isinstance(hint, (str, typing.ForwardRef))]
