"""Where a custom call's function follows its tables of pointers: to tuples, and to each array.

A function is a typed one's if it reads operands and writes results each at a constant place of its
tables; find_accesses() tells where. In one that stays as it is, find_tuples() finds the operands
and results that it takes for tables themselves.
"""

from __future__ import annotations

import ctypes
import dataclasses

import clang.cindex as cindex

from callbridge.migrate._translation_unit import TranslationUnit, parameters_of

_Kind = cindex.CursorKind
_CASTS_OF_TABLES = (
    _Kind.CXX_REINTERPRET_CAST_EXPR,
    _Kind.CXX_STATIC_CAST_EXPR,
    _Kind.CSTYLE_CAST_EXPR,
)
_CASTS = (*_CASTS_OF_TABLES, _Kind.CXX_CONST_CAST_EXPR, _Kind.CXX_FUNCTIONAL_CAST_EXPR)
OPERAND, RESULT, UNKNOWN = "operand", "result", "unknown"


def pointer_depth(type_: cindex.Type) -> int:
    """The levels of pointers of a type: 2 of a void**."""
    type_, depth = type_.get_canonical(), 0
    while type_.kind == cindex.TypeKind.POINTER:
        type_, depth = type_.get_pointee().get_canonical(), depth + 1
    return depth


# ---- Tuples
#
# Followed are variables and calls of functions that are defined in the same translation unit. A
# cast reads a tuple if it adds a level of pointers: from in[0], a void*, to a void**; not from in,
# a void**, to a float**.


@dataclasses.dataclass(frozen=True)
class Tuple:
    """`kind`: RESULT, OPERAND, or UNKNOWN: all operands go to a function that is not seen."""

    kind: str
    cursor: cindex.Cursor
    called: str = ""  # the function that UNKNOWN's go to


def find_tuples(function: cindex.Cursor) -> dict[str, Tuple]:
    """Returns the first table of each kind, in the definition of a function (out, in, ...) of Host.

    A table in another file is said to be at the call that leads there.
    """
    parameters = [one.get_usr() for one in parameters_of(function)]
    found: dict[str, Tuple] = {}
    if len(parameters) >= 2:
        follow = _TupleSearch(str(function.location.file), found)
        follow.body(function, {parameters[0]: RESULT, parameters[1]: OPERAND}, None)
    return found


class _TupleSearch:
    def __init__(self, file: str, found: dict[str, Tuple]):
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
            elif one.kind in _CASTS_OF_TABLES:
                kind = _kind_in(one, kinds)
                if kind is not None and pointer_depth(one.type) > pointer_depth(
                    list(one.get_children())[-1].type
                ):
                    self.add(Tuple(kind, self.place(one, call)))
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
                self.add(Tuple(UNKNOWN, place, called.spelling))
        if passed and definition is not None and not definition.location.is_in_system_header:
            names = [parameter.get_usr() for parameter in called.get_arguments()]
            inner = [parameter.get_usr() for parameter in definition.get_arguments()]
            renamed = {b: passed[a] for a, b in zip(names, inner) if a in passed}
            self.body(definition, renamed, place)

    def add(self, table: Tuple) -> None:
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


# ---- Arrays
#
# Followed are the tables themselves and variables that name them. Whatever else happens to a table
# raises Refused, with the place and the reason.


class Refused(Exception):
    """Why a function is not rewritten, at the line of a cursor or a token."""

    def __init__(self, place: cindex.Cursor | cindex.Token, why: str):
        super().__init__(why)
        self.line, self.why = place.location.line, why


@dataclasses.dataclass(frozen=True)
class Access:
    """An expression for the pointer to one array."""

    path: tuple[int, ...]  # its place in the table, and in that table's tables; () is the result
    start: int  # the bytes of the pointer, as "in[0]"
    end: int
    pointer: str  # the pointer's type, "const void*"
    element: str | None = None  # what is read there, "float"; None if it is not told
    is_const: bool = False
    # The bytes of the cast around it, which typed_data() makes needless; None if it stays.
    cast: tuple[int, int] | None = None
    is_number: bool = False  # the first element alone is used
    is_typed: bool = False  # of a table of typed pointers


@dataclasses.dataclass
class _Value:
    """What an expression is: a table, or a pointer that is an element of one."""

    root: str
    path: tuple[int, ...]
    is_table: bool
    is_place: bool = True  # an lvalue
    start: int = 0
    end: int = 0
    variable: bool = False  # a variable that was made of an element


@dataclasses.dataclass
class Accesses:
    found: dict[str, list[Access]] = dataclasses.field(
        default_factory=lambda: {OPERAND: [], RESULT: []}
    )
    # Statements that go: variables that name a table, and (void)in.
    needless: list[cindex.Cursor] = dataclasses.field(default_factory=list)
    references: list[int] = dataclasses.field(default_factory=list)  # offsets of what was followed

    def at(self, kind: str, path: tuple[int, ...]) -> list[Access]:
        return [one for one in self.found[kind] if one.path == path]

    def paths(self, kind: str) -> list[tuple[int, ...]]:
        return sorted({one.path for one in self.found[kind]})


