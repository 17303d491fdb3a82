"""Modules of pybind11 and nanobind that hand out capsules, with the genuine headers."""

import os
import pathlib
import shutil
import sys
import sysconfig

import migrate_command
import pytest

PYTHON = pathlib.Path(sysconfig.get_paths()["include"])
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="no g++"),
    pytest.mark.skipif(not (PYTHON / "Python.h").exists(), reason="no Python.h"),
]

MODULE = """\
#include <LIBRARY/LIBRARY.h>

namespace py = LIBRARY;

void twice(void* out, const void** in) {
  *static_cast<float*>(out) = 2 * *static_cast<const float*>(in[0]);
}
void thrice(void* out, const void** in) {
  *static_cast<float*>(out) = 3 * *static_cast<const float*>(in[0]);
}

template <typename T>
py::capsule EncapsulateFunction(T* fn) {
  return py::capsule(reinterpret_cast<void*>(fn), "xla._CUSTOM_CALL_TARGET");
}
py::dict Registrations() {
  py::dict dict;
  dict["twice"] = EncapsulateFunction(twice);
  return dict;
}
MACRO(ops, m) {
  m.def("registrations", &Registrations);
  m.def("thrice", []() {
    return py::capsule(reinterpret_cast<void*>(&thrice), "xla._CUSTOM_CALL_TARGET");
  });
}
"""

USE = """\
import jax
import ops
from jax.lib import xla_client

for name, capsule in ops.registrations().items():
    xla_client.register_custom_call_target(name, capsule, platform="cpu")
xla_client.register_custom_call_target(b"thrice", ops.thrice(), platform="cpu")
"""

CHECK = """
x = jax.numpy.float32(7)
assert jax.jit(jax.ffi.ffi_call("twice", x))(x) == 14
assert jax.jit(jax.ffi.ffi_call("thrice", x))(x) == 21
"""


@pytest.mark.parametrize(
    "library, macro", [("pybind11", "PYBIND11_MODULE"), ("nanobind", "NB_MODULE")]
)
def test_capsules_of_a_module(tmp_path, library, macro):
    if library == "pybind11" and "CALLBRIDGE_THOROUGH" not in os.environ:
        pytest.skip("its headers take long to read: make matrix has it")
    found = pytest.importorskip(library)
    folder = found.get_include() if library == "pybind11" else found.include_dir()
    includes = ("-I", str(folder), "-I", str(PYTHON))
    (tmp_path / "ops.cc").write_text(MODULE.replace("LIBRARY", library).replace("MACRO", macro))
    (tmp_path / "use.py").write_text(USE)
    assert migrate_command.write(tmp_path, "ops.cc", "use.py", "--", *includes) == []
    text = (tmp_path / "ops.cc").read_text()
    assert "EncapsulateFunction(Twice)" in text and "reinterpret_cast<void*>(&Thrice)" in text
    command = ("g++", "-std=c++17", "-fPIC", "-I", migrate_command.ROOT / "include", *includes)
    if library == "nanobind":  # its own library takes too long to compile
        migrate_command.run(tmp_path, *command, "-fsyntax-only", "ops.cc")
        return
    migrate_command.run(tmp_path, *command, "-shared", "ops.cc", "-o", "ops.so")
    program = tmp_path / "use.py"
    program.write_text(program.read_text() + CHECK)
    migrate_command.run(tmp_path, sys.executable, "use.py")
