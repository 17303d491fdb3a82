"""Writes CALLBRIDGE_EXPORT lines into a C++ source, and handlers into its capsules."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection

import clang.cindex as cindex

from callbridge.migrate import _pointer_tables, _translation_unit, _typed_functions
from callbridge.migrate._pointer_tables import Refused
from callbridge.migrate._sources import Decision, Edit
from callbridge.migrate._targets import Use
from callbridge.migrate._translation_unit import TranslationUnit

_Kind = cindex.CursorKind
MACRO = "CALLBRIDGE_EXPORT"
# The elements that JAX narrows, as NumPy names them.
_WIDE = {"int64_t": "int64", "uint64_t": "uint64", "double": "float64"}
_INCLUDE = '#include "callbridge/export.h"\n'


@dataclasses.dataclass
class Handler:
    """A function's handler, and what it is registered as."""

    name: str
    use: Use
    targets: list[tuple[str, str]] = dataclasses.field(default_factory=list)  # (name, platform)


def handlers_of(unit: TranslationUnit, uses: list[Use]) -> tuple[list[Handler], list[Handler]]:
    """Returns all handlers, and those of them that the source does not have yet."""
    exported = _exported(unit)
    taken = _words(unit)
    known: dict[str, Handler] = {}
    new = []
    for use in uses:
        key = use.declaration.get_usr() or use.function
        handler = known.get(key)
        if handler is None:
            name = exported.get(_key(use.function)) or exported.get(
                _key(use.declaration.spelling) if "<" not in use.function else ""
            )
            handler = known[key] = Handler(name or _free_name(use.function, taken), use)
            if name is None:
                new.append(handler)
                taken.add(handler.name)
        if use.target:
            handler.targets.append((use.target, use.platform))
    return list(known.values()), new


def edits(
    unit: TranslationUnit, uses: list[Use], new: list[Handler], into_capsules: dict[str, str]
) -> list[Edit]:
    """The include, the lines, and the handlers in capsules: by a function's USR, its handler."""
    if not new and not into_capsules:
        return []
    made = []
    if new and _INCLUDE.encode() not in unit.content:
        at = include_place(unit)
        made.append(Edit(at, at, _INCLUDE))
    for handler in new:
        place, leading = _place(unit, handler.use, uses)
        made.append(Edit(place, place, leading.format(_line(handler))))
    for use in uses:
        name = into_capsules.get(use.declaration.get_usr())
        if use.kind == "capsule" and name is not None:
            extent = reference_extent(unit, use)
            if extent is not None:
                made.append(Edit(extent[0], extent[1], name))
    return made


def narrowed(unit: TranslationUnit, handlers: list[Handler]) -> list[Decision]:
    """Numbers of 64 bits among the operands, which JAX makes ones of 32 bits by default."""
    found = []
    for handler in handlers:
        use = handler.use
        buffers = _buffers(unit, use) if use.signature.platform == _translation_unit.HOST else None
        wide = [] if buffers is None else [one for one in buffers.numbers if one[1] in _WIDE]
        if wide:
            places = ", ".join(f"{place} as one {element}" for place, element in wide)
            text = (
                f"{use.function} reads {places}: JAX makes such an operand one of 32 bits unless "
                "jax_enable_x64 is set, and then it reads beyond that; hand over "
                f"mlir.ir_constant(numpy.{_WIDE[wide[0][1]]}(...)) in a lowering rule, or set it"
            )
            found.append(Decision(unit.path, use.declaration.location.line, text))
    return found


