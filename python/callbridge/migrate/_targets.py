"""The custom calls of a C++ source: functions of their types, registrations, capsules."""

from __future__ import annotations

import dataclasses
import re

import clang.cindex as cindex

from callbridge.migrate import _translation_unit
from callbridge.migrate._sources import Decision
from callbridge.migrate._translation_unit import TranslationUnit

_Kind = cindex.CursorKind
CAPSULE_NAME = '"xla._CUSTOM_CALL_TARGET"'
_REGISTERS = ("RegisterCustomCallTarget", "CustomCallTargetRegistry")
_SCOPES = (_Kind.NAMESPACE, _Kind.TRANSLATION_UNIT)
_FUNCTIONS = (_Kind.FUNCTION_DECL, _Kind.CXX_METHOD, _Kind.FUNCTION_TEMPLATE)


@dataclasses.dataclass(frozen=True)
class Use:
    """A place where a function is made a target: a registration, a capsule, or its definition."""

    kind: str  # "registration", "capsule" or "definition"
    function: str  # as it is named there
    declaration: cindex.Cursor
    signature: _translation_unit.Signature
    # The declaration at namespace scope that it is in, and itself.
    outermost: cindex.Cursor
    cursor: cindex.Cursor
    target: str = ""  # a registration's name
    platform: str = ""  # and platform

    @property
    def line(self) -> int:
        return self.cursor.location.line


def find(unit: TranslationUnit, compiler: str) -> tuple[list[Use], list[Decision]]:
    """Returns the uses in the order of the source, and what was registered but cannot be led on."""
    search = _Search(unit, compiler)
    search.visit(unit.outermost, [])
    search.add_capsules()
    search.add_definitions()
    search.uses.sort(key=lambda use: use.cursor.extent.start.offset)
    return search.uses, search.decisions


class _Search:
    def __init__(self, unit: TranslationUnit, compiler: str):
        self.unit, self.compiler = unit, compiler
        self.uses: list[Use] = []
        self.decisions: list[Decision] = []
        self.encapsulators: set[str] = set()  # USRs of functions that make capsules of a parameter
        self.capsules: list[tuple] = []  # (cursor, ancestors)
        self.calls: list[tuple] = []  # of functions, for those that call an encapsulator
        self.definitions: list[tuple] = []
        # A helper that makes capsules may be in a header; registrations are taken from here.
        self.files = {unit.path, *unit.headers_with(CAPSULE_NAME.encode())}

    def visit(self, cursors, above) -> None:
        for child in cursors:
            if child.kind.is_preprocessing() or _file_name(child) not in self.files:
                continue
            here = self.unit.is_here(child)
            if here and _is_registration(child):
                self.add_registration(child, above)
                continue
            if child.kind == _Kind.STRING_LITERAL and child.spelling == CAPSULE_NAME:
                self.capsules.append((child, list(above)))
            elif child.kind == _Kind.DECL_REF_EXPR and _names_capsules(child):
                self.capsules.append((child, list(above)))
            elif here and child.kind == _Kind.CALL_EXPR:
                self.calls.append((child, list(above)))
            elif here and child.kind == _Kind.FUNCTION_DECL and child.is_definition():
                self.definitions.append((child, list(above)))
            self.visit(child.get_children(), [*above, child])

    def add_registration(self, call, above) -> None:
        arguments = list(call.get_arguments())
        if len(arguments) < 3:
            return
        target, platform = _text(arguments[0]), _text(arguments[2])
        name = target or "a target"
        if platform is None:
            self.decide(call, f"the platform of {name} is not written here; register it by hand")
            return
        if target is None:
            self.decide(call, "the name of this target is not written here; register it by hand")
            return
        kind = _translation_unit.kind_of(platform)
        self.add("registration", call, above, arguments[1], kind, target, platform)

    def add_capsules(self) -> None:
        made = []
        for literal, above in self.capsules:
            function = next((one for one in reversed(above) if one.kind in _FUNCTIONS), None)
            expression = _enclosing_expression(above)
            if function is not None and expression is not None:
                if _refers_to_parameter(expression, function):
                    self.encapsulators.add(function.get_usr())
                    continue
            if expression is not None and self.unit.is_here(literal):
                made.append((expression, above))
        for call, above in self.calls:
            if _called(call) & self.encapsulators:
                made.append((call, above))
        for expression, above in made:
            if expression in above:
                above = above[: above.index(expression)]
            self.add("capsule", expression, above, expression, None, "", "")

    def add_definitions(self) -> None:
        used = {use.declaration.get_usr() for use in self.uses}
        for function, above in self.definitions:
            signature = _translation_unit.classify(function.type, self.compiler)
            if (
                signature is None
                or signature.proof != "kAbi"
                or function.get_usr() in used
                or any(one.kind in _FUNCTIONS for one in above)
            ):
                continue
            outermost = _outermost([*above, function])
            self.uses.append(
                Use("definition", function.spelling, function, signature, outermost, function)
            )

    def add(self, kind, cursor, above, expression, platform, target, name) -> None:
        functions = [
            one for one in _functions_in(expression) if kind != "capsule" or self._may_be(one)
        ]
        what = f'"{target}"' if target else "this capsule"
        if not functions:
            self.decide(
                cursor,
                f"the function of {what} is not named here (a pointer, a number or a parameter), "
                "so nothing is written for it: name the function, or write its CALLBRIDGE_EXPORT "
                "where it is known",
            )
            return
        reference, declared = functions[0]
        signature = _translation_unit.classify(declared.type, self.compiler, platform)
        if signature is None:
            why = _translation_unit.why_none(declared.type, self.compiler, platform)
            self.decide(
                cursor, f"{declared.spelling} is of no custom call's type, so it stays: {why}"
            )
            return
        if signature.abi == "typed_ffi":
            return
        text = _function_text(self.unit, reference, declared)
        if text is None:
            self.decide(
                cursor,
                f"the template arguments of {declared.spelling} are not types and numbers alone: "
                "write its CALLBRIDGE_EXPORT by hand",
            )
            return
        outermost = _outermost([*above, cursor])
        self.uses.append(Use(kind, text, declared, signature, outermost, cursor, target, name))

    def _may_be(self, function) -> bool:
        _, declared = function
        signature = _translation_unit.signature_of(declared.type)
        return signature is not None and "bit_cast" not in declared.spelling

    def decide(self, cursor, text: str) -> None:
        decision = Decision(self.unit.path, cursor.location.line, text)
        if decision not in self.decisions:
            self.decisions.append(decision)


