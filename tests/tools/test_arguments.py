"""Arguments of the command that look like syntax, and are files, shapes and texts all the same."""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/tools/run_targets.so"

MODULE = """HloModule example

ENTRY main {
  b = f32[128]{0} parameter(0)
  c = f32[2048]{0} parameter(1)
  ROOT a = f32[2048]{0} custom-call(b, c), custom_call_target="do_custom_call"
}
"""
# What a parser of command lines may take for a list, for nothing, for a separator or for a number.
NAMES = ["[a,b]", "[a]", "[]", "{}", "%%", "a,b", "a b", "a;b", "'a'", "0x1", "true", "a=b"]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("b.npy", np.zeros(128, np.float32))
    np.save("c.npy", np.ones(2048, np.float32))


def command(*words):
    return subprocess.run(
        [COMMAND, *map(str, words)], capture_output=True, text=True, timeout=60, check=False
    )


def succeeds(*words):
    done = command(*words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def fails(status, *words):
    done = command(*words)
    assert (done.returncode, done.stdout) == (status, ""), done
    return done.stderr.removeprefix("callbridge: ").removesuffix("\n")


CALL = ["do_custom_call", "b.npy", "c.npy", "--result", "f32[2048]"]


@pytest.mark.parametrize("name", NAMES)
def test_every_file_may_have_any_name(name):
    shutil.copy(TARGETS, name)
    assert succeeds("inspect", name, TARGETS).startswith(f"{name}: shared library\n")
    assert succeeds("inspect", TARGETS, name).count(": shared library\n") == 2
    assert "do_custom_call on Host" in succeeds("run", name, *CALL)

    pathlib.Path("opaque").write_bytes(b"any")
    os.replace("opaque", name)
    call = ["opaque_bytes", "--result", "u8[64]", "--output", name]
    succeeds("run", TARGETS, *call, "--opaque-file", name)
    assert np.load(name).tobytes() == b"any".ljust(64, b"\0")

    os.replace("b.npy", name)
    succeeds("run", TARGETS, "do_custom_call", name, "c.npy", "--result", "f32[2048]")
    succeeds("run", TARGETS, "do_custom_call", f"./{name}", "c.npy", "--result", "f32[2048]")

    pathlib.Path("m.hlo").write_text(MODULE)
    succeeds("show", "m.hlo", "--output", name)
    assert pathlib.Path(name).read_text().startswith("HloModule example")
    assert "API_VERSION_TYPED_FFI" in succeeds("upgrade", name)
    assert succeeds("show", name).startswith("HloModule example")
    os.replace(name, "m.hlo")
    shutil.copy(TARGETS, name)
    np.save("b.npy", np.zeros(128, np.float32))
    succeeds("run", "m.hlo", "b.npy", "c.npy", "--library", name)
    succeeds("layout", "f32[]", "--svg", name)
    assert pathlib.Path(name).read_text().startswith("<svg")


@pytest.mark.parametrize("text", [*NAMES, "", "--json", "-1"])
def test_every_text_is_itself(text):
    call = ["opaque_bytes", "--result", "u8[64]", "--output", "x.npy"]
    for opaque in [["--opaque", text], [f"--opaque={text}"]]:
        succeeds("run", TARGETS, *call, *opaque)
        assert np.load("x.npy").tobytes() == text.encode().ljust(64, b"\0")


def test_errors_have_the_whole_argument():
    message = fails(2, "layout", "[f32[1],f32[2]]")
    assert message.startswith("SHAPE 1: shape text, character 1: ") and "[f32[1],f32[2]]" in message
    message = fails(2, "run", TARGETS, "copy", "--result", "[f32[1],f32[2]]")
    assert message.startswith("--result: shape text, character 1: ")
    message = fails(2, "run", TARGETS, "copy", "--attribute", "[a=1:i32,b=2:i32]")
    assert message.endswith("found [a=1:i32,b=2:i32] (see --help)")
    message = fails(1, "run", TARGETS, "[copy,copy]", "--result", "f32[]")
    assert message.startswith("NOT_FOUND: ") and "[copy,copy]" in message


@pytest.mark.parametrize("words", [["inspect", "x=[a,b]"], ["inspect", "--json=", "x=[a,b]"]])
def test_options_that_take_nothing_take_nothing(words):
    shutil.copy(TARGETS, "x=[a,b]")
    assert succeeds(*words)


def test_a_subcommand_is_required():
    assert fails(2) == "A subcommand is required (see --help)"


def test_options_have_their_whole_names():
    message = fails(2, "run", TARGETS, *CALL, "--opaqueX")
    assert "--opaqueX" in message and message.endswith(" (see --help)")


def test_files_behind_a_double_dash():
    shutil.copy(TARGETS, "--json")
    shutil.copy(TARGETS, "[a,b]")
    assert succeeds("inspect", "--", "--json", "[a,b]").count(": shared library\n") == 2
    np.save("-x.npy", np.zeros(128, np.float32))
    result = ["--result", "f32[2048]"]
    succeeds("run", *result, TARGETS, "do_custom_call", "--", "-x.npy", "c.npy")
    assert succeeds("layout", "--", "f32[7]", "s8[]") == succeeds("layout", "f32[7]", "s8[]")
    message = fails(2, "layout", "f32[]", "--", "--tuple-layout=")
    assert (
        message.startswith("SHAPE 2: shape text, character 1: ") and '"--tuple-layout="' in message
    )


def test_an_empty_text_is_no_reason_to_take_the_next_argument():
    """CLI11 gives `--option=` the next argument."""
    call = ["opaque_bytes", "b.npy", "--result", "u8[64]"]
    assert succeeds("run", TARGETS, *call, "--opaque=", "c.npy").endswith("] 0 0 0 0 0 0 0 0 ...\n")
    # What is the text of another option is no option.
    out = succeeds("run", TARGETS, *call, "--opaque", "--abi=")
    assert out.endswith(f"] {' '.join(str(byte) for byte in b'--abi=')} 0 0 ...\n")
    message = fails(2, "layout", "f32[]", "--tuple-layout=")
    assert message.startswith('--tuple-layout: unknown tuple layout ""')
    assert "nowhere" not in fails(2, "show", "--form=", "nowhere")


def test_the_help_says_which_arguments_repeat():
    for name, argument in [
        ("inspect", "FILE..."),
        ("run", "[OPERAND...]"),
        ("layout", "[SHAPE...]"),
    ]:
        assert f" {argument}" in succeeds(name, "--help").splitlines()[1]
