"""The Pythons of the matrix, each with a JAX of its own."""

import os
import pathlib

from jax_releases import IN_DEBIAN_13, TODAY

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ["CALLBRIDGE_CACHE"])


def python_of(runtime):
    """The command, or None where it is not there."""
    if runtime == IN_DEBIAN_13:
        if (CACHE / "debian-13/venv/installed.txt").exists():
            return [str(ROOT / "scripts/debian_13"), "/venv/bin/python"]
        return None
    folder = ROOT / ".venv" if runtime == TODAY else CACHE / f"venv-jax-{runtime}"
    python = folder / "bin/python"
    return [str(python)] if python.exists() else None
