"""What XLA's documentation of custom calls shows compiles with callbridge's headers, and runs.

The snippets are cut out of the documents at run time: those in the folder that CALLBRIDGE_DOCUMENTS
names, or in ../shared/seeds beside the repository. Nothing of a snippet is changed; a program is
made of it by adding what a document leaves to its reader: a using-directive, what it only mentions,
a missing return, and a main() that prints what was built, and runs it.
"""

import os
import pathlib
import re
import subprocess
from typing import NamedTuple

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
CLIENT = LIBRARY.parent / "libcallbridge_client.so"
# callbridge/hlo/*.pb.h lie there in the tree, and beside the other headers where it is installed.
GENERATED = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "hlo/include"
BESIDE = ROOT.parent / "shared/seeds"

# ---- Cutting ------------------------------------------------------------------------------------

# The untyped calls; those of XLA FFI are typed_ffi/test_documents.py's.
ABOUT_CUSTOM_CALLS = re.compile(r"void do_custom_call\(void\* out, const void\*\* in\) {")
ABOUT_XLA_FFI = re.compile(r"\bXLA_FFI_")
# Two ways of setting off code: a fence, or a blank before its first line and in a line behind it.
FENCED = re.compile(r"^```c\+\+\n(.*?)^```$", re.M | re.S)
INDENTED = re.compile(r"\n\n ((?![ \n]).*?)(?:\n \n|\Z)", re.S)


class Snippet(NamedTuple):
    document: pathlib.Path
    line: int
    text: str


def cut(document):
    text = document.read_text()
    ways = [list(way.finditer(text)) for way in (FENCED, INDENTED)]
    assert not (ways[0] and ways[1]), f"{document}: sets off code in two ways"
    return [
        Snippet(document, text.count("\n", 0, found.start(1)) + 1, found[1].rstrip("\n"))
        for found in ways[0] or ways[1]
    ]


# ---- What there is to be found ------------------------------------------------------------------


class Known(NamedTuple):
    """The snippet that begins with the words `first`. A program is made of `includes`, of the
    snippet, in main() behind `mentioned` where it is no code of a file's, of `after`, and of
    `main`, which prints `prints`. Or else it is `pseudocode`, and why."""

    first: str
    includes: str = ""
    mentioned: str = ""
    after: str = ""
    main: str = ""
    prints: tuple = ()
    pseudocode: str = ""


INCLUDE_BUILDER = '#include "tensorflow/compiler/xla/client/xla_builder.h"'
INCLUDE_STATUS = '#include "tensorflow/compiler/xla/service/custom_call_status.h"'
INCLUDE_REGISTRY = '#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"'

A_BUILDER = 'xla::XlaBuilder b("mentioned");'
PARAMETERS = f"""
  {A_BUILDER}
  xla::XlaOp param0 = xla::Parameter(&b, 0, xla::ShapeUtil::MakeShape(xla::F32, {{128}}), "p0");
  xla::XlaOp param1 = xla::Parameter(&b, 1, xla::ShapeUtil::MakeShape(xla::F32, {{2048}}), "p1");
"""
SHOW_THE_CALL = """
  const auto module = b.Build().ValueOrDie();
  const auto& instructions = module.proto().computations(0).instructions();
  const auto& call = instructions[instructions.size() - 1];
  for (int64_t id : call.operand_ids()) {
    std::cout << xla::Shape(instructions[id - 1].shape()).ToString() << " ";
  }
  std::cout << "-> " << xla::Shape(call.shape()).ToString() << " " << call.custom_call_target()
            << " " << call.backend_config() << " " << call.custom_call_api_version() << std::endl;
"""
RUN_IT = """
  std::vector<float> few(128), many(2048), sums(2048);
  for (int i = 0; i < 2048; ++i) {
    many[i] = 1000.0f * i;
    few[i % 128] = i % 128;
    sums[i] = few[i % 128] + many[i];
  }
  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  auto p0 = client->TransferToServer(xla::LiteralUtil::CreateR1<float>(few)).ValueOrDie();
  auto p1 = client->TransferToServer(xla::LiteralUtil::CreateR1<float>(many)).ValueOrDie();
  auto sum = client->ExecuteAndTransfer(do_it(), {p0.get(), p1.get()}).ValueOrDie();
  std::cout << (sum == xla::LiteralUtil::CreateR1<float>(sums)) << std::endl;
"""
RUN_BADLY = """
  xla::XlaBuilder b("status");
  xla::CustomCall(&b, "do_custom_call", {}, xla::ShapeUtil::MakeShape(xla::F32, {}), "", false, {},
                  nullptr, xla::CustomCallSchedule::SCHEDULE_NONE, API_VERSION_STATUS_RETURNING);
  const auto module = b.Build().ValueOrDie();
  for (bool is_bad : {false, true}) {
    bad_condition = is_bad;
    auto result = xla::ClientLibrary::LocalClientOrDie()->ExecuteAndTransfer(module, {});
    // Behind it stands which call that was.
    std::cout << result.status().ToString().substr(0, 46) << std::endl;
  }
"""

