"""What `--rewrite` does not rewrite: it says why at the line, and writes an EXPORT line instead."""

import re
import shutil

import migrate_command
import pytest

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

INCLUDES = """\
#include <cstring>
#include <xla/service/custom_call_status.h>
#include <xla/service/custom_call_target_registry.h>
void Helper(const void** in);
"""
# Each function is called f, and the line of the reason ends with "//!".
REFUSED = {
    "is handed to Helper": """\
void f(void* out, const void** in) {
  Helper(in);  //!
  *(float*)out = *(const float*)in[0];
}
""",
    "the index i of a table is not a constant": """\
void f(void* out, const void** in) {
  for (int i = 0; i < 2; ++i)
    ((float*)out)[i] = *static_cast<const float*>(in[i]);  //!
}
""",
    "in is used in arithmetic": """\
void f(void* out, const void** in) {
  const void** second = in + 1;  //!
  *(float*)out = *(const float*)second[0];
}
""",
    "in is changed, or its address is taken": """\
void f(void* out, const void** in) {
  *(float*)out = *(const float*)*in++;  //!
}
""",
    "an element of the table in is changed": """\
void f(void* out, const void** in) {
  in[0] = out;  //!
}
""",
    "more is done after this failure": """\
void f(void* out, const void** in, XlaCustomCallStatus* status) {
  if (in[0] == nullptr) XlaCustomCallStatusSetFailure(status, "null", 4);  //!
  *(float*)out = 0;
}
""",
    "status is used in a way that is not known": """\
void Fail(XlaCustomCallStatus*);
void f(void* out, const void** in, XlaCustomCallStatus* status) {
  *(float*)out = *(const float*)in[0];
  Fail(status);  //!
}
""",
    "nothing tells what out is": """\
void f(void* out, const void** in) {  //!
  std::strlen(static_cast<const char*>(in[0]));
}
""",
    "it does not use all elements of a tuple": """\
void f(void* out, const void** in) {  //!
  *(float*)out = *((const float* const*)in[0])[1];
}
""",
    "is an array in a tuple, or an array of pointers": """\
struct State { float value; };
void f(void* out, const void** in) {  //!
  *(float*)out = (*(State* const*)in[0])->value;
}
""",
    "is used both as an array and as a table": """\
void f(void* out, const void** in) {  //!
  *(float*)out = *(const float*)in[0] + **(const float* const*)in[0];
}
""",
    "a macro returns from it": """\
#define CHECK(condition) if (!(condition)) return
void f(void* out, const void** in) {
  CHECK(sizeof(float) == 4);  //!
  *(float*)out = *(const float*)in[0];
}
""",
    "in is used in a macro": """\
#define READ(i) *static_cast<const float*>(in[i])
void f(void* out, const void** in) {
  *(float*)out = READ(0);  //!
}
""",
    "a lambda names out in its captures": """\
void f(void* out, const void** in) {
  auto set = [out](float x) { *(float*)out = x; };  //!
  set(*(const float*)in[0]);
}
""",
    "it has code under #if": """\
void f(void* out, const void** in) {  //!
#ifdef OTHER
  *(double*)out = *(const double*)in[0];
#endif
  *(float*)out = *(const float*)in[0];
}
""",
    "f is used here, too": """\
void f(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }
void g(void* out, const void** in) {
  f(out, in);  //!
}
""",
    "it is a C symbol": """\
extern "C" {
void f(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }  //!
}
""",
    "others may use it as a.cc:": """\
void f(void* out, const void** in);
void f(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }  //!
""",
    "it is not declared as void NAME": """\
auto f(void* out, const void** in) -> void { *(float*)out = *(const float*)in[0]; }  //!
""",
    "a macro defines it": """\
#define DEFINE(name) \\
  void name(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }
DEFINE(f)  //!
""",
    "first, an element of a table, is followed as a table": """\
void f(void* out, const void** in) {
  const void* first = in[0];
  *(float*)out = **(const float* const*)first;  //!
}
""",
}


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """One source with all of them, as f0, f1 and so on; and what was said, and written."""
    folder = tmp_path_factory.mktemp("refused")
    parts = [
        re.sub(r"\bf\b", f"f{i}", f'{code}XLA_REGISTER_CUSTOM_CALL_TARGET(f, "Host");\n')
        for i, code in enumerate(REFUSED.values())
    ]
    before = INCLUDES + "".join(parts)
    (folder / "a.cc").write_text(before)
    decisions = migrate_command.write(folder, "--rewrite", "a.cc")
    return before, decisions, (folder / "a.cc").read_text()


