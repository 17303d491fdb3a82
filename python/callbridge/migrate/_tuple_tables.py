"""Where a custom call's function follows an operand, or its result, as a table of pointers.

Followed are variables and calls of functions that are defined in the same translation unit. A cast
reads a tuple if it adds a level of pointers: from in[0], a void*, to a void**; not from in, a
void**, to a float**.
"""

from __future__ import annotations

import dataclasses

import clang.cindex as cindex

from callbridge.migrate._translation_unit import parameters_of

_Kind = cindex.CursorKind
_CASTS = (_Kind.CXX_REINTERPRET_CAST_EXPR, _Kind.CXX_STATIC_CAST_EXPR, _Kind.CSTYLE_CAST_EXPR)
RESULT, OPERAND, UNKNOWN = "result", "operand", "unknown"


@dataclasses.dataclass(frozen=True)
class Table:
    """`kind`: RESULT, OPERAND, or UNKNOWN: all operands go to a function that is not seen."""

    kind: str
    cursor: cindex.Cursor
    called: str = ""  # the function that UNKNOWN's go to


def find(function: cindex.Cursor) -> dict[str, Table]:
    """Returns the first table of each kind, in the definition of a function (out, in, ...) of Host.

    A table in another file is said to be at the call that leads there.
    """
    parameters = [one.get_usr() for one in parameters_of(function)]
    found: dict[str, Table] = {}
    if len(parameters) >= 2:
        follow = _Follow(str(function.location.file), found)
        follow.body(function, {parameters[0]: RESULT, parameters[1]: OPERAND}, None)
    return found


class _Follow:
    def __init__(self, file: str, found: dict[str, Table]):
        self.file, self.found = file, found
        self.seen: set[tuple] = set()

    def body(self, function, kinds: dict[str, str], call) -> None:
        """`kinds`: of the parameters, by USR, and then of the variables that are made of them."""
        key = (function.get_usr(), tuple(sorted(kinds.items())))
        if key in self.seen:
            return
        self.seen.add(key)
        for one in function.walk_preorder():
            if one.kind == _Kind.VAR_DECL and pointer_depth(one.type) > 0:
                kind = _kind_in(one, kinds)
                if kind is not None:
                    kinds[one.get_usr()] = kind
            elif one.kind in _CASTS:
                kind = _kind_in(one, kinds)
                if kind is not None and pointer_depth(one.type) > pointer_depth(
                    list(one.get_children())[-1].type
                ):
                    self.add(Table(kind, self.place(one, call)))
            elif one.kind == _Kind.CALL_EXPR and one.referenced is not None:
                self.call(one, kinds, call)

    def call(self, one, kinds: dict[str, str], outer) -> None:
        called = one.referenced
        definition = called.get_definition()
        place = self.place(one, outer)
        passed = {}
        for argument, parameter in zip(one.get_arguments(), called.get_arguments()):
            depth = pointer_depth(parameter.type)
            kind = _kind_in(argument, kinds) if argument is not None and depth > 0 else None
            if kind is None:
                continue
            passed[parameter.get_usr()] = kind
            if definition is None and kind == OPERAND and depth > 1:
                self.add(Table(UNKNOWN, place, called.spelling))
        if passed and definition is not None and not definition.location.is_in_system_header:
            names = [parameter.get_usr() for parameter in called.get_arguments()]
            inner = [parameter.get_usr() for parameter in definition.get_arguments()]
            renamed = {b: passed[a] for a, b in zip(names, inner) if a in passed}
            self.body(definition, renamed, place)

    def add(self, table: Table) -> None:
        self.found.setdefault(table.kind, table)

    def place(self, cursor, call):
        return cursor if call is None or str(cursor.location.file) == self.file else call


def _kind_in(cursor, kinds: dict[str, str]) -> str | None:
    for one in cursor.walk_preorder():
        if one.kind == _Kind.DECL_REF_EXPR and one.referenced is not None:
            kind = kinds.get(one.referenced.get_usr())
            if kind is not None:
                return kind
    return None


def pointer_depth(type_: cindex.Type) -> int:
    """The levels of pointers of a type: 2 of a void**."""
    type_, depth = type_.get_canonical(), 0
    while type_.kind == cindex.TypeKind.POINTER:
        type_, depth = type_.get_pointee().get_canonical(), depth + 1
    return depth
