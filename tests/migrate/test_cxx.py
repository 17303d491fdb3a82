"""C++ sources of the documents' kinds, migrated, compiled, and run by today's JAX."""

import os
import shutil
import sys

import migrate_command
import pytest

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

TARGETS = """\
#include <cstdint>
#include <cstring>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

#define REGISTER(function) XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(function)

namespace targets {
namespace {

void twice(void* out, const void** in) {
  for (int i = 0; i < 4; ++i)
    static_cast<float*>(out)[i] = 2 * static_cast<const float*>(in[0])[i];
}
REGISTER(twice);

template <typename T, int N>
void times(void* out, void** in) {
  for (int i = 0; i < 4; ++i) static_cast<T*>(out)[i] = N * static_cast<T*>(in[0])[i];
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("times.3", (times<float, 3>));

}  // namespace

// Divides, or says that it cannot.
void divide(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t by = *static_cast<const int32_t*>(in[1]);
  if (by == 0) return XlaCustomCallStatusSetFailure(status, "division by zero", 16);
  *static_cast<int32_t*>(out) = *static_cast<const int32_t*>(in[0]) / by;
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("divide", divide, "Host");
}  // namespace targets

// The operand is (f32[2], (f32[2], f32[2])), the result (f32[2], f32[2]).
void nested(void* out, const void** in) {
  const void* const* pair = static_cast<const void* const*>(in[0]);
  const void* const* inner = static_cast<const void* const*>(pair[1]);
  void** results = static_cast<void**>(out);
  for (int i = 0; i < 2; ++i) {
    const float a = static_cast<const float*>(pair[0])[i];
    const float b = static_cast<const float*>(inner[0])[i];
    static_cast<float*>(results[0])[i] = a + b;
    static_cast<float*>(results[1])[i] = b * static_cast<const float*>(inner[1])[i];
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(nested, "Host");

extern "C" void add_byte(void* out, const void** in, const char* opaque, size_t opaque_len,
                         XlaCustomCallStatus*) {
  for (int i = 0; i < 4; ++i)
    static_cast<uint8_t*>(out)[i] = static_cast<const uint8_t*>(in[0])[i] + opaque[i % opaque_len];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_byte, "Host");

typedef struct CUstream_st* CUstream;
void on_gpu(CUstream, void** buffers, const char* opaque, size_t opaque_len) {
  if (opaque_len > 0) memset(buffers[0], opaque[0], 1);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(on_gpu, "CUDA");
void with_any_stream(void*, void** buffers, const char*, size_t) { buffers[0] = nullptr; }
XLA_REGISTER_CUSTOM_CALL_TARGET(with_any_stream, "CUDA");
"""

