"""What the documentation of XLA FFI shows compiles with callbridge's headers, unchanged, and runs.

The snippets are cut out of the documents at run time: those in the folder that CALLBRIDGE_DOCUMENTS
names, or in ../shared/seeds beside the repository. Nothing of a snippet is changed; a program is
made of it by adding what a document leaves to its reader: includes, a using-directive, what it only
mentions, a missing return statement, and a main() that calls the handlers.
"""

import os
import pathlib
import re
import subprocess
from typing import NamedTuple

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BESIDE = ROOT.parent / "shared/seeds"

# ---- Cutting ------------------------------------------------------------------------------------

ABOUT_XLA_FFI = re.compile(r"\bXLA_FFI_|\bFfi::Bind\b")
STATEMENT = re.compile(
    r"(auto|using|enum|struct|void|__global__|Shape) \w|XLA_FFI_\w+\(|xla::[\w:]+[ (]|#include |%\d"
)
# A line of code outside of every statement is one that STATEMENT should have found.
CODE = re.compile(r"\s|[\w:]+\(|.*[;{}]$")
NO_CODE = re.compile(r'//.*|/\*.*?\*/|"[^"]*"')


class Statement(NamedTuple):
    document: pathlib.Path
    line: int
    text: str

    @property
    def is_mlir(self):
        return self.text.startswith("%")

    @property
    def variable(self):
        found = re.match(r"auto (\w+)", self.text)
        return found and found[1]


def is_complete(lines):
    """Whether a statement that begins with these lines is all there."""
    code = NO_CODE.sub("", "\n".join(lines)).strip()
    if any(code.count(opening) != code.count(closing) for opening, closing in ("()", "{}", "[]")):
        return False
    return code.startswith(("%", "#")) or code.endswith((";", "}"))


def cut(document):
    """The snippets of a document, each a list of statements that belong to one program. One ends
    where prose or another language follows, or where a variable is defined again."""
    snippets, begun, at = [], False, 0
    lines = document.read_text().splitlines()
    while at < len(lines):
        line = lines[at]
        if not STATEMENT.match(line):
            assert not CODE.match(line), f"{document}:{at + 1}: code that no snippet has: {line}"
            begun = begun and (line == "" or line.startswith("//"))
            at += 1
            continue
        end = at + 1
        while not is_complete(lines[at:end]):
            assert end < len(lines), f"{document}:{at + 1}: a statement without an end"
            end += 1
        statement = Statement(document, at + 1, "\n".join(lines[at:end]))
        if begun and statement.is_mlir == snippets[-1][-1].is_mlir:
            begun = statement.variable not in {s.variable for s in snippets[-1]} - {None}
        else:
            begun = False
        if not begun:
            snippets.append([])
        snippets[-1].append(statement)
        begun, at = True, end
    return snippets


# ---- What there is to be found ------------------------------------------------------------------


class Snippet(NamedTuple):
    """A snippet in the documents. It has the word `has`. What calls it: C++ expressions, and what
    they print. What the snippet only mentions: `borrowed`, statements of an earlier snippet, by its
    word and by their first words, and `before`, declarations of ours. `left_out`: the statements
    that are pseudocode, or not XLA FFI's C++, by their first words, and why."""

    has: str
    calls: dict = {}
    borrowed: tuple = ()
    before: str = ""
    left_out: dict = {}


HLO = "builds HLO with xla::XlaBuilder, the client's side of a call: issue 6's"
MLIR = Snippet("stablehlo", left_out={"%": "a module's text, not C++"})

