"""The Pythons of the matrix, each with a JAX of its own."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ["CALLBRIDGE_CACHE"])
IN_DEBIAN_13 = "0.12.0.1"


def python_of(runtime):
    """The command, or None where it is not there."""
    if runtime == IN_DEBIAN_13:
        if (CACHE / "debian-13/venv/installed.txt").exists():
            return [str(ROOT / "scripts/debian_13"), "/venv/bin/python"]
        return None
    folder = ROOT / ".venv" if runtime == "0.10.2" else CACHE / f"venv-jax-{runtime}"
    python = folder / "bin/python"
    return [str(python)] if python.exists() else None
