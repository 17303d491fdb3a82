"""The command where files are pipes, descriptors are closed or few, and /proc is not there."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/tools/run_targets.so"

MODULE = """HloModule negate

ENTRY main {
  x = f32[2]{0} parameter(0)
  ROOT y = f32[2]{0} negate(x)
}
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("m.hlo").write_text(MODULE)
    pathlib.Path("a.py").write_text("from jax.extend import ffi\n")
    np.save("x.npy", np.float32([1, 2]))
    np.save("b.npy", np.zeros(128, np.float32))
    np.save("c.npy", np.ones(2048, np.float32))


RUN_LIBRARY = f"run {TARGETS} do_custom_call b.npy c.npy --result f32[2048]"
# Of each subcommand one that prints.
PRINTING = [
    "run m.hlo x.npy",
    RUN_LIBRARY,
    f"{RUN_LIBRARY} --isolate",
    f"inspect {TARGETS}",
    "layout f32[2]",
    "layout f32[2] --svg -",
    "show m.hlo",
    "upgrade m.hlo",
    "--help",
    "run --help",
    "--version",
]
# Python prints.
PYTHON = [
    *(f"audit {TARGETS}", "migrate a.py", "migrate --write a.py", "migrate --help"),
    "new --help",
]
CONFIG = [f"-m callbridge.config {word}" for word in ("--includedir", "--help")]


ENVIRONMENT = {
    **os.environ,
    **{"C": str(COMMAND), "P": sys.executable, "CALLBRIDGE_PYTHON": sys.executable},
    **{"PYTHONPATH": str(ROOT / "python"), "CALLBRIDGE_LIBRARY": str(LIBRARY)},
}


def shell(script):
    """In bash, the command as $C, Python as $P."""
    return subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env=ENVIRONMENT,
    )


def succeeds(script):
    done = shell(script)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def fails(script, status=1):
    done = shell(script)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert re.fullmatch(r"callbridge: [^\n]+\n", done.stderr), done.stderr
    return done.stderr.removeprefix("callbridge: ").removesuffix("\n")


# ---- Standard output ----------------------------------------------------------------------------


@pytest.mark.parametrize("words", PRINTING)
@pytest.mark.parametrize(
    "redirection, reason",
    [
        (">&-", "Bad file descriptor"),
        ("<&- >&-", "Bad file descriptor"),
        (">/dev/full", "No space left on device"),
    ],
)
def test_what_cannot_be_printed_is_an_error(words, redirection, reason):
    message = fails(f"$C {words} {redirection}")
    assert "standard output" in message and reason in message


@pytest.mark.parametrize("words", PYTHON + CONFIG)
def test_what_python_cannot_print_is_an_error(words):
    program = "$P" if words in CONFIG else "$C"
    message = fails(f"{program} {words} >/dev/full")
    assert "standard output: " in message and "No space left on device" in message


def test_what_nobody_is_told_is_no_error():
    pathlib.Path("a.py").write_text(
        "from jax.lib import xla_client\nxla_client.register_custom_call_target(*target)\n"
    )
    assert "this registration is not spelled out" in shell("$C migrate a.py").stderr
    succeeds("$C migrate a.py 2>&-")
    assert shell("$C migrate --no-such-option 2>&-").returncode == 2


@pytest.mark.parametrize(
    "words, is_ignored",
    [(words, ignored) for words in PRINTING for ignored in (False, True)]
    + [(words, False) for words in PYTHON + CONFIG],
)
def test_a_pipe_that_nobody_reads(words, is_ignored):
    """SIGPIPE ends the programs in C++, quietly, unless who starts them ignores it; Python's own
    disposition is to ignore it."""
    end, pipe = os.pipe()
    os.close(end)
    program = "$P" if words in CONFIG else "$C"
    trap = "trap '' PIPE; " if is_ignored else ""
    done = subprocess.run(
        ["bash", "-c", f"{trap}exec {program} {words}"],
        stdout=pipe,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        env=ENVIRONMENT,
    )
    os.close(pipe)
    if words in PRINTING and not is_ignored:
        assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")
        return
    assert done.returncode == 1
    message = r"callbridge: [^\n]*standard output: [^\n]*Broken pipe[^\n]*\n"
    assert re.fullmatch(message, done.stderr), done.stderr


