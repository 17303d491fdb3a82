"""The parameters of a function template, and what the arguments of its instances are in the typed
one: types of elements become XLA's."""

from __future__ import annotations

import clang.cindex as cindex

from callbridge.migrate import _element_types
from callbridge.migrate._buffer_accesses import Refused

_Kind = cindex.CursorKind
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
            name = _element_types.name(element)
            if name is None:
                raise Refused(
                    self.function,
                    f"{type_.spelling}, which an instance has for {cursor.spelling}, does not tell "
                    "XLA's element type",
                )
            arguments.append(f"{ffi}::{name}")
            names[cursor.spelling] = name
            elements[cursor.spelling] = _element_types.written(element)
        return arguments, names, elements
