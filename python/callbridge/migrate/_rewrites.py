"""Which functions of a source are rewritten as typed ones, and what becomes of their registrations.

The old function goes, so all that uses it must be seen: registrations and capsules of its source.
"""

from __future__ import annotations

import pathlib
import re

import clang.cindex as cindex

from callbridge.migrate import _exports, _typed_functions
from callbridge.migrate._buffer_accesses import Refused
from callbridge.migrate._plan import Decision, Edit, text_of
from callbridge.migrate._targets import Use
from callbridge.migrate._translation_unit import TranslationUnit
from callbridge.migrate._typed_functions import TypedFunction

_Kind = cindex.CursorKind
INCLUDE = '#include "xla/ffi/api/ffi.h"\n'
_ALIAS = "namespace ffi = xla::ffi;\n"
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else)\b", re.MULTILINE)


def find(
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
                decisions.append(refusal(unit, part[0], refused.line, refused.why))
    return found, decisions


def refusal(unit: TranslationUnit, use: Use, line: int, why: str) -> Decision:
    text = f"{use.function} is not rewritten as a typed function: {why}"
    return Decision(unit.path, line, text)


def edits(
    unit: TranslationUnit, uses: list[Use], typed: dict[str, TypedFunction], names: dict[str, str]
) -> list[Edit]:
    """`names`: by a function's USR, its handler."""
    made = []
    if typed:
        at = _exports.include_place(unit)
        if INCLUDE.encode() not in unit.content:
            made.append(Edit(at, at, INCLUDE))
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
