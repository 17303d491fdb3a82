"""Rows of the tables of JAX's names.

A row says where programs look for names, which releases lack them, and what stands for them there
or why nothing can; or what a name that JAX has must take that JAX's own refuses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Union

from callbridge.jax._runtimes import is_since, may_be_since
from callbridge.resurrect._names import _gone


class From(NamedTuple):
    """What the first of the modules that has it has by the name, or by that in `names`."""

    modules: tuple[str, ...]
    names: Mapping[str, str]


class Modules(NamedTuple):
    """The module of that path, by name."""

    paths: Mapping[str, str]


class Members(NamedTuple):
    """What that class has by the name, or by that in `names`."""

    of: type
    names: Mapping[str, str]


class Refused(NamedTuple):
    """Nothing can: an error says so, for a reason of _not_had.REASONS."""

    reason: str


class NoInstances(NamedTuple):
    """Likewise, of a class: one that nothing is an instance of.

    Attributes:
      base: the path of the class that it was made of.
      match_args: what a match pattern takes by position.
    """

    reason: str
    base: str
    match_args: tuple[str, ...]


StandIn = Union[From, Modules, Refused, NoInstances]
# Changes the keywords of a call of the function that is named, and returns the arguments.
Adapter = Callable[[str, tuple, dict], tuple]


class Row(NamedTuple):
    """Attributes:
    module: where programs look for the names; or the class.
    names: there.
    stand_ins: what stands for them, the first that JAX has, when a program asks for one.
    at_once: what does from the import of callbridge.resurrect on. A module that JAX lacks is made.
    wrapped_by: what is given JAX's own, and returns what takes its place, or None to leave it.
    wrapped_until: the first release whose own needs that no more; "" if all do.
    asks_first: that wrapper calls JAX's own first.
    members: what stands for members of JAX's classes.
    adapters: what makes a call that passes other parameters one that JAX's function takes.
    came: the first release that has the names, or parameters, where older ones lack them.
    gone: the first release without the parameters or members. (_gone.py says it of names.)
    refused: the first release that has the names only in order to refuse what they took.
    """

    module: str
    names: tuple[str, ...]
    stand_ins: tuple[StandIn, ...] = ()
    at_once: tuple[StandIn, ...] = ()
    wrapped_by: From | Callable[[Any], Any] | None = None
    wrapped_until: str = ""
    asks_first: bool = False
    members: Members | None = None
    adapters: tuple[Adapter, ...] = ()
    came: str = ""
    gone: str = ""
    refused: str = ""

    @property
    def may_be_needed(self) -> bool:
        """False where this JAX has what came, or still has what went."""
        return (not self.came or not is_since(self.came)) and (
            not self.gone or may_be_gone(self.gone)
        )

    @property
    def is_between(self) -> bool:
        """True in a release between the last recorded one without the change and the first with
        it: only a call tells whether it is made."""
        since = self.gone or self.came
        return bool(since) and may_be_gone(since) and not is_since(since)


def row(
    module: str,
    names: str,
    *stand_ins: StandIn,
    at_once: bool | StandIn = False,
    **rest: Any,
) -> Row:
    """A row; `at_once=True` where the stand-ins are those from the import on too."""
    now = stand_ins if at_once is True else (at_once,) if at_once else ()
    return Row(module, tuple(names.split()), stand_ins, now, **rest)


def origin(*modules: str, names: Mapping[str, str] = {}) -> From:  # noqa: B006, as it is not written
    return From(modules, names)


def no_instances(reason: str, base: str = "builtins.object", match_args: str = "") -> NoInstances:
    return NoInstances(reason, base, tuple(match_args.split()))


@functools.cache
def may_be_gone(since: str) -> bool:
    """Returns true if this JAX is newer than the last recorded release that had what is gone in
    `since`; is_since(since) tells where it is gone for sure."""
    return may_be_since(since, _gone.RELEASES)


@functools.cache
def gone_in() -> dict[str, dict[str, str]]:
    """By module and name, the first release without it."""
    return {
        module: {name: release for release, names in releases.items() for name in names.split()}
        for module, releases in _gone.GONE.items()
    }
