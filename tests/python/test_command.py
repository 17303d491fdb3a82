"""The command of the wheel, which becomes the program or runs in Python, and
`python -m callbridge.config`."""

import os
import pathlib
import struct
import subprocess
import sys

import pytest
from callbridge import config

COMMAND = """\
import sys; from callbridge import _command; _command.PREFIX = sys.argv.pop(1)
"""
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """\
#!/bin/sh
echo "$0 $# $* $CALLBRIDGE_PYTHON $LD_ORIGIN_PATH"
exit 7
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "bin").mkdir()
    path = tmp_path / "bin/callbridge"
    path.write_text(PROGRAM)
    path.chmod(0o755)
    return path


def run(folder, *words, at_start="", **environment):
    inherited = {key: value for key, value in os.environ.items() if key != "CALLBRIDGE_PYTHON"}
    return subprocess.run(
        [sys.executable, "-c", f"{COMMAND}{at_start}sys.exit(_command.main())", folder, *words],
        env={**inherited, "PYTHONPATH": str(ROOT / "python"), **environment},
        capture_output=True,
        text=True,
    )


def test_it_becomes_the_program(program, tmp_path):
    done = run(tmp_path, "run", "a b")
    assert (done.returncode, done.stderr) == (7, "")
    assert done.stdout == f"{program} 2 run a b {sys.executable} \n"
    done = run(tmp_path, CALLBRIDGE_PYTHON="mine")
    assert done.stdout == f"{program} 0  mine \n"
    without_proc = "import os; os.path.exists = lambda path: path != '/proc/self/exe'\n"
    done = run(tmp_path, at_start=without_proc)
    assert done.stdout == f"{program} 0  {sys.executable} {program.parent}\n"


def test_the_program_has_the_commands_name(program, tmp_path):
    program.unlink()
    program.symlink_to("/bin/cat")  # which says its name
    done = run(tmp_path, "/none")
    assert done.stderr.startswith("callbridge: /none: ")


def test_what_cannot_be_run_is_named(program, tmp_path):
    again = "; install callbridge again\n"
    header = bytearray(pathlib.Path(sys.executable).read_bytes()[:64])
    machine = os.uname().machine
    other = {"x86_64": (183, "aarch64"), "aarch64": (62, "x86_64")}[machine]
    for number, name in (other, (243, "ELF machine 243")):
        struct.pack_into("<H", header, 18, number)
        program.write_bytes(header)
        done = run(tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        reason = f"it is for {name}, and this machine is {machine}"
        assert done.stderr == f"callbridge: {program} cannot be run: {reason}{again}"
    program.unlink()
    reason = "No such file or directory"
    assert run(tmp_path).stderr == f"callbridge: {program} cannot be run: {reason}{again}"


# ---- What runs in Python at once

LIBRARY = os.environ.get("CALLBRIDGE_LIBRARY", str(ROOT / "build/dev/libcallbridge.so"))
HEADER = b"\177ELF\2\1\1".ljust(16, b"\0") + b"\3\0"


def test_audit_runs_in_this_process(tmp_path):
    pytest.importorskip("packaging")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/a.so").write_bytes(HEADER)  # and no more
    no_program = "import os, subprocess; os.execv = subprocess.Popen = os.posix_spawn = None\n"
    words = ("audit", str(tmp_path / "folder"))
    done = run(tmp_path, *words, at_start=no_program, CALLBRIDGE_LIBRARY=LIBRARY)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "callbridge: INVALID_ARGUMENT: a.so: is truncated: it has 18 bytes, an ELF header 64\n"
    )
    done = run(tmp_path, "audit", at_start=no_program)
    assert (done.returncode, done.stderr) == (2, "callbridge: PATH is required (see --help)\n")


def test_migrate_runs_in_this_process(tmp_path):
    no_program = "import os; os.execv = None\n"
    done = run(tmp_path, "migrate", "a.txt", at_start=no_program)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("callbridge: a.txt: expected a source, ")
    assert "usage: callbridge migrate" in run(tmp_path, "migrate", "--help").stdout


def test_new_runs_in_this_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("new", "my_ops")
    at_start = "import os; os.execv = None\n"
    done = run(tmp_path, *words, at_start=at_start, CALLBRIDGE_LIBRARY="/none.so")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "my_ops/pyproject.toml").exists()


def test_another_python_is_started_by_the_program(program, tmp_path):
    for command in ("audit", "migrate", "new"):
        done = run(tmp_path, command, "x", CALLBRIDGE_PYTHON="mine")
        assert done.stdout == f"{program} 2 {command} x mine \n"


def test_no_library_is_an_error(tmp_path):
    pytest.importorskip("packaging")
    done = run(tmp_path, "audit", str(tmp_path), CALLBRIDGE_LIBRARY="/none.so")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("callbridge: FAILED_PRECONDITION: CALLBRIDGE_LIBRARY is '/none")


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_descriptors_are_no_files_of_ours(tmp_path, closed):
    """What is printed there is an error, and gets into no file that is open."""
    occupied = f"""
