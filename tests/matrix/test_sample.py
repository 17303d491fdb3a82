"""A sample of `make matrix`: cells of the grid; then callbridge's own binary of the handler suite
inside the newest and the oldest XLA that are there, and each of these with a binary that was built
for the other."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import grid  # noqa: E402
from headers import OURS, number_of  # noqa: E402
from jax_releases import ORACLE, TODAY, used_by  # noqa: E402

ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/typed_ffi/suite"
OLDEST_BUILT, NEWEST_BUILT = used_by("sample")


def python_of(runtime):
    if runtime == TODAY:
        return sys.executable
    python = os.environ.get("CALLBRIDGE_JAX_0_4_30_PYTHON")
    assert python, "CALLBRIDGE_JAX_0_4_30_PYTHON is not set; `make test` sets it"
    return python


def run(runtime, mode, library, *arguments):
    command = [python_of(runtime), HERE / "run_suite.py", mode, BUILD / library, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    assert outcomes
    good = ("ok", "unimplemented")
    return {name: outcome for name, outcome in outcomes.items() if outcome[0] not in good}


@pytest.mark.parametrize("runtime", [ORACLE, TODAY])
def test_callbridges_own_binary(runtime):
    assert run(runtime, "native", "suite_ours.so", "--headers", str(OURS)) == {}


@pytest.mark.parametrize("runtime", [ORACLE, TODAY])
def test_exported_functions(runtime):
    assert run(runtime, "native", "exported.so", "--exported") == {}


@pytest.mark.parametrize("runtime, headers", [(ORACLE, NEWEST_BUILT), (TODAY, OLDEST_BUILT)])
def test_foreign_binary(runtime, headers):
    library = f"suite_{headers}.so"
    arguments = ["--headers", str(number_of(headers)), "--callbridge", LIBRARY]
    assert run(runtime, "cross_version", library, *arguments) == {}


@pytest.mark.parametrize("runtime", [grid.EMBEDDED, ORACLE, TODAY])
@pytest.mark.parametrize("what", ["ORIGINAL, nested tuple operand, tuple result", "TYPED_FFI"])
def test_cell_of_the_grid(runtime, what):
    ((row, binaries),) = [
        (row, binaries)
        for name, row, binaries in grid.ROWS
        if name.startswith(what) and len(binaries) == 1
    ]
    build = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
    cell = grid.run_cell(row, runtime, build, LIBRARY, binaries)
    assert cell.outcome in ("ok", "unimplemented") and cell.text.startswith("ok"), cell
