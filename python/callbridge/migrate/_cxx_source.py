"""Migrates one C++ source: finds its custom calls, and plans what is written."""

from __future__ import annotations

import dataclasses
import pathlib

from callbridge.migrate import _exports, _new_files, _rewrites, _targets
from callbridge.migrate._compiler import flags_of
from callbridge.migrate._exports import Handler
from callbridge.migrate._plan import Change, Decision, MigrateError, Plan, apply
from callbridge.migrate._source_encoding import Source, read_cxx
from callbridge.migrate._translation_unit import TranslationUnit
from callbridge.migrate._typed_functions import TypedFunction


@dataclasses.dataclass
class Options:
    compiler: str = "g++"
    database: str | None = None  # of compile_commands.json, or its folder
    flags: list[str] = dataclasses.field(default_factory=list)
    rewrite: bool = False


@dataclasses.dataclass
class CxxSource:
    """What was found in a source."""

    text: Source
    flags: list[str]
    unit: TranslationUnit
    uses: list[_targets.Use]
    handlers: list[Handler]
    new: list[Handler]
    decisions: list[Decision]
    typed: dict[str, TypedFunction]  # the functions that are rewritten, by USR
    refusals: list[Decision]  # why the others are not

    @property
    def path(self) -> pathlib.Path:
        return self.text.path

    @property
    def handler_names(self) -> dict[str, str]:
        """By a function's USR, its handler."""
        return {one.use.declaration.get_usr(): one.name for one in self.handlers}

    @property
    def has_capsules(self) -> bool:
        return any(use.kind == "capsule" for use in self.uses)


def read(path: pathlib.Path, options: Options, others: list[pathlib.Path]) -> CxxSource:
    """`others`: the other C++ sources of the command."""
    flags = flags_of(path, options.compiler, options.database, options.flags)
    source = read_cxx(path, flags)
    unit = TranslationUnit(path, source.content, flags)
    uses, decisions = _targets.find(unit, options.compiler)
    typed, refusals = _rewrites.find(unit, uses, others) if options.rewrite else ({}, [])
    uses, tuples = _exports.without_tuples(unit, uses, typed)
    decisions += tuples
    handlers, new = _exports.handlers_of(unit, uses)
    decisions += unit.decisions()
    return CxxSource(source, flags, unit, uses, handlers, new, decisions, typed, refusals)


def plan(source: CxxSource, capsules_become_typed: bool) -> Plan:
    """`capsules_become_typed`: the Python that registers them is migrated, too."""
    if not capsules_become_typed:
        _leave_capsules(source)
    after, problem = _after(source, capsules_become_typed)
    if problem is not None and source.typed:
        _leave_broken(source)
        after, problem = _after(source, capsules_become_typed)
    if problem is not None:
        raise MigrateError(f"{problem} (in what would have been written; nothing was)")
    decisions = source.decisions + source.refusals
    for function in source.typed.values():
        decisions += function.decisions
    names = source.handler_names
    changes = []
    if after != source.unit.content:
        changes.append(Change(source.path, source.text.original, source.text.encode(after)))
    decisions += _exports.decisions(source.unit, _exported(source))
    if not capsules_become_typed:
        for use in source.uses:
            if use.kind == "capsule":
                text = (
                    f"this capsule still holds {use.function}, for Python that registers it as an "
                    "untyped target; migrate that Python in the same command, and it holds "
                    f"{names[use.declaration.get_usr()]}"
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
        _new_files.test(source.path, source.handlers, source.typed),
    ):
        if made is not None:
            _new_files.add(made, changes, decisions)
    return Plan(changes, decisions)


def _exported(source: CxxSource) -> list[Handler]:
    """The new handlers of functions that stay as they are."""
    return [one for one in source.new if one.use.declaration.get_usr() not in source.typed]


def _after(source: CxxSource, capsules_become_typed: bool) -> tuple[bytes, str | None]:
    """The source with all that is written into it, and what does not parse in that."""
    names = source.handler_names
    into_capsules = names if capsules_become_typed else {}
    edits = _exports.edits(source.unit, source.uses, _exported(source), into_capsules)
    edits += _rewrites.edits(source.unit, source.uses, source.typed, names)
    after = apply(source.unit.content, edits)
    return after, _why_broken(source, after)


def _leave_capsules(source: CxxSource) -> None:
    """Does not rewrite what a capsule holds for Python that registers it as an untyped target."""
    for use in source.uses:
        function = source.typed.get(use.declaration.get_usr())
        if use.kind == "capsule" and function is not None:
            _leave(source, function, use.line, "its capsule stays untyped")


def _leave(source: CxxSource, function: TypedFunction, line: int, why: str) -> None:
    """Does not rewrite a function; of a template, no instance."""
    for key in _instances(source, function):
        del source.typed[key]
        use = next(use for use in source.uses if use.declaration.get_usr() == key)
        source.refusals.append(_rewrites.refusal(source.unit, use, line, why))


def _instances(source: CxxSource, function: TypedFunction) -> dict[str, TypedFunction]:
    return {key: one for key, one in source.typed.items() if one.function == function.function}


def _leave_broken(source: CxxSource) -> None:
    """Does not rewrite the functions whose typed form does not parse.

    Of those, what follows a tuple is not exported.
    """
    names = source.handler_names
    for key, function in list(source.typed.items()):
        instances = _instances(source, function)
        if next(iter(instances), None) != key:
            continue
        edits = _rewrites.edits(source.unit, source.uses, instances, names)
        problem = _why_broken(source, apply(source.unit.content, edits))
        if problem is not None:
            line = function.function.location.line
            _leave(source, function, line, f"what would be written does not parse: {problem}")
    source.uses, tuples = _exports.without_tuples(source.unit, source.uses, source.typed)
    source.decisions += tuples
    for handlers in (source.handlers, source.new):
        handlers[:] = [one for one in handlers if any(one.use is use for use in source.uses)]


def _why_broken(source: CxxSource, after: bytes) -> str | None:
    """What does not parse in what would be written, and did before; None if nothing."""
    if after == source.unit.content:
        return None
    try:
        unit = TranslationUnit(source.path, after, source.flags)
    except MigrateError as error:
        return str(error).partition("; a source must parse")[0]
    if len(unit.errors) <= len(source.unit.errors):
        return None
    first = unit.errors[0]
    return f"{first.location.file}:{first.location.line}: {first.spelling}"
