"""callbridge-module, callbridge-load and callbridge-probe: started by hand, or not there."""

import os
import pathlib
import resource
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
PROBED = BUILD / "tests/targets/probed.so"

# Its constructor writes what process it runs in; its destructor would write, too.
WITNESS = """
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
static void say(const char* text, long number) {
  FILE* file = fopen("said", "a");
  fprintf(file, "%s %ld\\n", text, number);
  fclose(file);
}
__attribute__((constructor)) static void witness(void) {
  struct rlimit core;
  getrlimit(RLIMIT_CORE, &core);
  say("core", (long)core.rlim_cur + (long)core.rlim_max);
  int dies_by = 0;
  prctl(PR_GET_PDEATHSIG, &dies_by);
  say("dies_by", dies_by);
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  int others = 0;
  for (int i = 0; i < 5; ++i) {
    struct sigaction action;
    sigaction(signals[i], 0, &action);
    if (action.sa_handler != SIG_DFL) ++others;
  }
  say("other_handlers", others);
}
__attribute__((destructor)) static void end(void) { say("end", 0); }
void asked(void) {}
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def witness():
    pathlib.Path("witness.c").write_text(WITNESS)
    subprocess.run(["gcc", "-shared", "-fPIC", "witness.c", "-o", "witness.so"], check=True)
    return os.path.abspath("witness.so")


def begin():
    """A process that would leave a core file, and ignores what crashes."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    for crash in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT):
        signal.signal(crash, signal.SIG_IGN)


def answers(program, *words):
    """Its exit status and what it writes to descriptor 3."""
    ours, theirs = os.pipe()

    def prepare():
        begin()
        os.dup2(theirs, 3)

    done = subprocess.run([BUILD / program, *words], preexec_fn=prepare, pass_fds=[3], timeout=60)
    os.close(theirs)
    with open(ours) as file:
        return done.returncode, file.read()


def said():
    return dict(line.split() for line in pathlib.Path("said").read_text().splitlines())


def runs(process):
    """Whether a process is there and has not ended; it may still be waited for."""
    try:
        return pathlib.Path("/proc", process, "cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_load(witness):
    assert answers("callbridge-load", witness, LIBRARY) == (0, "loaded")
    assert said() == {"core": "0", "dies_by": str(int(signal.SIGKILL)), "other_handlers": "0"}
    # That it returned is all that it says.
    assert answers("callbridge-load", "nowhere.so", LIBRARY) == (0, "loaded")
    for words in [[], [witness], [witness, LIBRARY, LIBRARY]]:
        assert answers("callbridge-load", *words) == (2, "")


def test_load_that_cannot_say_it(witness):
    reading = os.open("/dev/null", os.O_RDONLY)
    done = subprocess.run(
        [BUILD / "callbridge-load", witness, LIBRARY],
        preexec_fn=lambda: os.dup2(reading, 3),
        pass_fds=[3],
    )
    os.close(reading)
    assert done.returncode == 1


def test_probe(witness):
    symbols = subprocess.check_output(["nm", "-D", PROBED], text=True)
    (address,) = (
        line.split()[0] for line in symbols.splitlines() if line.endswith("answers_query")
    )
    for text in (f"0x{address}", str(int(address, 16))):
        status, lines = answers("callbridge-probe", str(PROBED), text, LIBRARY)
        assert status == 0 and lines.splitlines()[0] == "opened"
        assert any(line.startswith("typed ") for line in lines.splitlines()), lines
        assert lines.endswith("\n")
    status, lines = answers("callbridge-probe", "nowhere.so", "0", LIBRARY)
    assert status == 0
    assert lines.startswith("unverified - - - - its file cannot be opened: ")
    assert lines.count("\n") == 1
    for words in [[], [str(PROBED)], [str(PROBED), "0"], [str(PROBED), "0", LIBRARY, "0"]]:
        assert answers("callbridge-probe", *words) == (2, "")
        assert answers("callbridge-probe", "--serve", *words) == (2, "")
    # Without the socket of one that asks, the server that is left behind ends at once.
    status, lines = answers("callbridge-probe", "--serve", str(PROBED), f"0x{address}", LIBRARY)
    assert status == 0
    opened, serving = lines.splitlines()
    assert opened == "opened" and serving.startswith("serving ")
    deadline = time.monotonic() + 20
    while runs(serving.split()[1]) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not runs(serving.split()[1])
    symbols = subprocess.check_output(["nm", "-D", witness], text=True)
    (address,) = (line.split()[0] for line in symbols.splitlines() if line.endswith(" asked"))
    answers("callbridge-probe", witness, f"0x{address}", LIBRARY)
    told = said()
    assert (told["core"], told["dies_by"]) == ("0", str(int(signal.SIGKILL)))
    assert "end" not in told


def test_a_module_program_that_is_not_there(monkeypatch):
    pathlib.Path("m.hlo").write_text("HloModule m\nENTRY e {\n  ROOT x = f32[] constant(1)\n}\n")
    pathlib.Path("no_program").write_text("no program")
    os.chmod("no_program", 0o755)
    for words in [["show"], ["upgrade"], ["run"]]:
        for path, reason in [
            ("nowhere", "nowhere"),
            ("no_program", "no_program: Exec format error"),
        ]:
            monkeypatch.setenv("CALLBRIDGE_MODULE", os.path.abspath(path))
            done = subprocess.run([COMMAND, *words, "m.hlo"], capture_output=True, text=True)
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith("callbridge: FAILED_PRECONDITION: ")
            assert reason in done.stderr and done.stderr.count("\n") == 1


def test_a_module_program_that_is_declared(monkeypatch):
    pathlib.Path("program").write_text('#!/bin/sh\necho "$@"\nexit 7\n')
    os.chmod("program", 0o755)
    monkeypatch.setenv("CALLBRIDGE_MODULE", os.path.abspath("program"))
    pathlib.Path("m.hlo").write_text("")
    words = ["run", "m.hlo", "x.npy", "--json"]
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (7, "run m.hlo x.npy --json\n")
