"""Migrates one C++ source: finds its custom calls, and plans what is written."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from collections.abc import Collection

import clang.cindex as cindex

from callbridge.migrate import _exports, _new_files, _targets, _typed_functions
from callbridge.migrate._exports import Handler
from callbridge.migrate._pointer_tables import Refused
from callbridge.migrate._sources import (
    Change,
    Decision,
    Edit,
    MigrateError,
    Plan,
    Source,
    apply,
    flags_of,
    read_cxx,
    text_of,
)
from callbridge.migrate._targets import Use
from callbridge.migrate._translation_unit import TranslationUnit
from callbridge.migrate._typed_functions import TypedFunction

_Kind = cindex.CursorKind
_INCLUDE = '#include "xla/ffi/api/ffi.h"\n'
_ALIAS = "namespace ffi = xla::ffi;\n"
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else)\b", re.MULTILINE)


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
    uses: list[Use]
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
    typed, refusals = _find_rewritten(unit, uses, others) if options.rewrite else ({}, [])
    uses, tuples = _exports.without_tuples(unit, uses, typed)
    decisions += tuples
    handlers, new = _exports.handlers_of(unit, uses)
    decisions += unit.decisions()
    return CxxSource(source, flags, unit, uses, handlers, new, decisions, typed, refusals)


def plan(
    source: CxxSource,
    capsules_become_typed: bool,
    symbols: Collection[str] = (),
    calls_are_seen: bool = False,
) -> Plan:
    """`capsules_become_typed`: the Python that registers them is migrated, too; `symbols`: the
    functions that it gets by their names; `calls_are_seen`: Python is migrated, too."""
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
    new = _exported(source)
    decisions += _exports.decisions(source.unit, new, symbols)
    if not calls_are_seen:
        decisions += _exports.narrowed(source.unit, new)
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
        _new_files.test(source.path, source.unit, source.handlers, source.typed),
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
    edits += _rewriting_edits(source.unit, source.uses, source.typed, names)
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
        source.refusals.append(_refusal(source.unit, use, line, why))


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
        edits = _rewriting_edits(source.unit, source.uses, instances, names)
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


# ---- Which functions are rewritten as typed ones, and what becomes of their registrations
#
# The old function goes, so all that uses it must be seen: registrations and capsules of its source.


def _find_rewritten(
    unit: TranslationUnit, uses: list[Use], others: list[pathlib.Path]
) -> tuple[dict[str, TypedFunction], list[Decision]]:
    """Returns the functions that can be rewritten, by USR, and why the others cannot.

    `others`: the other C++ sources of the command, which may use a function, too.
    """
    words = list(unit.unit.get_tokens(extent=unit.unit.cursor.extent))
    texts = [text_of(other.read_bytes()) for other in others]
    found: dict[str, TypedFunction] = {}
    decisions = []
    for instances in _by_template(uses):
        of = [use for part in instances.values() for use in part]
        try:
            function = _definition(unit, of[0])
            platform = of[0].signature.platform
            typed = _typed_functions.typed(unit, function, platform, _ffi(words))
            _check_uses(unit, function, of, words, texts)
            capsule = next((use for use in of if use.kind == "capsule"), None)
            if typed.follows_tuples and capsule is not None:
                raise Refused(capsule.cursor, "Python, for which this capsule is, has no tuples")
            if function.kind == _Kind.FUNCTION_TEMPLATE:
                made = {
                    key: _typed_functions.instance(typed, part[0].declaration)
                    for key, part in instances.items()
                }
            else:
                made = {key: typed for key in instances}
            found.update(made)
        except Refused as refused:
            for part in instances.values():
                decisions.append(_refusal(unit, part[0], refused.line, refused.why))
    return found, decisions


def _refusal(unit: TranslationUnit, use: Use, line: int, why: str) -> Decision:
    text = f"{use.function} is not rewritten as a typed function: {why}"
    return Decision(unit.path, line, text)


def _rewriting_edits(
    unit: TranslationUnit, uses: list[Use], typed: dict[str, TypedFunction], names: dict[str, str]
) -> list[Edit]:
    """`names`: by a function's USR, its handler."""
    made = []
    if typed:
        at = _exports.include_place(unit)
        if _INCLUDE.encode() not in unit.content:
            made.append(Edit(at, at, _INCLUDE))
        if any(one.ffi == "ffi" for one in typed.values()) and _ALIAS.encode() not in unit.content:
            made.append(Edit(at, at, f"\n{_ALIAS}"))
    edited = []
    for key, of in _by_function(uses).items():
        function = typed.get(key)
        if function is None:
            continue
        if function.function not in edited:  # the instances of a template have one
            edited.append(function.function)
            made += function.edits
        place, leading = _exports.behind_definition(unit, function.function)
        binding = function.binding(names[key], _qualified(function.function))
        made.append(Edit(place, place, leading.format(binding)))
        for start, end, registered in _registrations(unit, of):
            lines = [_registration(function.ffi, use, names[key]) for use in registered]
            # A macro may have brought the semicolon.
            is_ended = unit.content[end:].lstrip().startswith(b";")
            made.append(Edit(start, end, ";\n".join(lines) + ("" if is_ended else ";")))
    return made


def _by_function(uses: list[Use]) -> dict[str, list[Use]]:
    found: dict[str, list[Use]] = {}
    for use in uses:
        found.setdefault(use.declaration.get_usr(), []).append(use)
    return found


def _by_template(uses: list[Use]) -> list[dict[str, list[Use]]]:
    """The uses by function; the instances of a template together, which is rewritten once."""
    found: dict[str, dict[str, list[Use]]] = {}
    for key, of in _by_function(uses).items():
        template = cindex.conf.lib.clang_getSpecializedCursorTemplate(of[0].declaration)
        found.setdefault(key if template is None else template.get_usr(), {})[key] = of
    return list(found.values())


