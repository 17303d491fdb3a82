"""`callbridge run LIBRARY FUNCTION`: functions of no registry, calls that end the process."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
FUNCTIONS = BUILD / "tests/tools/exported_functions.so"
TARGETS = BUILD / "tests/tools/run_targets.so"
ORIGINAL = ("--abi", "original")


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.arange(4, dtype=np.float32))


def start(*words, **options):
    words = [COMMAND, "run", *map(str, words)]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def run(*words, library=FUNCTIONS):
    """(exit status, standard output, standard error)"""
    process = start(library, *words)
    out, error = process.communicate(timeout=60)
    return process.returncode, out, error


def succeed(*words):
    status, out, error = run(*words)
    assert (status, error) == (0, ""), error
    return out


def fail(*words, status=1, library=FUNCTIONS):
    """The message: one line, and nothing else is printed."""
    ended, out, error = run(*words, library=library)
    assert (ended, out) == (status, ""), error
    assert re.fullmatch(r"callbridge: [^\n]+\n", error), error
    return error.removeprefix("callbridge: ").removesuffix("\n")


def s32(value):
    np.save("number.npy", np.int32(value))
    return "number.npy"


# ---- Functions that register nothing -------------------------------------------------------------


def test_a_function_by_its_symbol():
    out = succeed("add_one", "x.npy", *ORIGINAL, "--result", "f32[4]", "--output", "y.npy")
    assert out.splitlines()[0] == "add_one on Host: original (declared by --abi)"
    assert np.load("y.npy").tolist() == [1, 2, 3, 4]


def test_a_symbol_that_proves_its_abi_needs_no_declaration():
    out = succeed("_Z5twicePvPPKv", "x.npy", "--result", "f32[4]", "--output", "y.npy")
    assert out.splitlines()[0] == (
        "_Z5twicePvPPKv on Host: original (symbol twice(void*, void const**))"
    )
    assert np.load("y.npy").tolist() == [0, 2, 4, 6]
    message = fail("_Z5twicePvPPKv", "x.npy", "--abi", "status_returning_unified", "--result", "()")
    assert message.endswith("not status_returning_unified: leave --abi out")


def test_a_typed_handler_by_its_symbol():
    words = ["negate", "x.npy", "--abi", "typed_ffi", "--result", "f32[4]", "--json"]
    described = json.loads(succeed(*words, "--output", "y.npy"))
    assert (described["abi"], described["evidence"]) == ("typed_ffi", "declared by --abi")
    assert np.load("y.npy").tolist() == [0, -1, -2, -3]


def test_a_functions_failure():
    message = fail("fails", "--abi", "status_returning", "--result", "()")
    assert message == "INTERNAL: CustomCall failed: no luck"


def test_an_abi_that_nothing_tells_is_asked_for():
    message = fail("add_one", "x.npy", "--result", "f32[4]")
    assert message == (
        f"NOT_FOUND: {FUNCTIONS}: exports a function add_one but does not register it, and its "
        "symbol does not tell its ABI: declare it with --abi (original, status_returning, "
        "status_returning_unified or typed_ffi)"
    )


@pytest.mark.parametrize(
    "name, end",
    [
        ("add_onne", "; did you mean add_one?"),
        ("twice", "; did you mean _Z5twicePvPPKv, which is twice(void*, void const**)?"),
        ("frobnicate", ""),
    ],
)
def test_a_function_that_is_not_there(name, end):
    message = fail(name, *ORIGINAL, "--result", "()")
    assert message == f"NOT_FOUND: {FUNCTIONS}: exports no function {name}{end}"


def test_a_variable_is_no_function():
    message = fail("a_variable", *ORIGINAL, "--result", "()")
    assert message == f"INVALID_ARGUMENT: {FUNCTIONS}: a_variable is a variable, not a function"


def test_without_a_name_it_is_asked_for():
    assert fail(status=2) == (
        f"TARGET is required; {FUNCTIONS} registers nothing: name a function that it exports, and "
        "its --abi"
    )


def test_a_registered_target_comes_first():
    message = fail("copi", "--result", "()", library=TARGETS)
    assert message.startswith(
        f"NOT_FOUND: {TARGETS}: no custom-call target copi is registered for "
    )
    assert message.endswith("; did you mean copy?")
    # Under that name on another platform.
    assert "did you mean" not in fail("on_gpu", "--result", "()", library=TARGETS)


# ---- Calls that end the process ------------------------------------------------------------------


def test_a_crash_names_the_operands():
    message = fail("adds_two", s32(1), *ORIGINAL, "--result", "s32[]", "--output", "y.npy")
    assert message == (
        "INTERNAL: adds_two crashed with SIGSEGV in its call; its operands were s32[]; does it "
        "take them? It was called as original (declared by --abi), with the result s32[]"
    )
    assert not pathlib.Path("y.npy").exists()
    assert succeed("adds_two", s32(1), s32(1), *ORIGINAL, "--result", "s32[]").endswith(" 2\n")


@pytest.mark.parametrize("name", ["SEGV", "BUS", "ILL", "FPE", "ABRT", "TRAP", "SYS"])
def test_every_crash_is_an_error(name):
    number = getattr(signal, f"SIG{name}")
    message = fail("raises", s32(number), "x.npy", *ORIGINAL, "--result", "s32[]")
    assert message.startswith(
        f"INTERNAL: raises crashed with SIG{name} in its call; its operands were s32[], f32[4]; "
    )


def test_a_call_that_is_killed():
    message = fail("raises", s32(signal.SIGKILL), *ORIGINAL, "--result", "s32[]")
    assert message.startswith("INTERNAL: raises was killed by SIGKILL in its call; ")


@pytest.mark.parametrize("status", [0, 3])
def test_a_call_that_exits(status):
    message = fail("exits", s32(status), *ORIGINAL, "--result", "s32[]")
    assert message.startswith(
        f"INTERNAL: exits ended the process with exit status {status} in its call; "
    )


def test_a_crash_at_the_end_of_the_process():
    status, out, error = run("crashes_at_the_end", *ORIGINAL, "--result", "s32[]")
    assert (status, out.splitlines()[1]) == (1, "result{} s32[] 7")
    assert error == (
        f"callbridge: INTERNAL: {FUNCTIONS} crashed with SIGSEGV after the call, at the end of the "
        "process\n"
    )


def test_a_call_without_operands_that_crashes():
    message = fail("adds_two", *ORIGINAL, "--result", "s32[]")
    assert "in its call; it had no operands; does it take them?" in message


@pytest.mark.parametrize(
    "name, end",
    [
        ("ends_by_crash", "crashed with SIGSEGV"),
        ("ends_by_abort", "crashed with SIGABRT"),
        ("ends_by_exit", "ended the process with exit status 3"),
        ("ends_by_success", "ended the process with exit status 0"),
    ],
)
def test_a_constructor_that_ends_the_process(name, end):
    path = BUILD / f"tests/targets/{name}.so"
    message = fail("t", "--result", "()", library=path)
    assert message == f"INTERNAL: {path} {end} while it was loaded"


def test_in_process_is_for_debuggers():
    words = ["processes", *ORIGINAL, "--result", "s32[2]", "--output", "y.npy"]
    process = start(FUNCTIONS, *words, "--in-process")
    process.communicate(timeout=60)
    assert np.load("y.npy").tolist() == [process.pid, os.getpid()]
    process = start(FUNCTIONS, *words)
    process.communicate(timeout=60)
    own, parent = np.load("y.npy")
    assert own != process.pid and parent == process.pid
    crash = ["raises", s32(signal.SIGSEGV), *ORIGINAL, "--result", "s32[]"]
    assert run(*crash, "--in-process") == (-signal.SIGSEGV, "", "")


# ---- Signals -------------------------------------------------------------------------------------


def started(**options):
    process = start(FUNCTIONS, "waits", *ORIGINAL, "--result", "s32[]", **options)
    assert process.stdout.readline() == "waiting\n"
    return process


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "QUIT"])
def test_a_signal_to_the_command_ends_the_call_too(name):
    process = started()
    process.send_signal(getattr(signal, f"SIG{name}"))
    assert process.communicate(timeout=60) == ("", "")  # the child's end of the pipe is closed too
    assert process.returncode == -getattr(signal, f"SIG{name}")


def test_the_call_ends_with_the_command():
    process = started()
    process.kill()
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == -signal.SIGKILL


def test_a_signal_that_is_ignored_stays_so():
    process = started(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert process.poll() is None
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM


def test_a_reader_that_went_away():
    reading, writing = os.pipe()
    os.close(reading)
    words = [COMMAND, "run", FUNCTIONS, "add_one", "x.npy", *ORIGINAL, "--result", "f32[4]"]
    done = subprocess.run(
        words, stdout=writing, stderr=subprocess.PIPE, restore_signals=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


def test_children_that_nobody_waits_for():
    """A parent may have told the kernel to forget its children."""
    words = ["add_one", "x.npy", *ORIGINAL, "--result", "f32[4]"]
    process = start(
        *(FUNCTIONS, *words), preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    )
    out, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, ""), out


def test_no_process_can_be_made():
    def as_nobody_with_one_process():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        if os.getuid() == 0:  # root may start any number
            os.setresgid(*[65534] * 3)
            os.setresuid(*[65534] * 3)

    words = [FUNCTIONS, "add_one", "/dev/stdin", *ORIGINAL, "--result", "f32[4]"]
    with open("x.npy") as file:
        try:
            process = start(*words, stdin=file, preexec_fn=as_nobody_with_one_process, cwd="/")
        except OSError as error:
            pytest.skip(f"another user cannot run {COMMAND}: {error}")
        error = process.communicate(timeout=60)[1]
    assert (process.returncode, error) == (
        1,
        "callbridge: UNAVAILABLE: no child process can be made for the call: fork: Resource "
        "temporarily unavailable; --in-process makes the call in this process\n",
    )


# ---- Modules -------------------------------------------------------------------------------------

MODULE = """HloModule example

