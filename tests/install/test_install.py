"""The installed tree, moved elsewhere, as users use it: CMake, pkg-config, Python, the shell."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from installed import BUILD, CONSUMER, ENVIRONMENT, INCREMENTED, ROOT, VERSION, run


def test_everything_is_where_it_is_promised(prefix):
    for path in (
        "bin/callbridge",
        "lib/libcallbridge.so",
        "lib/libcallbridge.so.0",
        f"lib/libcallbridge.so.{VERSION}",
        "lib/callbridge_python.abi3.so",
        "lib/cmake/callbridge/callbridgeConfig.cmake",
        "lib/cmake/callbridge/callbridgeTypedFfiTargets.cmake",
        "lib/cmake/callbridge/callbridgeConfigVersion.cmake",
        "lib/libcallbridge_client.so",
        "lib/libcallbridge_client.so.0",
        f"lib/libcallbridge_client.so.{VERSION}",
        "lib/pkgconfig/callbridge.pc",
        "lib/pkgconfig/callbridge-client.pc",
        "include/callbridge/callbridge.h",
        "include/callbridge/callbridge.hpp",
        "include/callbridge/c_api/callbridge.h",
        "include/xla/service/custom_call_target_registry.h",
        "include/tensorflow/compiler/xla/service/custom_call_target_registry.h",
        "python/callbridge/__init__.py",
        "python/callbridge/py.typed",
        "python/callbridge/xla_internal_calls.inc",
        "share/callbridge/packages/common/.github/workflows/ci.yml",
        "share/callbridge/packages/scikit-build-core/CMakeLists.txt",
        "share/man/man1/callbridge.1",
    ):
        assert (prefix / path).is_file(), path


PUBLIC_HEADERS = (ROOT / "include/public_headers.txt").read_text().split()


def source_of(header):
    """The file in the tree, or the one that protoc generated."""
    in_tree = ROOT / "include" / header
    return in_tree if in_tree.is_file() else BUILD / "hlo/include" / header


def reached_from_the_front_door():
    """Every header of include/ that is no link, and what those include of ours."""
    waiting = []
    for folder, _folders, names in os.walk(ROOT / "include"):
        here = pathlib.Path(folder).relative_to(ROOT / "include")
        waiting += [str(here / name) for name in names if name.endswith((".h", ".hpp"))]
    reached = set()
    while waiting:
        header = waiting.pop()
        if header in reached or not source_of(header).is_file():
            continue
        reached.add(header)
        waiting += re.findall(
            r'^\s*#\s*include\s*[<"]([^>"]+)', source_of(header).read_text(), re.M
        )
    return reached


def test_headers_are_all_there_and_nothing_else_is(prefix):
    installed = {
        str(path.relative_to(prefix / "include"))
        for path in (prefix / "include").rglob("*")
        if not path.is_dir()
    }
    assert installed == set(PUBLIC_HEADERS)
    for path in (prefix / "include").rglob("*"):
        assert not path.is_symlink(), path


def test_public_headers_are_those_that_the_front_door_leads_to():
    reached = reached_from_the_front_door()
    listed = set(PUBLIC_HEADERS)
    assert not listed - reached, "private: take them out of include/public_headers.txt"
    assert not reached - listed, "public: add them to include/public_headers.txt"
    assert PUBLIC_HEADERS == sorted(listed)


def is_c(header):
    """True for what says so, and for what leads to nothing else."""
    text = source_of(header).read_text()
    if "C99 or C++" in text:
        return True
    other = only_included(header)
    return other is not None and is_c(other)


def own_headers():
    # The headers of both roots are the same (tests/house/test_front_door.py).
    headers = [header for header in PUBLIC_HEADERS if not header.startswith("tensorflow/")]
    # What protoc generates needs a macro of the headers that include it, hlo_proto.h and its like.
    return [header for header in headers if source_of(header).is_relative_to(ROOT / "include")]


def only_included(header):
    """The header that this one is another name of, or None."""
    text = re.sub(
        r"^(//.*|#pragma once|#(ifndef|define|endif)\b.*)?\n",
        "",
        source_of(header).read_text(),
        flags=re.M,
    )
    included = re.fullmatch(r'#include "(.*)"\n', text)
    return included and included[1]


def compile_header(prefix, file, compiler, *headers):
    """What the compiler says of a file that includes them."""
    language = "c++" if "++" in compiler[0] else "c"
    file.write_text("".join(f'#include "{header}"\n' for header in headers))
    command = [*compiler, "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    return run(*command, "-pedantic", "-I", prefix / "include", file)


@pytest.mark.parametrize(
    "compiler",
    [["clang++", "-std=c++17"], ["g++", "-std=c++17"], ["gcc", "-std=c99"]],
    ids=" ".join,
)
def test_each_header_compiles_alone(prefix, tmp_path, compiler):
    headers = own_headers()
    if compiler[0] == "gcc":
        headers = [header for header in headers if is_c(header)]
        assert "callbridge/callbridge.h" in headers
    elif "CALLBRIDGE_THOROUGH" not in os.environ:
        # Those that users include. The others take a minute and a half: `make matrix` has them.
        headers = [header for header in headers if re.match("xla/|callbridge/[^/]*$", header)]
        headers = [header for header in headers if only_included(header) is None]
        assert "callbridge/export.h" in headers

    def compile_alone(header):
        return compile_header(
            prefix, tmp_path / f"alone_{header.replace('/', '_')}", compiler, header
        )

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        assert set(threads.map(compile_alone, headers)) == {""}


@pytest.mark.parametrize("compiler", ["clang++", "g++", "aarch64-linux-gnu-g++"])
def test_all_headers_compile_together(prefix, tmp_path, compiler):
    if compiler.startswith("aarch64") and shutil.which(compiler) is None:
        pytest.skip("no g++ for aarch64: make test-aarch64 installs it")
    command = [compiler, "-std=c++17"]
    assert compile_header(prefix, tmp_path / "all", command, *own_headers()) == ""


def test_nothing_names_the_place_it_was_built_in(prefix):
    for path in [*prefix.glob("lib/**/*"), *prefix.glob("python/**/*")]:
        if path.suffix in (".cmake", ".pc", ".py"):
            text = path.read_text()
            assert str(ROOT) not in text and str(prefix.parent) not in text, path
    for path in ("bin/callbridge", "lib/libcallbridge.so", "lib/libcallbridge_client.so"):
        assert str(ROOT) not in run("readelf", "-d", prefix / path)


def old_archive(string_abi):
    """Object files that were compiled against TensorFlow's headers (tests/link/CMakeLists.txt)."""
    return BUILD / f"tests/link/liblink_old_{string_abi}_archive.a"


