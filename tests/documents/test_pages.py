"""The code of the documentation runs, and its commands print what it shows."""

import os
import pathlib
import shutil
import sys

import numpy as np
import page
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
# docs/pytorch.md runs where there is PyTorch: tests/torch. The others are about the house, or
# written by the runs that they show.
PAGES = [
    "README.md",
    "MIGRATION.md",
    "docs/old_libraries.md",
    "docs/programs.md",
    "docs/mindspore.md",
    "docs/typed_ffi.md",
    "docs/resurrect.md",
    "docs/embedding.md",
]

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None, reason="no g++, as in the Debian 13 of make matrix"
)


@pytest.fixture
def folder(tmp_path):
    """What the pages speak of: an old library, its source, and arrays."""
    reader = tmp_path / "reader"
    reader.mkdir()
    for path in (
        BUILD / "examples/first_light.so",
        ROOT / "examples/first_light/old_targets.cc",
        ROOT / "examples/mindspore_aot/row_sums.cc",
    ):
        (reader / path.name).symlink_to(path)
    arrays = {
        "b": np.arange(128, dtype=np.float32),
        "c": np.full(2048, 0.5, np.float32),
        "p": np.ones(32, np.float32),
        "q": np.ones(64, np.float32),
        "r": np.ones(128, np.float32),
        "s": np.ones(256, np.float32),
        "seven": np.int32(7),
        "zero": np.int32(0),
        "x": np.arange(6, dtype=np.float32).reshape(2, 3),
    }
    for name, array in arrays.items():
        np.save(reader / f"{name}.npy", array)
    return reader


@pytest.fixture
def environment(tmp_path):
    """With an installation's folders at $PREFIX, which lead to the tree and the build."""
    prefix = tmp_path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "include").symlink_to(ROOT / "include")
    (prefix / "lib").symlink_to(BUILD)
    (prefix / "bin/callbridge").symlink_to(BUILD / "callbridge")
    return {
        **os.environ,
        "PREFIX": str(prefix),
        "PATH": f"{prefix}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "CALLBRIDGE_LIBRARY": str(LIBRARY),
        "CALLBRIDGE_PYTHON": sys.executable,
        "JAX_PLATFORMS": "cpu",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page(name, folder, environment):
    text = (ROOT / name).read_text()
    assert page.run_page(text, folder, environment) > 0


def test_every_page_with_code_is_run_or_said_why():
    """A page that is added is run too."""
    listed = {ROOT / name for name in PAGES}
    others = {"architecture.md", "pjrt.md", "matrix.md", "packages.md", "gpu.md", "pytorch.md"}
    found = {path for path in (ROOT / "docs").glob("*.md") if path.name not in others}
    assert found == {path for path in listed if path.parent.name == "docs"}


@pytest.mark.parametrize(
    "text, says",
    [
        ("```console\n$ echo one\ntwo\n```\n", r"\$ echo one\none"),
        ("```python\nassert False, 'no'\n```\n", "AssertionError: no"),
        ("```console\n$ false; echo $?\n0\n```\n", "1"),
        ("```c++\nint f();\n```\n", "a file without a name"),
    ],
)
def test_a_page_that_is_not_true_fails(text, says, folder, environment):
    with pytest.raises(AssertionError, match=says):
        page.run_page(text, folder, environment)


def test_what_is_not_run_has_a_reason():
    (block,) = page.blocks("<!-- not run: needs a GPU -->\n```python\nboom\n```\n")
    assert block.reason == "needs a GPU"