@pytest.mark.parametrize("words", PRINTING + PYTHON)
def test_other_descriptors_may_be_closed(words):
    before = pathlib.Path("a.py").read_text()
    succeeds(f"$C {words} <&- >printed 2>&-")
    pathlib.Path("a.py").write_text(before)
    assert pathlib.Path("printed").read_text() == succeeds(f"$C {words}")


def test_files_are_written_with_all_descriptors_closed():
    succeeds(f"$C {RUN_LIBRARY} --output a.npy <&- >&- 2>&-; test $? = 1")
    np.testing.assert_array_equal(np.load("a.npy")[:2], np.load("c.npy")[:2])


# ---- Files that can be read once ----------------------------------------------------------------


@pytest.mark.parametrize("words", ["run M x.npy", "show M", "upgrade M"])
def test_modules_are_read_once(words):
    def on(file):
        return words.replace("M", file)

    printed = succeeds(f"$C {on('m.hlo')}").removeprefix("m.hlo\n")
    assert succeeds(f"$C {on('<(cat m.hlo)')} | grep -v ^/dev/fd") == printed
    assert succeeds(f"cat m.hlo | $C {on('/dev/stdin')} | grep -v ^/dev/stdin") == printed
    assert succeeds(f"$C {on('/dev/stdin')} <m.hlo | grep -v ^/dev/stdin") == printed
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: pathlib.Path("pipe").write_text(MODULE))
    writer.start()
    assert succeeds(f"$C {on('pipe')}").removeprefix("pipe\n") == printed
    writer.join()


def test_operands_are_read_once():
    result = "result{} f32[2] -1 -2\n"
    assert succeeds("$C run m.hlo <(cat x.npy)").endswith(result)
    assert succeeds("cat x.npy | $C run m.hlo /dev/stdin").endswith(result)


def test_libraries_are_loaded_from_regular_files():
    for words in [f"run <(cat {TARGETS}) do_custom_call", f"inspect <(cat {TARGETS})"]:
        assert re.search("regular file|a FIFO; a shared library", fails(f"$C {words}"))
    os.mkfifo("pipe")
    assert "FIFO" in fails("$C inspect pipe")


def test_children_find_what_standard_input_is():
    """ld.so, and callbridge-load, which have a standard input of their own."""
    verdict = next(
        line for line in succeeds(f"$C inspect {TARGETS}").splitlines() if "verdict" in line
    )
    assert verdict in succeeds(f"$C inspect /dev/stdin <{TARGETS}")
    assert verdict in succeeds(f"$C inspect /proc/self/fd/7 7<{TARGETS}")
    on_stdin = RUN_LIBRARY.replace(str(TARGETS), "/dev/stdin")
    assert succeeds(f"$C {on_stdin} --isolate <{TARGETS}") == succeeds(f"$C {RUN_LIBRARY}")


# ---- Limits -------------------------------------------------------------------------------------


def test_inspect_gives_no_verdict_where_it_cannot_ask():
    assert "Too many open files" in fails(f"ulimit -n 4; $C inspect {TARGETS}")
    assert "verdict" in succeeds(f"$C inspect {TARGETS}")


@pytest.mark.parametrize(
    "words",
    ["run m.hlo x.npy --output out", "show m.hlo --output out", f"{RUN_LIBRARY} --isolate"],
)
def test_files_that_grow_beyond_their_limit_are_errors(words):
    assert "File too large" in fails(f"ulimit -f 0; $C {words}")


