"""What each PyTorch/XLA can: runs pytorch_xla_calls.py in its environment, and makes a table."""

import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The environments by their lists.
RELEASES = sorted(
    path.stem.removeprefix("torch-xla-") for path in (ROOT / "requirements").glob("torch-xla-*.txt")
)


def run(build, callbridge):
    """Returns, by release, what each row of the table says; and the releases that are not there."""
    columns, not_there = {}, []
    for release in RELEASES:
        python = (
            pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / f"venv-torch-xla-{release}/bin/python"
        )
        if not python.exists():
            not_there.append(release)
            continue
        columns[release] = _column(python, build, callbridge)
        print(f"PyTorch/XLA {release}: {columns[release]}", flush=True)
    return columns, not_there


def _column(python, build, callbridge):
    environment = {
        **os.environ,
        "CALLBRIDGE_LIBRARY": str(callbridge),
        "PYTHONPATH": str(ROOT / "python"),
        "PJRT_DEVICE": "CPU",
    }
    done = subprocess.run(
        [python, HERE / "pytorch_xla_calls.py", build],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        return {"pytorch_xla_calls.py": f"error: {done.stderr[-600:]}"}
    return json.loads(lines[-1])


def is_good(columns):
    return not any("error: " in text for column in columns.values() for text in column.values())


def markdown(columns):
    rows = dict.fromkeys(row for column in columns.values() for row in column)
    lines = [
        f"| in PyTorch/XLA | {' | '.join(columns)} |",
        "|---|" + "---|" * len(columns),
    ]
    for row in rows:
        texts = [column.get(row, "-").replace("|", "\\|") for column in columns.values()]
        lines.append(f"| {row} | {' | '.join(texts)} |")
    return "\n".join(lines)