# In the order of the document. CALL(handler) is a HandlerCall, code(call) its outcome; x, y and z
# are vectors of 2048 floats, `matrix` of 2 by 2, `few` of 128.
SNIPPETS = [
    Snippet(
        "ErrorCode", {"code(CALL(always_error))": "INTERNAL", "code(CALL(always_success))": "OK"}
    ),
    MLIR,
    Snippet(
        "AnyBuffer",
        {
            "code(CALL(handler).Arg(matrix, {2, 2}).Ret(x))": "OK",
            "code(CALL(handler).Arg(x))": "INVALID_ARGUMENT",
        },
    ),
    Snippet(
        "Buffer<F32>",
        {
            "code(CALL(handler).Arg(matrix, {2, 2}).Ret(x))": "OK",
            "code(CALL(handler).Arg(integers).Ret(x))": "INVALID_ARGUMENT",
        },
    ),
    Snippet(
        "BufferR2<F32>",
        {
            "code(CALL(handler).Arg(matrix, {2, 2}).Ret(matrix, {2, 2}))": "OK",
            "code(CALL(handler).Arg(matrix).Ret(matrix))": "INVALID_ARGUMENT",
        },
    ),
    Snippet(
        "has_value",
        {
            "code(CALL(handler).Arg(x).Ret(y))": "OK",
            "code(CALL(handler).Arg(x))": "INTERNAL",
            "code(CALL(handler).Ret(x))": "INTERNAL",
        },
    ),
    Snippet(
        ".RemainingArgs()",
        {
            "code(CALL(handler).Arg(x).Ret(y))": "OK",
            "code(CALL(handler).Arg(x).Arg(x).Ret(y).Ret(y))": "OK",
            "code(CALL(handler).Arg(x))": "INVALID_ARGUMENT",
        },
    ),
    MLIR,
    Snippet(
        "std::string_view",
        {
            'code(CALL(handler).Arg(1.0f).Attr("i32", 42).Attr("str", "text"))': "OK",
            'code(CALL(handler).Arg(1.0f).Attr("i32", 42).Attr("str", 42))': "INVALID_ARGUMENT",
        },
    ),
    MLIR,
    Snippet(
        "enum class",
        {
            'code(CALL(handler).Attr("command", 1))': "OK",
            'code(CALL(handler).Attr("command", int64_t{1}))': "INVALID_ARGUMENT",
        },
    ),
    Snippet("get<int32_t>", {'code(CALL(handler).Attr("i32", 42))': "OK"}),
    MLIR,
    Snippet(
        "StructMember",
        {
            'code(CALL(handler).Attr("range", range))': "OK",
            'code(CALL(handler).Attr("range", 42))': "INVALID_ARGUMENT",
        },
    ),
    Snippet(
        "get<Range>",
        {'code(CALL(handler).Attr("range", range))': "OK"},
        borrowed=("StructMember", "struct ", "XLA_FFI_"),
    ),
    Snippet(
        '"Host"',
        {
            'code(HandlerCall::Registered("do_custom_call").Arg(few).Arg(x).Ret(y))': "OK",
            "y == sums": "1",
            "code(HandlerCall(handler).Arg(few).Arg(x).Ret(z))": "OK",
            "z == sums": "1",
            "code(HandlerCall(handler).Arg(matrix, {2, 2}).Arg(x).Ret(z))": "INVALID_ARGUMENT",
        },
        # What .Arg<Buffer>() means, which is a template's name in XLA FFI.
        before="using Buffer = xla::ffi::BufferR1<xla::ffi::F32>;",
        left_out={'#include "xla/': HLO, "void do_it(": HLO},
    ),
    Snippet(
        '"CUDA"',
        {
            'code(HandlerCall::Registered("do_custom_call", "CUDA")'
            ".Stream(&x).Arg(few).Arg(x).Ret(y))": "OK",
            "stream_of_call == reinterpret_cast<CUstream>(&x)": "1",
            'code(HandlerCall::Registered("do_custom_call", "CUDA")'
            ".ProvideNothing().Arg(few).Arg(x).Ret(y))": "INVALID_ARGUMENT",
        },
        borrowed=('"Host"', "using BufferF32 "),
        before="""
            using CUstream = struct CUstream_st*;
            CUstream stream_of_call;
            xla::ffi::Error do_custom_call(CUstream stream, BufferF32, BufferF32,
                                           xla::ffi::Result<BufferF32>) {
              stream_of_call = stream;
              return xla::ffi::Error::Success();
            }
        """,
        left_out={
            "void do_it(": HLO,
            "__global__": "pseudocode: a CUDA kernel without a return type",
            "void do_custom_call(": "pseudocode: launches the kernel, which takes a CUDA compiler, "
            "and returns void, where XLA FFI wants an Error",
        },
    ),
    Snippet(
        "MakeTuple",
        left_out={"using xla::": HLO, "Shape ": HLO, "xla::XlaOp": HLO, "xla::CustomCall(": HLO},
    ),
]
NAMES = [f"{number}-{snippet.has}" for number, snippet in enumerate(SNIPPETS, 1)]