PROGRAM = """
import ctypes, jax, jax.numpy as jnp, numpy as np
import old_registration

old_registration.register("./old.so")
x = np.arange(4, dtype=np.float32)
call = lambda name, shape, *a, **k: jax.jit(lambda *a: jax.ffi.ffi_call(name, shape)(*a, **k))(*a)
np.testing.assert_array_equal(call("twice", x, x), 2 * x)
np.testing.assert_array_equal(call("times.3", x, x), 3 * x)
seven, two, zero = (np.int32(n) for n in (7, 2, 0))
assert call("divide", jax.ShapeDtypeStruct((), np.int32), seven, two) == 3
try:
    jax.block_until_ready(call("divide", jax.ShapeDtypeStruct((), np.int32), seven, zero))
except jax.errors.JaxRuntimeError as error:
    assert "division by zero" in str(error)
else:
    raise AssertionError("divided by zero")
bytes_ = np.arange(4, dtype=np.uint8)
key = np.array([1, 0], np.uint8)
np.testing.assert_array_equal(
    call("add_byte", jax.ShapeDtypeStruct((4,), np.uint8), bytes_, opaque=key),
    bytes_ + [1, 0, 1, 0],
)

# Nested tuples, of which its shapes tell the handler.
nested = jax.ffi.pycapsule(ctypes.CDLL("./old.so").Nested)
jax.ffi.register_ffi_target("nested", nested, platform="cpu")
a, b, c = (np.array(values, np.float32) for values in ([1, 2], [3, 4], [5, 6]))
pair = jax.ShapeDtypeStruct((2,), np.float32)
row, product = call("nested", (pair, pair), a, b, c)
np.testing.assert_array_equal(row, a + b)
np.testing.assert_array_equal(product, b * c)
print("as NumPy has it")
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "old.cc").write_text(TARGETS)
    return tmp_path


def test_what_is_written_compiles_and_runs(folder):
    decisions = migrate_command.write(folder, "old.cc")
    text = (folder / "old.cc").read_text()
    assert "nested)" not in text.replace("TARGET(nested,", "").replace("TARGET(nested)", "")
    shapes = "(f32[2],(f32[2],f32[2])) -> (f32[2],f32[2])"
    line = f'CALLBRIDGE_EXPORT(Nested, nested, callbridge::ExportOptions().Shapes("{shapes}"));\n'
    (folder / "old.cc").write_text(text + line)
    migrate_command.compile_library(folder, "old.cc", "old.so")
    (folder / "program.py").write_text(PROGRAM)
    run = migrate_command.run
    assert run(folder, sys.executable, "program.py") == "as NumPy has it\n"
    places = ("REGISTER(twice)", "static_cast<const void* const*>(in")
    lines = [TARGETS[: TARGETS.index(place)].count("\n") + 1 for place in places]
    assert [int(line.split(":")[1]) for line in decisions] == lines
    assert "registrations stay" in decisions[0]
    assert "nested follows an operand as a table" in decisions[1]

    # The test, of which a part is filled in.
    test = folder / "old_handlers_test.cc"
    text = test.read_text()
    filled = text.replace("in0 = {}", "in0 = {1, 2, 3, 4}", 1)
    filled = filled.replace("expected = {}", "expected = {2, 4, 6, 8}", 1)
    test.write_text(filled)
    # The second run adds the handler that was written by hand, and keeps what was filled in.
    migrate_command.write(folder, "old.cc")
    lines, status = migrate_command.run_tests(folder, "old.cc", test)
    assert {"Twice: passed", "Nested: not filled in"} <= set(lines)
    assert status == migrate_command.NOT_FILLED_IN


def test_a_diff_writes_nothing_and_applies(folder):
    before = migrate_command.contents(folder)
    done = migrate_command.here(folder, "old.cc")
    assert done.returncode == 0 and migrate_command.contents(folder) == before
    (folder / "patch").write_text(done.stdout)
    migrate_command.run(folder, "patch", "-p0", "-i", "patch")
    patched = {path.name: path.read_bytes() for path in folder.glob("old*")}
    (folder / "old.cc").write_bytes(before[folder / "old.cc"])
    (folder / "old_registration.py").unlink()
    (folder / "old_handlers_test.cc").unlink()
    migrate_command.write(folder, "old.cc")
    assert patched == {path.name: path.read_bytes() for path in folder.glob("old*")}


def test_options_that_only_a_type_cannot_tell(folder):
    migrate_command.write(folder, "old.cc")
    text = (folder / "old.cc").read_text()
    assert "CALLBRIDGE_EXPORT(OnGpu, on_gpu);" in text
    gpu = "CALLBRIDGE_EXPORT(WithAnyStream, with_any_stream, callbridge::ExportOptions().Gpu());"
    assert gpu in text
    assert '("on_gpu", "CUDA", "OnGpu")' in (folder / "old_registration.py").read_text()


# By function, each of which nothing can be written for: it and its registration, and why.
CANNOT = {
    "f": ("void f(void*, float**);", "original on Host has void const** or void**"),
    "g": ("void g(const void**, void*);", "the result comes first"),
    "h": ("int h(void*, const void**);", "it returns int, where original on Host"),
    "i": ("void i(void*, const void**, int, int);", "its parameter 3 is int, where"),
    "j": ("extern void (*j)(void*, const void**);", "is not named here (a pointer"),
}


def test_what_cannot_be_led_on_says_why_at_its_line(tmp_path):
    source = '#include "xla/service/custom_call_target_registry.h"\n'
    for name, (declared, _) in CANNOT.items():
        registered = f'xla::RegisterCustomCallTarget r{name}("{name}", (void*){name}, "Host");'
        source += f"{declared} static {registered}\n"
    source += "void r(void* f) {\n"
    source += '  xla::CustomCallTargetRegistry::Global()->Register("f", f, "Host"); }\n'
    source += "void k(void*, const void**) {}\n"
    (tmp_path / "a.cc").write_text(source)
    done = migrate_command.here(tmp_path, "a.cc")
    says = [*(why for _, why in CANNOT.values()), "", "is not named here (a pointer"]
    says.append("nothing registers it here")
    lines = done.stderr.splitlines()
    found = {int(one.split(":")[1]): one for one in lines}
    assert done.returncode == 0 and len(found) == len(lines) == len(says) - 1, lines
    for line, why in enumerate(says, 2):
        assert not why or why in found[line]
    # Of the last one alone something is written.
    assert done.stdout.count("CALLBRIDGE_EXPORT(") == 1 and "_EXPORT(K, k);" in done.stdout


@pytest.mark.parametrize(
    "source, says",
    [
        ("void f(", "a.cc:1:"),
        ("Unknown f(void*, const void**);", "unknown type name 'Unknown'"),
        (chr(255), "a.cc"),
        ('static_assert(false, "no");', "no"),
    ],
)
def test_what_does_not_parse_is_an_error(tmp_path, source, says):
    (tmp_path / "a.cc").write_bytes(source.encode("latin-1"))
    (tmp_path / "b.py").write_text("from jax.lib import xla_client\n")
    before = migrate_command.contents(tmp_path)
    done = migrate_command.here(tmp_path, "--write", "b.py", "a.cc")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("callbridge: INVALID_ARGUMENT: ") and says in done.stderr
    assert migrate_command.contents(tmp_path) == before


GUARD = "// Of ours.\n#ifndef OURS_H\n#define OURS_H\n"
CONDITIONS = [
    ("", "#if 0"),
    ("", "#ifdef A"),
    ("", "#ifndef A"),
    ("", "#ifdef A\n#elif 1"),
    ("", "# ifndef A"),
    (GUARD, "#ifndef A\n#else"),
]


def test_the_include_stands_under_no_condition(tmp_path):
    """But for a header's own guard."""
    expected = {}
    for i, (guard, condition) in enumerate(CONDITIONS):
        begin, end = f"{guard}#include <cstring>\n", "#endif\n" if guard else ""
        rest = f"{condition}\n#include <cstdio>\n#endif\n"
        rest += f"void f{i}(void* out, const void** in) {{}}\n"
        path = tmp_path / f"a{i}.h"
        path.write_text(begin + rest + end)
        line = f"CALLBRIDGE_EXPORT(F{i}, f{i});\n"
        expected[path] = f'{begin}#include "callbridge/export.h"\n{rest}{line}{end}'
    migrate_command.here(tmp_path, "--write", *expected)
    assert {path: path.read_text() for path in expected} == expected


