"""The snippets of docs/pjrt.md, compiled where there is a compiler of their language, and run."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
PLUGINS = sorted(
    pathlib.Path(os.environ["CALLBRIDGE_CACHE"]).glob(
        "cuda-plugin-*/jax_plugins/xla_cuda*/xla_cuda_plugin.so"
    )
)
ROTATE = LIBRARY.parent / "examples/example_rotate.so"


def snippet(language):
    text = (ROOT / "docs/pjrt.md").read_text()
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return found


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rust_program(tmp_path_factory, rustc):
    folder = tmp_path_factory.mktemp("rust")
    (folder / "register.rs").write_text(snippet("rust"))
    run(rustc, "-D", "warnings", "-L", LIBRARY.parent, "register.rs", cwd=folder)
    return folder / "register"


def in_rust(program, plugin, library):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)}
    return run(program, plugin, library, env=environment)


def test_rust_reports_errors(rust_program, tmp_path):
    """With a plugin whose table is too small to be one."""
    (tmp_path / "plugin.c").write_text("long table[8]; void* GetPjrtApi(void) { return table; }")
    run("cc", "-shared", "-fPIC", "plugin.c", "-o", "plugin.so", cwd=tmp_path)
    text = in_rust(rust_program, tmp_path / "plugin.so", ROTATE)
    assert text.startswith("PJRT_Api.struct_size is 0, but must be at least 64")
    text = in_rust(rust_program, tmp_path / "plugin.so", tmp_path / "none.so")
    assert "none.so" in text


@pytest.mark.skipif(not PLUGINS, reason="no CUDA plugin: scripts/cuda_plugin")
def test_rust_registers(rust_program):
    assert re.fullmatch(
        r"registered 1, api_version [34]\n", in_rust(rust_program, PLUGINS[0], ROTATE)
    )


def test_cpp_compiles(tmp_path):
    (tmp_path / "register.cc").write_text(snippet("cpp"))
    compiler = os.environ.get("CXX", "c++")
    run(
        *(compiler, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"),
        *("-I", ROOT / "include", "register.cc"),
        cwd=tmp_path,
    )


def test_the_nif_compiles(tmp_path):
    """Without Erlang, by declarations of what it uses."""
    (tmp_path / "erl_nif.h").write_text(
        "#include <stddef.h>\n"
        "typedef struct ErlNifEnv ErlNifEnv; typedef unsigned long ERL_NIF_TERM;\n"
        "enum { ERL_NIF_LATIN1 = 1 };\n"
        "int enif_get_string(ErlNifEnv*, ERL_NIF_TERM, char*, unsigned, int);\n"
        "ERL_NIF_TERM enif_make_badarg(ErlNifEnv*); ERL_NIF_TERM enif_make_int(ErlNifEnv*, int);\n"
        "ERL_NIF_TERM enif_make_atom(ErlNifEnv*, const char*);\n"
        "ERL_NIF_TERM enif_make_string(ErlNifEnv*, const char*, int);\n"
        "ERL_NIF_TERM enif_make_tuple2(ErlNifEnv*, ERL_NIF_TERM, ERL_NIF_TERM);\n"
    )
    (tmp_path / "nif.c").write_text(
        snippet("c") + "\nERL_NIF_TERM used(ErlNifEnv* env) { return register_library(env, 0, 0); }"
    )
    run(
        *("cc", "-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"),
        *("-I", ROOT / "include", "-I", tmp_path, "nif.c"),
        cwd=tmp_path,
    )
