"""The public names of JAX's releases of 2021 to 2023, before the first that is walked, are there.

older_names.txt has them as releases/older.py finds them in the sources of jax 0.2.26 to 0.4.6, with
the reason why nothing stands for some.
"""

import pathlib
import sys

import jax
import pytest
from jax_releases import TODAY

HERE = pathlib.Path(__file__).resolve().parent
NAMES = HERE / "releases/older_names.txt"

sys.path.insert(0, str(HERE / "releases"))

import older  # noqa: E402


@pytest.mark.skipif(jax.__version__ != TODAY, reason="older releases have some yet")
def test_names_of_older_releases(run):
    lines = [line.split() for line in NAMES.read_text().splitlines()]
    assert len(lines) > 3800
    left = {name: why for name, _, _, *why in lines if why}
    missing = set(run(HERE / "corpus_program.py", NAMES, "names").splitlines())
    assert missing == left.keys(), sorted(missing ^ left.keys())
    assert {reason for why in left.values() for reason in why} <= older.LEFT.keys()


def test_source_is_read_as_it_is_run(tmp_path):
    import tarfile

    sources = {
        "jax/__init__.py": "from jax._src.api import jit as jit, grad\nimport numpy as np\n",
        "jax/core.py": (
            "from typing import Any\nimport jax.lib as lib\nclass Unit: pass\n"
            "unit, *_rest = (Unit(),)\nx: int\ny: int = 1\n"
            "try:\n  import jax.new as new\nexcept ImportError:\n  other = 2\n"
            "if True:\n  def call(): nested = 1\n"
        ),
        "jax/_src/api.py": "def private(): pass\n",
        "jax/tools/x.py": "tool = 1\n",
        "setup.py": "name = 1\n",
    }
    sdist = tmp_path / "jax-0.3.0.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        for name, text in sources.items():
            (tmp_path / "file").write_text(text)
            archive.add(tmp_path / "file", f"jax-0.3.0/{name}")
    assert set(older.names(sdist)) == {
        *("jax.jit", "jax.grad", "jax.core.lib", "jax.core.Unit", "jax.core.unit", "jax.core.y"),
        *("jax.core.new", "jax.core.call"),
    }


def test_reasons():
    for name, reason in {
        "jax.core.Unit": "units",
        "jax.core.map": "builtins",
        "jax.core.remap": "parts",
        "jax.experimental.maps.Resource": "xmap",
        "jax.core.BInt": "dynamic-shapes",
        "jax.core.custom_eltypes": "element-types",
        "jax.core.FLAGS": "helpers",
    }.items():
        assert older.why(name) == reason, name
