"""`callbridge run --isolate`: constructors that end the process that runs them."""

import os
import pathlib
import subprocess

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
def test_the_error_says_how_the_process_ended(name, end):
    path = BUILD / f"tests/targets/{name}.so"
    done = run(path, "--isolate")
    assert done.returncode == 1
    assert done.stderr == (
        f"callbridge: INTERNAL: {path}: a constructor ends the process that loads it: "
        f"in isolation it {end}\n"
    )


def test_other_libraries_run():
    path = BUILD / "tests/targets/many_targets.so"
    assert "target_10 on Host" in run(path, "--isolate").stderr


def test_without_isolation_the_constructor_wins():
    assert run(BUILD / "tests/targets/ends_by_exit.so").returncode == 3