LISTED = """\
a_name_that_no_string_holds_without_allocation on Host: symbol \
a_name_that_no_string_holds_without_allocation(void*, void const**)
add on Host: symbol add(void*, void const**)
divide on Host: symbol divide(void*, void const**, XlaCustomCallStatus_*)
fail_then_succeed on Host: symbol fail_then_succeed(void*, void const**, XlaCustomCallStatus_*)
"""


def test_consumer_with_find_package(prefix, tmp_path):
    run("cmake", "-S", CONSUMER, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DOLD_ARCHIVE={old_archive(0)}")  # fmt: skip
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "version") == f"{VERSION}\n"
    assert run(tmp_path / "old_source") == "6144\n"
    assert run(tmp_path / "list_targets") == LISTED
    assert run(tmp_path / "cpp_api") == INCREMENTED


def test_the_runtime_in_c(prefix, tmp_path):
    """Compiled by the command that it states."""
    flags = run(
        "pkg-config", "--cflags", "--libs", "callbridge", PKG_CONFIG_PATH=prefix / "lib/pkgconfig"
    ).split()
    run("cc", "-std=c99", ROOT / "examples/c_runtime/runtime.c", *flags, "-o", tmp_path / "runtime")
    libraries = [
        BUILD / "examples" / f"{name}.so" for name in ("first_light", "example_typed_handlers")
    ]
    shown = run(tmp_path / "runtime", *libraries)
    assert shown.splitlines()[-2] == "affine: 3 5 7"


PROGRAM = ROOT / "examples/old_program/weighted_mean.cc"