def _file_name(cursor) -> str | None:
    file = cursor.location.file
    return None if file is None else file.name


def _is_registration(cursor) -> bool:
    if cursor.kind != _Kind.CALL_EXPR:
        return False
    called = cursor.referenced
    owner = None if called is None else called.semantic_parent
    if owner is None or owner.spelling not in _REGISTERS:
        return False
    return (
        called.spelling == "Register"
        or called.kind == _Kind.CONSTRUCTOR
        or (owner.spelling == "RegisterCustomCallTarget" and called.kind == _Kind.FUNCTION_TEMPLATE)
    )


def _text(cursor) -> str | None:
    """The text of a string literal, of a constant that is one, or a temporary std::string of it."""
    for one in cursor.walk_preorder():
        if one.kind == _Kind.STRING_LITERAL:
            return one.spelling.strip('"')
        if one.kind == _Kind.DECL_REF_EXPR and one.referenced is not None:
            declared = one.referenced
            if declared.kind == _Kind.VAR_DECL:
                found = [x for x in declared.walk_preorder() if x.kind == _Kind.STRING_LITERAL]
                return found[0].spelling.strip('"') if len(found) == 1 else None
            if declared.kind == _Kind.PARM_DECL:
                return None
    return None


def _names_capsules(reference) -> bool:
    declared = reference.referenced
    return (
        declared is not None
        and declared.kind == _Kind.VAR_DECL
        and any(
            one.kind == _Kind.STRING_LITERAL and one.spelling == CAPSULE_NAME
            for one in declared.walk_preorder()
        )
    )


