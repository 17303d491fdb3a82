"""The ways to get it: tests/install/ways is a project of somebody else's."""

import os
import shutil
import subprocess

import pytest
from installed import CONSUMER, INCREMENTED, ROOT, VERSION, run

WAYS = CONSUMER.parent / "ways"


def build_ways(folder, *definitions):
    # The library twice, with the same options and below one folder: what was compiled is found.
    compiler = {}
    if shutil.which("ccache"):
        launcher = {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}
        compiler = {**launcher, "CCACHE_BASEDIR": folder, "CCACHE_NOHASHDIR": "1"}
    run("cmake", "-S", WAYS, "-B", folder, *definitions, **compiler)
    run("cmake", "--build", folder, "--parallel", os.cpu_count(), **compiler)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """source(way): the tree, or a repository that has what git has of it, changes included."""
    made = []

    def make(way):
        if way != "FetchContent":
            return ROOT
        if not made:
            folder = tmp_path_factory.mktemp("repository")
            files = run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard").split("\n")
            listed = "\0".join(file for file in files if os.path.lexists(ROOT / file))
            copy = ["tar", "-C", ROOT, "--null", "--no-recursion", "-T", "-", "-c"]
            packed = subprocess.run(copy, input=listed.encode(), check=True, capture_output=True)
            subprocess.run(["tar", "-C", folder, "-x"], input=packed.stdout, check=True)
            git = ["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x"]
            run(*git, "init", "--quiet", "--initial-branch", "main")
            run(*git, "add", "--all", "--force")
            run(*git, "commit", "--quiet", "--message", "x")
            made.append(f"file://{folder}")
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


@pytest.mark.parametrize("way", ["find_package", "add_subdirectory", "FetchContent"])
def test_the_headers_alone(prefix, source, tmp_path, way):
    """Without abseil, protobuf or a library: what is built refers to nothing of callbridge's."""
    build_ways(
        tmp_path,
        "-DHEADERS=ON",
        f"-DWAY={way}",
        f"-DSOURCE={source(way)}",
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    handler = tmp_path / "libhandler.so"
    defined = run("nm", "-D", "--defined-only", handler)
    assert " T AddOne\n" in defined and " T CopyHandler\n" in defined
    assert "callbridge" not in run("readelf", "-d", handler)


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
