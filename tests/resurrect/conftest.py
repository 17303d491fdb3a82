"""What the tests of callbridge.resurrect share.

Each program runs in a process of its own: restored names are the process's, and XLA keeps
the first function of a name.
"""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "matrix"))  # for jax_releases


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    """The folder that libcallbridge.so was built in, or CALLBRIDGE_BUILD."""
    return pathlib.Path(
        os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
    )


@pytest.fixture(scope="session")
def run(build):
    """Runs this Python with some arguments; what it printed. Fails where it does."""

    def run(*arguments, pythonpath=(), cwd=None, **environment):
        environment = {
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "OLD_PACKAGE_LIBRARY": str(build / "tests/resurrect/old_package.so"),
            "PYTHONPATH": os.pathsep.join(map(str, [ROOT / "python", *pythonpath])),
            **environment,
        }
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=environment,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    return run