@pytest.mark.parametrize("why", REFUSED)
def test_it_says_why_at_the_line(migrated, why):
    before, decisions, after = migrated
    i = list(REFUSED).index(why)
    marks = [at for at, line in enumerate(before.splitlines(), 1) if line.endswith("//!")]
    said = f"a.cc:{marks[i]}: f{i} is not rewritten as a typed function: "
    why = re.sub(r"\bf\b", f"f{i}", why)
    assert [why in line for line in decisions if line.startswith(said)] == [True], decisions
    # What follows a tuple has no line either: its shapes are not in the source.
    follows_tuple = any(f": f{i} follows an operand as a table" in line for line in decisions)
    assert (f"CALLBRIDGE_EXPORT(F{i}, f{i});" in after) != follows_tuple


def test_their_text_stays(migrated):
    before, _, after = migrated
    written = [line for line in after.splitlines() if "CALLBRIDGE_EXPORT(" in line]
    assert "XLA_FFI" not in after
    written.append('#include "callbridge/export.h"')
    assert [one for one in after.splitlines() if one not in written] == before.splitlines()


@pytest.mark.parametrize(
    "source, says",
    [
        ("void f(void* out, const void** in) {", "a.cc:5:"),
        ("void f(void* out, Unknown** in) {}\nR(f)", "unknown type name 'Unknown'"),
        ("namespace a { R(f) }", "use of undeclared identifier 'f'"),
        ("template <typename T> void f(void* out, const void** in) { T::No(); }\nR(f<int>)",
         "type 'int' cannot be used"),
    ],
)  # fmt: skip
def test_what_does_not_parse_is_an_error(tmp_path, source, says):
    (tmp_path / "a.cc").write_text(INCLUDES + with_registration(source))
    before = migrate_command.contents(tmp_path)
    done = migrate_command.here(tmp_path, "--write", "--rewrite", "a.cc")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("callbridge: INVALID_ARGUMENT: ") and says in done.stderr
    assert migrate_command.contents(tmp_path) == before


OTHERS = """#define ON_HOST(f) R(f)
namespace a {
void first(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }
ON_HOST(first)
#define WITH_ANOTHER(f) R(f) static int of_##f;
void second(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }
WITH_ANOTHER(second)
}  // namespace a
template <typename T>
void third(void* out, const void** in) { *(T*)out = *(const T*)in[0]; }
R(third<uint8_t>)
extern void (*fourth)(void* out, const void** in);
R(fourth)
void fifth(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }
CALLBRIDGE_EXPORT(Fifth, fifth);
R(fifth)
void sixth(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }
void seventh(void*, void** buffers, const char*, size_t) {
  *(float*)buffers[0] = *(const float*)buffers[1];
}
static xla::RegisterCustomCallTarget r7("seventh", (void*)seventh, "CUDA");
"""


def with_registration(code):
    return re.sub(
        r"\bR\((\w+)(.*)\)",
        r'static xla::RegisterCustomCallTarget r_\1("\1", (void*)\1\2, "Host");',
        code,
    )


def test_macros_templates_pointers(tmp_path):
    """A macro that registers is followed into a namespace; what cannot be resolved stays."""
    register = 'static xla::RegisterCustomCallTarget r_##f(#f, (void*)f, "Host");'
    code = OTHERS.replace(" R(f)", f" {register}")
    text = f'#include "callbridge/export.h"\n{INCLUDES}{with_registration(code)}'
    (tmp_path / "a.cc").write_text(text)
    decisions = migrate_command.write(tmp_path, "--rewrite", "a.cc")
    after = (tmp_path / "a.cc").read_text()
    assert after.count("ffi::Error ") == 1 and "ffi::Error first(" in after
    assert (
        '  XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "first", "Host", First)'.strip() in after
    )
    says = {
        "second is not rewritten as a typed function: the macro that registers it does more",
        "third<uint8_t> is not rewritten as a typed function: unsigned char, which an instance has "
        "for T, does not tell XLA's element type",
        'the function of "fourth" is not named here',
        "fifth is not rewritten as a typed function: it has been exported",
        "sixth is not rewritten as a typed function: nothing registers it here",
        "seventh is not rewritten as a typed function: buffers[0] is cast to a pointer to what is",
    }
    assert {one for one in says if any(one in line for line in decisions)} == says
    for line in ("(Second, second);", "(ThirdUint8T, third<uint8_t>);", "(Sixth, sixth);"):
        assert f"CALLBRIDGE_EXPORT{line}" in after


