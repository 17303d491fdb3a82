"""Runs commands under callgrind and reads what it counted."""

import os
import re
import subprocess
import sys
from pathlib import Path


def run(command, options=(), environment=None):
    """What the command and callgrind wrote, as (stdout, stderr)."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", *options, *map(str, command)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0", **(environment or {})},
    )
    if done.returncode != 0:
        sys.exit(f"callgrind failed on {command}:\n{done.stderr[-2000:]}")
    return done.stdout, done.stderr


def instructions(command, options=(), **environment):
    """Instructions that `command` takes, all threads together."""
    _, stderr = run(command, ["--callgrind-out-file=/dev/null", *options], environment)
    return int(re.search(r"Collected : (\d+)", stderr)[1])


def dumps(command, folder, options=(), **environment):
    """What the command wrote, and the instructions up to each dump of its own, by its name.

    A dump counts from the one before it.
    """
    for old in Path(folder).glob("dump*"):
        old.unlink()
    stdout, _ = run(command, [f"--callgrind-out-file={folder}/dump", *options], environment)
    counts = {}
    for path in Path(folder).glob("dump.*"):
        text = path.read_text(errors="replace")
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        if name:
            counts[name[1]] = int(re.search(r"^summary: (\d+)$", text, re.MULTILINE)[1])
        path.unlink()
    return stdout, counts
