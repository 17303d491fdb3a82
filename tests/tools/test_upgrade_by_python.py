"""What `callbridge upgrade` leaves to Python: the real executable, with a script as Python."""

import json
import os
import pathlib
import struct
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"

PYTHON = """#!/usr/bin/python3
import json, os, sys
names = ["PYTHONPATH", "CALLBRIDGE_LIBRARY"]
print(json.dumps({
    "arguments": sys.argv[1:],
    "input": sys.stdin.buffer.read().decode("latin-1"),
    "environment": {name: os.environ.get(name) for name in names},
}))
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("python").write_text(PYTHON)
    os.chmod("python", 0o755)
    monkeypatch.setenv("CALLBRIDGE_PYTHON", str(tmp_path / "python"))
    for name in ("PYTHONPATH", "CALLBRIDGE_LIBRARY"):
        monkeypatch.delenv(name, raising=False)


def upgrade(content, *words):
    pathlib.Path("m").write_bytes(content)
    return subprocess.run(
        [COMMAND, "upgrade", "m", *words], capture_output=True, text=True, timeout=60
    )


def asked(content, *words):
    """What Python was asked; None where it was not."""
    done = upgrade(content, *words)
    if done.returncode == 1:
        assert done.stdout == "" and done.stderr.startswith("callbridge: ")
        return None
    assert (done.returncode, done.stderr) == (0, ""), done
    return json.loads(done.stdout)


def flatbuffer(root=8, layout=4, size=4, length=16):
    """A root table at `root`, its layout at `layout`, of `size` bytes."""
    data = bytearray(max(length, 4))
    struct.pack_into("<I", data, 0, root)
    if root + 4 <= length:
        struct.pack_into("<i", data, root, root - layout)
    if 0 <= layout and layout + 2 <= length and layout not in (root, root + 2):
        struct.pack_into("<H", data, layout, size)
    return bytes(data[:length])


@pytest.mark.parametrize(
    "content",
    [
        *(b"module {}", b"builtin.module {}", b'"builtin.module"() {}', b"func.func @f() {}"),
        *(b'"func.func"() {}', b"#loc = loc(unknown)", b"!t = i32", b" \n\tmodule {}"),
        *(b"// a comment\nmodule {}", b"  // one\n\n  // two\n module {}", b"ML\xefR"),
        *(flatbuffer(), flatbuffer(root=12), flatbuffer(layout=12, root=4)),
        *(flatbuffer(layout=6), flatbuffer(size=12), flatbuffer(size=6), flatbuffer(length=17)),
    ],
    ids=repr,
)
def test_what_is_stablehlo_is_left_to_python(content):
    assert asked(content)["input"].encode("latin-1") == content


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"modul", b"// module", b"// no end", b"/* module {} */", b"ML\xef", b"ml\xefR"),
        *(b"func", b"x module", b"HloModule m", b'"module"', b"\0" * 16),
        # An offset of the root table, of its layout, and a size, that cannot be.
        *(flatbuffer(root=0), flatbuffer(root=2), flatbuffer(root=9), flatbuffer(root=16)),
        *(flatbuffer(layout=2), flatbuffer(layout=0), flatbuffer(layout=5)),
        *(flatbuffer(layout=14, root=4, size=4), flatbuffer(layout=-4), flatbuffer(root=2**32 - 4)),
        *(flatbuffer(size=2), flatbuffer(size=5), flatbuffer(size=14), flatbuffer(size=65534)),
        flatbuffer(length=15),
    ],
    ids=repr,
)
def test_what_is_none_is_not(content):
    assert asked(content) is None


def test_python_gets_the_arguments():
    told = asked(b"module {}")["arguments"]
    assert told[0] == "-c" and told[2:] == ["m", "-", "same"]
    assert asked(b"module {}", "--output", "new")["arguments"][2:] == ["m", "new", "same"]
    assert asked(b"module {}", "--form", "hlo")["arguments"][4] == "same"
    assert asked(b"module {}", "--form", "stablehlo")["arguments"][4] == "text"


def test_python_finds_this_callbridge(monkeypatch):
    here = str(ROOT / "python")
    told = asked(b"module {}")["environment"]
    assert told == {"PYTHONPATH": here, "CALLBRIDGE_LIBRARY": str(BUILD / "libcallbridge.so.0")}
    monkeypatch.setenv("PYTHONPATH", "")
    assert asked(b"module {}")["environment"]["PYTHONPATH"] == here
    monkeypatch.setenv("PYTHONPATH", "/one:/two")
    assert asked(b"module {}")["environment"]["PYTHONPATH"] == f"{here}:/one:/two"
    monkeypatch.setenv("CALLBRIDGE_PYTHON_FOLDER", "/nowhere")
    done = upgrade(b"module {}")
    assert done.returncode == 1 and "/nowhere" in done.stderr
    monkeypatch.delenv("CALLBRIDGE_PYTHON_FOLDER")
    monkeypatch.setenv("CALLBRIDGE_LIBRARY", "/nowhere/libcallbridge.so")
    done = upgrade(b"module {}")
    assert done.returncode == 1 and "/nowhere/libcallbridge.so" in done.stderr


def test_its_folder_may_have_any_name(tmp_path, monkeypatch):
    """A colon would part it in PYTHONPATH."""
    folder = tmp_path / "a:b 'c'"
    folder.symlink_to(ROOT / "python")
    monkeypatch.setenv("CALLBRIDGE_PYTHON_FOLDER", str(folder))
    monkeypatch.setenv("CALLBRIDGE_PYTHON", sys.executable)
    done = subprocess.run([COMMAND, "audit", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([COMMAND, "audit", "m"], capture_output=True, text=True, timeout=60)
    assert "no such file" in done.stderr.lower(), done.stderr


def test_without_proc_the_working_folder_is_not_callbridge_s():
    """A package in it is not the one that holds this program."""
    pathlib.Path("__init__.py").touch()
    pathlib.Path("m").write_bytes(b"module {}")
    script = f"mount -t tmpfs none /proc && exec {BUILD}/callbridge-module upgrade m"
    command = ["unshare", "--mount", "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "callbridge: FAILED_PRECONDITION: expected /proc, through which callbridge finds python: "
        "mount it (mount -t proc proc /proc), or set CALLBRIDGE_PYTHON_FOLDER to its path\n"
    )


def test_python_is_python3_in_the_path(monkeypatch, tmp_path):
    monkeypatch.delenv("CALLBRIDGE_PYTHON")
    os.mkdir("bin")
    os.rename("python", "bin/python3")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert asked(b"module {}")["input"] == "module {}"
    os.remove("bin/python3")
    assert upgrade(b"module {}").stderr == (
        "callbridge: FAILED_PRECONDITION: m is StableHLO, which jaxlib reads, but python3 cannot "
        "be started: No such file or directory; install Python with jax, or set CALLBRIDGE_PYTHON "
        "to one that has it\n"
    )


def test_a_proto_is_not_what_it_writes():
    assert upgrade(b"module {}", "--form", "proto").stderr == (
        "callbridge: UNIMPLEMENTED: m is StableHLO, which can be written in its own form, or as "
        "text with --form stablehlo, but not as an HLO proto\n"
    )


def test_large_files_are_whole():
    content = b"module {} //" + bytes(range(256)) * 20000
    assert asked(content)["input"].encode("latin-1") == content
