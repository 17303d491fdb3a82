"""`callbridge run --isolate`: constructors that end the process that runs them."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))


def run(*arguments):
    return subprocess.run([BUILD / "callbridge", "run", *arguments], capture_output=True, text=True)


@pytest.mark.parametrize(
    "name, end",
    [
        ("ends_by_crash", "ended by SIGSEGV"),
        ("ends_by_exit", "exited with status 3"),
        ("ends_by_success", "exited with status 0"),
    ],
)
@pytest.mark.parametrize("operator", ["", ":Operator"])
def test_the_error_says_how_the_process_ended(name, end, operator):
    path = BUILD / f"tests/targets/{name}.so"
    done = run(f"{path}{operator}", "--isolate")
    assert done.returncode == 1
    assert done.stderr == (
        f"callbridge: INTERNAL: {path}: a constructor ends the process that loads it: "
        f"in isolation it {end}\n"
    )


def test_other_libraries_run():
    path = BUILD / "tests/targets/many_targets.so"
    assert "target_10 on Host" in run(path, "--isolate").stderr


def test_without_isolation_the_constructor_wins():
    path = BUILD / "tests/targets/ends_by_exit.so"
    assert run(path, "--in-process").returncode == 3


def test_an_end_that_nobody_knows_is_said_to_be_one():
    path = BUILD / "tests/targets/ends_by_crash.so"
    code = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    words = [BUILD / "callbridge", "run", path, "--isolate"]
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; os.execv(sys.argv[1], sys.argv[1:])", *words],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "in isolation it ended in an unknown way: this process ignores SIGCHLD" in done.stderr


INTERRUPTED = """
import callbridge.library, os, signal, sys, threading, time
interrupt = lambda: os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1.0, interrupt).start()
start = time.monotonic()
try:
    callbridge.library.load(sys.argv[1], isolate=True)
except KeyboardInterrupt:
    assert time.monotonic() - start < 20
    print("interrupted")
"""


def test_ctrl_c_ends_an_isolated_load_in_python():
    path = BUILD / "tests/targets/ends_never.so"
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, path], capture_output=True, text=True, timeout=50
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done


def test_ctrl_c_ends_the_command():
    path = BUILD / "tests/targets/ends_never.so"
    with subprocess.Popen([BUILD / "callbridge", "run", path, "--isolate"]) as running:
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=20) == -signal.SIGINT