def run_old_program(program):
    """What it prints: a mean, and the message of a target that fails."""
    assert run(program) == "4.5\n"
    failed = subprocess.run(
        [program, "without weights"], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert failed.returncode == 1
    assert "CustomCall failed: the weights add up to zero" in failed.stdout


def test_old_program_with_pkg_config(prefix, tmp_path):
    flags = run(
        *["pkg-config", "--cflags", "--libs", "callbridge-client"],
        PKG_CONFIG_PATH=prefix / "lib/pkgconfig",
    ).split()
    run("g++", "-std=c++17", "-Wall", PROGRAM, *flags, "-o", tmp_path / "program")
    run_old_program(tmp_path / "program")


def test_old_program_with_find_package(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(old LANGUAGES C CXX)\n"
        "set(CMAKE_CXX_STANDARD 17)\n"
        "find_package(callbridge 0.1 REQUIRED COMPONENTS client)\n"
        f"add_executable(program {PROGRAM})\n"
        "target_link_libraries(program callbridge::client)\n"
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "b")
    run_old_program(tmp_path / "b/program")


def test_modules(prefix, tmp_path):
    module = tmp_path / "module.hlo"
    module.write_text("HloModule m\n\nENTRY e {\n  ROOT c = f32[2]{0} constant({1, 2})\n}\n")
    assert "result{} f32[2] 1 2" in run(prefix / "bin/callbridge", "run", module)
    assert "stablehlo.constant" in run(
        prefix / "bin/callbridge", "show", module, "--form", "stablehlo"
    )


def test_plain_c(prefix, tmp_path):
    run("cmake", "-S", CONSUMER.parent / "plain_c", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    assert run(tmp_path / "count", BUILD / "examples/first_light.so") == "4\n"
    failed = subprocess.run([tmp_path / "count", "nowhere.so"], capture_output=True, text=True)
    assert (failed.returncode, failed.stdout) == (1, "NOT_FOUND\n")


def test_find_package_names_a_component_that_is_not_there(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(x NONE)\nset(CMAKE_SIZEOF_VOID_P 8)\n"
        "find_package(callbridge CONFIG REQUIRED COMPONENTS python)\n"
    )
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode != 0
    assert 'this callbridge has no component "python"' in " ".join(done.stderr.split())


def test_half_a_prefix(prefix, tmp_path):
    """Each part names what is missing."""
    half = tmp_path / "half"
    shutil.copytree(prefix, half, symlinks=True)
    for library in half.glob("lib/libcallbridge.so*"):
        library.unlink()
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(x NONE)\nset(CMAKE_SIZEOF_VOID_P 8)\n"
        "find_package(callbridge CONFIG REQUIRED)\n"
    )
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={half}"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode != 0 and "libcallbridge.so" in done.stderr
    python = {**ENVIRONMENT, "PYTHONPATH": str(half / "python")}
    command = [sys.executable, "-m", "callbridge.config", "--libs"]
    done = subprocess.run(command, env=python, capture_output=True, text=True)
    assert done.returncode == 1
    assert (
        done.stderr.startswith("callbridge: libcallbridge.so is not at") and "again" in done.stderr
    )


def config(prefix, *words):
    python = {"PYTHONPATH": prefix / "python"}
    return run(sys.executable, "-m", "callbridge.config", *words, **python)


def test_config(prefix):
    """python -m callbridge.config, for builds."""
    assert config(prefix, "--includedir") == f"{prefix}/include\n"
    assert config(prefix, "--cmakedir") == f"{prefix}/lib/cmake/callbridge\n"
    assert config(prefix, "--pkgconfigdir") == f"{prefix}/lib/pkgconfig\n"
    library = f"{prefix}/lib"
    assert config(prefix, "--cflags", "--libs") == (
        f"-I{prefix}/include\n-L{library} -l:libcallbridge.so -Wl,-rpath,{library}\n"
    )


@pytest.mark.parametrize("way", ["config", "pkg-config"])
def test_its_flags_link_a_program_that_runs(prefix, tmp_path, way):
    if way == "config":
        flags = config(prefix, "--cflags", "--libs").split()
    else:
        folder = {"PKG_CONFIG_PATH": config(prefix, "--pkgconfigdir").strip()}
        flags = run("pkg-config", "--cflags", "--libs", "callbridge", **folder).split()
    program = tmp_path / "program"
    run("g++", "-std=c++17", CONSUMER / "cpp_api.cc", *flags, "-o", program)
    assert run(program) == INCREMENTED


# The string ABI of the old binaries' time, and today's.
@pytest.mark.parametrize("string_abi", [0, 1])
def test_consumer_with_pkg_config(prefix, tmp_path, string_abi):
    flags = run(
        "pkg-config", "--cflags", "--libs", "callbridge", PKG_CONFIG_PATH=prefix / "lib/pkgconfig"
    ).split()
    run("gcc", "-std=c99", "-Wall", "-Werror", "-pedantic-errors", CONSUMER / "version.c", *flags,
        "-o", tmp_path / "version")  # fmt: skip
    run("g++", f"-D_GLIBCXX_USE_CXX11_ABI={string_abi}", CONSUMER / "old_source.cc",
        CONSUMER / "look_up.cc", *flags, "-o", tmp_path / "old_source")  # fmt: skip
    run("g++", CONSUMER / "list_targets.cc", "-Wl,--whole-archive", old_archive(string_abi),
        "-Wl,--no-whole-archive", *flags, "-o", tmp_path / "list_targets")  # fmt: skip
    assert run(tmp_path / "version") == f"{VERSION}\n"
    assert run(tmp_path / "old_source") == "6144\n"
    assert run(tmp_path / "list_targets") == LISTED


def test_probe(prefix):
    probed = BUILD / "tests/targets/probed.so"
    shown = run(prefix / "bin/callbridge", "inspect", "--probe", probed)
    assert "answers_query: typed (answers the metadata query: XLA FFI 0.7)" in shown


def test_command(prefix):
    assert "run" in run(prefix / "bin/callbridge", "--help")


def test_commands_in_python_find_the_package(prefix, tmp_path):
    """The command is in bin, the program that upgrades modules in libexec."""
    python = {"CALLBRIDGE_PYTHON": sys.executable}
    library = BUILD / "examples/first_light.so"
    audited = run(prefix / "bin/callbridge", "audit", library, **python)
    assert "add_repeated(void*, void const**)" in audited
    source = tmp_path / "f.cc"
    source.write_text("void f(void* out, const void** in) {}\n")
    assert "CALLBRIDGE_EXPORT" in run(prefix / "bin/callbridge", "migrate", source, **python)
    command = [prefix / "bin/callbridge", "new", "my_ops"]
    done = subprocess.run(command, cwd=tmp_path, env={**ENVIRONMENT, **python}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"my_ops" in (tmp_path / "my_ops/pyproject.toml").read_bytes()
    module = tmp_path / "module.mlir"
    module.write_text("module @kept {}\n")
    assert "module @kept" in run(prefix / "bin/callbridge", "upgrade", module, **python)


def test_migrate_finds_the_headers_of_a_wheel(prefix, tmp_path):
    """The package itself holds lib and include there."""
    package = tmp_path / "callbridge"
    shutil.copytree(prefix / "python/callbridge", package)
    for folder in ("include", "lib"):
        (package / folder).symlink_to(prefix / folder)
    code = "from callbridge.migrate import _sources; print(_sources.callbridge_includes())"
    assert run(sys.executable, "-c", code, PYTHONPATH=tmp_path) == f"{package}/include\n"


def test_operators_of_a_source_find_the_header(prefix, tmp_path):
    source = tmp_path / "size.cc"
    source.write_text(
        '#include "custom_aot_extra.h"\n'
        'extern "C" int Size(int, void** p, int*, int64_t**, const char**, void*, void*) {\n'
        "  *static_cast<int32_t*>(p[0]) = sizeof(AotExtra);\n  return 0;\n}\n"
    )
    words = ("run", f"{source}:Size", "--result", "s32[]")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert "result{} s32[] 40" in run(prefix / "bin/callbridge", *words, **cache)
    program = (
        "import callbridge.library\n"
        f"library = callbridge.library.load({words[1]!r})\n"
        f"print(library.run({words[1]!r}, [], 's32[]'))"
    )
    python = {"PYTHONPATH": str(prefix / "python"), **cache}
    assert run(sys.executable, "-c", program, **python) == "40\n"


def test_python_face_finds_the_library_beside_it(prefix):
    code = "import callbridge.numpy; print(open('/proc/self/maps').read())"
    maps = run(sys.executable, "-c", code, PYTHONPATH=prefix / "python")
    assert f"{prefix}/lib/libcallbridge.so" in maps
    assert f"{prefix}/lib/callbridge_python.abi3.so" in maps
    assert str(ROOT / "build") not in maps