def decisions(
    unit: TranslationUnit, handlers: list[Handler], symbols: Collection[str] = ()
) -> list[Decision]:
    """What a handler alone does not settle: tuples, and functions that nothing registers here."""
    found = []
    for handler in handlers:
        use = handler.use
        definition = use.declaration.get_definition()
        name = use.function
        if use.kind == "definition" and name not in symbols:
            text = (
                f"{name} has the type of {use.signature.abi}, but nothing registers it here; "
                f"register {handler.name} where it is used, or remove its line if {name} is no "
                "custom call"
            )
            found.append(Decision(unit.path, use.line, text))
        if definition is None or use.signature.platform != _translation_unit.HOST:
            continue
        tables = _pointer_tables.find_tuples(definition)
        if _pointer_tables.RESULT in tables and _buffers(unit, use) is None:
            text = (
                f"{name} writes a table of results; a tuple of one result needs "
                f"callbridge::ExportOptions().Shapes(...) in its {MACRO}"
            )
            line = tables[_pointer_tables.RESULT].cursor.location.line
            found.append(Decision(unit.path, line, text))
        if _pointer_tables.UNKNOWN in tables:
            table = tables[_pointer_tables.UNKNOWN]
            text = (
                f"{name} hands its operands to {table.called}, which is not defined here; if "
                f"that follows one as a tuple, {name} needs "
                f"callbridge::ExportOptions().Shapes(...) in its {MACRO}"
            )
            found.append(Decision(unit.path, table.cursor.location.line, text))
    return found


def without_tuples(
    unit: TranslationUnit, uses: list[Use], rewritten: Collection[str] = ()
) -> tuple[list[Use], list[Decision]]:
    """Leaves out what follows an operand as a table, and is neither exported yet nor, by its USR,
    rewritten.

    A typed call brings leaves alone: only shapes, which the source does not have, tell a handler
    how to build the table, and without them the function would follow an array's data.
    """
    exported = _exported(unit)
    kept, found = [], []
    for use in uses:
        table = None
        if (
            _key(use.function) not in exported
            and use.declaration.get_usr() not in rewritten
            and use.signature.platform == _translation_unit.HOST
        ):
            table = _table_that_needs_shapes(unit, use)
        if table is None:
            kept.append(use)
            continue
        name = _free_name(use.function, _words(unit))
        what, example = (
            ("follows an operand as a table of pointers, a tuple", "(f32[2],f32[3]) -> f32[2]")
            if table.kind == _pointer_tables.OPERAND
            else ("writes a tuple of one result, or one in a tuple", "f32[2] -> (f32[2])")
        )
        text = (
            f"{use.function} {what}, whose shapes the "
            f"source does not say; write {MACRO}({name}, {use.function}, "
            f'callbridge::ExportOptions().Shapes("{example}")) with its own. Until '
            "then callbridge.jax.load() calls it as it is"
        )
        decision = Decision(unit.path, table.cursor.location.line, text)
        if decision not in found:
            found.append(decision)
    return kept, found


def _table_that_needs_shapes(unit: TranslationUnit, use: Use) -> _pointer_tables.Tuple | None:
    definition = use.declaration.get_definition()
    if definition is None:
        return None
    tables = _pointer_tables.find_tuples(definition)
    if _pointer_tables.OPERAND in tables:
        return tables[_pointer_tables.OPERAND]
    buffers = _buffers(unit, use)
    if buffers is not None and buffers.needs_shapes:
        return tables.get(_pointer_tables.RESULT)
    return None


def _buffers(unit: TranslationUnit, use: Use) -> _typed_functions.Buffers | None:
    """What a function takes; None if its body does not tell."""
    try:
        return _typed_functions.buffers(unit, use.declaration)
    except Refused:
        return None


def exported_functions(unit: TranslationUnit) -> set[str]:
    """The functions that have their lines in the source, as it names them."""
    return set(_exported(unit))


def _exported(unit: TranslationUnit) -> dict[str, str]:
    """The handlers that the source has: by function, the handler's name."""
    found = {}
    for macro in unit.macros(MACRO):
        words = [token.spelling for token in macro.get_tokens()][2:-1]
        if len(words) < 3 or words[1] != ",":
            continue
        function, depth = [], 0
        for word in words[2:]:
            if word == "," and depth == 0:
                break
            depth += word.count("(") - word.count(")") + word.count("<") - word.count(">")
            function.append(word)
        found[_key("".join(function))] = words[0]
    return found


def _key(function: str) -> str:
    return re.sub(r"[\s()]", "", function)


def _words(unit: TranslationUnit) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", unit.content.decode(errors="replace")))


def _free_name(function: str, taken: set[str]) -> str:
    words = re.findall(r"[A-Za-z0-9]+", function.replace("::", "_"))
    name = "".join(word[0].upper() + word[1:] for word in words)
    name = name if name[0].isalpha() else "Handler" + name
    while name in taken:
        name += "Handler"
    return name