def test_a_platform_is_the_hosts_in_capitals_too(tmp_path):
    source = '#include "xla/service/custom_call_target_registry.h"\n'
    for i, platform in enumerate(["CPU", "cpu", "HOST", "host", "Host"]):
        source += f"void f{i}(void*, const void**) {{}}\n"
        source += f'XLA_REGISTER_CUSTOM_CALL_TARGET(f{i}, "{platform}");\n'
    (tmp_path / "a.cc").write_text(source)
    done = migrate_command.here(tmp_path, "a.cc")
    for i in range(5):
        assert f"+CALLBRIDGE_EXPORT(F{i}, f{i});\n" in done.stdout
        assert f'("f{i}", "cpu", "F{i}")' in done.stdout


def test_names_and_comments_that_are_there(tmp_path):
    source = "extern int F, FHandler;\nvoid f(void* out, const void** in);\n"
    source += 'extern "C" void* PyCapsule_New(void*, const char*, void (*)(void*));\n\n'
    use = "// What hands f\n// over.\nvoid* capsule() {\n  return PyCapsule_New("
    use += 'reinterpret_cast<void*>(f), "xla._CUSTOM_CALL_TARGET", nullptr);\n}\n'
    (tmp_path / "a.cc").write_text(source + use)
    migrate_command.here(tmp_path, "--write", "a.cc")
    text = (tmp_path / "a.cc").read_text()
    assert "\n\nCALLBRIDGE_EXPORT(FHandlerHandler, f);\n\n// What hands f\n// over.\n" in text


