"""The code of the documentation runs, and its commands print what it shows."""

import pathlib
import shutil

import page
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# docs/pytorch.md runs where there is PyTorch: tests/torch/test_page.py. The others are about the
# house, or written by the runs that they show.
OTHERS = (
    *("architecture", "internals", "proof", "speed"),
    *("gpu", "matrix", "packages", "pjrt", "pytorch"),
)
PAGES = ["README.md", "MIGRATION.md"] + [
    str(path.relative_to(ROOT))
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.parent.name != "docs" or path.stem not in OTHERS
]

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None, reason="no g++, as in the Debian 13 of make matrix"
)


@pytest.fixture
def folder(tmp_path):
    return page.readers_folder(tmp_path / "reader")


@pytest.fixture
def environment(tmp_path):
    return page.environment(tmp_path / "prefix")


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page(name, folder, environment):
    text = (ROOT / name).read_text()
    ran = page.run_page(text, folder, environment)
    assert ran > 0 or not any(block.language in page.RUN for block in page.blocks(text))


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
    left_out = "<!-- not run: needs a GPU -->\n```python\nboom\n```\n"
    first, second, third = page.blocks(left_out + "```python\nx = 1\n```\n" + left_out)
    assert first.reason == third.reason == "needs a GPU"
    assert second == page.Block("python", "x = 1\n", None)
