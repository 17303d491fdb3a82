"""The workflow: what its jobs run is there, and the publishing job is off until OWNER is filled in.

`make lint` compares the file with GitHub's schema.
"""

import os
import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOBS = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())["jobs"]
STEPS = [(name, step) for name, job in JOBS.items() for step in job["steps"]]
# What GitHub offers, as far as the jobs use it.
GIVEN = {"GITHUB_OUTPUT", "GITHUB_REF_NAME", "GITHUB_WORKSPACE"}


def runs(job):
    return [step["run"] for step in JOBS[job]["steps"] if "run" in step]


def test_each_job_runs_what_it_is_for():
    assert ".ci/run" in runs("test") and os.access(ROOT / ".ci/run", os.X_OK)
    assert "make test-aarch64" in runs("aarch64")
    assert "make docs" in runs("docs")
    assert "make wheel && make test-wheel" in runs("wheel")


def test_each_command_of_make_is_there():
    commands = [
        word for _, step in STEPS for word in re.findall(r"make ([\w-]+)", step.get("run", ""))
    ]
    known = subprocess.run(
        ["make", "--dry-run", *commands], cwd=ROOT, capture_output=True, text=True
    )
    assert commands and known.returncode == 0, known.stderr


def test_what_is_uploaded_is_what_the_scripts_write():
    scripts = {"build/docs/html": "docs", "dist": "wheel"}
    uploads = [step["with"] for _, step in STEPS if "upload-artifact@" in step.get("uses", "")]
    assert {upload["path"] for upload in uploads} == {*scripts}
    for upload in uploads:
        assert upload["path"] in (ROOT / "scripts" / scripts[upload["path"]]).read_text()
        # What the publishing job takes.
        assert upload["name"].startswith("wheels") == (upload["path"] == "dist")


def test_actions_are_of_a_version():
    for _, step in STEPS:
        assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step.get("uses", "a/a@v1"))


@pytest.mark.parametrize("job", [name for name in JOBS if "container" in JOBS[name]])
def test_a_container_gets_git_and_leave_to_use_the_checkout(job):
    words = [step.get("run", step.get("uses", "")) for step in JOBS[job]["steps"]]
    assert words[0].endswith(" ca-certificates git make") and words[0].startswith(
        "apt-get update && "
    )
    assert words[1].startswith("actions/checkout@")
    assert words[2] == 'git config --global --add safe.directory "$GITHUB_WORKSPACE"'


def test_a_checkout_of_another_user(tmp_path):
    """What GitHub's containers have: git refuses it, until the third step."""
    workspace = tmp_path / "workspace"
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GITHUB_WORKSPACE": str(workspace),
    }
    subprocess.run(["git", "init", "-q", workspace], check=True, env=environment)
    for path in (workspace, workspace / ".git"):
        os.chown(path, 1001, 1001)
    listing = ["git", "-C", workspace, "ls-files"]
    refused = subprocess.run(listing, env=environment, capture_output=True, text=True)
    assert refused.returncode != 0 and "dubious ownership" in refused.stderr
    subprocess.run(["bash", "-ec", runs("test")[1]], check=True, env=environment)
    subprocess.run(listing, check=True, env=environment)


# ---- Publishing


def publishes(owner, ref, tmp_path):
    """Whether the job would run, by what its conditions compare. `owner` is the text of OWNER."""
    (tmp_path / "OWNER").write_text(owner)
    output = tmp_path / "output"
    output.unlink(missing_ok=True)
    (read,) = runs("owner")
    environment = {"PATH": os.environ["PATH"], "GITHUB_OUTPUT": str(output)}
    subprocess.run(["bash", "-ec", read], cwd=tmp_path, check=True, env=environment)
    told = dict(line.split("=", 1) for line in output.read_text().splitlines())
    assert JOBS["owner"]["outputs"] == {"index_project": "${{ steps.read.outputs.index_project }}"}
    assert JOBS["publish"]["if"] == (
        "startsWith(github.ref, 'refs/tags/v') && needs.owner.outputs.index_project != ''"
    )
    return ref.startswith("refs/tags/v") and told.get("index_project", "") != ""


def test_publishing_is_off_as_it_is(tmp_path):
    assert not publishes((ROOT / "OWNER").read_text(), "refs/tags/v0.1.0", tmp_path)


def test_publishing_is_on_for_tags_once_the_owner_has_named_the_project(tmp_path):
    text = (ROOT / "OWNER").read_text()
    assert re.findall(r"^(\w+) =", text, re.M) == ["repository", "contact", "index_project"]
    filled_in = re.sub(r"^index_project =.*", "index_project = callbridge", text, flags=re.M)
    assert publishes(filled_in, "refs/tags/v0.1.0", tmp_path)
    assert not publishes(filled_in, "refs/heads/main", tmp_path)
    assert not publishes("# index_project = callbridge\n", "refs/tags/v0.1.0", tmp_path)


def test_publishing_waits_for_all_and_has_no_password():
    job = JOBS["publish"]
    assert {*job["needs"]} == {*JOBS} - {"publish"}
    assert job["permissions"] == {"id-token": "write"} and "environment" in job
    assert job["steps"][-1] == {"uses": "pypa/gh-action-pypi-publish@release/v1"}
    assert "secrets." not in (ROOT / ".github/workflows/test.yml").read_text()


@pytest.mark.parametrize("tag, returncode", [("v1.2.3", 0), ("v1.2.4", 2)])
def test_the_tag_is_the_version_of_the_wheel(tag, returncode, tmp_path):
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/callbridge-1.2.3-py3-none-any.whl").touch()
    (check,) = runs("publish")
    environment = {
        "PATH": os.environ["PATH"],
        "INDEX_PROJECT": "callbridge",
        "GITHUB_REF_NAME": tag,
    }
    done = subprocess.run(["bash", "-ec", check], cwd=tmp_path, env=environment)
    assert done.returncode == returncode


def test_variables_are_github_s_or_the_step_s_own():
    for name, step in STEPS:
        used = {*re.findall(r"\$\{?([A-Z_]+)", step.get("run", ""))}
        assert used <= GIVEN | {*step.get("env", {})}, name