def test_a_header_that_is_missing_is_named(tmp_path):
    source = '#include "of/my/company.h"\nvoid f(void*, const void**) {}\n'
    (tmp_path / "a.cc").write_text(source)
    done = migrate_command.here(tmp_path, "a.cc")
    assert done.returncode == 0 and "+CALLBRIDGE_EXPORT(F, f);" in done.stdout
    assert "a.cc:1: of/my/company.h was not found" in done.stderr


def test_flags_of_a_build(tmp_path):
    (tmp_path / "a.cc").write_text("void f(void*, const OPERAND*) {}\n")
    assert migrate_command.here(tmp_path, "a.cc").returncode == 1
    done = migrate_command.here(tmp_path, "a.cc", "--", "-DOPERAND=void*")
    assert "+CALLBRIDGE_EXPORT(F, f);" in done.stdout, done.stderr
    database = f'[{{"directory": "{tmp_path}", "file": "a.cc", "command": "g++ -DOPERAND=void* '
    (tmp_path / "compile_commands.json").write_text(database + '-c a.cc -o a.o"}]')
    done = migrate_command.here(tmp_path, "-p", ".", "a.cc")
    assert "+CALLBRIDGE_EXPORT(F, f);" in done.stdout, done.stderr
    (tmp_path / "b.cc").write_text("\n")
    done = migrate_command.here(tmp_path, "-p", ".", "b.cc")
    assert done.returncode == 1 and "has no command for b.cc" in done.stderr


@pytest.mark.parametrize(
    "words, status, says",
    [
        (["a.txt"], 2, "expected a source"),
        (["--write", "--diff", "a.cc"], 2, "not allowed with"),
        ([], 2, "FILE"),
        (["none.cc"], 1, "none.cc"),
        (["a.cc", "--compiler", "no-such-compiler"], 1, "no-such-compiler does not say"),
    ],
)
def test_bad_command_lines(tmp_path, words, status, says):
    (tmp_path / "a.cc").write_text("\n")
    done = migrate_command.migrate(tmp_path, *words)
    assert done.returncode == status and says in done.stderr
    assert done.stderr.startswith("callbridge: ") and done.stderr.count("\n") == 1


def test_a_python_without_the_libraries(tmp_path):
    (tmp_path / "a.cc").write_text("\n")
    hidden = {"CALLBRIDGE_PYTHON": "/usr/bin/python3", "PYTHONNOUSERSITE": "1"}
    if os.system("/usr/bin/python3 -c 'import clang, libcst' 2>/dev/null") == 0:
        pytest.skip("the system's Python has both")
    done = migrate_command.migrate(tmp_path, "a.cc", environment=hidden)
    assert done.returncode == 1 and "callbridge[migrate]" in done.stderr


TUPLES = """\
#include "xla/service/custom_call_target_registry.h"
void Elsewhere(void* out, const void** in);
template <typename T>
void Second(T* out, const void* operand) {
  *out = *static_cast<const T* const*>(operand)[1];
}
void Read(float* out, const void** in) { Second(out, in[0]); }

void by_function(void* out, const void** in) { Read(static_cast<float*>(out), in); }
XLA_REGISTER_CUSTOM_CALL_TARGET(by_function, "Host");
void by_variable(void* out, const void** in) {
  const void* first = in[0];
  *static_cast<float*>(out) = **(const float* const*)first;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(by_variable, "Host");
void elsewhere(void* out, const void** in) { Elsewhere(out, in); }
XLA_REGISTER_CUSTOM_CALL_TARGET(elsewhere, "Host");
void no_tuple(void* out, const void** in) {
  const float** all = reinterpret_cast<const float**>(in);
  *static_cast<float*>(out) = *all[0];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(no_tuple, "Host");
"""


def test_tuples_are_seen_through_functions_and_variables(tmp_path):
    (tmp_path / "a.cc").write_text(TUPLES)
    decisions = migrate_command.write(tmp_path, "a.cc")
    text = (tmp_path / "a.cc").read_text()
    written = [line for line in text.splitlines() if line.startswith("CALLBRIDGE_EXPORT(")]
    assert written == [
        "CALLBRIDGE_EXPORT(ElsewhereHandler, elsewhere);",
        "CALLBRIDGE_EXPORT(NoTuple, no_tuple);",
    ]
    says = {
        "a.cc:5: by_function follows an operand as a table": 1,
        "a.cc:13: by_variable follows an operand as a table": 1,
        "hands its operands to Elsewhere, which is not defined here": 1,
        "no_tuple": 0,
    }
    assert {one: sum(one in line for line in decisions) for one in says} == says


