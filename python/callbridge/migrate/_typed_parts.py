"""What a function's parts become in the typed one: types of elements XLA's, template parameters
those types', and an error that is reported an ffi::Error that is returned."""

from __future__ import annotations

import re

import clang.cindex as cindex

from callbridge.migrate._pointer_tables import Refused
from callbridge.migrate._sources import Edit
from callbridge.migrate._translation_unit import TranslationUnit

_Kind = cindex.CursorKind

# ---- XLA's element types, by the C++ types that a function reads and writes them as

# Types of C++ that hold one type of XLA's alone. Bytes and 16-bit words hold several: U8, PRED and
# raw bytes; U16, F16 and BF16.
_NAMES = {
    "bool": "PRED",
    "signed char": "S8",
    "short": "S16",
    "int": "S32",
    "long": "S64",
    "long long": "S64",
    "unsigned int": "U32",
    "unsigned long": "U64",
    "unsigned long long": "U64",
    "float": "F32",
    "double": "F64",
    "std::complex<float>": "C64",
    "std::complex<double>": "C128",
}
# As C++ programs write them.
_WRITTEN = {
    **{one: one for one in ("bool", "float", "double")},
    **{one: one for one in ("std::complex<float>", "std::complex<double>")},
    "signed char": "int8_t",
    "char": "uint8_t",
    "unsigned char": "uint8_t",
    "short": "int16_t",
    "unsigned short": "uint16_t",
    "int": "int32_t",
    "unsigned int": "uint32_t",
    "long": "int64_t",
    "long long": "int64_t",
    "unsigned long": "uint64_t",
    "unsigned long long": "uint64_t",
}


def element_type(type_: str) -> str | None:
    """XLA's name of a canonical C++ type: "F32" of "float"; None if it has none, or several."""
    return _NAMES.get(type_)


def is_native_element(type_: str) -> bool:
    """True if typed_data() of the element type is a pointer to this type itself."""
    return type_ in _NAMES and "long long" not in type_


def written_element(type_: str | None) -> str:
    """The type that a test has an array of; float where it is no number."""
    return _WRITTEN.get(type_ or "", "float")


# ---- The parameters of a function template

_PARAMETERS = (
    *(_Kind.TEMPLATE_TYPE_PARAMETER, _Kind.TEMPLATE_NON_TYPE_PARAMETER),
    _Kind.TEMPLATE_TEMPLATE_PARAMETER,
)
_Argument = cindex.TemplateArgumentKind


class TemplateParameters:
    """Of a function that is no template, none."""

    def __init__(self, function: cindex.Cursor):
        self.function = function
        self.cursors = [one for one in function.get_children() if one.kind in _PARAMETERS]
        # The names of those that are types, by their canonical spelling: "type-parameter-0-0".
        self.types = {
            one.type.get_canonical().spelling: one.spelling
            for one in self.cursors
            if one.kind == _Kind.TEMPLATE_TYPE_PARAMETER
        }
        # By name, those that become XLA's types: {"T": "kT"}.
        self.data_types: dict[str, str] = {}

    def type_arguments(self, declaration: cindex.Cursor) -> dict[str, str]:
        """Returns an instance's types, by the canonical spelling of their parameters."""
        if any(word.spelling == "..." for one in self.cursors for word in one.get_tokens()):
            raise Refused(self.function, "it has a pack of template arguments")
        return {
            cursor.type.get_canonical().spelling: declaration.get_template_argument_type(i)
            .get_canonical()
            .spelling
            for i, cursor in enumerate(self.cursors)
            if cursor.kind == _Kind.TEMPLATE_TYPE_PARAMETER
        }

    def of(
        self, declaration: cindex.Cursor, ffi: str
    ) -> tuple[list[str], dict[str, str], dict[str, str]]:
        """Returns an instance's arguments, and by parameter XLA's types and their elements."""
        if any(word.spelling == "..." for one in self.cursors for word in one.get_tokens()):
            raise Refused(self.function, "it has a pack of template arguments")
        arguments, names, elements = [], {}, {}
        for i, cursor in enumerate(self.cursors):
            kind = declaration.get_template_argument_kind(i)
            if kind == _Argument.INTEGRAL:
                arguments.append(str(declaration.get_template_argument_value(i)))
                continue
            if kind != _Argument.TYPE:
                raise Refused(self.function, f"{cursor.spelling} is neither a type nor a number")
            type_ = declaration.get_template_argument_type(i)
            if cursor.spelling not in self.data_types:
                arguments.append(type_.spelling)
                continue
            element = type_.get_canonical().spelling
            name = element_type(element)
            if name is None:
                raise Refused(
                    self.function,
                    f"{type_.spelling}, which an instance has for {cursor.spelling}, does not tell "
                    "XLA's element type",
                )
            arguments.append(f"{ffi}::{name}")
            names[cursor.spelling] = name
            elements[cursor.spelling] = written_element(element)
        return arguments, names, elements


