"""`callbridge new`: what it writes, what it refuses, and that nothing is half-written."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from callbridge._command import _new

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "examples/packages"
BUILDS = sorted(path.name for path in PACKAGES.iterdir() if path.name != "common")
LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def new(capfd, *words):
    """Returns the status, standard output and standard error."""
    try:
        status = _new.main(*words)
    except SystemExit as ended:
        status = ended.code
    return status, *capfd.readouterr()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("build", BUILDS)
def test_it_is_the_example_by_another_name(build, folder, capfd):
    status, shown, errors = new(capfd, "my_ops2", "--build", build)
    assert (status, errors) == (0, "")
    wanted = {**files(PACKAGES / "common"), **files(PACKAGES / build)}
    named = {
        name.replace("mypackage", "my_ops2"): text.replace(b"mypackage", b"my_ops2").replace(
            b"MYPACKAGE", b"MY_OPS2"
        )
        for name, text in wanted.items()
    }
    written = files(folder / "my_ops2")
    assert written == named and "src/my_ops2/__init__.py" in written
    assert not re.search(b"mypackage", b"".join(written.values()), re.IGNORECASE)
    lines = shown.splitlines()
    assert lines[:-1] == [f"wrote my_ops2/{name}" for name in sorted(named)]
    assert lines[-1] == "next: sh my_ops2/build_wheel.sh; my_ops2/README.md says more"
    assert os.listdir(folder) == ["my_ops2"]
    os.umask(mask := os.umask(0))
    assert (folder / "my_ops2").stat().st_mode & 0o777 == 0o777 & ~mask


def test_scikit_build_core_is_the_default(folder, capfd):
    assert new(capfd, "one")[0] == 0
    assert new(capfd, "two", "--build", "scikit-build-core")[0] == 0
    assert [*files(folder / "one")] and {
        name: text.replace(b"one", b"two") for name, text in files(folder / "one").items()
    }.keys() == {name.replace("two", "one") for name in files(folder / "two")}
    assert b'build-backend = "scikit_build_core.build"' in files(folder / "one")["pyproject.toml"]


def test_by_the_command(folder):
    """Of `make install`, which runs it in Python; and without a word of it."""
    command = [BUILD / "callbridge", "new"]
    environment = {**os.environ, "CALLBRIDGE_PYTHON": sys.executable}
    done = subprocess.run([*command, "my_ops"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "wrote my_ops/pyproject.toml\n" in done.stdout
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("callbridge: ") and "NAME" in done.stderr


def test_help_lists_the_build_systems(capfd):
    status, shown, _ = new(capfd, "--help")
    assert status == 0 and "callbridge new my_ops" in shown
    for build in BUILDS:
        assert re.search(rf"^  {build} +\w", shown, re.MULTILINE), build
    assert sorted(_new.BUILDS) == BUILDS


# ---- What it refuses


@pytest.mark.parametrize(
    "name, why",
    [
        ("my-ops", "'my-ops' cannot be a Python module's name; my_ops can"),
        ("My Ops", "'My Ops' cannot be a Python module's name; My_Ops can"),
        ("2d", "'2d' cannot be a Python module's name: expected ASCII letters, digits and"),
        ("é", "'é' cannot be a Python module's name: expected ASCII letters"),
        ("", "'' cannot be a Python module's name: expected ASCII letters"),
        ("_ops", "'_ops' cannot be a Python module's name; ops can"),
        ("ops_", "'ops_' cannot be a Python module's name; ops can"),
        ("a/b", "'a/b' cannot be a Python module's name; a_b can"),
        ("..", "'..' cannot be a Python module's name: expected ASCII letters"),
        ("a\nb", "'a\\nb' cannot be a Python module's name; a_b can"),
        ("class", "'class' is a word of Python's language"),
        ("json", "'json' is a module of Python's own, which the package would hide"),
        ("test", "'test' is a target of CMake's own"),
        ("jax", "'jax' is a package that the new one needs"),
        ("callbridge", "'callbridge' is a package that the new one needs"),
        ("install", "'install' is a target of CMake's own"),
        ("all", "'all' is a target of CMake's own"),
    ],
)
def test_a_name(name, why, folder, capfd):
    status, shown, errors = new(capfd, name)
    assert (status, shown) == (2, "")
    assert errors.startswith(f"callbridge: INVALID_ARGUMENT: {why}")
    assert errors.count("\n") == 1
    assert os.listdir(folder) == []


def test_what_cmake_refuses_is_refused(tmp_path):
    """By CMake itself, of each name that Python would take."""
    for name in sorted(_new.OF_CMAKE):
        (tmp_path / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\n"
            f"enable_testing()\ninclude(CPack)\nadd_custom_target({name})\n"
        )
        command = ["cmake", "-S", tmp_path, "-B", tmp_path / "build"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode != 0 and "is reserved" in done.stderr, name


@pytest.mark.parametrize("kind", ["folder", "full folder", "file", "dangling link"])
def test_what_is_there(kind, folder, capfd):
    path = folder / "my_ops"
    if kind.endswith("folder"):
        path.mkdir()
        if kind == "full folder":
            (path / "mine.txt").write_text("mine")
    elif kind == "file":
        path.write_text("mine")
    else:
        path.symlink_to("nowhere")
    status, shown, errors = new(capfd, "my_ops")
    assert (status, shown) == (1, "")
    assert errors == "callbridge: ALREADY_EXISTS: my_ops is there; choose another name or folder\n"
    assert os.listdir(folder) == ["my_ops"]
    assert kind != "full folder" or (path / "mine.txt").read_text() == "mine"


def test_a_place_that_cannot_be_written(monkeypatch, capfd):
    monkeypatch.chdir("/proc")
    status, shown, errors = new(capfd, "my_ops")
    assert (status, shown) == (1, "")
    assert errors.startswith("callbridge: FAILED_PRECONDITION: my_ops cannot be written: ")
    assert errors.count("\n") == 1


def test_a_full_disk_leaves_nothing(folder):
    """As it is when a file may not grow; the error is the system's."""
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900)); "
        "from callbridge._command._new import main; sys.exit(main('my_ops'))"
    )
    command = [sys.executable, "-B", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "callbridge: FAILED_PRECONDITION: my_ops cannot be written: File too large\n"
    )
    assert os.listdir(folder) == []


