"""What is migrated runs on each JAX that its binary runs on, and returns the bits that the original
has on the JAX that it was written for."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import jax
import migrate_command
import old_packages
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "matrix"))
from jax_releases import used_by  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "~/.cache/callbridge")).expanduser()
WRITTEN_FOR, FIRST_TYPED = used_by("test")
TYPED_ON = [FIRST_TYPED, *used_by("outlive"), jax.__version__]
UNTYPED_ON = [WRITTEN_FOR, *used_by("outlive"), jax.__version__]
PROGRAM = """
import importlib, pickle, sys
import jax, numpy as np
import calls

jax.config.update("jax_enable_x64", True)
found = {}
for name in calls.NAMES:
    results = getattr(calls, name)(importlib.import_module(name), jax, np)
    found[name] = [(str(one.dtype), one.shape, np.asarray(one).tobytes()) for one in results]
with open("found", "wb") as file:
    pickle.dump(found, file)
"""


def python_of(release):
    if release == jax.__version__:
        return sys.executable
    python = CACHE / f"venv-jax-{release}/bin/python"
    if not python.exists():
        pytest.skip(f"no Python with JAX {release}: {python}")
    return python


def results(folder, release):
    """By package, its results' types, shapes and bytes."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": ""}
    done = subprocess.run(
        [python_of(release), "program.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return pickle.loads((folder / "found").read_bytes())


def packages(folder):
    (folder / "old.cc").write_text(old_packages.SOURCE)
    for name, (program, _) in old_packages.PACKAGES.items():
        (folder / f"{name}.py").write_text(program)
    calls = [f"def {name}(k, jax, np):{body}" for name, (_, body) in old_packages.PACKAGES.items()]
    names = f"NAMES = {list(old_packages.PACKAGES)}\n"
    (folder / "calls.py").write_text("\n\n".join([names, *calls]))
    (folder / "program.py").write_text(PROGRAM)
    return [f"{name}.py" for name in old_packages.PACKAGES]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The packages as they were written, and what they return."""
    folder = tmp_path_factory.mktemp("original")
    packages(folder)
    migrate_command.compile_library(folder, "old.cc", "libold.so")
    return folder, results(folder, WRITTEN_FOR)


def test_typed(original, tmp_path):
    """C++ and Python are migrated together."""
    programs = packages(tmp_path)
    decisions = migrate_command.write(tmp_path, "old.cc", *programs)
    assert not [one for one in decisions if ".py:" in one], decisions
    migrate_command.compile_library(tmp_path, "old.cc", "libold.so")
    for release in TYPED_ON:
        assert results(tmp_path, release) == original[1], release


def test_untyped(original, tmp_path):
    """Python alone: the binary is the original one."""
    programs = packages(tmp_path)
    decisions = migrate_command.write(tmp_path, *programs)
    assert all("this stays an untyped target" in one for one in decisions), decisions
    shutil.copy(original[0] / "libold.so", tmp_path)
    for release in UNTYPED_ON:
        assert results(tmp_path, release) == original[1], release
