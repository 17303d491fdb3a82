"""Signals have their default dispositions, whatever those of the process that started the tests.

Where tests/gpu/test_suites.py runs the tests on a GPU, those that tests/gpu/not_on_gpu.py lists are
skipped.
"""

import os
import pathlib
import runpy
import shutil
import signal
import subprocess

import pytest

# A shell without job control ignores SIGINT and SIGQUIT in what it starts in the background, and
# nohup ignores SIGHUP. The programs that the tests start would inherit that, and ignore the signals
# that the tests send them.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(
            number,
            signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL,
        )


def pytest_collection_modifyitems(items):
    if os.environ.get("CALLBRIDGE_TESTS_PLATFORM") != "CUDA":
        return
    listed = runpy.run_path(str(pathlib.Path(__file__).with_name("gpu") / "not_on_gpu.py"))
    for item in items:
        if why := listed["reason_of"](item.nodeid):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session")
def rustc():
    """A compiler of Rust, which the tests do without where none runs: rustup's command runs none in
    a home directory that has no toolchain."""
    path = f"{os.environ['PATH']}:{pathlib.Path.home()}/.cargo/bin"
    command = shutil.which("rustc", path=path)
    if command is None:
        pytest.skip("there is no rustc")
    asked = subprocess.run([command, "--version"], capture_output=True, text=True)
    if asked.returncode != 0:
        pytest.skip(f"{command} does not run: {asked.stderr.strip()}")
    return command
