"""JAX's own tests of what is wrapped end under callbridge.resurrect as they end without it.

CALLBRIDGE_JAX_TESTS is a clone of JAX's repository, of which the tests of this release are taken,
or a folder that has them in a folder named as the release.
"""

import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import jax
import pytest

VARIABLE = "CALLBRIDGE_JAX_TESTS"
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where they are in turn, each with the tests that are meant, as pytest's -k.
SUITES = {
    "ffi": [("ffi_test.py", "")],
    "export": [("export_test.py", "")],
    "core": [("core_test.py", "")],
    "custom_partitioning": [
        ("custom_partitioning_test.py", ""),
        ("pjit_test.py", "CustomPartitionerTest"),
    ],
}


def imported():
    """The folder of what the tests import."""
    folder = pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / "revived" / "jax-tests"
    assert (folder / "installed.txt").exists(), f"{folder} is not there; scripts/revived_packages"
    return folder


def read(source, name):
    """The text of a test file, None where this release has none of that name."""
    folder = pathlib.Path(source) / jax.__version__
    if folder.is_dir():
        return (folder / name).read_bytes() if (folder / name).exists() else None
    shown = subprocess.run(
        ["git", "-C", source, "show", f"jax-v{jax.__version__}:tests/{name}"], capture_output=True
    )
    return shown.stdout if shown.returncode == 0 else None


def outcomes(file, chosen, prefix, report):
    """By test: "passed", "skipped", or how it ended otherwise."""
    command = [sys.executable, *prefix, "-m", "pytest", str(file), "-q", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, f"--rootdir={file.parent}", f"--junitxml={report}"]
    command += ["-k", chosen] if chosen else []
    environment = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "JAX_NUM_GENERATED_CASES": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(imported())]),
    }
    done = subprocess.run(command, env=environment, cwd=file.parent, capture_output=True, text=True)
    assert report.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    return {
        f"{case.get('classname')}.{case.get('name')}": case[0].tag if len(case) else "passed"
        for case in xml.etree.ElementTree.parse(report).iter("testcase")
    }


@pytest.mark.parametrize("suite", SUITES)
def test_jaxs_own_tests(suite, tmp_path):
    source = os.environ.get(VARIABLE)
    if not source:
        pytest.skip(f"set {VARIABLE} to a clone of JAX's repository, which has its tests")
    found = ((name, chosen, read(source, name)) for name, chosen in SUITES[suite])
    name, chosen, text = next((row for row in found if row[2] is not None), (None, None, None))
    if text is None:
        pytest.skip(f"{source} has no {suite} tests of jax {jax.__version__}")
    file = tmp_path / name
    file.write_bytes(text)
    without = outcomes(file, chosen, [], tmp_path / "without.xml")
    under = outcomes(file, chosen, ["-m", "callbridge.resurrect"], tmp_path / "under.xml")
    assert len(without) > 5 and "passed" in without.values(), without
    differing = {
        test: (without.get(test), under.get(test))
        for test in without.keys() | under.keys()
        if without.get(test) != under.get(test)
    }
    assert not differing, differing
    print(suite, jax.__version__, len(without), "tests")
