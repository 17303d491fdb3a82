"""The files that go beside a migrated C++ source: its Python registration, and a test."""

from __future__ import annotations

import codecs
import dataclasses
import pathlib
import re

import clang.cindex as cindex

from callbridge.migrate import _translation_unit, _typed_functions, _typed_parts
from callbridge.migrate._exports import Handler
from callbridge.migrate._pointer_tables import Refused
from callbridge.migrate._sources import Change, Decision, byte_order_mark, has_crlf, text_of
from callbridge.migrate._translation_unit import TranslationUnit
from callbridge.migrate._typed_functions import TypedFunction

_Kind = cindex.CursorKind
_REGISTRATION = '''"""Registers the custom calls of {source} with JAX, as typed FFI handlers."""

import ctypes

try:
    from jax.ffi import pycapsule, register_ffi_target
except ImportError:  # JAX before 0.5
    from jax.extend.ffi import pycapsule
    from jax.lib import xla_client

    def register_ffi_target(name, fn, platform="cpu", api_version=1):
        xla_client.register_custom_call_target(name, fn, platform, api_version)


# (target, platform, handler)
TARGETS = [
{rows}]


def register(path):
    """Registers the handlers of the library at `path`; once in a process.

    It was linked with -lcallbridge, which its own registrations need.
    """
    library = ctypes.CDLL(path)
    for target, platform, handler in TARGETS:
        capsule = pycapsule(getattr(library, handler))
        register_ffi_target(target, capsule, platform=platform)
'''
_TEST = """// Tests the handlers of {source} without XLA. Fill in the arrays of each test; if one is
// to have no elements, remove its name from the line that returns kNotFilledIn.
// Link it to {source} and to libcallbridge.so. It exits with 0 if all passed, 1 if one failed, and
// 77 if one is not filled in: a failure, or with CTest's SKIP_RETURN_CODE a skipped test.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "callbridge/handler_call.h"

struct XLA_FFI_Error;
struct XLA_FFI_CallFrame;
extern "C" {{
{declarations}}}

namespace {{

enum Outcome {{ kPassed, kFailed, kNotFilledIn }};

template <typename... Arrays>
bool AnyIsEmpty(const Arrays&... arrays) {{
  return (arrays.empty() || ...);
}}

{tests}}}  // namespace

int main() {{
  const struct {{
    const char* name;
    Outcome (*run)();
  }} tests[] = {{
{rows}  }};
  int count[3] = {{0, 0, 0}};
  for (const auto& test : tests) {{
    const Outcome outcome = test.run();
    const char* const texts[] = {{"passed", "failed", "not filled in"}};
    std::printf("%s: %s\\n", test.name, texts[outcome]);
    ++count[outcome];
  }}
  return count[kFailed] > 0 ? 1 : count[kNotFilledIn] > 0 ? 77 : 0;
}}
"""
_ONE_TEST = """Outcome Test{handler}() {{
{arrays}{unless_filled_in}  callbridge::HandlerCall call({handler});
{calls}
  const callbridge::HandlerResult result = call.Run();
  if (!result.ok()) std::printf("%s\\n", result.message().c_str());
{returns}
}}

"""

# Of a function whose buffers are a guess.
_UNSEEN = """  // What it takes is not seen: {why}.
  // Make the arrays and the call those of the function, and remove this line:
  return kNotFilledIn;"""


# What stands behind each list of lines in a file, of which it has a line or more for each handler.
_BEHIND_TARGETS = "]\n\n\ndef register(path):\n"
_BEHIND_DECLARATIONS = "}\n\nnamespace {\n\nenum Outcome {"
_BEHIND_TESTS = "}  // namespace\n\nint main() {\n"
_BEHIND_ROWS = "  };\n  int count[3] = {0, 0, 0};\n"


@dataclasses.dataclass
class NewFile:
    path: pathlib.Path
    text: str
    # By handler, its lines: what stands behind them, and they.
    lines: dict[str, list[tuple[str, str]]]

    def lacks(self, there: str) -> list[str]:
        """The handlers that a file which is there does not name."""
        return [one for one in self.lines if re.search(rf"\b{one}\b", there) is None]

    def without_rows(self, there: str) -> list[str]:
        """Rows of the registration that it lacks, though it names their handlers."""
        known = self.lines.keys() - set(self.lacks(there))
        rows = [
            text for one in known for place, text in self.lines[one] if place == _BEHIND_TARGETS
        ]
        return sorted(row.strip(" ,\n") for row in rows if row.strip(" ,\n") not in there)


