"""examples/packages: each is built in isolation, installed into clean environments, called on three
releases of JAX, and audited. `make test` has what `callbridge new` writes by default."""

import json
import os
import pathlib
import re
import shutil
import zipfile

import installed
import jax_releases
import packages
import pytest
import runtimes
import xla_gpu
from packages import EVERY_RELEASE, PYTHON, RELEASES, build_wheel, call, command, new, run

HERE = pathlib.Path(__file__).resolve().parent
# What each build system's wheel is for, on Python 3.11.
TAGS = {
    "scikit-build-core": "py3-none",
    "setuptools": "py3-none",
    "meson-python": "cp311-abi3",
    "nanobind": "cp311-cp311",
    "pybind11": "cp311-cp311",
}
thorough = pytest.mark.skipif(
    "CALLBRIDGE_THOROUGH" not in os.environ, reason="builds another package: make matrix"
)


def audit(wheel, *words, status=0):
    """What `callbridge audit --strict` says, which has this status."""
    return json.loads(
        command("audit", "--probe", "--strict", "--json", wheel, *words, status=status)
    )


def has_the_handlers(wheel, libraries):
    """Each library has the handler, which all that Requires-Dist admits take, and no rpath."""
    report = audit(wheel)
    # A jaxlib before XLA had FFI would fail it.
    assert audit(wheel, "--jax", ">=0.4.13", status=1)["contradictions"]
    assert sorted(one["library"] for one in report["libraries"]) == libraries
    for library in report["libraries"]:
        (found,) = library["custom_calls"]
        assert found["names"] == ["ScaledAdd"]
        assert found["native"] == f"{RELEASES[0]} to {jax_releases.NEWEST}"
    folder = wheel.parent / "unpacked"
    zipfile.ZipFile(wheel).extractall(folder)
    for library in libraries:
        dynamic = run("readelf", "-d", folder / library)
        assert "callbridge" not in dynamic and "PATH)" not in dynamic, dynamic


@pytest.mark.parametrize(
    "build",
    [
        build if build == "scikit-build-core" else pytest.param(build, marks=thorough)
        for build in TAGS
    ],
)
def test_a_wheel(build, headers, tmp_path):
    package = new(tmp_path, "my_ops", build)
    wheel = build_wheel(package, headers)
    assert re.fullmatch(rf"my_ops-0\.0\.1-{TAGS[build]}-linux_\w+\.whl", wheel.name)
    extension = {"nanobind": "_extension", "pybind11": "_extension"}.get(build)
    names = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    assert names == ["my_ops/handlers.so"] or extension and extension in names[0]
    has_the_handlers(wheel, names)
    all_of_them = build == "scikit-build-core" and "CALLBRIDGE_THOROUGH" in os.environ
    for release in EVERY_RELEASE if all_of_them else RELEASES:
        call(package, wheel, release, tmp_path, headers)


@thorough
@pytest.mark.skipif(
    runtimes.python_of(jax_releases.IN_DEBIAN_13) is None, reason="no Debian 13: make matrix"
)
@pytest.mark.parametrize("build", [build for build in TAGS if not TAGS[build].endswith("-cp311")])
def test_a_wheel_on_the_newest_jax(build, headers, tmp_path):
    """Which has another Python than the one that built it."""
    package = new(tmp_path, "my_ops", build)
    wheel = build_wheel(package, headers)
    zipfile.ZipFile(wheel).extractall(site := tmp_path / "site")
    *enter, python = runtimes.python_of(jax_releases.IN_DEBIAN_13)
    words = ["env", f"PYTHONPATH={site}", "JAX_PLATFORMS=cpu", f"--chdir={tmp_path}"]
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", package / "tests"]
    shown = run(*enter, *words, python, *tests, CALLBRIDGE_SHARED=tmp_path)
    assert "3 passed" in shown, shown


# ---- What others need


@thorough
@pytest.mark.parametrize("build", TAGS)
def test_the_sdist_builds_with_callbridge_headers_alone(build, headers, tmp_path):
    package = new(tmp_path, "my_ops", build)
    # Meson makes an sdist of what git has.
    git = ["git", "-C", package, "-c", "user.name=x", "-c", "user.email=x"]
    run(*git, "init", "--quiet")
    run(*git, "add", "--all")
    run(*git, "commit", "--quiet", "--message", "x")
    variables = packages.pip(headers)
    run(PYTHON, "-m", "build", "--sdist", package, **variables)
    (sdist,) = (package / "dist").glob("*.tar.gz")
    wheel = [PYTHON, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path / "out", sdist]
    run(*wheel, **variables)
    (built,) = (tmp_path / "out").iterdir()
    assert any(name.endswith(".so") for name in zipfile.ZipFile(built).namelist())
    shown = run(*wheel, status=1, **packages.pip(tmp_path))
    assert "No matching distribution found for callbridge-headers" in shown


