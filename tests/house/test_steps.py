"""scripts/step.sh: what a terminal and a log show of long work, and how it ends."""

import os
import pathlib
import pty
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN = f"set -uo pipefail; CALLBRIDGE_CACHE=$PWD; source {ROOT}/scripts/step.sh\n"
SCRIPTS = {
    path: path.read_text()
    for path in sorted((ROOT / "scripts").iterdir())
    if "scripts/step.sh" in path.read_text() and "step.sh" != path.name
}


def start(script, folder, **more):
    environment = {key: os.environ[key] for key in ("PATH", "HOME")} | {"TERM": "xterm"}
    environment |= more.pop("env", {})
    return subprocess.Popen(
        ["bash", "-c", BEGIN + script, "make_it"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        **more,
    )


def in_a_log(script, folder, status=0):
    process = start(script, folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == status, text
    return text


def on_a_terminal(script, folder, status=0, **environment):
    ours, its = pty.openpty()
    process = start(script, folder, stdout=its, stderr=its, env=environment)
    os.close(its)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait(timeout=60) == status, text
    return text.decode().replace("\r\n", "\n")


SLOW = """
slow() { echo '[1/2] one'; sleep 2.4; echo for the eyes >&3; echo '[2/2] two'; }
step_interval=1
step "a step" slow
finish
"""


def test_a_log_gets_plain_lines_of_what_is_at_work(tmp_path):
    text = in_a_log(SLOW, tmp_path)
    assert re.search(r"^a step \.\.\.\na step: \d s: \[1/2\] one\n", text)
    assert "\nfor the eyes\n" in text and "\na step: ok, " in text
    assert not {*text} & {"\r", "\x1b"}


def test_a_terminal_gets_one_line_that_changes(tmp_path):
    text = on_a_terminal(SLOW, tmp_path)
    lines = text.split("\n")
    # What is shown, after each return to the line's beginning has deleted it.
    assert re.search(r"\r\x1b\[Ka step: \d s: \[1/2\] one\r\x1b\[K", lines[0])
    shown = [line.split("\x1b[K")[-1] for line in lines]
    assert shown[0] == "for the eyes"
    assert re.fullmatch(r"a step: \x1b\[32mok\x1b\[0m, \d+ s", shown[1])


def test_a_line_is_not_longer_than_the_terminal(tmp_path):
    text = on_a_terminal(
        "stty columns 30 <&1\nlong() { printf 'x%.0s' {1..500}; sleep 1.4; }\nstep a long\nfinish",
        tmp_path,
    )
    assert re.search(r"\x1b\[Ka: \d s: x{21}\r", text)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colors_where_they_are_not_wanted(environment, tmp_path):
    assert "\x1b[32m" in on_a_terminal("step a true\nfinish", tmp_path)
    text = on_a_terminal("step a true\nstep b false\nfinish", tmp_path, 1, **environment)
    assert not re.search(r"\x1b\[[0-9]*m", text)
    assert ("\x1b" in text) == ("NO_COLOR" in environment)


def test_a_failure_shows_its_log_and_the_others_go_on(tmp_path):
    text = in_a_log(
        "fails() { echo why; return 3; }\nstep a fails\nbegin b true\nstep c true\nfinish",
        tmp_path,
        1,
    )
    assert re.search(r"^a \.\.\.\nwhy\na: FAILED, \d s$", text, re.M)
    table = re.findall(r"^(\w+) +(ok|FAILED) +\d+ s", text, re.M)
    assert table == [("a", "FAILED"), ("c", "ok"), ("b", "ok"), ("total", "FAILED")]


def test_each_is_reported_once_whatever_its_name(tmp_path):
    text = in_a_log(
        'begin "a\'s $b [c]" true\nawait "a\'s $b [c]"\nfinish'.replace("$", "\\$"), tmp_path
    )
    assert text.count("a's $b [c]: ok") == 1


def test_many_are_run_two_at_a_time_and_each_is_judged(tmp_path):
    steps = "".join(f"beside {i} sh -c 'sleep 0.{i}; exit {i % 2}'\n" for i in range(1, 7))
    for _ in range(2):
        text = in_a_log(f"step_interval=1\n{steps}finish", tmp_path, 1)
        table = dict(re.findall(r"^(\d) +(ok|FAILED) +\d+ s, beside", text, re.M))
        assert table == {str(i): "FAILED" if i % 2 else "ok" for i in range(1, 7)}
        assert "wait_for" not in text


def alive(mark, expected):
    """The number of processes of that command line, once it is as expected, or after a while."""
    deadline = time.monotonic() + 20
    while True:
        found = subprocess.run(["pgrep", "-f", f"^{mark}$"], capture_output=True).stdout.split()
        if len(found) == expected or time.monotonic() > deadline:
            return len(found)
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "how", ["step a work", "begin b work\nstep a work", "beside b work\nfinish"]
)
def test_an_interrupt_stops_all_steps(number, how, tmp_path):
    mark = f"sleep 77.{os.getpid()}"
    process = start(
        f"work() {{ {mark}; echo went on; }}\n{how}\nfinish",
        tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert alive(mark, how.count("work")) == how.count("work")
    process.send_signal(number)
    text, _ = process.communicate(timeout=20)
    assert process.returncode == 128 + number, text
    assert "interrupted, at " in text and "goes on from there" in text and "went on" not in text
    assert alive(mark, 0) == 0


def test_a_reader_that_ends_ends_it(tmp_path):
    mark = f"sleep 76.{os.getpid()}"
    script = "step_interval=1\nstep first true\nstep last sh -c 'echo x; sleep 1.5'\n"
    script += f"step no {mark}\nfinish"
    process = start(script, tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=20) != 0
    assert alive(mark, 0) == 0


@pytest.mark.parametrize(
    "said, advice",
    [
        ("E: Temporary failure resolving 'an.index'", "the network cannot be reached"),
        ("Failed to establish a new connection: [Errno -2]", "the network cannot be reached"),
        ("cp: error writing 'x': No space left on device", "A disk is full"),
        ("touch: cannot touch 'x': Read-only file system", "A folder is read-only"),
    ],
)
def test_a_failure_says_what_to_do(said, advice, tmp_path):
    text = in_a_log(f'step a sh -c "echo \\"{said}\\"; exit 1"\nfinish', tmp_path, 1)
    assert text.index(said) < text.index(advice) < text.index("a: FAILED")


def test_other_failures_get_no_such_advice(tmp_path):
    assert in_a_log("step a false\nfinish", tmp_path, 1).startswith("a ...\na: FAILED")


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "build").write_text("a file")
    text = in_a_log("step a true\nfinish", tmp_path, 1)
    assert f"{tmp_path} cannot be written" in text and "a: ok" not in text

    cache = tmp_path / "file/cache"
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        ["bash", "-c", f"source {ROOT}/scripts/environment.sh; echo went on"],
        env={**os.environ, "CALLBRIDGE_CACHE": str(cache)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and done.stdout == ""
    assert f"{cache} cannot be written" in done.stderr and "set CALLBRIDGE_CACHE" in done.stderr


def test_time_and_disk_are_said_before_the_first_step(tmp_path):
    text = in_a_log('announce "6 minutes" 1234 56\nstep a true\nfinish', tmp_path)
    lines = text.splitlines()
    assert (
        lines[0] == "make make-it: about 6 minutes on two cores at first, when nothing is there yet"
    )
    for line, size in zip(lines[1:3], ("1.2", "0.0"), strict=True):
        assert re.fullmatch(
            rf"  up to {size} GB in {tmp_path}, whose disk has [0-9]+\.[0-9] GB free", line
        )
    assert "not be enough" not in text and lines[3] == "a ..."
    assert "not be enough" in in_a_log('announce "6 minutes" 987654321000 1\nfinish', tmp_path)


@pytest.mark.parametrize(
    "path",
    [path for path, text in SCRIPTS.items() if "\nstep " in text],
    ids=lambda path: path.name,
)
def test_each_command_of_steps_says_time_and_disk(path):
    text = SCRIPTS[path]
    said = re.search(r'^announce "[^"]+" \d+ \d+$', text, re.M)
    if path.suffix == ".sh":
        assert said is None, "for scripts to source"
    else:
        first = re.search(r"^(step |source scripts/setup)", text, re.M)
        assert said and said.start() < first.start()