DO_IT = Known(INCLUDE_BUILDER, main=RUN_IT, prints=("1",))
CUDA = Known(
    "void do_it() { /* same",
    pseudocode="a CUDA kernel without a return type, and its launch, which takes a CUDA compiler",
)
ONE_SHAPE = "f32[128] f32[2048] -> f32[2048] do_custom_call"
OPAQUE = Known(
    'std::string opaque = "...";',
    INCLUDE_BUILDER,
    PARAMETERS,
    main=SHOW_THE_CALL,
    prints=(f"{ONE_SHAPE} ... 1",),
)
TUPLES = Known(
    "using xla::ShapeUtil;",
    INCLUDE_BUILDER,
    A_BUILDER,
    main=SHOW_THE_CALL,
    prints=("(f32[32], (f32[64], f32[128]), f32[256]) -> (f32[512], f32[1024]) do_custom_call  1",),
)
MEMORY = Known(
    "// In-memory layout of parameter 0", pseudocode="a void* is dereferenced, and a ; is missing"
)
BUFFERS = Known(
    "// Layout of `buffers` parameter", pseudocode="comparisons of what is defined nowhere"
)
DECLARED = "static_assert(std::is_same_v<decltype(do_custom_call), void(%s)>);"

# Those of each document, in its order.
DOCUMENTS = {
    # 2020. Parameter() has no builder, and MakeShape() is called CreateShape().
    "CreateShape(": [DO_IT, CUDA, OPAQUE, TUPLES, MEMORY, BUFFERS],
    # 2022. Targets return a status.
    "API_VERSION_STATUS_RETURNING": [
        DO_IT,
        CUDA,
        OPAQUE,
        Known(
            f"{INCLUDE_STATUS}\n\nvoid do_custom_call(void* out",
            after=DECLARED % "void*, const void**, XlaCustomCallStatus*",
        ),
        Known(
            f"{INCLUDE_STATUS}\n\nvoid do_custom_call(CUstream",
            "using CUstream = struct CUstream_st*;",
            after=DECLARED % "CUstream, void**, const char*, size_t, XlaCustomCallStatus*",
        ),
        Known(
            "void do_custom_call(void* out",
            f"{INCLUDE_BUILDER}\n{INCLUDE_STATUS}\n{INCLUDE_REGISTRY}\nbool bad_condition;",
            after='XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");',
            main=RUN_BADLY,
            prints=("OK", "INTERNAL: CustomCall failed: An error occurred"),
        ),
        Known(
            'xla::CustomCall(&b, "do_custom_call"',
            INCLUDE_BUILDER,
            PARAMETERS + 'std::string opaque = "bytes";',
            main=SHOW_THE_CALL,
            prints=(f"{ONE_SHAPE} bytes 2",),
        ),
        TUPLES,
        MEMORY,
        BUFFERS,
    ],
}
CASES = [(word, i) for word, known in DOCUMENTS.items() for i in range(len(known))]


def found_documents(folder):
    """The documents that are known by their words, by these words."""
    texts = {path: path.read_text(errors="replace") for path in folder.iterdir() if path.is_file()}
    about = [
        path
        for path, text in texts.items()
        if ABOUT_CUSTOM_CALLS.search(text) and not ABOUT_XLA_FFI.search(text)
    ]
    found = {}
    for path in about:
        words = [word for word in DOCUMENTS if word in texts[path]]
        assert len(words) == 1, f"{path}: a document about custom calls that is not known here"
        found[words[0]] = cut(path)
    assert found, f"no document in {folder} is about custom calls"
    return found