import os
os.close({closed})
_command._occupy_standard_descriptors()
assert os.open("/dev/null", os.O_RDWR) > 2
try:
    os.read(0, 1) if {closed} == 0 else os.write({closed}, b"x")
except OSError:
    os._exit(5)
"""
    assert run(tmp_path, at_start=occupied).returncode == 5


# ---- config


@pytest.fixture
def installed(tmp_path, monkeypatch):
    for file in (
        "include/callbridge/callbridge.h",
        "lib/cmake/callbridge/callbridgeConfig.cmake",
        "lib/pkgconfig/callbridge.pc",
    ):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).touch()
    (tmp_path / "lib/libours.so").touch()
    monkeypatch.setattr(config, "PREFIX", str(tmp_path))
    monkeypatch.setenv("CALLBRIDGE_LIBRARY", str(tmp_path / "lib/libours.so"))
    return tmp_path


def shown(capfd, monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["config.py", *words])
    config.main()
    return capfd.readouterr().out


def test_config_says_where_things_are(installed, capfd, monkeypatch):
    assert config.include_dir() == f"{installed}/include"
    assert config.cmake_dir() == f"{installed}/lib/cmake/callbridge"
    assert config.pkgconfig_dir() == f"{installed}/lib/pkgconfig"
    assert config.cflags() == f"-I{installed}/include"
    assert config.libs() == f"-L{installed}/lib -l:libours.so -Wl,-rpath,{installed}/lib"
    assert shown(capfd, monkeypatch, "--includedir") == f"{config.include_dir()}\n"
    assert shown(capfd, monkeypatch, "--cmakedir") == f"{config.cmake_dir()}\n"
    assert shown(capfd, monkeypatch, "--pkgconfigdir") == f"{config.pkgconfig_dir()}\n"
    assert shown(capfd, monkeypatch, "--cflags") == f"{config.cflags()}\n"
    assert shown(capfd, monkeypatch, "--libs") == f"{config.libs()}\n"


@pytest.mark.parametrize("words", [["--cflags", "--libs"], ["--libs", "--cmakedir", "--cflags"]])
def test_config_prints_a_line_each_in_the_order_of_the_words(words, installed, capfd, monkeypatch):
    each = "".join(shown(capfd, monkeypatch, word) for word in words)
    assert shown(capfd, monkeypatch, *words) == each


def test_config_of_half_an_installation(installed, capfd, monkeypatch):
    for words, file in (
        ("--includedir", "include/callbridge/callbridge.h"),
        ("--cflags", "include/callbridge/callbridge.h"),
        ("--cmakedir", "lib/cmake/callbridge/callbridgeConfig.cmake"),
        ("--pkgconfigdir", "lib/pkgconfig/callbridge.pc"),
    ):
        (installed / file).unlink(missing_ok=True)
        with pytest.raises(SystemExit) as ended:
            shown(capfd, monkeypatch, words)
        assert str(ended.value).startswith("callbridge: ")
        assert f"{pathlib.Path(file).name} is not in {installed}/" in str(ended.value)
        assert str(ended.value).endswith("install it again, by `make install` or pip")
    assert capfd.readouterr().out == ""
    (installed / "lib/libours.so").unlink()
    with pytest.raises(SystemExit, match="^callbridge: CALLBRIDGE_LIBRARY is .* not a file"):
        shown(capfd, monkeypatch, "--libs")


def test_config_prints_all_or_nothing(installed, capfd, monkeypatch):
    (installed / "lib/pkgconfig/callbridge.pc").unlink()
    with pytest.raises(SystemExit, match="callbridge.pc is not in"):
        shown(capfd, monkeypatch, "--cflags", "--pkgconfigdir")
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("words", [[], ["--prefix"], ["a"]])
def test_config_is_asked_for_what_it_has(capfd, monkeypatch, words):
    with pytest.raises(SystemExit) as ended:
        shown(capfd, monkeypatch, *words)
    assert ended.value.code == 2
