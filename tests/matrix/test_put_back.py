"""What put_back.py says of a package, and what the page makes of it."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import packages  # noqa: E402

ROOT = HERE.parents[1]
PACKAGE = """
import jax.config
from jax import core
from jax.lib import xla_client
from jax.interpreters import ad

def use():
    core.Primitive("used"), core.ShapedArray, xla_client.ops.Add, ad.Zero.from_value
    assert not hasattr(core, "no_such_name")
"""


@pytest.fixture
def watched(tmp_path):
    """Runs a program beside a package; what the page is told."""

    def watched(program):
        folder = tmp_path / "installed"
        folder.mkdir()
        (folder / "old_package.py").write_text(PACKAGE)
        (tmp_path / "program.py").write_text(program)
        watching = [HERE / "put_back.py", folder, tmp_path / "program.py"]
        return subprocess.run(
            [sys.executable, "-m", "callbridge.resurrect", *watching],
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'python'}:{folder}", "JAX_PLATFORMS": "cpu"},
            capture_output=True,
            text=True,
        )

    return watched


def test_only_what_the_package_asked_for(watched):
    done = watched(
        "import jax, old_package\nassert __name__ == '__main__'\nold_package.use()\n"
        "jax.core.JaxprEqn\nprint('ran')\n"
    )
    assert done.returncode == 0 and done.stdout == "ran\n", done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("put back: ")]
    found = json.loads(said[0].removeprefix("put back: "))
    restored = set(found["restored"])
    assert {"jax.core.Primitive", "jax.interpreters.ad.Zero.from_value"} <= restored
    assert "jax.lib.xla_client.ops" in restored
    assert not {"jax.core.JaxprEqn", "jax.core.ShapedArray"} & restored
    assert found["targets"] == 0


def test_nothing_of_a_program_that_fails(watched):
    done = watched("import old_package\nraise LookupError('failed')\n")
    assert done.returncode == 1 and "LookupError: failed" in done.stderr
    assert "put back: " not in done.stderr


def test_the_page_groups_releases():
    cells = {
        (package, release): packages.Cell(packages.NO_WHEEL)
        for package in packages.PACKAGES
        for release in packages.RELEASES
    }
    package = packages.PACKAGES[0]
    first, second, third, *_ = packages.RELEASES
    used = {"restored": ["jax.ffi", "jax.ffi.ffi_call"], "wrapped": [], "targets": 2}
    for release in (first, third):
        cells[package, release] = packages.Cell(packages.REVIVED, put_back=used)
    cells[package, second] = packages.Cell(packages.REVIVED, put_back={**used, "targets": 0})
    assert list(packages.what_was_put_back(cells))[2:] == [
        f"| {package.list} | {first}, {third} | `jax.ffi.ffi_call` | - | 2 |",
        f"| {package.list} | {second} | `jax.ffi.ffi_call` | - | - |",
    ]
