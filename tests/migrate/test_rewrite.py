"""`callbridge migrate --rewrite`: what it writes does what the function did, bit for bit."""

import re
import shutil
import sys

import migrate_command
import pytest
import rewritten_functions
import test_cxx

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """A folder with the functions before and after, and what a human must decide."""
    folder = tmp_path_factory.mktemp("rewritten")
    (folder / "before.cc").write_text(rewritten_functions.FUNCTIONS)
    (folder / "after.cc").write_text(rewritten_functions.FUNCTIONS)
    diff = migrate_command.here(folder, "--rewrite", "after.cc").stdout
    assert (folder / "after.cc").read_text() == rewritten_functions.FUNCTIONS
    (folder / "diff").write_text(diff.partition("--- /dev/null")[0])
    decisions = migrate_command.write(folder, "--rewrite", "after.cc")
    return folder, decisions


def test_the_functions_are_rewritten(migrated):
    folder, decisions = migrated
    assert not [one for one in decisions if "is not rewritten" in one]
    text = (folder / "after.cc").read_text()
    assert "CALLBRIDGE_EXPORT" not in text and "callbridge/export.h" not in text
    # clip is a template, of which there are two instances.
    assert text.count("XLA_FFI_DEFINE_HANDLER_SYMBOL") == len(rewritten_functions.REWRITTEN) + 1
    assert "template <ffi::DataType kT, int N>\nffi::Error clip(ffi::Buffer<kT> in0" in text
    assert "    ClipInt3, (clip<ffi::S32, 3>),\n" in text
    for name in rewritten_functions.REWRITTEN:
        assert re.search(rf"ffi::Error {name}\(", text) and not re.search(rf"void {name}\(", text)


def test_they_do_what_the_functions_did(migrated):
    folder, _ = migrated
    (folder / "comparison.cc").write_text(rewritten_functions.COMPARISON)
    build = migrate_command.BUILD
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-I", migrate_command.ROOT / "include"]
    command += ["comparison.cc", "after.cc", build / "libcallbridge.so", f"-Wl,-rpath,{build}"]
    migrate_command.run(folder, *command, "-Wno-unused", "-o", "comparison")
    lines = migrate_command.run(folder, "./comparison").splitlines()
    assert {line.split(":")[0] for line in lines} == set(rewritten_functions.REWRITTEN)
    assert all(line.endswith(": the same") for line in lines), lines


PROGRAM = """
import jax, numpy as np
import after_registration

after_registration.register("./after.so")
call = lambda name, shape, *a, **k: jax.jit(lambda *a: jax.ffi.ffi_call(name, shape)(*a, **k))(*a)
shape = jax.ShapeDtypeStruct
x = np.arange(6, dtype=np.float32) - 2
np.testing.assert_array_equal(call("add_modulo", x, x[:3], x), np.tile(x[:3], 2) + x)
low, high = call("minmax", (shape((), np.float32),) * 2, x)
assert (low, high) == (-2, 3)
ints = np.arange(6, dtype=np.int32)
np.testing.assert_array_equal(call("divide", ints, ints, ints + 1), 0 * ints)
try:
    jax.block_until_ready(call("divide again", ints, ints, ints))
except jax.errors.JaxRuntimeError as error:
    assert "division by zero" in str(error)
else:
    raise AssertionError("divided by zero")
try:
    jax.block_until_ready(call("divide", ints, x, ints))
except jax.errors.JaxRuntimeError as error:
    assert "S32" in str(error) and "F32" in str(error), error
else:
    raise AssertionError("took another element type")
complexes = np.array([1 + 2j, 3, 4j], np.complex64)
descriptor = np.frombuffer(np.int32(3).tobytes() + np.float32(2).tobytes(), np.uint8)
conjugates = call("by_opaque", complexes, complexes, opaque=descriptor)
np.testing.assert_array_equal(conjugates, 2 * complexes.conj())
result = call("by_text", shape((6,), np.uint32), np.uint32(7), opaque="41")
np.testing.assert_array_equal(result, 48 + np.arange(6))
clipped = call("clip.s32", ints[:3], ints[1:4], np.int32(2))
np.testing.assert_array_equal(clipped, [1, 2, 2])
print("as NumPy has it")
"""


def test_jax_runs_them(migrated):
    folder, _ = migrated
    migrate_command.compile_library(folder, "after.cc", "after.so")
    (folder / "program.py").write_text(PROGRAM)
    assert migrate_command.run(folder, sys.executable, "program.py") == "as NumPy has it\n"


def test_what_stays_a_humans_decision(migrated):
    _, decisions = migrated
    says = [
        "scale uses in[0] (S64) as one number each; they stay operands",
        "the opaque of by_opaque is the attribute `opaque`",
        "bytes does not use in[1]",
        "bytes: out is used as unsigned short, which does not tell XLA's element type",
        "of the buffers of on_device, those up to buffers[1] are taken for operands",
    ]
    assert [any(one in line for line in decisions) for one in says] == [True] * len(says)


