"""Programs that are read back in another process call the right functions, rightly.

Of the two libraries, the one that the process registered is the right one: XLA knows a function by
its name. Memory that a process allocates is filled, so that what XLA leaves open is not zero.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import jax
import numpy as np
import pytest
from callbridge.jax._runtimes import RUNTIME
from jax_releases import used_by
from this_jax import PREFERS_TYPED, has
from this_platform import ON_GPU

HERE = pathlib.Path(__file__).parent
THOROUGH = os.environ.get("CALLBRIDGE_THOROUGH") == "ON"
WAYS = ["cache", "serialized executable", "client", *["export"] * has("jax.export")]
X = np.arange(4, dtype=np.float32)
# XLA of jax 0.10 writes a call's opaque as text, and refuses to read back what is no UTF-8, from
# its cache silently.
NOT_TEXT = {"opaque", "tuples", "a tuple of one"} if has("opaques that are text") else set()

pytestmark = pytest.mark.skipif(ON_GPU, reason="XLA:GPU compiles what it reads back")


def expected(face, by):
    doubled = [(2 * X + by + 1).tolist()]
    longer = lambda size: [(2 * X + by + size + 1).tolist()]  # noqa: E731
    if face == "resurrect":
        one = {"original": doubled, "status_returning": doubled, "with_opaque": longer(6)}
        names = ("{}", "{} built", "{} of XLA")
        return {name.format(abi): values for name in names for abi, values in one.items()}
    both = [*doubled, (2 * (X + 1) + by + 1).tolist()]
    return {
        **dict.fromkeys(("original", "status_returning", "unified", "a tuple of one"), doubled),
        "opaque": longer(3),
        "tuples": both,
        **dict.fromkeys(("batch_dims", "vmap of batch_dims", "vmap"), doubled),
        "operator": [(2 * X + 1).tolist()],
    }


def run(face, way, folder, tests_folder, by, **environment):
    library = tests_folder / f"jax/outliving_{by}.so"
    operators = tests_folder / "mindspore_aot/aot_operators_new.so"
    done = subprocess.run(
        [sys.executable, HERE / "outliving_program.py", face, way, folder, library, operators],
        env={
            **os.environ,
            **{"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "", "MALLOC_PERTURB_": "90"},
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout.splitlines()[-1])
    return printed["values"], printed["hits"]


def is_in_the_sample(face, way):
    """`make test` has those of a release that does not read untyped calls back, and of others those
    that resurrect has to serve."""
    if jax.__version__ in used_by("outlive"):
        return way in ("cache", "serialized executable")
    return face == "resurrect" and way in ("serialized executable", "export")


def is_refused(way, name, value):
    """jax.export cannot write what callbridge splits itself."""
    splits = RUNTIME.register_batch_partitionable is None and "batch_dims" in name
    return way == "export" and splits and "UNIMPLEMENTED" in value


def is_unknown(face, way, name, value):
    """XLA's own function, which JAX does not call, does not ask resurrect for what the program
    calls: XLA says that it has no such function, where the process has not lowered a call of it."""
    says = rf"NOT_FOUND: No .*(custom call to|for) {name}( by callbridge)? (for|on)"
    # Of jaxlib 0.4.30's linker, which has no symbols then.
    of_the_linker = r"INVALID_ARGUMENT: Symbol main\.\d+ not found"
    is_asked = (face, way) == ("resurrect", "client")
    return is_asked and re.search(f"{says}|{of_the_linker}", str(value)) is not None


def is_left(face, way, name, value):
    return is_refused(way, name, value) or is_unknown(face, way, name, value)


def skip_unless_read_back(way):
    if way in ("serialized executable", "client") and not has("serialized executables on CPU"):
        pytest.skip("this JAX serializes no executables on CPU")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("face", ["callbridge.jax", "resurrect"])
def test_a_program_that_is_read_back(face, way, tmp_path, tests_folder):
    if not THOROUGH and not is_in_the_sample(face, way):
        pytest.skip("`make matrix` reads it back on this release")
    skip_unless_read_back(way)
    made, _ = run(face, way, tmp_path, tests_folder, by=1)
    for name, value in expected(face, by=1).items():
        assert made[name] == value or is_refused(way, name, made[name]), name
    for by in (1, 2) if THOROUGH else (2,):
        values, hits = run(face, way, tmp_path, tests_folder, by)
        for name, value in expected(face, by).items():
            is_read = way in ("serialized executable", "client")
            if is_read and name in NOT_TEXT and face == "callbridge.jax" and not PREFERS_TYPED:
                assert "Failed to parse serialized" in values[name]
            else:
                left = is_left(face, way, name, values[name])
                assert values[name] == value or left, (name, by)
        if way == "cache" and has("hits of the compilation cache"):
            assert hits >= len(values) - len(NOT_TEXT)


@pytest.mark.parametrize("paths", [("", "typed"), ("typed", "")], ids=["typed later", "typed once"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("face", ["callbridge.jax", "resurrect"])
def test_a_program_that_is_read_back_where_another_path_is_preferred(
    face, way, paths, tmp_path, tests_folder
):
    """A program has the path that its process preferred, whatever that of the reader does."""
    if not THOROUGH:
        pytest.skip("`make matrix` reads it back so")
    skip_unless_read_back(way)
    for path in paths:
        values, _ = run(face, way, tmp_path, tests_folder, by=1, CALLBRIDGE_PATH=path)
        for name, value in expected(face, by=1).items():
            is_read = way in ("serialized executable", "client")
            if is_read and name in NOT_TEXT and face == "callbridge.jax":
                assert values[name] == value or "Failed to parse serialized" in values[name]
            else:
                left = is_left(face, way, name, values[name])
                assert values[name] == value or left, (name, path)