@thorough
def test_an_sdist_with_a_copy_of_the_headers(headers, tmp_path):
    """As the page says, for those who have callbridge-headers from nowhere."""
    package = new(tmp_path, "my_ops", "setuptools")
    (wheel,) = headers.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    asked = [PYTHON, "-m", "callbridge_headers", "--includedir"]
    shutil.copytree(run(*asked, PYTHONPATH=tmp_path / "site").strip(), package / "include")
    for file, old, new_text in (
        ("pyproject.toml", ', "callbridge-headers>=0.1,<0.2"', ""),
        ("setup.py", "import callbridge_headers\n", ""),
        ("setup.py", "callbridge_headers.include_dir()", '"include"'),
    ):
        text = (package / file).read_text()
        assert old in text
        (package / file).write_text(text.replace(old, new_text))
    (package / "MANIFEST.in").write_text("graft include\n")
    variables = packages.pip(tmp_path)  # where callbridge-headers is not
    run(PYTHON, "-m", "build", "--sdist", package, **variables)
    (sdist,) = (package / "dist").glob("*.tar.gz")
    run(PYTHON, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, sdist, **variables)
    (built,) = tmp_path.glob("*.whl")
    has_the_handlers(built, ["my_ops/handlers.so"])


# ---- CMake alone


@thorough
@pytest.mark.parametrize("way", ["callbridge_DIR", "FetchContent"])
def test_cmake_alone(way, headers, tmp_path):
    package = new(tmp_path, "my_ops", "cmake")
    if way == "callbridge_DIR":
        (wheel,) = headers.glob("*.whl")
        zipfile.ZipFile(wheel).extractall(tmp_path / "site")
        asked = [PYTHON, "-m", "callbridge_headers", "--cmakedir"]
        option = f"-Dcallbridge_DIR={run(*asked, PYTHONPATH=tmp_path / 'site').strip()}"
    else:
        (tmp_path / "repository").mkdir()
        option = f"-DCALLBRIDGE_REPOSITORY={installed.repository(tmp_path / 'repository')}"
    wheel = build_wheel(package, headers, "python3", option)
    assert re.fullmatch(r"my_ops-0\.0\.1-py3-none-linux_\w+\.whl", wheel.name)
    has_the_handlers(wheel, ["my_ops/handlers.so"])
    call(package, wheel, RELEASES[-1], tmp_path, headers)


def test_cmake_alone_says_what_it_lacks(tmp_path):
    package = new(tmp_path, "my_ops", "cmake")
    shown = run("cmake", "-S", package, "-B", tmp_path / "build", status=1)
    assert "callbridge is not installed: set callbridge_DIR or CALLBRIDGE_REPOSITORY" in shown


# ---- For the CPU and CUDA


@pytest.fixture(scope="module")
def nvcc():
    path = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(path):
        pytest.skip("no CUDA Toolkit: the example for CUDA is not built")
    return path


def cuda_wheel(package, headers, nvcc, folder, **definitions):
    words = [
        f"--config-settings=cmake.define.{name}={value}" for name, value in definitions.items()
    ]
    wheel = ["wheel", "--no-deps", "--wheel-dir", folder, *words, package]
    run(PYTHON, "-m", "pip", *wheel, CUDACXX=nvcc, **packages.pip(headers))
    (built,) = folder.glob("*.whl")
    return built


@thorough
def test_one_wheel_for_cpu_and_cuda(headers, nvcc, tmp_path):
    """As users get it, where there is no CUDA: nothing of its library is asked for."""
    package = new(tmp_path, "my_ops", "cuda")
    wheel = cuda_wheel(package, headers, nvcc, tmp_path / "dist")
    has_the_handlers(wheel, ["my_ops/handlers.so", "my_ops/handlers_cuda.so"])
    kernels = command("inspect", wheel.parent / "unpacked/my_ops/handlers_cuda.so")
    assert "CUDA kernels for " in kernels
    for release in RELEASES:
        call(package, wheel, release, tmp_path, headers)


@thorough
def test_without_nvcc_the_wheel_is_for_the_cpu(headers, tmp_path):
    package = new(tmp_path, "my_ops", "cuda")
    wheel = cuda_wheel(package, headers, "/none", tmp_path / "dist", MY_OPS_CUDA="OFF")
    has_the_handlers(wheel, ["my_ops/handlers.so"])
    call(package, wheel, RELEASES[-1], tmp_path, headers)


@thorough
@pytest.mark.parametrize("release", xla_gpu.releases(), ids=str)
def test_in_xla_gpu(release, headers, nvcc, tmp_path):
    """Over the stand-in for the driver, which interprets PTX and has a libcudart.so of its own."""
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    variables = xla_gpu.environment(release)
    major = re.search(r"release (\d+)", run(nvcc, "--version"))[1]
    if not pathlib.Path(variables["LD_LIBRARY_PATH"], f"libcudart.so.{major}").exists():
        pytest.skip(f"the plugin of jax {release} is for another CUDA than {nvcc}'s, {major}")
    package = new(tmp_path, "my_ops", "cuda")
    definitions = {
        "CMAKE_CUDA_ARCHITECTURES": "75-virtual",
        "CMAKE_CUDA_FLAGS": "--no-compress",
        "CMAKE_CUDA_RUNTIME_LIBRARY": "Shared",
    }
    wheel = cuda_wheel(package, headers, nvcc, tmp_path / "dist", **definitions)
    zipfile.ZipFile(wheel).extractall(site := tmp_path / "site")
    variables["PYTHONPATH"] += f":{site}"
    done = xla_gpu.python(release, xla_gpu.START, HERE / "on_cuda.py", "my_ops", **variables)
    assert done.status == 0, done
    assert json.loads(done.output) == {"cuda": [True] * 3, "cpu": [True] * 3}
