"""Programs that ask which JAX they have: what runs natively has the same value under resurrect."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = re.findall("^== (.*)$", (HERE / "probing_programs.txt").read_text(), re.MULTILINE)


def values(printed):
    return dict(line.split(": ", 1) for line in printed.splitlines())


@pytest.fixture(scope="module")
def natively():
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": ""}
    program = [sys.executable, HERE / "probes_program.py"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return values(done.stdout)


@pytest.fixture(scope="module")
def revived(run):
    return values(run("-m", "callbridge.resurrect", HERE / "probes_program.py"))


def test_most_run_natively(natively):
    assert len(PROGRAMS) >= 100
    assert list(natively) == PROGRAMS
    failed = [name for name, value in natively.items() if value.startswith("failed,")]
    assert len(failed) <= 12, failed


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_value(natively, revived, name):
    if natively[name].startswith("failed,"):
        pytest.skip(f"natively {natively[name]}")
    assert revived[name] == natively[name]


def test_parts_of_jaxprs(run):
    run("-m", "callbridge.resurrect", HERE / "jaxprs_program.py")
