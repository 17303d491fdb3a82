"""A custom call's function as a typed one: buffers for the elements of its tables, its body's text
as it was but for the accesses."""

from __future__ import annotations

import dataclasses
import re

import clang.cindex as cindex

from callbridge.migrate import _pointer_tables, _translation_unit, _typed_parts
from callbridge.migrate._pointer_tables import OPERAND, RESULT, Access, Accesses, Refused
from callbridge.migrate._sources import Decision, Edit
from callbridge.migrate._translation_unit import TranslationUnit, parameters_of
from callbridge.migrate._typed_parts import TemplateParameters

_Kind = cindex.CursorKind
_WIDTH = 80
_BYTES = "std::variant<std::string_view, {ffi}::Span<const uint8_t>>"


@dataclasses.dataclass
class Parameter:
    """An operand, or a result."""

    name: str  # "" if the function does not use it
    type_: str  # of XLA's elements: "F32"; "" if it may be any
    element: str  # as C++ has it, "float"
    of: str = ""  # the template's parameter that the element is: "T", and type_ "kT"

    def buffer(self, ffi: str) -> str:
        if not self.type_:
            return f"{ffi}::AnyBuffer"
        return f"{ffi}::Buffer<{self.type_ if self.of else f'{ffi}::{self.type_}'}>"


@dataclasses.dataclass
class TypedFunction:
    function: cindex.Cursor
    ffi: str  # how the source names xla::ffi
    operands: list[Parameter]
    results: list[Parameter]
    stream: str  # the stream's type; "" if the function does not use it
    has_opaque: bool
    follows_tuples: bool
    edits: list[Edit]
    decisions: list[Decision]
    template: TemplateParameters
    arguments: str = ""  # of an instance of a template: "<ffi::F32>"

    def binding(self, handler: str, function: str) -> str:
        """The handler's definition."""
        function += self.arguments
        if "," in function:
            function = f"({function})"
        parts = [f".Ctx<{self.ffi}::PlatformStream<{self.stream}>>()"] if self.stream else []
        parts += [f".Arg<{one.buffer(self.ffi)}>()" for one in self.operands]
        parts += [f".Ret<{one.buffer(self.ffi)}>()" for one in self.results]
        if self.has_opaque:
            parts.append(f'.Attr<{_BYTES.format(ffi=self.ffi)}>("opaque")')
        macro = "XLA_FFI_DEFINE_HANDLER_SYMBOL"
        lines = "".join(f"\n        {part}" for part in parts)
        return f"{macro}(\n    {handler}, {function},\n    {self.ffi}::Ffi::Bind(){lines});"


def instance(typed_: TypedFunction, declaration: cindex.Cursor) -> TypedFunction:
    """Returns the typed function of an instance of a template.

    Raises Refused if its arguments do not tell what its buffers are.
    """
    arguments, names, elements = typed_.template.of(declaration, typed_.ffi)

    def resolved(parameters: list[Parameter]) -> list[Parameter]:
        return [
            Parameter(one.name, names[one.of], elements[one.of]) if one.of else one
            for one in parameters
        ]

    operands, results = resolved(typed_.operands), resolved(typed_.results)
    return dataclasses.replace(
        typed_, operands=operands, results=results, arguments=f"<{', '.join(arguments)}>"
    )


def typed(unit: TranslationUnit, function: cindex.Cursor, platform: str, ffi: str) -> TypedFunction:
    """Raises Refused if the body does not tell what its buffers are."""
    return _Writer(unit, function, platform, ffi).write()


@dataclasses.dataclass
class Buffers:
    """What an untyped function of Host takes, as its body tells.

    Attributes:
      operands, results: in the order of the leaves.
      numbers: operands that are used as one number each: (place, element), ("in[0]", "int64_t").
      result_paths: those of the results in the tables that the function writes; [()] of an array.
    """

    operands: list[Parameter]
    results: list[Parameter]
    numbers: list[tuple[str, str]]
    result_paths: list[tuple[int, ...]]

    @property
    def needs_shapes(self) -> bool:
        """True if the types of a call do not tell how its results are in tables."""
        return self.result_paths == [(0,)] or any(len(path) > 1 for path in self.result_paths)