@pytest.fixture(scope="module")
def documents():
    """The snippets of each document."""
    named = os.environ.get("CALLBRIDGE_DOCUMENTS")
    folder = pathlib.Path(named or BESIDE)
    if not named and not folder.is_dir():
        pytest.skip(f"no documents: CALLBRIDGE_DOCUMENTS is not set, and {folder} is not there")
    return found_documents(folder)


@pytest.mark.parametrize("word", DOCUMENTS)
def test_every_snippet_is_known(word, documents):
    if word not in documents:
        pytest.skip(f"no document has {word}")
    for snippet, known in zip(documents[word], DOCUMENTS[word], strict=True):
        assert snippet.text.startswith(known.first), f"{snippet.document}:{snippet.line}"


# ---- Compiling and running ----------------------------------------------------------------------


def with_return(text):
    """do_it(), which makes a builder and does nothing with it, with a return of what it built."""
    return re.sub(
        r"void do_it\(\) {\n(.*?)^}",
        r"xla::XlaComputation do_it() {\n\1  return b.Build().ValueOrDie();\n}",
        text,
        flags=re.M | re.S,
    )


# What each program begins with.
BEGIN = "namespace xla {}\nusing namespace xla;"


def program(snippet, known):
    """The C++ of a snippet with all that is missing around it."""
    text = [f'#line {snippet.line} "{snippet.document}"', with_return(snippet.text)]
    text += ['#line 1 "around the snippet"']
    parts = [BEGIN, known.includes]
    if known.includes.startswith(INCLUDE_BUILDER):
        parts = ['#include "builder.h"', known.includes.removeprefix(INCLUDE_BUILDER)]
    parts += [] if known.mentioned else text
    # What main() and the statements around the snippet need.
    parts += ["#include <iostream>", "#include <type_traits>", "#include <vector>"]
    parts += ['#include "tensorflow/compiler/xla/client/client_library.h"'] if known.main else []
    parts += ['#include "tensorflow/compiler/xla/literal_util.h"'] if known.main else []
    parts += [known.after, "int main() {", known.mentioned]
    parts += text if known.mentioned else []
    return "\n".join([*parts, known.main, "}", ""])