def find_accesses(
    unit: TranslationUnit, body: cindex.Cursor, roots: dict[str, tuple[cindex.Cursor, bool]]
) -> Accesses:
    """`roots`: by kind the parameter, and whether that is a table or may be one array's pointer."""
    search = _AccessSearch(unit, roots)
    search.visit(body, [])
    return search.accesses


class _AccessSearch:
    def __init__(self, unit: TranslationUnit, roots):
        self.unit = unit
        self.accesses = Accesses()
        self.names = {
            cursor.hash: _Value(kind, (), is_table) for kind, (cursor, is_table) in roots.items()
        }

    def visit(self, cursor, above) -> None:
        for child in cursor.get_children():
            if child.kind == _Kind.DECL_REF_EXPR and child.referenced is not None:
                value = self.names.get(child.referenced.hash)
                if value is not None:
                    self.accesses.references.append(child.extent.start.offset)
                    self.follow(dataclasses.replace(value), child, [*above, cursor])
            self.visit(child, [*above, cursor])

    def follow(self, value: _Value, node, above) -> None:
        """`above`: the cursors around the reference `node`, from the outermost."""
        name = node.spelling
        if self.unit.is_in_macro(node):
            raise Refused(node, f"{name} is used in a macro")
        by = _decided_by(above)
        if by is not None:
            raise Refused(
                node,
                f"{name} is used under a condition on the template's {by}, so its instances may "
                "have other buffers",
            )
        if above[-1].kind == _Kind.LAMBDA_EXPR:
            raise Refused(node, f"a lambda names {name} in its captures")
        value.start, value.end = node.extent.start.offset, node.extent.end.offset
        for i in range(len(above) - 1, -1, -1):
            parent = above[i]
            if parent.kind == _Kind.PAREN_EXPR:
                value.start, value.end = parent.extent.start.offset, parent.extent.end.offset
            elif parent.kind == _Kind.UNEXPOSED_EXPR and pointer_depth(parent.type) > 0:
                value.is_place = False
                # A table of typed pointers says what its arrays are.
                if not value.is_table and _pointee(parent.type) is not None:
                    self.leaf(value, parent, parent.type, above[:i])
                    return
            elif value.is_table and self.is_element(parent, node):
                value.path += (self.index(parent),)
                value.is_table, value.is_place = pointer_depth(parent.type) > 1, True
                value.start, value.end = parent.extent.start.offset, parent.extent.end.offset
            elif parent.kind in _CASTS and parent.type.kind == cindex.TypeKind.VOID:
                self.accesses.needless.append(parent)
                return
            elif value.is_place and not _reads_by_cast(parent):
                what = "an element of the table " if not value.is_table else ""
                raise Refused(parent, f"{what}{name} is changed, or its address is taken")
            elif parent.kind in _CASTS:
                if self.cast(value, parent, above[:i], name):
                    return
            elif parent.kind == _Kind.VAR_DECL:
                self.variable(value, parent, node, above[i - 1])
                return
            elif not value.is_table:
                self.leaf(value, node, node.type)
                return
            else:
                raise Refused(node, _what_a_table_is_used_for(parent, name))
            node = parent

    def is_element(self, parent, node) -> bool:
        if parent.kind == _Kind.ARRAY_SUBSCRIPT_EXPR:
            return next(iter(parent.get_children())) == node
        return _dereferences(parent)

    def index(self, expression) -> int:
        if expression.kind == _Kind.UNARY_OPERATOR:
            return 0
        index = list(expression.get_children())[-1]
        value = _constant(index)
        if value is None or value < 0:
            text = " ".join(word.spelling for word in index.get_tokens())
            raise Refused(index, f"the index {text} of a table is not a constant")
        return value

    def cast(self, value: _Value, cast, above, name: str) -> bool:
        """Returns True if the cast says what the array's elements are."""
        depth = pointer_depth(cast.type)
        if value.is_table:
            if depth < 2:
                raise Refused(cast, f"the table {name} is cast to {cast.type.spelling}")
            return False
        if depth > 1:
            if value.variable:
                raise Refused(cast, f"{name}, an element of a table, is followed as a table")
            value.is_table = True
            return False
        if depth == 1 and _pointee(cast.type) is None:  # to another void*
            return False
        self.leaf(value, cast, cast.type, above)
        return True

    def variable(self, value: _Value, variable, initializer, statement) -> None:
        if value.is_table:
            if statement.kind != _Kind.DECL_STMT or len(list(statement.get_children())) != 1:
                raise Refused(variable, f"{variable.spelling}, a table, is declared with others")
            self.accesses.needless.append(statement)
            self.names[variable.hash] = _Value(value.root, value.path, True)
            return
        self.leaf(value, initializer, variable.type)
        if pointer_depth(variable.type) == 1:
            # Its uses stay as they are; they say what the elements are.
            self.names[variable.hash] = _Value(value.root, value.path, False, False, variable=True)

    def leaf(self, value: _Value, node, type_, above=()) -> None:
        """`above`: the cursors around a pointer `node` that is of a type other than void*."""
        pointee = _pointee(type_)
        start, end = (0, 0) if value.variable else (value.start, value.end)
        access = Access(
            *(value.path, start, end, type_.get_canonical().spelling),
            element=None if pointee is None else _unqualified(pointee),
            is_const=type_.get_canonical().get_pointee().is_const_qualified(),
            is_typed=pointee is not None and node.kind not in _CASTS,
        )
        if pointee is not None and above:
            parents = list(reversed(above))
            while parents[0].kind == _Kind.PAREN_EXPR:
                node = parents.pop(0)
            stays = access.is_const and not (_reads(parents) or _declares(parents, type_))
            extent = (node.extent.start.offset, node.extent.end.offset)
            access = dataclasses.replace(
                access,
                cast=None if stays or value.variable else extent,
                is_number=self.is_first(parents),
            )
        self.accesses.found[value.root].append(access)

    def is_first(self, parents) -> bool:
        if parents[0].kind == _Kind.UNARY_OPERATOR:
            return _dereferences(parents[0])
        if parents[0].kind != _Kind.ARRAY_SUBSCRIPT_EXPR:
            return False
        return _constant(list(parents[0].get_children())[-1]) == 0


