"""What `make wheel` made, and a shell in a clean environment, with its transcript."""

import dataclasses
import os
import pathlib
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "~/.cache/callbridge")).expanduser()
# The pinned packages by name: "jax" -> "jax==...".
PINNED = {
    line.split("==")[0]: line
    for line in (ROOT / "requirements/jax.txt").read_text().split()
    if "==" in line
}

# What a newcomer runs, on each machine.
PROGRAM = """\
import callbridge.jax, jax, jax.numpy as jnp
callbridge.jax.load("first_light.so")
shape = jax.ShapeDtypeStruct((2048,), jnp.float32)
add = callbridge.jax.custom_call("add_repeated", shape)
print(jax.jit(add)(jnp.ones(128), jnp.ones(2048)))
"""
MODULE = "HloModule m\n\nENTRY e {\n  ROOT c = f32[2]{0} constant({1, 2.5})\n}\n"


def only(pattern):
    found = sorted(DIST.glob(pattern))
    if not found:
        pytest.skip(f"no {pattern} in dist/: make wheel")
    assert len(found) == 1, found
    return found[0]


@dataclasses.dataclass
class Shell:
    """Commands in a folder, with a PATH on which is no compiler, and their transcript."""

    folder: pathlib.Path
    python: pathlib.Path

    def __call__(self, command, status=0, **environment):
        """Returns what it prints; `status` None takes any."""
        start = time.monotonic()
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env={"PATH": str(self.python.parent), "HOME": str(self.folder), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        print(f"$ {command}\n{done.stdout}  [{time.monotonic() - start:.2f} s]")
        assert status is None or done.returncode == status, done.stdout
        return done.stdout