def test_an_interruption_leaves_nothing(folder, monkeypatch):
    def interrupted(*_):
        assert len(os.listdir(folder)) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _new.main("my_ops")
    assert os.listdir(folder) == []


def test_another_that_came_between_stays(folder, monkeypatch, capfd):
    rename = os.rename

    def late(source, to):
        pathlib.Path(to).mkdir()
        pathlib.Path(to, "mine.txt").write_text("mine")
        rename(source, to)

    monkeypatch.setattr(os, "rename", late)
    status, _, errors = new(capfd, "my_ops")
    assert (status, files(folder)) == (1, {"my_ops/mine.txt": b"mine"})
    assert errors.startswith("callbridge: FAILED_PRECONDITION: my_ops cannot be written: ")


def test_half_an_installation(folder, monkeypatch, capfd):
    monkeypatch.setattr(_new, "_FOLDERS", (folder / "nowhere",))
    status, shown, errors = new(capfd, "my_ops")
    assert (status, shown) == (1, "")
    assert errors == (
        f"callbridge: FAILED_PRECONDITION: {folder}/nowhere is not there: this callbridge is half "
        "installed; install it again, by `make install` or pip\n"
    )


@pytest.mark.parametrize("words", [[], ["a", "b"], ["a", "--build"], ["a", "--build", "bazel"]])
def test_the_command_line(words, folder, capfd):
    status, shown, errors = new(capfd, *words)
    assert (status, shown) == (2, "")
    assert errors.startswith("callbridge: ") and errors.endswith(" (see --help)\n")
    assert os.listdir(folder) == []