def _dereferences(cursor) -> bool:
    if cursor.kind != _Kind.UNARY_OPERATOR:
        return False
    first = next(cursor.get_tokens(), None)
    return first is not None and first.spelling == "*"


def _decided_by(above) -> str | None:
    """The value parameter of a template that decides whether a place is reached, if one does."""
    for parent, child in zip(above, above[1:]):
        if parent.kind not in (_Kind.IF_STMT, _Kind.CONDITIONAL_OPERATOR):
            continue
        condition = next(iter(parent.get_children()))
        if condition == child:
            continue
        for one in condition.walk_preorder():
            if (
                one.referenced is not None
                and one.referenced.kind == _Kind.TEMPLATE_NON_TYPE_PARAMETER
            ):
                return one.spelling
    return None


def _reads_by_cast(parent) -> bool:
    """True of a cast to a pointer to a template's parameter, before which clang writes no read."""
    return parent.kind in _CASTS and parent.type.kind == cindex.TypeKind.POINTER


def _what_a_table_is_used_for(parent, name: str) -> str:
    if parent.kind == _Kind.CALL_EXPR:
        return f"{name} is handed to {parent.spelling or 'a function'}"
    if parent.kind in (_Kind.BINARY_OPERATOR, _Kind.UNARY_OPERATOR):
        return f"{name} is used in arithmetic, a comparison or an assignment"
    return f"{name} is used other than by its elements"


def _reads(parents) -> bool:
    """True if elements are read by value: then nobody sees whether they are const."""
    return (
        len(parents) > 1
        and parents[0].kind in (_Kind.ARRAY_SUBSCRIPT_EXPR, _Kind.UNARY_OPERATOR)
        and parents[1].kind == _Kind.UNEXPOSED_EXPR
        and _unqualified(parents[0].type) == _unqualified(parents[1].type)
    )


def _declares(parents, type_) -> bool:
    """True if the pointer initializes a variable whose type is written."""
    if parents[0].kind != _Kind.VAR_DECL:
        return False
    variable = parents[0]
    return variable.type.get_canonical().get_pointee() == type_.get_canonical().get_pointee() and (
        "auto" not in {token.spelling for token in variable.get_tokens()}
    )


def _constant(expression) -> int | None:
    lib = cindex.conf.lib
    lib.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    lib.clang_Cursor_Evaluate.argtypes = [cindex.Cursor]
    lib.clang_EvalResult_getKind.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsLongLong.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsLongLong.restype = ctypes.c_longlong
    lib.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
    result = lib.clang_Cursor_Evaluate(expression)
    if result is None:
        return None
    is_integer = lib.clang_EvalResult_getKind(result) == 1
    value = lib.clang_EvalResult_getAsLongLong(result)
    lib.clang_EvalResult_dispose(result)
    return value if is_integer else None


def _pointee(type_: cindex.Type) -> cindex.Type | None:
    """What a pointer points to; None if that is void, or nothing."""
    pointee = type_.get_canonical().get_pointee()
    if pointee.kind in (cindex.TypeKind.INVALID, cindex.TypeKind.VOID):
        return None
    return pointee


def _unqualified(type_: cindex.Type) -> str:
    return type_.get_canonical().spelling.replace("const ", "")