def found_snippets(folder):
    documents = [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and ABOUT_XLA_FFI.search(path.read_text(errors="replace"))
    ]
    assert documents, f"no document in {folder} is about XLA FFI"
    return [snippet for document in documents for snippet in cut(document)]


@pytest.fixture(scope="module")
def snippets():
    """All snippets of the documents, in their order."""
    named = os.environ.get("CALLBRIDGE_DOCUMENTS")
    folder = pathlib.Path(named or BESIDE)
    if not named and not folder.is_dir():
        pytest.skip(f"no documents: CALLBRIDGE_DOCUMENTS is not set, and {folder} is not there")
    return found_snippets(folder)


def test_every_snippet_is_known(snippets):
    where = [f"{snippet[0].document.name}:{snippet[0].line}" for snippet in snippets]
    assert len(snippets) == len(SNIPPETS), f"the snippets found: {where}"


# ---- Compiling and running ----------------------------------------------------------------------

# What each program begins with.
HEADERS = """#include <cassert>
#include <cstdint>
#include <string_view>

#include "callbridge/handler_call.h"
#include "xla/ffi/api/ffi.h"
"""
MAIN = """
#include <iostream>
#include <string>
#include <vector>

#define CALL(handler) \\
  callbridge::HandlerCall(+[](XLA_FFI_CallFrame* frame) { return handler->Call(frame); })

template <typename Call>
static std::string code(Call&& call) {
  const callbridge::HandlerResult result = call.Run();
  if (!result.ok()) std::cerr << result << std::endl;
  return result.code_name();
}

int main() {
  using callbridge::HandlerCall;
  std::vector<float> x(2048), y(2048), z(2048), sums(2048), matrix(4), few(128);
  std::vector<int> integers(4);
  for (int i = 0; i < 2048; ++i) {
    x[i] = 1000.0f * i;
    few[i % 128] = i % 128;
    sums[i] = few[i % 128] + x[i];
  }
  callbridge::HandlerAttributes range;
  range.Set("lo", int64_t{0}).Set("hi", int64_t{42});
"""


def with_return(statement):
    """A function of XLA FFI that never returns, with a return statement at its end."""
    if re.match(r"xla::ffi::Error \w+\(", statement) and "return" not in statement:
        return statement.removesuffix("}") + "  return xla::ffi::Error::Success();\n}"
    return statement


def borrowed(snippet, snippets):
    """What the snippet borrows of the others."""
    if not snippet.borrowed:
        return []
    word, *first_words = snippet.borrowed
    lender = snippets[[known.has for known in SNIPPETS].index(word)]
    return [statement for statement in lender if statement.text.startswith(tuple(first_words))]


def program(statements, borrowed, snippet):
    """The C++ of a snippet with all that is missing around it."""
    text = "\n".join(statement.text for statement in statements)
    parts = ['#include "headers.h"']
    uses = "namespace ffi = xla::ffi;" if "xla::ffi::" in text else "using namespace xla::ffi;"
    parts += [uses, *(statement.text for statement in borrowed), snippet.before]
    for statement in statements:
        parts += [f'#line {statement.line} "{statement.document}"', with_return(statement.text)]
    parts += ['#line 1 "main"', MAIN]
    parts += [f"  std::cout << ({call}) << std::endl;" for call in snippet.calls]
    return "\n".join([*parts, "}", ""])