def _ffi(words: list[cindex.Token]) -> str:
    """How the source names xla::ffi: "ffi", unless that is something else there."""
    spelled = [word.spelling for word in words]
    bare = [i for i, word in enumerate(spelled) if word == "ffi" and spelled[i - 1] != "::"]
    alias = ["namespace", "ffi", "=", "xla", "::", "ffi", ";"]
    has_alias = any(spelled[i - 1 : i + 6] == alias for i in bare)
    return "ffi" if has_alias or not bare else "xla::ffi"


# ---- What must hold


def _definition(unit: TranslationUnit, use: Use) -> cindex.Cursor:
    """The function's definition, which is its only declaration."""
    if unit.missing or unit.errors:
        raise Refused(use.cursor, "headers are missing, so not all of its body is seen")
    if use.kind == "definition":
        raise Refused(use.cursor, "nothing registers it here, so others may use it as it is")
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(use.declaration)
    if template is not None and template.kind != _Kind.FUNCTION_TEMPLATE:
        raise Refused(use.cursor, "it is a member of a class template")
    definition = (use.declaration if template is None else template).get_definition()
    if definition is None or not unit.is_here(definition):
        raise Refused(use.cursor, "it is not defined here")
    if unit.is_in_macro(definition):
        raise Refused(definition, "a macro defines it")
    if template is not None and use.declaration.location != definition.location:
        raise Refused(definition, "one of its instances has a definition of its own")
    first = definition.canonical
    if first != definition:
        where = f"{first.location.file}:{first.location.line}"
        raise Refused(definition, f"others may use it as {where} declares it")
    if definition.mangled_name == definition.spelling:
        raise Refused(definition, "it is a C symbol, which others may look up by its name")
    if _CONDITION.search(unit.text(definition.extent).encode()):
        raise Refused(definition, "it has code under #if, of which one branch alone is seen")
    return definition


def _check_uses(
    unit: TranslationUnit,
    function: cindex.Cursor,
    uses: list[Use],
    words: list[cindex.Token],
    others: list[str],
) -> None:
    """Refuses a function that anything else uses."""
    ranges = [(start, end) for start, end, _ in _registrations(unit, uses)]
    for use in uses:
        if use.kind == "capsule":
            extent = _exports.reference_extent(unit, use)
            if extent is None:
                raise Refused(use.cursor, "a macro makes its capsule")
            ranges.append(extent)
    exports = [
        (one.extent.start.offset, one.extent.end.offset) for one in unit.macros(_exports.MACRO)
    ]
    for word in words:
        at = word.extent.start.offset
        if word.spelling != function.spelling or at == function.location.offset:
            continue
        if any(start <= at < end for start, end in exports):
            raise Refused(word, "it has been exported; without this line it is rewritten")
        if any(start <= at < end for start, end in ranges) or _names_another(word, function):
            continue
        raise Refused(word, f"{word.spelling} is used here, too")
    if function.linkage == cindex.LinkageKind.EXTERNAL:
        if any(re.search(rf"\b{re.escape(function.spelling)}\b", text) for text in others):
            raise Refused(function, "another source of the command names it, too")


def _names_another(word: cindex.Token, function: cindex.Cursor) -> bool:
    """True if a word is known to name something else than the function, such as a namespace or a
    function of another one."""
    named = word.cursor.referenced
    if named is None or named.spelling != word.spelling:
        return False
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(named)
    return (named if template is None else template).canonical != function


# ---- Registrations


def _registrations(unit: TranslationUnit, uses: list[Use]) -> list[tuple[int, int, list[Use]]]:
    """What is replaced, and the registrations that are in it: those of a macro are one place."""
    found: dict[tuple[int, int], list[Use]] = {}
    for use in uses:
        if use.kind == "registration":
            found.setdefault(_registration_extent(unit, use), []).append(use)
    for (start, end), of in found.items():
        there = [one for one in unit.declarations if start <= one.extent.start.offset < end]
        if {one.hash for one in there} - {use.outermost.hash for use in of}:
            raise Refused(of[0].cursor, "the macro that registers it does more than that")
    return [(start, end, of) for (start, end), of in found.items()]


def _registration_extent(unit: TranslationUnit, use: Use) -> tuple[int, int]:
    call, outermost = use.cursor.extent, use.outermost
    start, end = call.start.offset, call.end.offset
    is_variable = outermost.kind == _Kind.VAR_DECL
    macro = unit.expansion_around(use.cursor)
    if macro is not None and not is_variable:
        raise Refused(use.cursor, "a macro registers it in a function")
    if macro is not None:
        return macro
    if is_variable and outermost.type.spelling.endswith("RegisterCustomCallTarget"):
        return outermost.extent.start.offset, outermost.extent.end.offset
    before = unit.content[:start].rstrip()
    if before[-1:] not in b"{;}" or not unit.content[end:].lstrip().startswith(b";"):
        raise Refused(use.cursor, "its registration is no statement of its own")
    return start, end


def _registration(ffi: str, use: Use, handler: str) -> str:
    api, target = f"{ffi}::GetXlaFfiApi()", f'"{use.target}", "{use.platform}"'
    return f"XLA_FFI_REGISTER_HANDLER({api}, {target}, {handler})"


def _qualified(function: cindex.Cursor) -> str:
    name, parent = function.spelling, function.semantic_parent
    while parent is not None and parent.kind in (_Kind.CLASS_DECL, _Kind.STRUCT_DECL):
        name, parent = f"{parent.spelling}::{name}", parent.semantic_parent
    return name
