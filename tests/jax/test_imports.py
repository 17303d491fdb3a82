"""callbridge.jax, reloaded as notebooks do it, and imported from a zip file."""

import os
import pathlib
import shutil
import subprocess
import sys

import callbridge

PROGRAM = """
import importlib, sys
import callbridge.jax, jax
import jax.numpy as jnp

def called(x):
    library = callbridge.jax.load(sys.argv[1])
    call = callbridge.jax.custom_call("refuse_negative", jax.ShapeDtypeStruct((), jnp.float32))
    return library, jax.jit(call)(x)

first, _ = called(jnp.float32(2))
importlib.reload(callbridge.jax)
again, returned = called(jnp.float32(3))
assert again is first
assert returned == 3, returned
"""


def test_knows_what_it_opened(modules):
    subprocess.run([sys.executable, "-c", PROGRAM, modules / "targets.so"], check=True, timeout=300)


def test_is_imported_from_a_zip_file(modules, tmp_path):
    package = pathlib.Path(callbridge.__file__).parent
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", package.parent, package.name)
    program = f"{PROGRAM}\nassert callbridge.__file__.startswith({archive!r})\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([archive, os.environ["PYTHONPATH"]])}
    subprocess.run(
        [sys.executable, "-c", program, modules / "targets.so"],
        env=environment,
        check=True,
        timeout=300,
    )