def compile_program(source, *options):
    """Warnings are about the document alone."""
    command = ["g++", "-std=c++17", "-Wall", "-I", ROOT / "include", source, *options]
    compiled = subprocess.run(command, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    assert not re.search(r"^[^:]*/include/.*: warning:", compiled.stderr, re.M), compiled.stderr


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    """The folder of headers.h, compiled once for all programs."""
    folder = tmp_path_factory.mktemp("headers")
    (folder / "headers.h").write_text(HEADERS)
    compile_program(folder / "headers.h", "-x", "c++-header", "-o", folder / "headers.h.gch")
    return folder


@pytest.mark.parametrize("number", range(len(SNIPPETS)), ids=NAMES)
def test_snippet(number, snippets, headers, tmp_path):
    test_every_snippet_is_known(snippets)
    snippet, statements = SNIPPETS[number], snippets[number]
    assert snippet.has in "\n".join(statement.text for statement in statements)

    kept = [s for s in statements if not s.text.startswith(tuple(snippet.left_out))]
    for words in snippet.left_out:
        assert any(s.text.startswith(words) for s in statements), f"nothing begins with {words}"
    assert bool(kept) == bool(snippet.calls)
    if not kept:
        return
    source = tmp_path / "snippet.cc"
    source.write_text(program(kept, borrowed(snippet, snippets), snippet))
    link = ["-o", tmp_path / "snippet", LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"]
    compile_program(source, "-I", headers, *link)

    ran = subprocess.run([tmp_path / "snippet"], capture_output=True, text=True)
    assert ran.stdout.splitlines() == list(snippet.calls.values()), ran.stderr
    assert ran.returncode == 0, ran.stderr


# ---- The cutting itself -------------------------------------------------------------------------


def cut_text(folder, text):
    (folder / "document.txt").write_text(text)
    return [[s.text for s in snippet] for snippet in cut(folder / "document.txt")]


TEXT = """Prose; with a bracket (which is prose.

// A comment; with a bracket {.
auto a = Ffi::Bind()
    .To([](AnyBuffer b) {
      // Another ).

      return f("}");
    });

XLA_FFI_SOMETHING(a, b /* c( */);
auto a = 1;
More prose.
%0 = "text"(%1) {
  x = 1
} : (y) -> z
void f() { /* nothing */ }"""


def test_cutting(tmp_path):
    lines = TEXT.splitlines()
    assert cut_text(tmp_path, TEXT) == [
        ["\n".join(lines[3:9]), lines[10]],
        [lines[11]],
        ["\n".join(lines[13:16])],
        [lines[16]],
    ]


@pytest.mark.parametrize(
    "text, message",
    [
        ("Prose\nclass Unknown {\n", ":2: code that no snippet has"),
        ("Prose\nauto a = 1;\nb();\n", ":3: code that no snippet has"),
        ("Prose\n  indented\n", ":2: code that no snippet has"),
        ("Prose\n\nauto f = [] {\n", ":3: a statement without an end"),
    ],
)
def test_what_cannot_be_cut_is_no_prose(text, message, tmp_path):
    with pytest.raises(AssertionError, match=message):
        cut_text(tmp_path, text)


def test_a_folder_without_documents_about_xla_ffi(tmp_path):
    (tmp_path / "document.txt").write_text("auto a = 1;")
    with pytest.raises(AssertionError, match="is about XLA FFI"):
        found_snippets(tmp_path)


def test_a_missing_return_is_added():
    assert with_return("xla::ffi::Error f() {\n}").splitlines()[1].strip().startswith("return ")
    for text in ("xla::ffi::Error f() {\n  return g();\n}", "void f() {\n}"):
        assert with_return(text) == text
