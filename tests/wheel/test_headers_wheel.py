"""callbridge-headers, in a clean environment: handlers are built with what it has alone."""

import pathlib
import subprocess
import zipfile

import pytest

JAX = ("jax", "jaxlib", "ml_dtypes", "opt_einsum", "scipy")
HANDLER = pathlib.Path(__file__).resolve().parents[1] / "install/ways/handler.cc"
LIBCXX = pathlib.Path("/usr/lib/llvm-14/include/c++/v1")
ARM64 = pathlib.Path("/usr/aarch64-linux-gnu/include")
# What libc++ takes from Apple's <xlocale.h>.
XLOCALE = """\
#include <ctype.h>
#include <locale.h>
#include <stddef.h>
#undef isdigit_l
#undef isxdigit_l
extern "C" int sscanf_l(const char*, locale_t, const char*, ...);
extern "C" int snprintf_l(char*, size_t, locale_t, const char*, ...);
extern "C" int asprintf_l(char**, locale_t, const char*, ...);
"""


@pytest.fixture(scope="module")
def include(headers_wheel, tmp_path_factory):
    """The folder that the installed package names."""
    folder = tmp_path_factory.mktemp("headers")
    subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
    install = [folder / "bin/pip", "install", "--quiet", "--no-index", headers_wheel]
    subprocess.run(install, check=True)
    asked = [folder / "bin/python", "-m", "callbridge_headers", "--includedir"]
    shown = subprocess.run(asked, check=True, capture_output=True, text=True)
    return pathlib.Path(shown.stdout.strip())


def compiled(compiler, include, *options):
    """What the compiler says of a typed handler and an exported function."""
    command = [*compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", include]
    done = subprocess.run([*command, *options, HANDLER], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_it_is_for_any_platform_and_has_no_library(headers_wheel):
    assert headers_wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(headers_wheel).namelist()
    assert "callbridge_headers/include/callbridge/export.h" in names
    assert "callbridge_headers/py.typed" in names
    assert not [name for name in names if ".so" in name or "callbridge/c_api/" in name]


PROGRAM = """\
import ctypes, jax, jax.numpy as jnp
library = ctypes.CDLL("./handler.so")
for name in ("AddOne", "CopyHandler"):
    capsule = jax.ffi.pycapsule(getattr(library, name))
    jax.ffi.register_ffi_target(name, capsule, platform="cpu")
add_one = jax.ffi.ffi_call("AddOne", jax.ShapeDtypeStruct((), jnp.float32))
copy = jax.ffi.ffi_call("CopyHandler", jax.ShapeDtypeStruct((3,), jnp.float32))
print(jax.jit(add_one)(jnp.float32(2)), jax.jit(copy)(jnp.arange(3.0)))
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_handlers_run_in_jax(environment, include, compiler):
    """Where callbridge is not imported, and by callbridge's own command."""
    shell = environment(*JAX)
    library = shell.folder / "handler.so"
    compiled([compiler], include, "-shared", "-fPIC", "-o", library)
    assert shell(f"python -c '{PROGRAM}'") == "3.0 [0. 1. 2.]\n"
    shown = shell("callbridge inspect --probe handler.so")
    for handler in ("AddOne", "CopyHandler"):
        assert f"{handler}: typed (answers the metadata query" in shown


def test_the_syntax_for_macos_on_arm64(include, tmp_path):
    """With libc++ and, in the place of Apple's, glibc's headers for arm64."""
    (tmp_path / "xlocale.h").write_text(XLOCALE)
    shown = subprocess.run(["clang", "-print-resource-dir"], check=True, capture_output=True)
    own = pathlib.Path(shown.stdout.decode().strip()) / "include"
    # Apple's targets define __nonnull, which is a macro of glibc's.
    target = ["-target", "arm64-apple-macos11", "-U__nonnull", "-D_GNU_SOURCE", "-nostdinc++"]
    folders = [word for folder in (tmp_path, LIBCXX, own, ARM64) for word in ("-isystem", folder)]
    assert compiled(["clang++"], include, "-fsyntax-only", *target, *folders) == ""


def test_the_dialect_of_msvc(include):
    """As clang-cl sets it, with libc++: Microsoft's own headers cannot be had."""
    dialect = ["-fms-extensions", "-fms-compatibility", "-fms-compatibility-version=19.29"]
    dialect += ["-fdelayed-template-parsing", "-stdlib=libc++"]
    assert compiled(["clang++"], include, "-fsyntax-only", *dialect) == ""
