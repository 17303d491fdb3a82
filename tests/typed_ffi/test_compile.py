"""Whom the C headers compile for: C99, C11 and C++, gcc and clang, strictly; and XLA's own C++ API
on top of them."""

import shutil
import subprocess

import c_headers
import pytest
from c_headers import CURRENT, HEADER_NAMES, ROOT

HERE = ROOT / "tests/typed_ffi"
OURS = ["-I", ROOT / "include"]
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
C_COMPILERS = ["gcc", "clang"]
CXX_COMPILERS = ["g++", "clang++"]


def compile_file(compiler, *arguments):
    """What the compiler says; "" where it is content."""
    command = [compiler, "-fsyntax-only", *arguments]
    return subprocess.run(command, capture_output=True, text=True).stderr


def source(folder, name, *includes):
    path = folder / name
    path.write_text("".join(f'#include "{include}"\n' for include in includes))
    return path


@pytest.mark.parametrize("standard", ["c99", "c11"])
@pytest.mark.parametrize("compiler", C_COMPILERS)
@pytest.mark.parametrize("header", HEADER_NAMES)
def test_c(header, compiler, standard, tmp_path):
    for path in (f"callbridge/typed_ffi/{header}", f"xla/ffi/api/{header}"):
        file = source(tmp_path, "include.c", path)
        assert compile_file(compiler, f"-std={standard}", *STRICT, *OURS, file) == ""


@pytest.mark.parametrize("standard", ["c++11", "c++17", "c++20"])
@pytest.mark.parametrize("compiler", CXX_COMPILERS)
@pytest.mark.parametrize("header", HEADER_NAMES)
def test_cxx(header, compiler, standard, tmp_path):
    for path in (f"callbridge/typed_ffi/{header}", f"xla/ffi/api/{header}"):
        file = source(tmp_path, "include.cc", path)
        assert compile_file(compiler, f"-std={standard}", *STRICT, *OURS, file) == ""


@pytest.mark.parametrize("compiler", CXX_COMPILERS)
def test_old_layouts(compiler, tmp_path):
    for header in ("old_layouts.h", "old_api_tables.h"):
        file = source(tmp_path, "include.cc", f"callbridge/typed_ffi/{header}")
        assert compile_file(compiler, "-std=c++17", *STRICT, *OURS, file) == ""


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_a_handler_in_c_is_the_same_for_both(compiler):
    handler = HERE / "handler.c"
    genuine = ["-isystem", c_headers.include_folder(CURRENT)]
    assert compile_file(compiler, "-std=c11", *STRICT, *genuine, handler) == ""
    assert compile_file(compiler, "-std=c99", *STRICT, *OURS, handler) == ""


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_the_unknown_type_id(compiler, language, tmp_path):
    file = tmp_path / "unknown"
    file.write_text(
        '#include "callbridge/typed_ffi/c_api.h"\n'
        "int64_t Unknown(void);\n"
        "int64_t Unknown(void) {\n"
        "  XLA_FFI_TypeId id = XLA_FFI_UNKNOWN_TYPE_ID;\n"
        "  return id.type_id;\n"
        "}\n"
    )
    assert compile_file(compiler, "-x", language, *STRICT, *OURS, file) == ""


@pytest.mark.parametrize("compiler", CXX_COMPILERS)
def test_xlas_cxx_api_compiles_on_top(compiler, tmp_path):
    """XLA's C++ headers, with our C headers in the place of its own."""
    folder = tmp_path / "xla/ffi/api"
    folder.mkdir(parents=True)
    names = ["api.h", "ffi.h", "collectives_api.h", "record_api.h"]
    for name in names:
        shutil.copy(c_headers.include_folder(CURRENT) / "xla/ffi/api" / name, folder)
    for name in HEADER_NAMES:
        shutil.copy(ROOT / "include/xla/ffi/api" / name, folder)
    file = source(tmp_path, "top.cc", *(f"xla/ffi/api/{name}" for name in names))
    assert compile_file(compiler, "-std=c++17", "-w", "-I", tmp_path, *OURS, file) == ""


@pytest.mark.parametrize("header", HEADER_NAMES)
def test_both_in_one_file_are_refused(header, tmp_path):
    genuine = c_headers.include_folder(CURRENT)
    file = source(tmp_path, "both.cc", f"genuine/{header}", f"callbridge/typed_ffi/{header}")
    (tmp_path / "genuine").symlink_to(genuine / "xla/ffi/api")
    said = compile_file("g++", "-std=c++17", "-w", "-isystem", genuine, *OURS, file)
    assert "was included before callbridge's" in said