# ---- Errors: of a function that reports by an XlaCustomCallStatus*, or not at all
#
# A failure becomes a return, so nothing may come after it but a return.

_FAILURE, _SUCCESS = "XlaCustomCallStatusSetFailure", "XlaCustomCallStatusSetSuccess"
_LABELS = (_Kind.CASE_STMT, _Kind.DEFAULT_STMT, _Kind.LABEL_STMT)
_LOOPS = (
    *(_Kind.FOR_STMT, _Kind.CXX_FOR_RANGE_STMT, _Kind.WHILE_STMT, _Kind.DO_STMT),
    _Kind.SWITCH_STMT,
)
# What is in them returns from them.
_FUNCTIONS = (_Kind.LAMBDA_EXPR, _Kind.CLASS_DECL, _Kind.STRUCT_DECL)


def error_edits(
    unit: TranslationUnit, body: cindex.Cursor, status: cindex.Cursor | None, ffi: str
) -> tuple[list[Edit], list[int]]:
    """Returns the edits of a body, and the offsets of the references to `status` that they cover.

    `ffi`: how the source names xla::ffi.
    """
    writer = _Writer(unit, status, ffi)
    writer.block(list(body.get_children()), True)
    writer.other_returns(body)
    if not writer.ends(body):
        writer.add_last_return(body)
    return writer.edits, writer.references


class _Writer:
    def __init__(self, unit: TranslationUnit, status: cindex.Cursor | None, ffi: str):
        self.unit, self.status = unit, status
        self.success = f"return {ffi}::Error::Success()"
        self.failure = f"{ffi}::Error::Internal"
        self.edits: list[Edit] = []
        self.references: list[int] = []
        self.returns: set[int] = set()  # offsets of statements that are, or become, returns

    def block(self, statements: list[cindex.Cursor], is_last: bool) -> None:
        """`is_last`: nothing comes after the statements but the function's end, or a return."""
        for i, statement in enumerate(statements):
            after = statements[i + 1] if i + 1 < len(statements) else None
            returns = after is not None and _is_plain_return(after)
            self.statement(statement, returns or (after is None and is_last), after)

    def statement(self, statement: cindex.Cursor, is_last: bool, after=None) -> None:
        children = list(statement.get_children())
        if statement.kind == _Kind.COMPOUND_STMT:
            self.block(children, is_last)
        elif statement.kind == _Kind.IF_STMT:
            for branch in children[1:]:
                self.statement(branch, is_last)
        elif statement.kind in (_Kind.CXX_TRY_STMT, _Kind.CXX_CATCH_STMT):
            for block in children:
                if block.kind in (_Kind.COMPOUND_STMT, _Kind.CXX_CATCH_STMT):
                    self.statement(block, is_last)
        elif statement.kind in _LABELS:
            self.statement(children[-1], is_last, after)
        elif statement.kind in _LOOPS:
            self.statement(children[0 if statement.kind == _Kind.DO_STMT else -1], False)
        elif statement.kind == _Kind.RETURN_STMT:
            if children and self.called(children[0]) is not None:
                self.replace(children[0], self.returned(self.called(children[0]))[len("return ") :])
                self.returns.add(statement.extent.start.offset)
        else:
            call = self.called(statement)
            if call is not None:
                self.report(call, is_last, after)

    def report(self, call: cindex.Cursor, is_last: bool, after) -> None:
        if call.spelling == _SUCCESS and not is_last:
            self.cover(call)
            self.edits.append(without_statement(self.unit, call))
            return
        if not is_last:
            raise Refused(call, "more is done after this failure, where a typed handler returns")
        self.replace(call, self.returned(call))
        self.returns.add(call.extent.start.offset)
        if after is not None:
            self.edits.append(without_statement(self.unit, after))
            self.returns.add(after.extent.start.offset)

    def returned(self, call: cindex.Cursor) -> str:
        """What stands for a call that sets the status."""
        self.cover(call)
        if call.spelling == _SUCCESS:
            return self.success
        _, message, size = self.arguments(call)
        return f"return {self.failure}({_text(call, message, size)})"

    def arguments(self, call: cindex.Cursor) -> list[str]:
        if self.unit.is_in_macro(call):
            raise Refused(call, "a macro sets the status")
        words = list(self.unit.unit.get_tokens(extent=call.extent))
        depth, starts = 0, []
        for word in words:
            depth += (word.spelling in ("(", "[", "{")) - (word.spelling in (")", "]", "}"))
            if word.spelling == "(" and depth == 1 or word.spelling == "," and depth == 1:
                starts.append(word.extent)
        ends = [one.start.offset for one in [*starts[1:], words[-1].extent]]
        content = self.unit.content
        pairs = zip(starts, ends)
        texts = [content[start.end.offset : end] for start, end in pairs]
        return [text.decode(errors="surrogateescape").strip() for text in texts]

    def called(self, statement: cindex.Cursor) -> cindex.Cursor | None:
        """The call that sets the status, if the statement is that."""
        statement = _without_cleanups(statement)
        is_call = statement.kind == _Kind.CALL_EXPR and self.status is not None
        return statement if is_call and statement.spelling in (_FAILURE, _SUCCESS) else None

    def cover(self, call: cindex.Cursor) -> None:
        status = next(iter(call.get_arguments()))
        self.references += [
            one.extent.start.offset
            for one in status.walk_preorder()
            if one.kind == _Kind.DECL_REF_EXPR
        ]

    def replace(self, cursor: cindex.Cursor, text: str) -> None:
        self.edits.append(Edit(cursor.extent.start.offset, cursor.extent.end.offset, text))

    def other_returns(self, cursor: cindex.Cursor) -> None:
        for child in cursor.get_children():
            if child.kind in _FUNCTIONS:
                continue
            if child.kind == _Kind.RETURN_STMT and child.extent.start.offset not in self.returns:
                if self.unit.is_in_macro(child):
                    raise Refused(child, "a macro returns from it")
                if list(child.get_children()):
                    raise Refused(child, "it returns what another function of type void does")
                self.replace(child, self.success)
                self.returns.add(child.extent.start.offset)
            self.other_returns(child)

    def ends(self, statement: cindex.Cursor) -> bool:
        """True if what comes after the statement is not reached."""
        statement = _without_cleanups(statement)
        children = list(statement.get_children())
        if statement.extent.start.offset in self.returns:
            return statement.kind != _Kind.COMPOUND_STMT
        if statement.kind == _Kind.COMPOUND_STMT:
            return bool(children) and self.ends(children[-1])
        if statement.kind == _Kind.IF_STMT:
            return len(children) == 3 and all(self.ends(one) for one in children[1:])
        return statement.kind == _Kind.CXX_THROW_EXPR

    def add_last_return(self, body: cindex.Cursor) -> None:
        end = body.extent.end.offset - 1  # of the brace
        line = self.unit.content.rfind(b"\n", 0, end) + 1
        before = self.unit.content[line:end]
        if before.strip() or not list(body.get_children()):
            space = "" if before.endswith(b" ") else " "
            self.edits.append(Edit(end, end, f"{space}{self.success}; "))
            return
        indent = before.decode(errors="surrogateescape") + "  "
        first = next(iter(body.get_children())).extent.start
        if first.line > body.extent.start.line:
            start = self.unit.content.rfind(b"\n", 0, first.offset) + 1
            text = self.unit.content[start : first.offset].decode(errors="surrogateescape")
            indent = text if not text.strip() else indent
        self.edits.append(Edit(line, line, f"{indent}{self.success};\n"))


