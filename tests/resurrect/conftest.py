"""What the tests of callbridge.resurrect share.

Each program runs in a process of its own: restored names are the process's, and XLA keeps
the first function of a name.

Where tests/gpu/test_suites.py runs the tests on a GPU, it says so by CALLBRIDGE_TESTS_PLATFORM.
"""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ON_GPU = os.environ.get("CALLBRIDGE_TESTS_PLATFORM") == "CUDA"
# What jax 0.6.2's plugin writes to standard output where tests/gpu starts it, when a program first
# asks for a device.
OF_THE_PLUGIN = (
    "Skipped CUDA versions constraints check due to the JAX_SKIP_CUDA_CONSTRAINTS_CHECK env var "
    "being set.\n"
)
# A GPU's is that which its plugin was put on.
PATH = os.environ["PYTHONPATH"].split(os.pathsep) if ON_GPU else [ROOT / "python"]
sys.path.insert(0, str(HERE.parent / "matrix"))  # for jax_releases
sys.path.insert(0, str(HERE))  # for real_packages


# Tests whose programs call no target: which path calls take, and which processor they are compiled
# for, is nothing to them.
NAMES_ALONE = {
    f"test_{name}.py"
    for name in (
        "as_python", "between", "children", "classes", "corpus", "imports", "lent", "members",
        "moved", "older_names", "probes", "refused_forms", "releases", "signatures", "submodules",
        "tables", "values",
    )
}  # fmt: skip


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.name in NAMES_ALONE and item.path.parent == HERE:
            item.add_marker(pytest.mark.names_alone)


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    """The folder that libcallbridge.so was built in, or CALLBRIDGE_BUILD."""
    return pathlib.Path(
        os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
    )


@pytest.fixture(scope="session")
def platforms_folder(build) -> pathlib.Path:
    """Of the libraries that are built for each platform."""
    return build / ("tests/gpu/suites" if ON_GPU else "tests")


@pytest.fixture(scope="session")
def run(platforms_folder):
    """Runs this Python with some arguments; what it printed. Fails where it does."""

    def run(*arguments, pythonpath=(), cwd=None, **environment):
        environment = {
            **os.environ,
            "JAX_PLATFORMS": "cuda,cpu" if ON_GPU else "cpu",
            "OLD_PACKAGE_LIBRARY": str(platforms_folder / "resurrect/old_package.so"),
            "OLD_PACKAGE_PLATFORM": "gpu" if ON_GPU else "cpu",
            "PYTHONPATH": os.pathsep.join(map(str, [*PATH, *pythonpath])),
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
        ended = (
            f"signal {-done.returncode}"
            if done.returncode < 0
            else f"exit status {done.returncode}"
        )
        assert done.returncode == 0, f"{ended}\n{done.stdout}{done.stderr}"
        return done.stdout.replace(OF_THE_PLUGIN, "")

    return run


@pytest.fixture(scope="session")
def printed_by():
    """Runs the Python of a release of JAX with some arguments; what it printed. Skips where that
    Python is not here, fails where it does."""
    from jax_releases import TODAY

    cache = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))

    def printed_by(release, *arguments, pythonpath=()):
        of_others = cache / f"venv-jax-{release}/bin/python"
        python = ROOT / ".venv/bin/python" if release == TODAY else of_others
        if not python.exists():
            pytest.skip(f"no Python with jax {release}: {python}")
        path = os.pathsep.join(map(str, pythonpath))
        done = subprocess.run(
            [python, *arguments],
            # Flags for this XLA may be unknown to that one, which ends the process.
            env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": path, "XLA_FLAGS": ""},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return printed_by
