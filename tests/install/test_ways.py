"""The ways to get it: tests/install/ways is a project of somebody else's."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from installed import CONSUMER, ENVIRONMENT, INCREMENTED, ROOT, VERSION, repository, run

WAYS = CONSUMER.parent / "ways"


def build_ways(folder, *definitions):
    # The library twice, with the same options and below one folder: what was compiled is found.
    compiler = {}
    if shutil.which("ccache"):
        launcher = {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}
        compiler = {**launcher, "CCACHE_BASEDIR": folder, "CCACHE_NOHASHDIR": "1"}
    configured = run("cmake", "-S", WAYS, "-B", folder, *definitions, **compiler)
    run("cmake", "--build", folder, "--parallel", os.cpu_count(), **compiler)
    return configured


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """source(way): the tree, or a repository that has what git has of it, changes included."""
    made = []

    def make(way):
        if way != "FetchContent":
            return ROOT
        if not made:
            made.append(repository(tmp_path_factory.mktemp("repository")))
        return made[0]

    return make


def test_the_library_by_find_package(prefix, tmp_path):
    build_ways(tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    assert run(tmp_path / "cpp_api") == INCREMENTED


# With the tree in another project, the library is built again: `make matrix` has that.
@pytest.mark.skipif(
    "CALLBRIDGE_THOROUGH" not in os.environ, reason="builds the library: make matrix"
)
@pytest.mark.parametrize("way", ["add_subdirectory", "FetchContent"])
def test_the_library_as_part_of_another_project(source, tmp_path, way):
    build_ways(tmp_path, f"-DWAY={way}", f"-DSOURCE={source(way)}")
    assert run(tmp_path / "cpp_api") == INCREMENTED


# As part of another project, the headers are what it is by default, and a folder of their own.
@pytest.mark.parametrize(
    "way, part",
    [
        ("find_package", ""),
        ("add_subdirectory", ""),
        ("FetchContent", ""),
        ("FetchContent", "SOURCE_SUBDIR;include"),
    ],
)
def test_the_headers_alone(prefix, source, tmp_path, way, part):
    """Without abseil, protobuf or a library: what is built refers to nothing of callbridge's."""
    configured = build_ways(
        tmp_path,
        "-DHEADERS=ON",
        f"-DWAY={way}",
        f"-DPART={part}",
        f"-DSOURCE={source(way)}",
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    handler = tmp_path / "libhandler.so"
    defined = run("nm", "-D", "--defined-only", handler)
    assert " T AddOne\n" in defined and " T CopyHandler\n" in defined
    assert "callbridge" not in run("readelf", "-d", handler)
    # The error of a project that links the library then comes below this line.
    says = "CALLBRIDGE_BUILD_LIBRARY=ON builds callbridge::callbridge too" in configured
    assert says == (way != "find_package" and not part)


def test_a_library_in_a_wheel_finds_that_of_the_wheel_callbridge(prefix, tmp_path):
    """Wherever site-packages is: the wheel's folder there has lib/, as a prefix has."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(mine LANGUAGES C)\n"
        'set(CMAKE_INSTALL_RPATH "$ORIGIN/../callbridge/lib")\n'
        "find_package(callbridge 0.1 CONFIG REQUIRED)\nadd_library(mine MODULE mine.c)\n"
        "target_link_libraries(mine PRIVATE callbridge::callbridge)\n"
        'set_target_properties(mine PROPERTIES PREFIX "")\n'
        "install(TARGETS mine LIBRARY DESTINATION mine)\n"
    )
    source = '#include "callbridge/callbridge.h"\n'
    source += "const char* version(void) { return callbridge_version(); }\n"
    (tmp_path / "mine.c").write_text(source)
    folder = f"-Dcallbridge_DIR={prefix}/lib/cmake/callbridge"
    run("cmake", "-S", tmp_path, "-B", tmp_path / "b", folder)
    run("cmake", "--build", tmp_path / "b")
    run("cmake", "--install", tmp_path / "b", "--prefix", tmp_path / "site")
    load = "import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).version; f.restype = ctypes.c_char_p"
    command = [sys.executable, "-c", f"{load}; print(f().decode())", tmp_path / "site/mine/mine.so"]
    alone = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert alone.returncode != 0 and "libcallbridge.so.0: cannot open" in alone.stderr
    shutil.copytree(prefix, tmp_path / "site/callbridge", symlinks=True)
    (tmp_path / "site").rename(tmp_path / "moved")
    command[-1] = tmp_path / "moved/mine/mine.so"
    assert run(*command) == f"{VERSION}\n"


def test_an_older_cmake_takes_the_headers(tmp_path):
    """What is asked of CMake before the headers are taken: FetchContent_MakeAvailable has 3.14."""
    text = (ROOT / "CMakeLists.txt").read_text()
    before = text[: text.index("add_subdirectory(include)")]
    asked = re.findall(r"cmake_minimum_required\(VERSION (\d+\.\d+)", before)
    headers = re.findall(
        r"cmake_minimum_required\(VERSION (\d+\.\d+)", (ROOT / "include/CMakeLists.txt").read_text()
    )
    assert asked == headers


@pytest.mark.parametrize(
    "version, found",
    [("0.1", 1), (VERSION, 1), ("0.1...<0.2", 1), ("0.0", 0), ("0.1.1", 0), ("0.2", 0), ("1.0", 0)],
)
def test_find_package_takes_its_minor_version(prefix, tmp_path, version, found):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.19)\nproject(x NONE)\n"
        "set(CMAKE_SIZEOF_VOID_P 8)\n"
        f"find_package(callbridge {version} QUIET)\n"
        'message("found: ${callbridge_FOUND}, considered: ${callbridge_CONSIDERED_VERSIONS}")\n'
    )
    output = run("cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert f"found: {found}, considered: {VERSION}" in output
