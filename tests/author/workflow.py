"""The workflow that `callbridge new` writes, its jobs run by a shell as GitHub runs them."""

import re
import subprocess

import yaml


def workflow(package):
    return yaml.safe_load((package / ".github/workflows/ci.yml").read_text())


def run_job(package, name, variables, **matrix):
    """Runs what a job runs, in the package's folder: the artifacts are where they were left.

    Returns what each command prints.
    """
    whole = workflow(package)
    shown = {}
    for step in whole["jobs"][name]["steps"]:
        if "run" not in step:
            continue
        text = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: matrix[found[1]], step["run"])
        assert "${{" not in text
        done = subprocess.run(
            ["sh", "-e", "-c", text],
            cwd=package,
            env={**whole["env"], **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}"
        shown[text] = done.stdout
    return shown