def _jaxs_name(platform: str) -> str:
    return "cpu" if _translation_unit.kind_of(platform) == _translation_unit.HOST else platform


def registration(source: pathlib.Path, handlers: list[Handler]) -> NewFile | None:
    """The Python file that registers what the source registers; None if that is nothing."""
    rows = sorted(
        {
            (target, _jaxs_name(platform), handler.name)
            for handler in handlers
            for target, platform in handler.targets
        }
    )
    if not rows:
        return None
    lines: dict[str, list[tuple[str, str]]] = {}
    for target, on, handler in rows:
        row = f'    ("{target}", "{on}", "{handler}"),\n'
        lines.setdefault(handler, []).append((_BEHIND_TARGETS, row))
    text = "".join(row for part in _texts(lines) for row in part)
    path = source.with_name(f"{source.stem}_registration.py")
    return NewFile(path, _REGISTRATION.format(source=source.name, rows=text), lines)


def test(
    source: pathlib.Path,
    unit: TranslationUnit,
    handlers: list[Handler],
    typed: dict[str, TypedFunction],
) -> NewFile | None:
    """The C++ test, of the handlers for Host: those for GPU need a device."""
    ours = [one for one in handlers if one.use.signature.platform == _translation_unit.HOST]
    if not ours:
        return None
    path = source.with_name(f"{source.stem}_handlers_test.cc")
    lines = {
        one.name: [
            (_BEHIND_DECLARATIONS, f"XLA_FFI_Error* {one.name}(XLA_FFI_CallFrame*);\n"),
            (_BEHIND_TESTS, _one_test(unit, one, typed)),
            (_BEHIND_ROWS, f'      {{"{one.name}", Test{one.name}}},\n'),
        ]
        for one in ours
    }
    declarations, tests, rows = ("".join(part) for part in zip(*_texts(lines)))
    text = _TEST.format(source=source.name, declarations=declarations, tests=tests, rows=rows)
    return NewFile(path, text, lines)


def _texts(lines: dict[str, list[tuple[str, str]]]) -> list[list[str]]:
    return [[text for _, text in of] for of in lines.values()]


def add(made: NewFile, changes: list[Change], decisions: list[Decision]) -> None:
    """Adds the file. One that is there gains the handlers that it does not name, as after a run
    without all headers, and keeps the rest: someone has filled it in."""
    if not made.path.exists():
        changes.append(Change(made.path, None, made.text.encode()))
        return
    before = made.path.read_bytes()
    mark = byte_order_mark(before)[0]
    ends_by_crlf = has_crlf(before)
    after = text_of(before[len(mark) :] if mark == codecs.BOM_UTF8 else before)
    if ends_by_crlf:
        after = after.replace("\r\n", "\n")
    for row in made.without_rows(after):
        text = f"is there already, without the row {row}; add it, unless it was left out on purpose"
        decisions.append(Decision(str(made.path), 1, text))
    lacks = made.lacks(after)
    places = {place for one in lacks for place, _ in made.lines[one]}
    if any(after.count(place) != 1 for place in places):
        what = (
            "is there already, and no longer has the form that migrate writes: add "
            f"{', '.join(lacks)} by hand, or move it away, and it is written anew"
        )
        decisions.append(Decision(str(made.path), 1, what))
        return
    for one in lacks:
        for place, text in made.lines[one]:
            after = after.replace(place, text + place)
    if lacks:
        if ends_by_crlf:
            after = after.replace("\n", "\r\n")
        written = mark + after.encode(errors="surrogateescape")
        changes.append(Change(made.path, before, written))