TEMPLATES = """\
template <int N, typename T>
void f(void* out, const void** in) {
  const T* second = nullptr;
  if (N > 1) second = static_cast<const T*>(in[1]);  //! f<1, float>: under a condition on the
  *static_cast<T*>(out) = second == nullptr ? T() : *second;
}
R(f<1, float>, f)
template <typename T = float>  //! g: T has a default
void g(void* out, const void** in) { *(T*)out = *(const T*)in[0]; }
R(g<>, g)
template <typename T>
void h(void* out, const void** in) { *(T*)out = *(const T*)in[0]; }  //! h<int>: one of its
template <>
void h<int>(void* out, const void** in) { *(int*)out = -*(const int*)in[0]; }
R(h<int>, h)
template <typename... T>
void i(void* out, const void** in) { *(float*)out = sizeof...(T) + *(const float*)in[0]; }
R((i<float, int>), i)  //! i: are not types and numbers alone
template <typename T>
struct Class {
  static void j(void* out, const void** in) { *(T*)out = *(const T*)in[0]; }
};
R(Class<float>::j, j)  //! j: it is a member of a class template
template <typename T>
void k(void* out, const void** in) { *(T*)out = *(const T*)in[0]; }
R(k<float>, k)
void (*const elsewhere)(void*, const void**) = k<double>;  //! k<float>: k is used here, too
"""


def test_templates_that_stay(tmp_path):
    """Each line of a reason ends with "//! FUNCTION: REASON"."""
    register = "XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM"
    code = re.sub(
        r"^R\((.*), (\w)\)", rf'{register}("\2", (\1), "Host");', TEMPLATES, flags=re.MULTILINE
    )
    code = code.replace("((i<float, int>))", "(i<float, int>)")
    (tmp_path / "a.cc").write_text(INCLUDES + code)
    done = migrate_command.here(tmp_path, "--rewrite", "a.cc")
    assert done.returncode == 0 and "+ffi::Error" not in done.stdout, done.stderr
    lines = done.stderr.splitlines()
    for number, line in enumerate((INCLUDES + code).splitlines(), 1):
        _, mark, says = line.partition("  //! ")
        function, _, why = says.partition(": ")
        assert not mark or any(
            one.startswith(f"a.cc:{number}: ") and function in one and why in one for one in lines
        ), (line, lines)
    assert sum("is not rewritten" in one for one in lines) == code.count("//!") - 1


def test_a_missing_header_hides_what_is_in_a_body(tmp_path):
    function = "void f(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }\n"
    register = 'XLA_REGISTER_CUSTOM_CALL_TARGET(f, "Host");\n'
    (tmp_path / "a.cc").write_text(f'#include "missing.h"\n{INCLUDES}{function}{register}')
    decisions = migrate_command.write(tmp_path, "--rewrite", "a.cc")
    assert any("f is not rewritten" in line and "headers are missing" in line for line in decisions)
    assert "CALLBRIDGE_EXPORT(F, f);" in (tmp_path / "a.cc").read_text()


def test_what_would_not_parse_is_not_written(tmp_path):
    code = """\
struct Image { explicit Image(const void* bytes); explicit Image(void*) = delete; };
void broken(void* out, const void** in) {
  const Image image(in[0]);
  *(float*)out = *(const float*)in[1];
}
R(broken)
void whole(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }
R(whole)
"""
    (tmp_path / "a.cc").write_text(INCLUDES + with_registration(code))
    decisions = migrate_command.write(tmp_path, "--rewrite", "a.cc")
    after = (tmp_path / "a.cc").read_text()
    assert "CALLBRIDGE_EXPORT(Broken, broken);" in after and "ffi::Error whole(" in after
    assert any("broken is not rewritten" in one and "does not parse" in one for one in decisions)


def test_another_source_that_names_the_function(tmp_path):
    function = "void f(void* out, const void** in) { *(float*)out = *(const float*)in[0]; }\nR(f)\n"
    (tmp_path / "a.cc").write_text(INCLUDES + with_registration(function))
    (tmp_path / "b.cc").write_text(
        "void f(void* out, const void** in);\nvoid (*table[])(void*, const void**) = {f};\n"
    )
    decisions = migrate_command.write(tmp_path, "--rewrite", "a.cc", "b.cc")
    assert any("f is not rewritten" in one and "another source" in one for one in decisions)
    assert "CALLBRIDGE_EXPORT(F, f);" in (tmp_path / "a.cc").read_text()