def buffers(unit: TranslationUnit, declaration: cindex.Cursor) -> Buffers:
    """Returns those of a function, or of an instance of a template, that stays as it is.

    Raises Refused if its body does not tell.
    """
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(declaration)
    definition = (declaration if template is None else template).get_definition()
    if definition is None:
        raise Refused(declaration, "it is not defined here")
    return _Writer(unit, definition, _translation_unit.HOST, "ffi").buffers(declaration)


class _Writer:
    def __init__(self, unit: TranslationUnit, function: cindex.Cursor, platform: str, ffi: str):
        self.unit, self.function, self.ffi = unit, function, ffi
        self.is_gpu = platform == _translation_unit.GPU
        self.body = list(function.get_children())[-1]
        if self.body.kind != _Kind.COMPOUND_STMT:
            raise Refused(function, "its body is no plain block")
        self.first, self.second, *others = parameters_of(function)
        self.template = TemplateParameters(function)
        has_opaque = self.is_gpu or len(others) > 1
        self.opaque: list[cindex.Cursor] = others[:2] if has_opaque else []
        status = others[2:] if has_opaque else others
        self.status: cindex.Cursor | None = status[0] if status else None
        self.words = list(unit.unit.get_tokens(extent=function.extent))
        self.arguments: dict[str, str] = {}  # of one instance of the template
        self.first_result = 0  # on GPU, the results' first place in the table
        self.numbers: list[tuple[str, Parameter]] = []  # operands used as one number each: places
        self.decisions: list[Decision] = []
        self.edits: list[Edit] = []

    def write(self) -> TypedFunction:
        roots = {OPERAND: (self.second, True)}
        if not self.is_gpu:
            roots[RESULT] = (self.first, False)
        found = _pointer_tables.find_accesses(self.unit, self.body, roots)
        if self.is_gpu:
            self.split(found)
        self.check_tuples(found)
        operands = self.parameters(found, OPERAND)
        results = self.parameters(found, RESULT)
        if self.numbers:
            numbers = ", ".join(f"{place} ({one.of or one.type_})" for place, one in self.numbers)
            self.decide(
                self.function,
                f"{self.function.spelling} uses {numbers} as one number each; they "
                "stay operands, as its callers have them, and must be of these types there: make "
                "attributes, here and there, of those that are constants of each call"
                + _narrowed([one.type_ for _, one in self.numbers]),
            )
        errors, references = _typed_parts.error_edits(self.unit, self.body, self.status, self.ffi)
        self.edits += errors
        self.edits += [_typed_parts.without_statement(self.unit, one) for one in found.needless]
        self.check_references(found.references + references)
        stream = self.first.type.spelling if self.is_gpu and self.is_used(self.first) else ""
        has_opaque = any(self.is_used(one) for one in self.opaque)
        if has_opaque:
            self.add_opaque()
        self.add_head(operands, results, stream, has_opaque)
        self.add_template_head([*operands, *results])
        self.check_edits()
        return TypedFunction(
            *(self.function, self.ffi, operands, results, stream, has_opaque),
            any(len(path) > 1 for path in found.paths(OPERAND)),
            *(self.edits, self.decisions, self.template),
        )

    def buffers(self, declaration: cindex.Cursor) -> Buffers:
        self.arguments = self.template.type_arguments(declaration)
        roots = {OPERAND: (self.second, True), RESULT: (self.first, False)}
        found = _pointer_tables.find_accesses(self.unit, self.body, roots)
        self.check_tuples(found)
        operands = self.parameters(found, OPERAND)
        results = self.parameters(found, RESULT)
        numbers = [(place, one.element) for place, one in self.numbers]
        return Buffers(operands, results, numbers, found.paths(RESULT))

    # ---- What the buffers are

    def split(self, found: Accesses) -> None:
        """GPU functions have operands and results in one table: what is read only, and the rest."""
        all_of = found.found[OPERAND]
        read = {path for path in found.paths(OPERAND) if self.is_read_only(found, path)}
        last = max(read, default=None)
        written = [path for path in found.paths(OPERAND) if path not in read]
        name = self.second.spelling
        if last is None or not written:
            raise Refused(
                self.function,
                f"nothing tells which elements of {name} are operands: each is cast to a pointer "
                f"to {'const' if written == [] else 'what is not const'}",
            )
        for path in written:
            if path < last:
                raise Refused(
                    self.function,
                    f"{name}[{path[0]}] is cast to a pointer to what is not const, as a result is, "
                    f"and {name}[{last[0]}] behind it to a pointer to const, as an operand is",
                )
        self.first_result = last[0] + 1
        found.found[OPERAND] = [one for one in all_of if one.path <= last]
        found.found[RESULT] = [one for one in all_of if one.path > last]
        self.decide(
            self.function,
            f"of the buffers of {self.function.spelling}, those up to {name}[{last[0]}] are taken "
            "for operands, because they are cast to pointers to const, and the others for results",
        )

    def is_read_only(self, found: Accesses, path: tuple[int, ...]) -> bool:
        return all(one.is_const for one in found.at(OPERAND, path))

    def check_tuples(self, found: Accesses) -> None:
        if self.is_gpu:
            return
        for kind in (OPERAND, RESULT):
            self.check_tree(found, kind)
        tables = _pointer_tables.find_tuples(self.function)
        nested = any(len(path) > 1 for path in found.paths(OPERAND))
        if OPERAND in tables and not nested:
            cursor = tables[OPERAND].cursor
            raise Refused(cursor, "an operand is followed as a table elsewhere")
        is_table = any(path for path in found.paths(RESULT))
        if RESULT in tables and not is_table:
            cursor = tables[RESULT].cursor
            raise Refused(cursor, "the result is followed as a table elsewhere")

    def check_tree(self, found: Accesses, kind: str) -> None:
        paths = found.paths(kind)
        for path in paths:
            name = _place(self.second if kind == OPERAND else self.first, path)
            if any(other != path and other[: len(path)] == path for other in paths):
                raise Refused(self.function, f"{name} is used both as an array and as a table")
            is_nested = len(path) > 1
            known = any(self.element_name(self.element(one) or "") for one in found.at(kind, path))
            if is_nested and not known:
                raise Refused(
                    self.function,
                    f"{name} is an array in a tuple, or an array of pointers: its elements have no "
                    "type of XLA's",
                )
        if kind == RESULT and not paths:
            name = self.first.spelling or "its result"
            raise Refused(self.function, f"nothing tells what {name} is: it is not used")

    def parameters(self, found: Accesses, kind: str) -> list[Parameter]:
        made = []
        first = self.first_result if kind == RESULT else 0
        paths = _with_gaps(found.paths(kind), first, self.function)
        for path in paths:
            here = found.at(kind, path)
            one = self.parameter(kind, path, here, self.name(kind, path, len(paths)))
            made.append(one)
            self.replace(here, one, "->" if kind == RESULT else ".")
        return made

    def name(self, kind: str, path: tuple[int, ...], count: int) -> str:
        if not self.is_gpu:
            root = self.second if kind == OPERAND else self.first
            return root.spelling + "_".join(str(one) for one in path)
        if kind == OPERAND:
            return f"in{path[0]}"
        return "out" if count == 1 else f"out{path[0] - self.first_result}"

    def parameter(self, kind: str, path, here: list[Access], name: str) -> Parameter:
        place = _place(self.second if kind == OPERAND or self.is_gpu else self.first, path)
        if not here:
            self.decide(
                self.function,
                f"{self.function.spelling} does not use {place}: its handler takes any array there",
            )
            return Parameter("", "", "float")
        elements = {element for one in here if (element := self.element(one)) is not None}
        names = {self.element_name(one) for one in elements}
        name = self.free_name(name)
        known = names.pop() if len(names) == 1 else None
        of = self.template.types.get(min(elements, default=""), "")
        element = of or _typed_parts.written_element(min(elements, default=None))
        if known is None:
            read = " and ".join(sorted(elements)) or "bytes"
            self.decide_at(
                here[0],
                f"{place} is used as {read}, which does not tell XLA's element type: it is an "
                f"AnyBuffer, which takes each; make it a Buffer of one type if it is that always",
            )
            return Parameter(name, "", element)
        made = Parameter(name, known, element, of)
        if kind == OPERAND and not self.is_gpu and all(one.is_number for one in here):
            self.numbers.append((place, made))
        return made

    def replace(self, here: list[Access], parameter: Parameter, arrow: str) -> None:
        name = f"{parameter.name}{arrow}"
        for one in here:
            element = one.element or ""
            is_native = _typed_parts.is_native_element(element) or element in self.template.types
            is_native = is_native and bool(parameter.type_)
            if one.cast is not None and is_native:
                self.edits.append(Edit(*one.cast, f"{name}typed_data()"))
            elif one.end > 0:
                text = f"{name}untyped_data()"
                if one.is_typed:
                    text = f"static_cast<{one.pointer}>({text})"
                self.edits.append(Edit(one.start, one.end, text))

    def element(self, access: Access) -> str | None:
        """What is read there: of an instance, with its arguments."""
        element = access.element
        for parameter, argument in self.arguments.items():
            element = element and re.sub(rf"\b{parameter}\b", argument, element)
        # libclang leaves out the namespace of a type that depends on a parameter.
        return element and re.sub(r"^complex<", "std::complex<", element)

    def element_name(self, element: str) -> str | None:
        """XLA's name of an element, "F32", or the parameter that a template gets for it, "kT"."""
        of = self.template.types.get(element)
        return _typed_parts.element_type(element) if of is None else self.free_name(f"k{of}")

    def free_name(self, name: str) -> str:
        kept = {self.first.spelling} if not self.is_gpu else set()
        taken = {word.spelling for word in self.words} - kept
        while name in taken:
            name += "_buffer"
        return name

    # ---- The text

    def add_opaque(self) -> None:
        """Copies the attribute into what the parameters were: bytes, and a NUL behind them."""
        copy = self.free_name("opaque_text")
        lines = [
            f"const std::string {copy} = std::visit(",
            "    [](auto bytes) { return std::string(bytes.begin(), bytes.end()); }, "
            f"{self.opaque_name()});",
        ]
        for parameter, value in zip(self.opaque, (f"{copy}.data()", f"{copy}.size()")):
            if self.is_used(parameter):
                declared = " ".join(self.unit.text(parameter.extent).split())
                if parameter is self.opaque[0] and "const" not in declared:
                    raise Refused(parameter, f"{parameter.spelling} is not a const char*")
                lines.append(f"{declared} = {value};")
        at = self.body.extent.start.offset + 1
        indent = "  " * (1 + self.depth())
        self.edits.append(Edit(at, at, "".join(f"\n{indent}{line}" for line in lines)))
        self.decide(
            self.function,
            f"the opaque of {self.function.spelling} is the attribute `opaque`, a string or an "
            "array of uint8, which every call must have; make attributes of what is in it, here "
            "and in the calls, if you can",
        )

    def opaque_name(self) -> str:
        return self.free_name("opaque_attribute")

    def depth(self) -> int:
        line = self.unit.content.rfind(b"\n", 0, self.function.extent.start.offset) + 1
        indent = self.unit.content[line : self.function.extent.start.offset]
        return len(indent) // 2 if not indent.strip() else 0

    def add_template_head(self, parameters: list[Parameter]) -> None:
        """A template's types of elements become XLA's types, of which its body makes the others."""
        self.template.data_types = {one.of: one.type_ for one in parameters if one.of}
        lines = ""
        indent = "  " * (1 + self.depth())
        for cursor in self.template.cursors:
            data_type = self.template.data_types.get(cursor.spelling)
            if data_type is None:
                continue
            if len(list(cursor.get_tokens())) != 2:
                raise Refused(cursor, f"{cursor.spelling} has a default")
            extent = cursor.extent
            text = f"{self.ffi}::DataType {data_type}"
            self.edits.append(Edit(extent.start.offset, extent.end.offset, text))
            lines += f"\n{indent}using {cursor.spelling} = {self.ffi}::NativeType<{data_type}>;"
        if lines:  # before those of the opaque, which may name them
            at = self.body.extent.start.offset + 1
            self.edits.insert(0, Edit(at, at, lines))

    def add_head(self, operands, results, stream: str, has_opaque: bool) -> None:
        start = self.function.location.offset
        spelled = [word.spelling for word in self.words]
        at = [word.extent.start.offset for word in self.words].index(start)
        if at == 0 or spelled[at - 1] != "void" or spelled[at + 1] != "(":
            raise Refused(self.function, "it is not declared as void NAME(PARAMETERS)")
        end, depth = at + 1, 1
        while depth > 0:
            end += 1
            depth += (spelled[end] == "(") - (spelled[end] == ")")
        kinds = [f"{self.first.type.spelling} {self.first.spelling}"] if stream else []
        kinds += [f"{one.buffer(self.ffi)} {one.name}".rstrip() for one in operands]
        kinds += [
            f"{self.ffi}::Result<{one.buffer(self.ffi)}> {one.name}".rstrip() for one in results
        ]
        if has_opaque:
            kinds.append(f"{_BYTES.format(ffi=self.ffi)} {self.opaque_name()}")
        void = self.words[at - 1].extent
        self.edits.append(Edit(void.start.offset, void.end.offset, f"{self.ffi}::Error"))
        opening = self.words[at + 1].extent.start
        column = opening.column + len(f"{self.ffi}::Error") - len("void")
        text = f"({_filled(kinds, column)})"
        self.edits.append(Edit(opening.offset, self.words[end].extent.end.offset, text))

    # ---- What must hold

    def is_used(self, parameter: cindex.Cursor) -> bool:
        name, start = parameter.spelling, self.body.extent.start.offset
        return bool(name) and any(
            word.spelling == name and word.extent.start.offset > start for word in self.words
        )

    def check_references(self, followed: list[int]) -> None:
        """Everything in the body that has the name of what goes was seen, and replaced."""
        gone = [self.second, self.status] if self.is_gpu else [self.first, self.second, self.status]
        names = {one.spelling for one in gone if one is not None and one.spelling}
        for word in self.words:
            at = word.extent.start.offset
            if word.spelling in names and at > self.body.extent.start.offset:
                if at not in followed:
                    raise Refused(word, f"{word.spelling} is used in a way that is not known")

    def check_edits(self) -> None:
        ordered = sorted(self.edits, key=lambda edit: (edit.start, edit.end))
        for one, other in zip(ordered, ordered[1:]):
            if other.start < one.end:
                raise Refused(self.function, "what would be replaced in its body overlaps")

    def decide(self, cursor: cindex.Cursor, text: str) -> None:
        self.decisions.append(Decision(self.unit.path, cursor.location.line, text))

    def decide_at(self, access: Access, text: str) -> None:
        line = self.unit.line_of(access.start or self.function.extent.start.offset)
        self.decisions.append(Decision(self.unit.path, line, f"{self.function.spelling}: {text}"))