def _one_test(unit: TranslationUnit, handler: Handler, typed: dict[str, TypedFunction]) -> str:
    use = handler.use
    rewritten = typed.get(use.declaration.get_usr())
    unseen = ""
    if rewritten is not None:
        operands = [one.element for one in rewritten.operands]
        results = [one.element for one in rewritten.results]
        has_opaque = rewritten.has_opaque
    else:
        has_opaque = any("char" in parameter for parameter in use.signature.parameters)
        try:
            found = _typed_functions.buffers(unit, use.declaration)
            operands = [one.element for one in found.operands]
            results = [one.element for one in found.results]
        except Refused as refused:
            definition = use.declaration.get_definition() or use.declaration
            operands, result = _read_elements(definition)
            results, unseen = [result], refused.why
    arrays, names, call, passed = "", [], ["call"], ["result.ok()"]
    for i, type_ in enumerate(operands):
        arrays += f"  const std::vector<{_held(type_)}> in{i} = {{}};  // operand {i}\n"
        names.append(f"in{i}")
        call.append(f".Arg({_passed(type_, f'in{i}')})")
    for i, type_ in enumerate(results):
        number, what = ("", "the result") if len(results) == 1 else (str(i), f"result {i}")
        arrays += f"  const std::vector<{_held(type_)}> expected{number} = {{}};  // {what}\n"
        arrays += f"  std::vector<{_held(type_)}> out{number}(expected{number}.size());\n"
        names.append(f"expected{number}")
        call.append(f".Ret({_passed(type_, f'out{number}')})")
        passed.append(f"out{number} == expected{number}")
    if has_opaque:
        arrays += '  const std::string opaque = "";  // its bytes\n'
        call.append('.Attr("opaque", opaque)')
    if unseen:
        unless_filled_in = _UNSEEN.format(why=unseen)
    else:
        test = "  if (AnyIsEmpty("
        unless_filled_in = _in_columns(test, names, ", ", ")) return kNotFilledIn;")
    return _ONE_TEST.format(
        handler=handler.name,
        arrays=arrays,
        unless_filled_in=f"{unless_filled_in}\n",
        calls=_in_columns("  ", call, "", ";", indent=6),
        returns=_in_columns("  return ", passed, " && ", " ? kPassed : kFailed;"),
    )


def _in_columns(before: str, parts: list[str], between: str, behind: str, indent: int = 0) -> str:
    """The parts in lines of 100 columns, those behind the first one below one another."""
    lines, indent = [before + parts[0]], indent or len(before)
    for i, part in enumerate(parts[1:], 2):
        after = behind if i == len(parts) else between
        if len(lines[-1] + between + part + after) <= 100:
            lines[-1] += between + part
        else:
            lines[-1] += between.rstrip()
            lines.append(" " * indent + part)
    return "\n".join(lines) + behind


def _held(type_: str) -> str:
    """A vector of bool has no array."""
    return "uint8_t" if type_ == "bool" else type_


def _passed(type_: str, name: str) -> str:
    shape = f'"pred[" + std::to_string({name}.size()) + "]"'
    return f"{shape}, {name}.data()" if type_ == "bool" else name


# What tests have arrays of, where a function's body tells no more than a cast.
_READ = {"float", "double", "int", "long", "unsigned char", "signed char", "short"}


def _read_elements(function) -> tuple[list[str], str]:
    """The types that operands and the result are cast to; float where the source has none."""
    parameters = [one.get_usr() for one in function.get_arguments()]
    operands: dict[int, str] = {}
    result = "float"
    for cast in function.walk_preorder():
        if cast.kind not in (
            *(_Kind.CXX_REINTERPRET_CAST_EXPR, _Kind.CXX_STATIC_CAST_EXPR),
            _Kind.CSTYLE_CAST_EXPR,
        ):
            continue
        type_ = cast.type.get_canonical().get_pointee().spelling.replace("const ", "")
        if type_ not in _READ:
            continue
        type_ = _typed_parts.written_element(type_)
        inside = list(cast.walk_preorder())
        of = [
            x.referenced.get_usr() for x in inside if x.kind == _Kind.DECL_REF_EXPR and x.referenced
        ]
        if not parameters or not of:
            continue
        if of[0] == parameters[0]:
            result = type_
        elif len(parameters) > 1 and of[0] == parameters[1]:
            index = [x for x in inside if x.kind == _Kind.INTEGER_LITERAL]
            words = [token.spelling for token in index[0].get_tokens()] if index else []
            if words and words[0].isdigit() and int(words[0]) < 64:
                operands[int(words[0])] = type_
    count = max(operands, default=-1) + 1
    return [operands.get(i, "float") for i in range(count)], result
