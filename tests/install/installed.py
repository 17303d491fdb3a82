"""What the tests of the installed tree run, in an environment that does not lead to the build."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
(VERSION,) = re.findall(
    r'^__version__ = "(.*)"$', (ROOT / "python/callbridge/__init__.py").read_text(), re.M
)
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/x")).parent
# What is installed must not lean on what the tests' own environment points at.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("CALLBRIDGE_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH", "DESTDIR")
}


def run(*command, **environment):
    done = subprocess.run(
        [str(word) for word in command],
        env={**ENVIRONMENT, **{name: str(value) for name, value in environment.items()}},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def repository(folder):
    """Makes a git repository of what git has of the tree, changes included. Returns its URL."""
    files = run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard").split("\n")
    listed = "\0".join(file for file in files if os.path.lexists(ROOT / file))
    copy = ["tar", "-C", ROOT, "--null", "--no-recursion", "-T", "-", "-c"]
    packed = subprocess.run(copy, input=listed.encode(), check=True, capture_output=True)
    subprocess.run(["tar", "-C", folder, "-x"], input=packed.stdout, check=True)
    git = ["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x"]
    run(*git, "init", "--quiet", "--initial-branch", "main")
    run(*git, "add", "--all", "--force")
    run(*git, "commit", "--quiet", "--message", "x")
    return f"file://{folder}"


# What tests/install/consumer/cpp_api.cc prints.
INCREMENTED = """\
42
INTERNAL: CustomCall failed: the target threw std::out_of_range: too small
NOT_FOUND
"""
