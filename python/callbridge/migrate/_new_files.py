"""The files that go beside a migrated C++ source: its Python registration, and a test."""

from __future__ import annotations

import pathlib

import clang.cindex as cindex

from callbridge.migrate import _abi_rows, _element_types
from callbridge.migrate._exports import Handler
from callbridge.migrate._plan import Change, Decision
from callbridge.migrate._typed_functions import TypedFunction

_Kind = cindex.CursorKind
_REGISTRATION = '''"""Registers the custom calls of {source} with JAX, as typed FFI handlers."""

import ctypes

import jax

# (target, platform, handler)
TARGETS = [
{rows}]


def register(path):
    """Registers the handlers of the library at `path`; once in a process.

    It was linked with -lcallbridge, which its own registrations need.
    """
    library = ctypes.CDLL(path)
    for target, platform, handler in TARGETS:
        capsule = jax.ffi.pycapsule(getattr(library, handler))
        jax.ffi.register_ffi_target(target, capsule, platform=platform)
'''
_TEST = """// Tests the handlers of {source} without XLA. Fill in the arrays.
// Link it to {source} and to libcallbridge.so.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "callbridge/handler_call.h"

struct XLA_FFI_Error;
struct XLA_FFI_CallFrame;
extern "C" {{
{declarations}}}

namespace {{

enum Outcome {{ kPassed, kFailed, kNotFilledIn }};

{tests}}}  // namespace

int main() {{
  const struct {{
    const char* name;
    Outcome (*run)();
  }} tests[] = {{
{rows}  }};
  int failed = 0;
  for (const auto& test : tests) {{
    const Outcome outcome = test.run();
    const char* const texts[] = {{"passed", "failed", "not filled in"}};
    std::printf("%s: %s\\n", test.name, texts[outcome]);
    failed += outcome == kFailed;
  }}
  return failed;
}}
"""
_ONE_TEST = """Outcome Test{handler}() {{
{arrays}  if ({empty}) return kNotFilledIn;
  callbridge::HandlerCall call({handler});
  {describe};
  const callbridge::HandlerResult result = call.Run();
  return result.ok() {compared}? kPassed : kFailed;
}}

"""


def registration(source: pathlib.Path, handlers: list[Handler]) -> tuple[pathlib.Path, str] | None:
    """The Python file that registers what the source registers; None if that is nothing."""
    rows = sorted(
        {
            (target, {"host": "cpu"}.get(platform.lower(), platform), handler.name)
            for handler in handlers
            for target, platform in handler.targets
        }
    )
    if not rows:
        return None
    text = "".join(f'    ("{target}", "{on}", "{handler}"),\n' for target, on, handler in rows)
    path = source.with_name(f"{source.stem}_registration.py")
    return path, _REGISTRATION.format(source=source.name, rows=text)


def test(
    source: pathlib.Path, handlers: list[Handler], typed: dict[str, TypedFunction]
) -> tuple[pathlib.Path, str] | None:
    """The C++ test, of the handlers for Host: those for GPU need a device."""
    ours = [one for one in handlers if one.use.signature.platform == _abi_rows.HOST]
    if not ours:
        return None
    path = source.with_name(f"{source.stem}_handlers_test.cc")
    return path, _TEST.format(
        source=source.name,
        declarations="".join(f"XLA_FFI_Error* {one.name}(XLA_FFI_CallFrame*);\n" for one in ours),
        tests="".join(_one_test(one, typed) for one in ours),
        rows="".join(f'      {{"{one.name}", Test{one.name}}},\n' for one in ours),
    )


def add(
    path: pathlib.Path, text: str, handlers: list[Handler], plan_changes, decisions: list[Decision]
) -> None:
    """A file that is there stays as it is: someone has filled it in."""
    if not path.exists():
        plan_changes.append(Change(path, None, text.encode()))
        return
    there = path.read_text(errors="replace")
    lacks = [one.name for one in handlers if one.name not in there and one.name in text]
    if lacks:
        decisions.append(Decision(str(path), 1, f"is there already; add {', '.join(lacks)}"))


def _one_test(handler: Handler, typed: dict[str, TypedFunction]) -> str:
    use = handler.use
    rewritten = typed.get(use.declaration.get_usr())
    if rewritten is not None:
        operands = [one.element for one in rewritten.operands]
        results = [one.element for one in rewritten.results]
        has_opaque = rewritten.has_opaque
    else:
        operands, result = _read_elements(use.declaration.get_definition() or use.declaration)
        results = [result]
        has_opaque = any("char" in parameter for parameter in use.signature.parameters)
    arrays, call, compared, empty = "", "call", "", []
    for i, type_ in enumerate(operands):
        arrays += f"  const std::vector<{_held(type_)}> in{i} = {{}};  // operand {i}\n"
        call += f".Arg({_passed(type_, f'in{i}')})"
    for i, type_ in enumerate(results):
        number, what = ("", "the result") if len(results) == 1 else (str(i), f"result {i}")
        arrays += f"  const std::vector<{_held(type_)}> expected{number} = {{}};  // {what}\n"
        arrays += f"  std::vector<{_held(type_)}> out{number}(expected{number}.size());\n"
        call += f".Ret({_passed(type_, f'out{number}')})"
        compared += f"&& out{number} == expected{number} "
        empty.append(f"expected{number}.empty()")
    return _ONE_TEST.format(
        handler=handler.name,
        arrays=arrays,
        empty=" && ".join(empty),
        describe=call + ('.Attr("opaque", "")' if has_opaque else ""),
        compared=compared,
    )


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
        type_ = _element_types.written(type_)
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
