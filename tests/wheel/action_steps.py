"""The steps of action.yml, run by bash as GitHub runs them."""

import pathlib
import re
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


def run_steps(folder, environment, given):
    """Runs them in a folder, with /opt a folder of their own and the inputs `given`.

    Returns the last step, and the summary's text.
    """
    inputs = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    assert set(given) <= set(inputs)
    inputs |= given
    values = {"github.action_path": str(ROOT)}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}

    def filled_in(text):
        return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1]], text)

    summary = pathlib.Path(folder, "summary")
    done = None
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash" and "${{" not in step["run"]
        pathlib.Path(folder, "step.sh").write_text(step["run"])
        own = {name: filled_in(value) for name, value in step["env"].items()}
        bash = "mount -t tmpfs none /opt && exec bash --noprofile --norc -eo pipefail step.sh"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", bash],
            cwd=folder,
            env={"GITHUB_STEP_SUMMARY": str(summary), **environment, **own},
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode != 0:
            break
    return done, summary.read_text() if summary.is_file() else ""