def flags(*packages):
    command = ["pkg-config", "--cflags", "--libs", *packages]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def compile_program(source, *options):
    """Warnings are about the document alone."""
    compile_it = ["g++", "-std=c++17", "-Wall", "-I", ROOT / "include", "-isystem", GENERATED]
    compiled = subprocess.run([*compile_it, source, *options], capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    assert not re.search(r"^[^:]*/include/.*: warning:", compiled.stderr, re.M), compiled.stderr


@pytest.fixture(scope="module")
def builder(tmp_path_factory):
    """The folder of builder.h, with which most programs begin; it is compiled once for all."""
    folder = tmp_path_factory.mktemp("builder")
    (folder / "builder.h").write_text(f"{BEGIN}\n{INCLUDE_BUILDER}\n")
    compile_program(folder / "builder.h", "-x", "c++-header", "-o", folder / "builder.h.gch")
    return folder


@pytest.mark.parametrize("word, i", CASES, ids=[f"{word}-{i + 1}" for word, i in CASES])
def test_snippet(word, i, documents, builder, tmp_path):
    test_every_snippet_is_known(word, documents)
    snippet, known = documents[word][i], DOCUMENTS[word][i]
    if known.pseudocode:
        assert not known.prints
        return
    source = tmp_path / "snippet.cc"
    source.write_text(program(snippet, known))
    link = [CLIENT, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"]
    libraries = flags("protobuf", "absl_status", "absl_statusor", "absl_strings")
    compile_program(source, "-I", builder, "-o", tmp_path / "snippet", *link, *libraries)

    ran = subprocess.run([tmp_path / "snippet"], capture_output=True, text=True)
    assert ran.stdout.splitlines() == list(known.prints), ran.stderr
    assert ran.returncode == 0, ran.stderr


# ---- The lowering of PyTorch's add and mul ------------------------------------------------------

# The document has lost its line ends, and with them the end of a comment, which a full stop was.
COMMENT = re.compile(r"(//[^\n]*?\u3002)")
EXPAND = re.compile(r"^xla::XlaOp BuildImplicitExpand\(.*", re.M)
ARITHMETIC = re.compile(r"^xla::XlaOp BuildArithmeticOp\(.*", re.M)
# What the document only mentions.
MENTIONED_BY_PYTORCH = """
#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>
#include "tensorflow/compiler/xla/client/xla_builder.h"

namespace aten {
enum Kind { add, mul };
}
struct Node {
  aten::Kind kind() const { return kind_; }
  aten::Kind kind_;
};
#define LOG(severity) std::abort(), std::cerr
namespace XlaHelpers {
xla::Shape ShapeOfXlaOp(const xla::XlaOp& op) { return op.builder()->GetShape(op).ValueOrDie(); }
std::vector<int64_t> ShapeSizes(const xla::Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}
}  // namespace XlaHelpers
xla::XlaOp BuildExpandToOutputSizes(const xla::XlaOp& input, const std::vector<int64_t>& sizes) {
  const int64_t rank = XlaHelpers::ShapeOfXlaOp(input).rank();
  return xla::Broadcast(input, {sizes.data(), sizes.size() - rank});
}
xla::XlaOp DoBinaryOpWithImplicitExpand(
    const xla::XlaOp&, const xla::XlaOp&,
    std::function<xla::XlaOp(const xla::XlaOp&, const xla::XlaOp&)>);
"""
LOWER = """
int main() {
  xla::XlaBuilder b("mul_add");
  const auto x = xla::Parameter(&b, 0, xla::ShapeUtil::MakeShape(xla::F32, {3, 5}), "x");
  const auto y = xla::Parameter(&b, 1, xla::ShapeUtil::MakeShape(xla::F32, {5}), "y");
  const Node mul{aten::mul}, add{aten::add};
  const auto product = BuildArithmeticOp(&mul, x, y);
  BuildArithmeticOp(&add, product, xla::ConstantR0<float>(&b, 1));
  const auto module = b.Build().ValueOrDie();
  for (const auto& instruction : module.proto().computations(0).instructions()) {
    std::cout << instruction.name() << " " << xla::Shape(instruction.shape()).ToString();
    for (int64_t id : instruction.operand_ids()) std::cout << " " << id;
    std::cout << std::endl;
  }
}
"""
LOWERED = """x.1 f32[3,5]
y.2 f32[5]
broadcast.3 f32[3,5] 2
multiply.4 f32[3,5] 1 3
constant.5 f32[]
broadcast.6 f32[3,5] 5
add.7 f32[3,5] 4 6
"""


def test_lowering_of_pytorch(tmp_path):
    named = os.environ.get("CALLBRIDGE_DOCUMENTS")
    folder = pathlib.Path(named or BESIDE)
    texts = (
        [path.read_text(errors="replace") for path in folder.glob("*")] if folder.is_dir() else []
    )
    texts = [text for text in texts if ARITHMETIC.search(text)]
    if not texts:
        pytest.skip(f"no document in {folder} shows how PyTorch's add and mul are lowered")
    (text,) = texts
    snippets = [COMMENT.sub(r"\1\n", way.search(text)[0]) for way in (EXPAND, ARITHMETIC)]
    source = tmp_path / "lowering.cc"
    source.write_text("\n".join([MENTIONED_BY_PYTORCH, *snippets, LOWER]))
    compile_it = ["g++", "-std=c++17", "-I", ROOT / "include", "-isystem", GENERATED, source]
    link = ["-o", tmp_path / "lowering", CLIENT, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"]
    libraries = flags("protobuf", "absl_status", "absl_statusor", "absl_strings")
    compiled = subprocess.run([*compile_it, *link, *libraries], capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    ran = subprocess.run([tmp_path / "lowering"], capture_output=True, text=True)
    assert ran.stdout == LOWERED, ran.stderr


# ---- The cutting itself -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, snippets",
    [
        ("Prose\n\n code();\n  more();\n \n\nProse\n\n end();", ["code();\n  more();", "end();"]),
        ("Prose\n\n a\n\nb\n \nProse", ["a\n\nb"]),
        ("Prose\n```c++\na\n\nb\n```\n```\nc\n```\n", ["a\n\nb"]),
    ],
)
def test_cutting(text, snippets, tmp_path):
    (tmp_path / "document.txt").write_text(text)
    assert [snippet.text for snippet in cut(tmp_path / "document.txt")] == snippets


def test_two_ways_of_setting_off_code_are_no_document(tmp_path):
    (tmp_path / "document.txt").write_text("Prose\n\n a\n \n```c++\nb\n```\n")
    with pytest.raises(AssertionError, match="in two ways"):
        cut(tmp_path / "document.txt")


def test_an_unknown_document_is_an_error(tmp_path):
    with pytest.raises(AssertionError, match="is about custom calls"):
        found_documents(tmp_path)
    (tmp_path / "document.txt").write_text("void do_custom_call(void* out, const void** in) {")
    with pytest.raises(AssertionError, match="is not known here"):
        found_documents(tmp_path)


def test_a_missing_return_is_added():
    assert with_return("void do_it() {\n  f();\n}\nvoid g() {\n}").splitlines() == [
        "xla::XlaComputation do_it() {",
        "  f();",
        "  return b.Build().ValueOrDie();",
        "}",
        "void g() {",
        "}",
    ]


# ---- The genuine headers ------------------------------------------------------------------------

TENSORFLOW = pathlib.Path(
    os.environ.get(
        "CALLBRIDGE_TENSORFLOW",
        pathlib.Path.home() / ".cache/callbridge/tensorflow-2.13.1/tensorflow",
    )
)
# What the documentation shows and TensorFlow 2.13.1 never had, as g++ says it.
NO_CREATE_SHAPE = "‘CreateShape’ is not a member of ‘xla::ShapeUtil’"
NO_MAKE_TUPLE = "‘MakeTuple’ is not a member of ‘xla::ShapeUtil’"
NO_PARAMETER = "no matching function for call to ‘Parameter(int, xla::Shape&, const char [3])’"
NO_STATUS_IN_XLA = "‘xla::XlaCustomCallStatus’ has not been declared"
NEVER_THERE = {
    ("CreateShape(", 0): {NO_CREATE_SHAPE},
    ("CreateShape(", 2): {NO_CREATE_SHAPE},
    ("CreateShape(", 3): {NO_MAKE_TUPLE, NO_PARAMETER},
    ("API_VERSION_STATUS_RETURNING", 4): {NO_STATUS_IN_XLA},
    ("API_VERSION_STATUS_RETURNING", 7): {NO_MAKE_TUPLE, NO_PARAMETER},
}


def test_genuine_headers_lack_what_is_named(documents, tmp_path):
    """All snippets in one file, each in a namespace of its own: the headers take g++ seconds."""
    parts = [INCLUDE_BUILDER, INCLUDE_STATUS, INCLUDE_REGISTRY]
    for word, snippets in documents.items():
        for i, (snippet, known) in enumerate(zip(snippets, DOCUMENTS[word], strict=True)):
            if known.pseudocode:
                continue
            text = f'#line 1 "{word} {i}"\n{snippet.text}\n#line 1 "around"'
            if known.main == SHOW_THE_CALL:  # statements
                text = f"void mentioned() {{\n{known.mentioned}\n{text}\n}}"
            elif known.mentioned:
                text = f"{known.mentioned}\n{text}"
            globals_ = re.sub("#include.*", "", known.includes)
            parts.append(
                f"namespace snippet_{len(parts)} {{\nusing namespace xla;\n{globals_}\n{text}\n}}"
            )
    source = tmp_path / "snippets.cc"
    source.write_text("\n".join(parts) + "\n")
    done = subprocess.run(
        ["g++", "-std=c++17", "-w", "-fsyntax-only", "-isystem", TENSORFLOW / "include", source],
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
    )
    found = {}
    for word, i, error in re.findall(r"^(.*) (\d+):\d+:\d+: error: (.*)$", done.stderr, re.M):
        found.setdefault((word, int(i)), set()).add(error)
    expected = {place: said for place, said in NEVER_THERE.items() if place[0] in documents}
    assert found == expected, done.stderr
