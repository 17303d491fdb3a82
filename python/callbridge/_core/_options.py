"""The options of calls, each declared once.

A TypedDict of callbridge.typing has the types of a function's options, for type checkers;
CallOptions also says what those of all functions do. Here are their order, their defaults, and who
has no use for them. A function of `**options` gets its signature and its documentation from both,
by describe(), so that an option which is added to both is in all that have it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from callbridge._core import _call_site, _target
from callbridge._core._mindspore import OperatorInfo
from callbridge.typing import CallOptions

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Given = TypeVar("_Given", bound=CallOptions)


class Option:
    """A default, and why there is no use for the option without JAX; {} are arrays, or tensors."""

    __slots__ = ("default", "elsewhere")

    def __init__(self, default: Any, elsewhere: str = ""):
        self.default = default
        self.elsewhere = elsewhere


# In the order of signatures.
OPTIONS = {
    "abi": Option(None),
    "platform": Option(None),
    "opaque": Option(b""),
    "attributes": Option(None),
    "tuple_layout": Option("nested"),
    "operator_info": Option(None),
    "prefer": Option(None, "there is one way to a target here, and no XLA on it"),
    "has_side_effect": Option(
        False, "every call takes place here, whether its result is used or not"
    ),
    "vmap_method": Option(None, "nothing is mapped here"),
    "input_layouts": Option(None, "{} are row-major here"),
    "output_layouts": Option(None, "{} are row-major here"),
    "input_output_aliases": Option(None),
    "device": Option(None),
    "sync": Option(False),
    "mutated_operands": Option(()),
    "backward": Option(None),
    "setup_context": Option(None),
    "command_buffer_compatible": Option(False, "no call is recorded and replayed here"),
    "batch_dims": Option(None),
    "partitioning": Option(None),
    "scratch_bytes": Option(None, "a handler gets the scratch memory that it asks for here"),
}


def completed(options: type, given: _Given, arrays: str = "arrays") -> _Given:
    """Returns the options that a function was given, and the defaults of the others.

    Raises TypeError for what is not in the TypedDict `options`; of an option of
    callbridge.jax.custom_call() it says why, with what `arrays` are called.
    """
    defaults = _defaults(options)
    for name in given:
        if name not in defaults:
            elsewhere = OPTIONS[name].elsewhere if name in OPTIONS else ""
            if elsewhere:
                reason = elsewhere.format(arrays)
                raise TypeError(f"{name}= is for callbridge.jax: {reason}; leave it out")
            raise TypeError(f"custom_call() got an unexpected keyword argument {name!r}")
    return cast(_Given, {**defaults, **given})


@functools.cache
def _defaults(options: Any) -> dict[str, Any]:
    names = options.__optional_keys__
    return {name: option.default for name, option in OPTIONS.items() if name in names}


class Checked:
    """The options that each custom_call() has, checked and copied, without the attributes.

    Attributes:
      declared: the operator information.
    """

    def __init__(self, target: str, given: CallOptions):
        """Raises TypeError or INVALID_ARGUMENT for what cannot be right for any target."""
        self.opaque = _call_site.opaque_bytes(given["opaque"])
        self.declared = OperatorInfo(given["operator_info"])
        self.aliases = _call_site.copied_aliases(given["input_output_aliases"])
        self.tuple_layout = given["tuple_layout"]
        _call_site.check_tuple_layout(self.tuple_layout)
        _target.check_name(target)


# ---- What people read ---------------------------------------------------------------------------


def describe(options: Any, *, others: bool = False) -> Callable[[_Function], _Function]:
    """Gives a function of `**options` the signature that names each, and documented() arguments.

    The function stays what it is.

    Args:
      options: the TypedDict.
      others: whether the function also takes options that it refuses, as completed() does.
    """

    def described(function: _Function) -> _Function:
        written = inspect.signature(function)
        parameters = [p for p in written.parameters.values() if p.kind is not p.VAR_KEYWORD]
        annotations = {p.name: p.annotation for p in parameters}
        for name, default in _defaults(options).items():
            type_ = options.__annotations__[name]
            annotations[name] = type_  # which knows the module whose names it has
            parameters.append(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=type_.__forward_arg__,
                )
            )
        if others:
            annotations["others"] = "Any"
            kind = inspect.Parameter.VAR_KEYWORD
            parameters.append(inspect.Parameter("others", kind, annotation="Any"))
        described: Any = function
        described.__signature__ = written.replace(parameters=parameters)
        described.__annotations__ = {**annotations, "return": written.return_annotation}
        return documented(CallOptions)(function)

    return described


def documented(source: Any) -> Callable[[_Function], _Function]:
    """Gives a function's docstring what that of `source` says of arguments of the same name.

    Of those that the docstring lists itself, only if its text begins with "...", in front.
    """

    def documented(function: _Function) -> _Function:
        if function.__doc__ is None or source.__doc__ is None:  # as by python -OO
            return function
        declared = _texts(source)
        written = _Arguments(function.__doc__)
        lines = []
        for name in inspect.signature(function).parameters:
            entry = written.texts.get(name, [f"{written.indent}{name}: ..."])
            if entry[0].strip().startswith(f"{name}: ...") and name in declared:
                more = " ".join(entry).strip()[len(name) + 5 :]
                entry = _filled(" ".join([*declared[name], more]), written.indent)
            lines += entry if name != "self" else []
        function.__doc__ = "\n".join([*written.before, *lines, *written.behind])
        return function

    return documented


@functools.cache
def _texts(source: Any) -> dict[str, list[str]]:
    return _Arguments(source.__doc__).texts


class _Arguments:
    """Those that a docstring lists.

    Attributes:
      texts: the lines of each.
      indent: of their first lines.
      before, behind: the docstring's other lines.
    """

    def __init__(self, doc: str):
        lines = doc.split("\n")
        first = next(i for i, line in enumerate(lines) if line.strip() in _TITLES) + 1
        last = next((i for i in range(first, len(lines)) if not lines[i].strip()), len(lines))
        self.before, self.behind = lines[:first], lines[last:]
        self.indent = lines[first][: -len(lines[first].lstrip())]
        self.texts: dict[str, list[str]] = {}
        for line in lines[first:last]:
            if not line.startswith(f"{self.indent} "):
                text = self.texts.setdefault(line.strip().partition(":")[0], [])
            text.append(line)


_TITLES = ("Args:", "Attributes:")
_WIDTH = 100  # columns


def _filled(text: str, indent: str) -> list[str]:
    """Returns the text in lines of _WIDTH columns."""
    first, *words = text.split()
    lines = [f"{indent}{first}"]
    for word in words:
        if len(lines[-1]) + 1 + len(word) <= _WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{indent}  {word}")
    return lines