def without_statement(unit: TranslationUnit, statement: cindex.Cursor) -> Edit:
    """Removes a statement with its semicolon, and its line where nothing else is on it."""
    start, end = statement.extent.start.offset, statement.extent.end.offset
    semicolon = re.compile(rb"\s*;").match(unit.content, end)
    if not unit.content[:end].endswith(b";") and semicolon is not None:
        end = semicolon.end()
    line = unit.content.rfind(b"\n", 0, start) + 1
    rest = re.compile(rb"[ \t]*(//[^\n]*)?\n").match(unit.content, end)
    if not unit.content[line:start].strip() and rest is not None:
        return Edit(line, rest.end(), "")
    spaces = re.compile(rb"[ \t]*").match(unit.content, end)
    return Edit(start, end if spaces is None else spaces.end(), "")


def _without_cleanups(statement: cindex.Cursor) -> cindex.Cursor:
    """What libclang wraps where temporaries are destroyed."""
    while statement.kind == _Kind.UNEXPOSED_EXPR:
        children = list(statement.get_children())
        if len(children) != 1:
            break
        statement = children[0]
    return statement


def _is_plain_return(statement: cindex.Cursor) -> bool:
    return statement.kind == _Kind.RETURN_STMT and not list(statement.get_children())


def _text(call: cindex.Cursor, message: str, size: str) -> str:
    """The text that a message and its size are."""
    if re.fullmatch(r'"[^"\\]*"', message) and size == str(
        len(message.encode(errors="surrogateescape")) - 2
    ):
        return message
    if re.fullmatch(rf"(?:std::|::)?strlen\(\s*{re.escape(message)}\s*\)", size):
        return message
    owner = re.fullmatch(r"(\w+)\.(?:c_str|data)\(\)", message)
    if owner is not None and re.fullmatch(rf"{owner[1]}\.(?:size|length)\(\)", size):
        for one in call.walk_preorder():
            if one.kind == _Kind.DECL_REF_EXPR and one.spelling == owner[1]:
                if "basic_string<char" in one.type.get_canonical().spelling:
                    return owner[1]
    return f"std::string({message}, {size})"
