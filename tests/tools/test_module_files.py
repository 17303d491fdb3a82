"""Files of modules in other encodings than UTF-8, and with more bytes than protobuf reads."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"

MODULE = """HloModule negate

ENTRY main {
  x = f32[2]{0} parameter(0)
  ROOT y = f32[2]{0} negate(x)
}
"""
COMMANDS = ["run m x.npy", "show m", "upgrade m"]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.float32([1, 2]))


def command(words, **options):
    return subprocess.run(
        [COMMAND, *words.split()], capture_output=True, text=True, timeout=60, **options
    )


def succeeds(words, **options):
    done = command(words, **options)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def fails(words, **options):
    done = command(words, **options)
    assert (done.returncode, done.stdout) == (1, ""), done
    return done.stderr


@pytest.mark.parametrize("words", COMMANDS)
def test_a_byte_order_mark_of_utf_8_is_skipped(words):
    pathlib.Path("m").write_text(MODULE)
    printed = succeeds(words)
    pathlib.Path("m").write_bytes(MODULE.encode("utf-8-sig"))
    assert succeeds(words) == printed
    # One, and at the beginning.
    pathlib.Path("m").write_bytes(b"\xef\xbb\xbf" + MODULE.encode("utf-8-sig"))
    assert "INVALID_ARGUMENT: m: " in fails(words)


def test_a_byte_order_mark_before_stablehlo_is_skipped(monkeypatch):
    """What Python gets."""
    monkeypatch.setenv("CALLBRIDGE_PYTHON", "/bin/cat")
    pathlib.Path("m").write_bytes("module {}".encode("utf-8-sig"))
    pathlib.Path("printing").write_text("#!/bin/sh\ncat\n")
    os.chmod("printing", 0o755)
    monkeypatch.setenv("CALLBRIDGE_PYTHON", os.path.abspath("printing"))
    assert succeeds("upgrade m") == "module {}"
    assert "expected HLO, which the embedded runtime runs, found StableHLO" in fails("run m x.npy")


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_other_encodings_are_named(words, encoding):
    for text in (MODULE, "module {}"):
        pathlib.Path("m").write_bytes(f"\ufeff{text}".encode(encoding))
        name = encoding[:6].upper()
        assert fails(words) == (
            f"callbridge: INVALID_ARGUMENT: m: expected UTF-8, found {name}: convert it, as by "
            f"iconv -f {name} -t UTF-8\n"
        )


def test_the_conversion_that_is_named_is_one():
    pathlib.Path("m16").write_bytes(f"\ufeff{MODULE}".encode("utf-16-le"))
    convert = fails("show m16").partition("as by ")[2].split()
    pathlib.Path("m").write_bytes(subprocess.check_output([*convert, "m16"]))
    assert "HloModule negate" in succeeds("show m")


@pytest.mark.parametrize("words", COMMANDS)
def test_more_than_protobuf_reads_is_not_read(words):
    with open("m", "wb") as file:
        file.truncate(2**31)
    limit = "callbridge: INVALID_ARGUMENT: m: expected at most 2147483647 bytes, found 2147483648\n"
    assert fails(words) == limit


def test_the_memory_is_that_of_what_is_read():
    """A file of 10 GB in an address space of 4."""
    with open("m", "wb") as file:
        file.truncate(10 * 10**9)
    script = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}; os.execv(sys.argv[1], sys.argv[1:])"]
        + [COMMAND, "show", "m"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "found 10000000000" in done.stderr, done