def test_more_than_the_memory_is_an_error():
    with open("large", "wb") as file:
        file.truncate((1 << 31) - 1)  # the largest opaque
    call = f"run {TARGETS} opaque_bytes --result 'u8[64]' --opaque-file large"
    assert fails(f"ulimit -v 2000000; $C {call}") == "RESOURCE_EXHAUSTED: out of memory"


def test_without_proc():
    unshare = shutil.which("unshare")
    script = f"mount -t tmpfs none /proc && exec $C {RUN_LIBRARY}"
    if unshare is None or subprocess.run([unshare, "--mount", "true"]).returncode != 0:
        pytest.skip("unshare --mount is not permitted here, so /proc cannot be hidden")
    message = fails(f"{unshare} --mount sh -c {shlex.quote(script)}")
    assert message.startswith("FAILED_PRECONDITION: ") and "expected /proc" in message
    assert str(TARGETS) in message and "mount -t proc" in message


# ---- What the command line says -----------------------------------------------------------------


def test_errors_of_modules_are_not_those_of_other_files():
    pathlib.Path("m.hlo").write_text(MODULE.replace("negate(x)", "negate(nowhere)"))
    message = fails("$C run m.hlo x.npy")
    assert "no library" not in message and "nowhere" in message
    pathlib.Path("other").write_bytes(b"\x89PNG")
    assert "not a library (not an ELF file), and not a module" in fails("$C run other")
    pathlib.Path("m.mlir").write_text("module {}")
    assert "expected HLO, which the embedded runtime runs, found StableHLO" in fails(
        "$C run m.mlir"
    )
    assert "no library" not in fails("$C run .")


def test_what_is_a_module_in_all_but_an_instruction_is_one():
    tanh = MODULE.replace("negate(x)", "tanh(x)")
    for text in [tanh, f"// of 2023\n{tanh}", f" /* of 2023 */ {tanh}"]:
        pathlib.Path("m.hlo").write_text(text)
        message = fails("$C run m.hlo x.npy")
        assert message.startswith("UNIMPLEMENTED: m.hlo: ") and "no library" not in message
        assert "tanh(%x)" in succeeds("$C show m.hlo")
    for text in ["HloModule", " HloModule m {", "// of 2023", "/* of 2023"]:
        pathlib.Path("m.hlo").write_text(text)
        message = fails("$C run m.hlo x.npy")
        assert message.startswith("INVALID_ARGUMENT: m.hlo: ") and "no library" not in message


def test_hlo_text_may_begin_with_a_comment():
    pathlib.Path("m.hlo").write_text(f"// of 2023\n\n{MODULE}")
    assert "HloModule negate" in succeeds("$C upgrade m.hlo")


def test_outputs_are_files_of_their_own():
    pathlib.Path("two.hlo").write_text(
        "HloModule two\nENTRY e {\n  x = f32[2] parameter(0)\n"
        "  ROOT y = (f32[2], f32[2]) tuple(x, x)\n}\n"
    )
    message = fails("$C run two.hlo x.npy --output a.npy --output ./a.npy", status=2)
    assert "--output ./a.npy twice" in message
    message = fails(f"$C {RUN_LIBRARY} --output a.npy --output a.npy", status=2)
    assert "--output a.npy twice" in message
    assert not pathlib.Path("a.npy").exists()


@pytest.mark.parametrize("form", ["0", "1", "HLO", ""])
def test_forms_have_names(form):
    message = fails(f"$C show m.hlo --form '{form}'", status=2)
    assert "expected hlo, stablehlo or proto" in message


def test_unknown_options_are_named():
    for words in ["--jsno run m.hlo", "--hlep", "-x", "''"]:
        message = fails(f"$C {words}", status=2)
        assert f"found {words.split()[0].strip(chr(39))} (see --help)" in message


def test_unknown_subcommands_are_named():
    message = fails("$C frobnicate m.hlo", status=2)
    assert (
        "frobnicate" in message
        and "(run, inspect, audit, layout, show, upgrade, migrate, new, completion)" in message
    )
