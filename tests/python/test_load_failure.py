"""What an import says where libcallbridge.so, or this Python, cannot serve it."""

import os
import pathlib
import struct
import subprocess
import sys

import pytest

LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])


def refusal(library, program="import callbridge.library"):
    """The last line of what Python says."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "CALLBRIDGE_LIBRARY": str(library)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, ""), done
    return done.stderr.splitlines()[-1]


@pytest.fixture
def changed(tmp_path):
    """A copy of the library, changed."""

    def copy(change):
        path = tmp_path / "libcallbridge.so.0"
        path.write_bytes(change(LIBRARY.read_bytes()))
        return path

    return copy


HERE = os.uname().machine
MACHINES = {"aarch64": 183, "x86_64": 62, "ELF machine 243": 243}


@pytest.mark.parametrize("name", sorted({*MACHINES} - {HERE}))
def test_another_machine(changed, name):
    number = MACHINES[name]
    path = changed(lambda bytes: bytes[:18] + struct.pack("<H", number) + bytes[20:])
    assert refusal(path) == (
        f"ImportError: {path} is for {name}, and this machine is {HERE}: install the wheel for it, "
        "or build callbridge here"
    )


def newer(version):
    """Has the library need one that no system has, of the same length."""
    other = version[: version.index(b"_")] + b"_9" + b"9" * (len(version) - 2 - version.index(b"_"))

    def change(bytes):
        assert bytes.count(b"\0" + version + b"\0") == 1, version
        return bytes.replace(b"\0" + version + b"\0", b"\0" + other + b"\0")

    return change, other.decode()


def newest_needed(prefix):
    shown = subprocess.run(["readelf", "-V", LIBRARY], check=True, capture_output=True, text=True)
    words = [word for word in shown.stdout.split() if word.startswith(prefix)]
    return max(words, key=lambda word: [int(part) for part in word[len(prefix) :].split(".")])


@pytest.mark.parametrize("prefix", ["GLIBC_", "GLIBCXX_", "CXXABI_"])
def test_a_system_that_is_too_old(changed, prefix):
    change, version = newer(newest_needed(prefix).encode())
    said = refusal(changed(change))
    assert said.startswith(
        f"ImportError: libcallbridge.so needs {version}, and this system's C or C++ library is "
        "older ("
    )
    assert said.endswith("): build callbridge here, by pip from its sources")


def test_what_is_no_library(changed):
    path = changed(lambda bytes: b"text")
    assert refusal(path) == (
        f"ImportError: libcallbridge.so cannot be loaded: {path}: file too short; set "
        "CALLBRIDGE_LIBRARY to the path of one, or unset it to use the installed one"
    )


@pytest.mark.parametrize("module", ["callbridge", "callbridge.jax"])
def test_a_python_that_is_too_old(module):
    program = f"import sys; sys.version_info = (3, 8, 20, 'final', 0); import {module}"
    assert refusal(LIBRARY, program) == (
        "ImportError: callbridge needs Python 3.9 or newer, and this is 3.8: run it with a newer "
        "one"
    )
