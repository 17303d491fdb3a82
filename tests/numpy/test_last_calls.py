"""Calls that come while the interpreter ends, or a cycle of references does."""

import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("last_calls.py")
STATUS = {"return": 0, "exit": 7, "raise": 1}


def run(built, who, how):
    done = subprocess.run(
        [sys.executable, PROGRAM, built, who, how], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == STATUS[how], (done.returncode, done.stderr)
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("how", STATUS)
@pytest.mark.parametrize("who", ["atexit", "del"])
def test_calls_at_exit(built, who, how):
    assert run(built, who, how) == ["called 2" if who == "del" else "called 6"]


@pytest.mark.parametrize("how", STATUS)
def test_threads_at_exit(built, how):
    for _ in range(3):
        assert run(built, "threads", how) == ["called 6"]


def test_calls_by_what_is_collected(built):
    assert run(built, "cycle", "return") == ["called 6", "collected"]