def test_a_diff_is_the_default(migrated):
    folder, _ = migrated
    migrate_command.run(folder, "patch", "-p0", "-o", "patched.cc", "before.cc", "diff")
    assert (folder / "patched.cc").read_text() == (folder / "after.cc").read_text()


def test_the_test_that_is_written(migrated):
    folder, _ = migrated
    fill = {
        "AddModulo": {"in0": "1, 2, 3", "in1": "1, 2, 3, 4, 5, 6", "expected": "2, 4, 6, 5, 7, 9"},
        "KernelsMinmax": {"in0": "4, 2, 3, 4, 5, 6", "expected0": "2", "expected1": "6"},
        "Bytes": {"in0": "0, 0, 0, 0, 0, 0", "in1": "0", "in2": "0, 1", "in3": "0, 1"},
    }
    fill["Bytes"]["expected"] = "1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"
    text = (folder / "after_handlers_test.cc").read_text()
    for handler, arrays in fill.items():
        before, its, after = re.split(
            rf"(Outcome Test{handler}\(\) .*?\n}}\n)", text, flags=re.DOTALL
        )
        for name, values in arrays.items():
            its = its.replace(f" {name} = {{}}", f" {name} = {{{values}}}")
        text = before + its + after
    (folder / "filled.cc").write_text(text)
    lines, status = migrate_command.run_tests(
        folder, "after.cc", "filled.cc", flags=["-Wno-unused"]
    )
    assert status == migrate_command.NOT_FILLED_IN
    assert [line for line in lines if "not filled in" not in line] == [
        f"{handler}: passed" for handler in fill
    ]


CAPSULES = """\
#include <cstdint>

extern "C" void* PyCapsule_New(void*, const char*, void (*)(void*));

template <typename T>
void* Capsule(T* function) {
  return PyCapsule_New(reinterpret_cast<void*>(function), "xla._CUSTOM_CALL_TARGET", nullptr);
}
static void thrice(void* out, const void** in) {
  const int64_t size = *static_cast<const int64_t*>(in[0]);
  for (int64_t i = 0; i < size; ++i)
    static_cast<float*>(out)[i] = 3 * static_cast<const float*>(in[1])[i];
}
extern "C" void* thrice_capsule() { return Capsule(thrice); }
"""

CAPSULES_USE = """\
import ctypes

import jax
import numpy as np
from jax.lib import xla_client

library = ctypes.PyDLL("./libops.so")
library.thrice_capsule.restype = ctypes.py_object
xla_client.register_custom_call_target("thrice", library.thrice_capsule(), platform="cpu")
"""

CAPSULES_CHECK = """
jax.config.update("jax_enable_x64", True)
x = np.arange(4, dtype=np.float32)
call = jax.jit(jax.ffi.ffi_call("thrice", jax.ShapeDtypeStruct((4,), np.float32)))
np.testing.assert_array_equal(call(np.int64(4), x), 3 * x)
"""


def test_capsules_hold_the_handlers_with_their_python(tmp_path):
    (tmp_path / "ops.cc").write_text(CAPSULES)
    (tmp_path / "ops.py").write_text(CAPSULES_USE)
    alone = migrate_command.here(tmp_path, "--rewrite", "ops.cc")
    assert "ops.cc:14: thrice is not rewritten as a typed function: its capsule" in alone.stderr
    assert "+CALLBRIDGE_EXPORT(Thrice, thrice);" in alone.stdout
    migrate_command.write(tmp_path, "--rewrite", "ops.cc", "ops.py")
    text = (tmp_path / "ops.cc").read_text()
    assert "return Capsule(Thrice);" in text and "static ffi::Error thrice(" in text
    migrate_command.compile_library(tmp_path, "ops.cc", "libops.so")
    (tmp_path / "check.py").write_text((tmp_path / "ops.py").read_text() + CAPSULES_CHECK)
    migrate_command.run(tmp_path, sys.executable, "check.py")


def test_a_cuda_source(tmp_path):
    """As the documents': a launch, of which libclang reads the host's part."""
    (tmp_path / "cuda_runtime.h").write_text(test_cxx.CUDA_RUNTIME)
    (tmp_path / "a.cu").write_text(test_cxx.CUDA)
    decisions = migrate_command.write(tmp_path, "--rewrite", "a.cu", "--", "-I", ".")
    text = (tmp_path / "a.cu").read_text()
    head = (
        "ffi::Error add_one(cudaStream_t stream, ffi::Buffer<ffi::F32> in0,\n"
        "                   ffi::Result<ffi::Buffer<ffi::F32>> out,"
    )
    assert head in text
    launch = (
        "  AddOne<float><<<1, 32, 0, stream>>>(static_cast<const float*>(in0.untyped_data()),\n"
        "                                      out->typed_data(), n);\n"
    )
    assert launch in text and '"add_one", "CUDA", AddOneHandler)' in text
    assert any("those up to buffers[0] are taken for operands" in line for line in decisions)
