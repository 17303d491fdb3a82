"""What is restored does what it did: its values are those of a release of JAX that had it."""

import os
import pathlib
import subprocess
import sys

import jax
import pytest
from jax_releases import numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
# Which `make test` has.
OLD = [release for release in used_by("test") if numbers(release) < numbers(jax.__version__)]
# Of releases between, or that fail there by a bug of theirs.
WITHOUT_ORACLE = {"partial_eval.debug_info"}


def by_name(printed):
    return dict(line.split(": ", 1) for line in printed.splitlines() if ": " in line)


def values_of_jax(python):
    # Flags for this XLA may be unknown to that one, which ends the process.
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": "", "XLA_FLAGS": ""}
    done = subprocess.run(
        [python, HERE / "values_program.py"],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return by_name(done.stdout)


@pytest.mark.skipif(not OLD, reason=f"jax {jax.__version__} lost nothing that is known")
def test_values_are_those_of_old_releases(run):
    pythons = [CACHE / f"venv-jax-{release}/bin/python" for release in OLD]
    missing = [str(python) for python in pythons if not python.exists()]
    if missing:
        pytest.skip(f"no Python to compare with: {missing}")
    of_old = {}
    for python in pythons:
        for name, value in values_of_jax(python).items():
            of_old.setdefault(name, []).append(value)
    restored = by_name(run(HERE / "values_program.py", "restored"))
    # What is newer than those, JAX itself has here.
    if restored.keys() - of_old.keys() - WITHOUT_ORACLE:
        of_old = {**{name: [v] for name, v in values_of_jax(sys.executable).items()}, **of_old}
    wrong = [
        f"{name}: {value}, once {of_old.get(name)}"
        for name, value in restored.items()
        if value not in of_old.get(name, []) and name not in WITHOUT_ORACLE
    ]
    assert not wrong, "\n".join(wrong)
    # All that these releases had is there.
    assert set(of_old) <= set(restored), sorted(set(of_old) - set(restored))