CUDA = """\
#include <cuda_runtime.h>

#include "xla/service/custom_call_target_registry.h"

__device__ float One() { return blockDim.x > 0 ? 1.0f : 0.0f; }
template <typename T>
__global__ void AddOne(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + One();
}
void add_one(cudaStream_t stream, void** buffers, const char* opaque, size_t opaque_len) {
  int n = 8;
  if (opaque_len == sizeof n) memcpy(&n, opaque, sizeof n);  // nvcc includes <string.h>
  AddOne<float><<<1, 32, 0, stream>>>(static_cast<const float*>(buffers[0]),
                                      static_cast<float*>(buffers[1]), n);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_one, "CUDA");
"""

# As much of the toolkit's header as host code needs.
CUDA_RUNTIME = """\
#pragma once
#include <cstddef>
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
struct dim3 {
  __host__ __device__ dim3(unsigned x) : x(x) {}
  unsigned x;
};
typedef struct CUstream_st* cudaStream_t;
"""


@pytest.mark.parametrize("toolkit", [False, True], ids=["stand-in", "nvcc"])
def test_a_cuda_source(tmp_path, toolkit):
    if toolkit and shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    folder = tmp_path / "include"
    folder.mkdir()
    if not toolkit:
        (folder / "cuda_runtime.h").write_text(CUDA_RUNTIME)
    (tmp_path / "a.cu").write_text(CUDA)
    decisions = migrate_command.write(tmp_path, "a.cu", "--", "-I", "include")
    assert len(decisions) == 1 and "registrations stay" in decisions[0]
    text = (tmp_path / "a.cu").read_text()
    line = "CALLBRIDGE_EXPORT(AddOneHandler, add_one);\n"
    include = '#include "callbridge/export.h"\n'
    assert text.replace(line, "", 1).replace(include, "", 1) == CUDA and line in text
    if toolkit:
        command = ("nvcc", "-std=c++17", "-c", "-I", migrate_command.ROOT / "include", "a.cu")
        migrate_command.run(tmp_path, *command, "-o", "a.o")


def test_host_code_of_a_cuda_source_must_parse(tmp_path):
    (tmp_path / "cuda_runtime.h").write_text(CUDA_RUNTIME)
    (tmp_path / "a.cu").write_text(CUDA.replace("int n = 8", "Unknown n = 8"))
    before = migrate_command.contents(tmp_path)
    done = migrate_command.here(tmp_path, "--write", "a.cu", "--", "-I", ".")
    assert done.returncode == 1 and "a.cu:12:3: unknown type name 'Unknown'" in done.stderr
    assert migrate_command.contents(tmp_path) == before


def test_a_function_that_two_sources_have_is_exported_once(tmp_path):
    (tmp_path / "a.cc").write_text("void f(void* out, const void** in) {}\n")
    declared = (
        '#include "xla/service/custom_call_target_registry.h"\nvoid f(void*, const void**);\n'
    )
    (tmp_path / "b.cc").write_text(declared + 'XLA_REGISTER_CUSTOM_CALL_TARGET(f, "Host");\n')
    migrate_command.write(tmp_path, "a.cc", "b.cc")
    assert (tmp_path / "a.cc").read_text() == "void f(void* out, const void** in) {}\n"
    assert "CALLBRIDGE_EXPORT(F, f);" in (tmp_path / "b.cc").read_text()


def test_a_function_that_another_source_exports_is_left(tmp_path):
    (tmp_path / "a.cc").write_text("void f(void* out, const void** in) {}\n")
    exports = '#include "callbridge/export.h"\nvoid f(void*, const void**);\n'
    (tmp_path / "b.cc").write_text(f"{exports}CALLBRIDGE_EXPORT(F, f);\n")
    done = migrate_command.here(tmp_path, "a.cc", "b.cc")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "CALLBRIDGE_EXPORT(F, f);" in migrate_command.here(tmp_path, "a.cc").stdout