ENTRY main {
  x = s32[] parameter(0)
  ROOT a = s32[] custom-call(x), custom_call_target="crashes", api_version=API_VERSION_ORIGINAL
}
"""


def test_a_module_that_crashes():
    pathlib.Path("module.hlo").write_text(MODULE)
    words = [s32(1), "--library", TARGETS]
    message = fail(*words, library="module.hlo")
    assert message == (
        "INTERNAL: module.hlo crashed with SIGSEGV in its run; its custom calls are of crashes, "
        "its operands were s32[]"
    )
    assert run(*words, "--in-process", library="module.hlo")[0] == -signal.SIGSEGV


def test_a_module_whose_target_is_not_there():
    pathlib.Path("module.hlo").write_text(MODULE.replace('"crashes"', '"crashs"'))
    message = fail(s32(1), "--library", TARGETS, library="module.hlo")
    assert message.startswith('NOT_FOUND: no target "crashs" is registered for Host; ')
    assert "load its library; did you mean crashes? (instruction " in message


# ---- Compilers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["run"], ["inspect"]])
def test_a_compilers_lines_are_lines(words, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    pathlib.Path("wrong.cc").write_text("int f() { return no_such_name; }\n")
    more = ["x.npy", "--result", "f32[]"] if words == ["run"] else []
    done = subprocess.run(
        [COMMAND, *words, "./wrong.cc:f", *more], capture_output=True, text=True, timeout=60
    )
    first, *lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert first.endswith("Compilation error in compiling ./wrong.cc: g++ exited with status 1")
    place = tmp_path.resolve() / "wrong.cc:1:18"
    assert f"  {place}: error: ‘no_such_name’ was not declared in this scope" in lines
    assert all(line.startswith("  ") for line in lines) and "\\n" not in done.stderr


# ---- What a user may have meant ------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, message",
    [
        (["rnu"], r"expected a subcommand \(.*\), found rnu; did you mean run\?"),
        (["isnpect", "x"], r"expected a subcommand \(.*\), found isnpect; did you mean inspect\?"),
        (
            ["run", "x.so", "t", "--ouput", "y.npy"],
            r"unknown option --ouput; did you mean --output\?",
        ),
        (
            ["run", "x.so", "t", "--resutl=f32[]"],
            r"unknown option --resutl; did you mean --result\?",
        ),
        (["run", "x.so", "t", "--frobnicate"], r"unknown option --frobnicate"),
        (["inspect", "x.so", "--prob"], r"unknown option --prob; did you mean --probe\?"),
        (["layout", "f32[]", "--svgg", "x"], r"unknown option --svgg; did you mean --svg\?"),
        (["show", "x.hlo", "--from", "hlo"], r"unknown option --from; did you mean --form\?"),
        (
            ["run", "x.hlo", "--libary", "y.so"],
            r"unknown option --libary; did you mean --library\?",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unknown_names_suggest_the_nearest(words, message):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"callbridge: {message} \(see --help\)\n", done.stderr), done.stderr