def _narrowed(types: list[str]) -> str:
    wide = sorted({one for one in types if one in ("S64", "U64", "F64", "C128")})
    if not wide:
        return ""
    return f" (an operand of {', '.join(wide)} has 32 bits unless jax_enable_x64 is set)"


def _place(root: cindex.Cursor, path: tuple[int, ...]) -> str:
    return root.spelling + "".join(f"[{index}]" for index in path)


def _with_gaps(paths: list[tuple[int, ...]], first: int, function) -> list[tuple[int, ...]]:
    """The leaves in preorder: elements of the first table that nothing uses are arrays, too."""
    made: list[tuple[int, ...]] = []
    last: dict[tuple[int, ...], int] = {(): first - 1}  # the last element of each table
    for path in paths:
        for i in range(len(path)):
            table, index = path[:i], path[i]
            skipped = range(last.get(table, -1) + 1, index)
            if skipped and i > 0:
                raise Refused(function, "it does not use all elements of a tuple")
            made += [(*table, one) for one in skipped]
            last[table] = index
        made.append(path)
    return made


def _filled(words: list[str], column: int) -> str:
    """The words, with commas, in lines that begin at a column."""
    lines = [""]
    for i, word in enumerate(words):
        word += "," if i + 1 < len(words) else ""
        if lines[-1] and column + len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return f"\n{' ' * column}".join(lines)
