"""Migrates one C++ source: finds its custom calls, and plans what is written."""

from __future__ import annotations

import dataclasses
import pathlib

from callbridge.migrate import _exports, _new_files, _targets
from callbridge.migrate._compiler import flags_of
from callbridge.migrate._exports import Handler
from callbridge.migrate._plan import Change, Decision, MigrateError, Plan, apply
from callbridge.migrate._translation_unit import TranslationUnit


@dataclasses.dataclass
class Options:
    compiler: str = "g++"
    database: str | None = None  # of compile_commands.json, or its folder
    flags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class CxxSource:
    """What was found in a source."""

    path: pathlib.Path
    flags: list[str]
    unit: TranslationUnit
    uses: list[_targets.Use]
    handlers: list[Handler]
    new: list[Handler]
    decisions: list[Decision]

    @property
    def has_capsules(self) -> bool:
        return any(use.kind == "capsule" for use in self.uses)


def read(path: pathlib.Path, options: Options) -> CxxSource:
    flags = flags_of(path, options.compiler, options.database, options.flags)
    unit = TranslationUnit(path, path.read_bytes(), flags)
    uses, decisions = _targets.find(unit, options.compiler)
    uses, tuples = _exports.without_tuples(unit, uses)
    decisions += tuples
    handlers, new = _exports.handlers_of(unit, uses)
    return CxxSource(path, flags, unit, uses, handlers, new, unit.decisions() + decisions)


def plan(source: CxxSource, capsules_become_typed: bool) -> Plan:
    """`capsules_become_typed`: the Python that registers them is migrated, too."""
    decisions = list(source.decisions)
    by_function = {one.use.declaration.get_usr(): one.name for one in source.handlers}
    into_capsules = by_function if capsules_become_typed else {}
    edits = _exports.edits(source.unit, source.uses, source.new, into_capsules)
    changes = []
    if edits:
        after = apply(source.unit.content, edits)
        _check(source, after)
        changes.append(Change(source.path, source.unit.content, after))
    decisions += _exports.decisions(source.unit, source.new)
    if not capsules_become_typed:
        for use in source.uses:
            if use.kind == "capsule":
                text = (
                    f"this capsule still holds {use.function}, for Python that registers it as an "
                    "untyped target; migrate that Python in the same command, and it holds "
                    f"{by_function[use.declaration.get_usr()]}"
                )
                decisions.append(Decision(source.unit.path, use.line, text))
    kept = next((use for use in source.uses if use.kind == "registration"), None)
    if kept is not None and source.new:
        text = (
            "the registrations stay, for those who look targets up by their names; they need "
            "libcallbridge.so: link with -lcallbridge, or remove them if nobody does"
        )
        decisions.append(Decision(source.unit.path, kept.line, text))
    for made in (
        _new_files.registration(source.path, source.handlers),
        _new_files.test(source.path, source.handlers),
    ):
        if made is not None:
            _new_files.add(*made, source.handlers, changes, decisions)
    return Plan(changes, decisions)


def _check(source: CxxSource, after: bytes) -> None:
    """What is written parses as well as what was there."""
    try:
        unit = TranslationUnit(source.path, after, source.flags)
    except MigrateError as error:
        raise MigrateError(f"{error} (in what would have been written; nothing was)") from None
    if len(unit.errors) > len(source.unit.errors):
        first = unit.errors[0]
        raise MigrateError(
            f"{source.path}: what would be written does not parse: {first.spelling}; nothing was"
        )
