"""Submodules that a program reaches as attributes though it imports none of them: those that were
there on any release are here, after `import jax` alone and after each other bare import."""

import json
import os
import pathlib
import sys

import jax
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "releases"))

import submodules  # noqa: E402

RECORDED = submodules.read()
WANTED = sorted(
    f"{package}.{name}" for package, names in submodules.unnamed().items() for name in names
)
THOROUGH = os.environ.get("CALLBRIDGE_THOROUGH") == "ON"


@pytest.fixture(scope="module")
def reached(run):
    """By module that is imported alone, those of WANTED that are not reached then; and those that
    cannot be imported at all."""
    bares = sorted({bare for by_bare in RECORDED.values() for bare in by_bare})
    bares = bares if THOROUGH else ["jax", "jax.numpy", "jax.experimental", "jax.scipy"]
    return json.loads(run(HERE / "submodules_program.py", *bares, ":", *WANTED))


def test_the_table_is_what_the_releases_have():
    from callbridge.resurrect._names import _table

    assert {p: set(names.split()) for p, names in _table.SUBMODULES.items()} == submodules.unnamed()


def test_this_release_is_as_recorded():
    """Fails with a JAX that submodules.txt has not: scripts/jax_names writes it anew."""
    assert jax.__version__ in RECORDED


def test_each_is_reached(reached):
    absent = set(reached["absent"])
    # Which no import finds on this release: JAX had them before, or will.
    had = {path for by_bare in RECORDED.values() for paths in by_bare.values() for path in paths}
    assert absent <= had
    assert not [path for path in absent if path in RECORDED[jax.__version__]["jax"]]
    assert not {bare: paths for bare, paths in reached["missing"].items() if paths}
