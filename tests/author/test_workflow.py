"""The workflow that `callbridge new` writes: its jobs, where callbridge is on no index.

tests/wheel/test_authors.py runs all of it with callbridge's own wheel.
"""

import os
import re
import subprocess

import packages
import pytest
import yaml
from packages import PYTHON, RELEASES, ROOT, new
from workflow import run_job

EXAMPLES = ROOT / "examples/packages"
WORKFLOW = yaml.safe_load((EXAMPLES / "common/.github/workflows/ci.yml").read_text())
JOBS = WORKFLOW["jobs"]


def test_it_audits_before_it_publishes():
    runs = [step.get("run", "") for step in JOBS["audit"]["steps"]]
    assert any(re.match("callbridge audit .*--strict ", run) for run in runs)
    assert {*JOBS["publish"]["needs"]} == {"audit", "test"}
    assert JOBS["audit"]["needs"] == JOBS["test"]["needs"] == "wheel"
    assert JOBS["publish"]["permissions"] == {"id-token": "write"}
    assert JOBS["publish"]["if"] == "startsWith(github.ref, 'refs/tags/v')"


def test_it_tests_releases_that_callbridge_is_tested_with():
    assert JOBS["test"]["strategy"]["matrix"]["jax"] == RELEASES


def test_its_actions_have_a_version():
    for job in JOBS.values():
        for step in job["steps"]:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step.get("uses", "a/a@v1"))


@pytest.mark.skipif(
    "CALLBRIDGE_THOROUGH" not in os.environ, reason="installs JAX three times: make matrix"
)
def test_its_jobs(headers, tmp_path):
    package = new(tmp_path, "my_ops", "scikit-build-core")
    programs = f"{PYTHON.parent}:/usr/bin:/bin"
    variables = {**packages.pip(headers), "PATH": programs, "HOME": str(tmp_path)}
    run_job(package, "wheel", variables)
    (wheel,) = (package / "wheelhouse").iterdir()
    assert re.fullmatch(r"my_ops-0\.0\.1-py3-none-manylinux_\S+\.whl", wheel.name)
    for release in RELEASES:
        environment = tmp_path / f"venv-{release}"
        subprocess.run(["/usr/bin/python3", "-m", "venv", environment], check=True)
        python = {**variables, "PATH": f"{environment}/bin:{programs}", "JAX_PLATFORMS": "cpu"}
        shown = run_job(package, "test", python, jax=release)
        assert "3 passed" in shown["python -m pytest tests"]