def _functions_in(expression) -> list[tuple]:
    """The functions that an expression names: (reference, declaration); a constant's, too."""
    found = []
    for one in expression.walk_preorder():
        if one.kind != _Kind.DECL_REF_EXPR or one.referenced is None:
            continue
        declared = one.referenced
        if declared.kind in (_Kind.FUNCTION_DECL, _Kind.CXX_METHOD):
            if not _is_callee(expression, one):
                found.append((one, declared))
        elif declared.kind == _Kind.VAR_DECL and declared.type.get_canonical().kind in (
            cindex.TypeKind.POINTER,
        ):
            if declared.type.get_canonical().is_const_qualified():
                inner = [x for x in _functions_in_initializer(declared)]
                found += [(one, x) for x in inner[:1]] if len(inner) == 1 else []
    return found


def _functions_in_initializer(variable):
    for one in variable.walk_preorder():
        if one.kind == _Kind.DECL_REF_EXPR and one.referenced is not None:
            if one.referenced.kind == _Kind.FUNCTION_DECL:
                yield one.referenced


def _is_callee(expression, reference) -> bool:
    """True if `reference` is what a call in the expression calls, not what it is given."""
    for one in expression.walk_preorder():
        if one.kind == _Kind.CALL_EXPR:
            first = next(iter(one.get_children()), None)
            if first is not None and any(x == reference for x in first.walk_preorder()):
                arguments = list(one.get_arguments())
                if not any(
                    a is not None and x == reference for a in arguments for x in a.walk_preorder()
                ):
                    return True
    return False


def _called(call) -> set[str]:
    """The function that is called, and the template that it is an instance of."""
    called = call.referenced
    if called is None:
        return set()
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(called)
    names = {called.get_usr()}
    if template is not None:
        names.add(template.get_usr())
    return names - {""}


def _refers_to_parameter(expression, function) -> bool:
    return any(
        one.kind == _Kind.DECL_REF_EXPR
        and one.referenced is not None
        and one.referenced.kind == _Kind.PARM_DECL
        and one.referenced.semantic_parent == function
        for one in expression.walk_preorder()
    )


def _enclosing_expression(above):
    """The innermost expression around a capsule's name that names a function or a parameter."""
    for one in reversed(above):
        if one.kind in (*_FUNCTIONS, _Kind.LAMBDA_EXPR, _Kind.VAR_DECL, _Kind.COMPOUND_STMT):
            return None
        if any(
            x.kind == _Kind.DECL_REF_EXPR
            and x.referenced is not None
            and x.referenced.kind in (_Kind.FUNCTION_DECL, _Kind.PARM_DECL, _Kind.CXX_METHOD)
            for x in one.walk_preorder()
        ):
            return one
    return None


def _outermost(path):
    """The declaration at namespace scope on the path to a cursor."""
    at = 0
    for i, one in enumerate(path):
        if one.kind in _SCOPES or one.kind == _Kind.LINKAGE_SPEC:
            at = i + 1
    return path[min(at, len(path) - 1)]


def _number(declared, i: int) -> str:
    """A template's argument, as sources write it."""
    value = declared.get_template_argument_value(i)
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(declared)
    parameters = [] if template is None else list(template.get_children())
    is_truth = len(parameters) > i and parameters[i].type.kind == cindex.TypeKind.BOOL
    return str(bool(value)).lower() if is_truth else str(value)


def _function_text(unit: TranslationUnit, reference, declared) -> str | None:
    """As the source names it, or as it can be named beside its registration; None if it cannot."""
    if not unit.is_in_macro(reference):
        written = unit.text(reference.extent)
        if re.fullmatch(r"[\w:]+(?:\s*<.*>)?", written, re.DOTALL):
            if reference.referenced == declared:
                return " ".join(written.split())
    arguments = []
    for i in range(max(declared.get_num_template_arguments(), 0)):
        try:
            kind = declared.get_template_argument_kind(i)
        except ValueError:  # cindex knows no packs
            return None
        if kind == cindex.TemplateArgumentKind.TYPE:
            arguments.append(declared.get_template_argument_type(i).spelling)
        elif kind == cindex.TemplateArgumentKind.INTEGRAL:
            arguments.append(_number(declared, i))
        else:
            return None
    name = declared.spelling
    parent = declared.semantic_parent
    while parent is not None and parent.kind in (_Kind.CLASS_DECL, _Kind.STRUCT_DECL):
        # With the arguments of a class template.
        name, parent = f"{parent.displayname}::{name}", parent.semantic_parent
    return f"{name}<{', '.join(arguments)}>" if arguments else name