def _line(handler: Handler) -> str:
    function = handler.use.function
    if "," in function:
        function = f"({function})"
    options = ", callbridge::ExportOptions().Gpu()" if _needs_gpu_option(handler.use) else ""
    return f"{MACRO}({handler.name}, {function}{options});"


def _needs_gpu_option(use: Use) -> bool:
    """A stream that is a void* does not tell; and version 3's type is Host's unless declared."""
    types = _translation_unit.signature_of(use.declaration.type)
    on_gpu = bool(use.platform) and _translation_unit.kind_of(use.platform) == _translation_unit.GPU
    if not on_gpu and use.signature.platform != _translation_unit.GPU:
        return False
    return types is not None and types[1][0] == "void*"


def _place(unit: TranslationUnit, use: Use, uses: list[Use]) -> tuple[int, str]:
    """Where a line goes: behind a registration at namespace scope, else behind the definition of
    the function if that is here, else before what uses it."""
    if use.kind == "registration" and use.outermost.kind == _Kind.VAR_DECL:
        return _behind(unit, use.outermost.extent.end.offset)
    definition = use.declaration.get_definition() or use.declaration
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(use.declaration)
    definition = _in_namespace(template if template is not None else definition)
    if (
        unit.is_here(definition)
        and definition.is_definition()
        and definition.extent.end.offset < use.cursor.extent.start.offset + 1
        and definition.semantic_parent == _scope(use)
    ) or use.kind == "definition":
        return _behind(unit, definition.extent.end.offset)
    start = unit.content.rfind(b"\n", 0, use.outermost.extent.start.offset) + 1
    while start > 0:  # above the comment of what uses it
        line = unit.content.rfind(b"\n", 0, start - 1) + 1
        if not unit.content[line:start].lstrip().startswith(b"//"):
            break
        start = line
    return start, "{}\n\n"


def behind_definition(unit: TranslationUnit, definition: cindex.Cursor) -> tuple[int, str]:
    """Where, and how, a declaration goes behind a function's definition."""
    return _behind(unit, _in_namespace(definition).extent.end.offset)


def _in_namespace(declaration: cindex.Cursor) -> cindex.Cursor:
    """The class that a declaration is in, or itself."""
    while declaration.semantic_parent is not None and declaration.semantic_parent.kind in (
        *(_Kind.CLASS_DECL, _Kind.STRUCT_DECL, _Kind.CLASS_TEMPLATE),
    ):
        declaration = declaration.semantic_parent
    return declaration


def _scope(use: Use):
    parent = use.outermost.semantic_parent
    while parent is not None and parent.kind == _Kind.LINKAGE_SPEC:
        parent = parent.semantic_parent
    return parent


def _behind(unit: TranslationUnit, offset: int) -> tuple[int, str]:
    rest = re.compile(rb"\s*;").match(unit.content, offset)
    return (rest.end() if rest else offset), "\n{}"


def include_place(unit: TranslationUnit) -> int:
    """Behind the last include that stands under no condition."""
    place, depth, offset = 0, 0, 0
    guarded = re.search(
        rb"\A(?:\s|//[^\n]*\n|/\*.*?\*/)*#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+\1\b",
        unit.content,
        re.DOTALL,
    )
    base = 1 if guarded else 0
    for line in unit.content.splitlines(keepends=True):
        offset += len(line)
        word = re.match(rb"\s*#\s*(\w+)", line)
        if word is None:
            continue
        if word[1] in (b"if", b"ifdef", b"ifndef"):
            depth += 1
        elif word[1] == b"endif":
            depth -= 1
        elif word[1] == b"include" and depth <= base:
            place = offset
    return place


def reference_extent(unit: TranslationUnit, use: Use):
    """Where a capsule names its function, with an & before it or not."""
    for one in use.cursor.walk_preorder():
        if (
            one.kind == _Kind.DECL_REF_EXPR
            and one.referenced is not None
            and one.referenced == use.declaration
            and not unit.is_in_macro(one)
        ):
            return one.extent.start.offset, one.extent.end.offset
    return None
