"""The handler suite in callbridge's own host: the libraries of every version of the headers, each
in the shape of its release, and callbridge's in the shape of all. All answers are those of
cases.py, so they are the same across headers, and the codes of errors too."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/typed_ffi/suite"
RUNNER = ROOT / "tests/matrix/run_suite.py"
# Those that this build has libraries of: a sample, or all (cmake/genuine_handlers.cmake).
HEADERS = (BUILD.parents[1] / "ffi_releases.txt").read_text().split()
# What the library exports that is no handler.
HELPERS = ("_type_id", "_type_info", "count_live_", "delete_", "pointed_at")

sys.path[:0] = [str(HERE), str(ROOT / "tests/matrix")]
import cases  # noqa: E402
from headers import number_of  # noqa: E402
from jax_releases import WITH_HEADERS  # noqa: E402


def run(library, release, *arguments):
    library = BUILD / library
    assert library.is_file(), f"{library}: built where the headers are there; `make test` does"
    command = [sys.executable, RUNNER, "host", library, *arguments]
    command += ["--release", release, "--callbridge", LIBRARY]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def wrong(outcomes):
    return {
        name: outcome
        for name, outcome in outcomes.items()
        if outcome[0] not in ("ok", "unimplemented")
    }


@pytest.mark.parametrize("headers", HEADERS)
def test_genuine_headers_in_the_shape_of_their_release(headers):
    outcomes = run(f"suite_{headers}.so", headers, "--headers", str(number_of(headers)))
    assert wrong(outcomes) == {}
    assert len(outcomes) > 100


@pytest.mark.parametrize("release", WITH_HEADERS)
def test_callbridges_headers_in_the_shape_of_every_release(release):
    assert wrong(run("suite_ours.so", release, "--headers", str(cases.OURS))) == {}


@pytest.mark.parametrize("release", WITH_HEADERS)
def test_exported_functions_in_the_shape_of_every_release(release):
    assert wrong(run("exported.so", release, "--exported")) == {}


def test_every_handler_is_called():
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", "--format=posix", BUILD / "suite_ours.so"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    exported = {line.split()[0] for line in listed.splitlines() if line.split()[1] == "T"}
    handlers = {
        name
        for name in exported
        if not name.startswith("_") and not any(helper in name for helper in HELPERS)
    }
    called = {case.handler for case in cases.CASES}
    called |= {handler for case in cases.CASES for handler in case.stages.values()}
    assert handlers == called
