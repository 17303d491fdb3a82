"""What the repository holds, for the tests that read all of it."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files_of_the_tree():
    """The names of the files that are tracked or about to be; links and deleted files left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [
        name
        for name in filter(None, listed.split("\0"))
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink()
    ]
