"""Commands that a signal ends while they work: nothing half-written stays, and no traceback."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/tools/run_targets.so"
# Bytes that take some time to write.
SIZE = 200_000_000
SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM]
WRITE = """
import sys
from callbridge._core import _output
_output.guarded(_output.write, "out", bytes(int(sys.argv[1])))
"""

pytestmark = pytest.mark.parametrize("number", SIGNALS)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALLBRIDGE_PYTHON", sys.executable)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    pathlib.Path("temporary").mkdir()


def interrupted(number, words, ready):
    """What it says on standard error, when `number` has come once ready() is true."""
    process = subprocess.Popen(
        list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    # It may have been at its end.
    assert process.returncode in (-number, 0), said
    return said


def temporaries():
    return [name for name in os.listdir() if name.startswith(".callbridge-")]


def write_by_the_command():
    np.save("x.npy", np.ones(SIZE, np.uint8))
    words = [COMMAND, "run", TARGETS, "copy", "x.npy", "--opaque", SIZE]
    return [*words, "--result", f"u8[{SIZE}]", "--output", "out"]


def write_in_python():
    return [sys.executable, "-c", WRITE, SIZE]


@pytest.mark.parametrize("writing", [write_by_the_command, write_in_python])
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_file_is_written_whole_or_not_at_all(writing, old, number):
    words = writing()
    if old is not None:
        pathlib.Path("out").write_bytes(old)
    said = interrupted(number, words, temporaries)
    assert temporaries() == [] and "Traceback" not in said
    if not pathlib.Path("out").exists():
        assert old is None
    elif pathlib.Path("out").stat().st_size != len(old or b""):
        assert pathlib.Path("out").stat().st_size >= SIZE


def test_migrate_ends_with_its_compiler(number):
    pathlib.Path("compiler").write_text("#!/bin/sh\ntouch called\nexec sleep 60\n")
    os.chmod("compiler", 0o755)
    pathlib.Path("old.cc").write_text("void f(void* out, const void** in) {}\n")
    words = [COMMAND, "migrate", "--write", "--compiler", "./compiler", "old.cc"]
    begun = time.monotonic()
    said = interrupted(number, words, pathlib.Path("called").exists)
    assert said == "callbridge: interrupted\n" and time.monotonic() - begun < 30
    assert pathlib.Path("old.cc").read_text() == "void f(void* out, const void** in) {}\n"


def test_audit_leaves_no_unpacked_wheel(number):
    with zipfile.ZipFile("large-1.0-py3-none-any.whl", "w") as wheel:
        for i in range(4):
            with wheel.open(f"large/{i}.so", "w") as file:
                file.write(b"\x7fELF\2\1\1" + bytes(SIZE))
        wheel.writestr("large-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        wheel.writestr("large-1.0.dist-info/METADATA", "Name: large\nVersion: 1.0\n")
    words = [COMMAND, "audit", "large-1.0-py3-none-any.whl"]
    said = interrupted(number, words, lambda: os.listdir("temporary"))
    assert said in ("callbridge: interrupted\n", "") and os.listdir("temporary") == []
