"""MIGRATION.md's table of what one sees: JAX says each text on the releases that the table names,
and on no other, and callbridge.resurrect mends what the table says it does."""

import json
import os
import pathlib
import re
import shutil

import jax
import pytest
from jax_releases import numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(
    os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
)
NEWEST = (BUILD / "tests/ffi_releases.txt").read_text().split()[-1]
HANDLERS = BUILD / f"tests/typed_ffi/suite/suite_{NEWEST}.so"
ROW = re.compile(r"^\| (`.+?`) \| (.+?) \| .+? \| (.+?) \|$", re.MULTILINE)
SECTION = (ROOT / "MIGRATION.md").read_text().split("\n## ")[1]
# A row has one text, or several, each with its releases, that one thing mends.
TABLE = {
    text.strip("`"): (releases, remedy)
    for texts, all_releases, remedy in ROW.findall(SECTION)
    for text, releases in zip(texts.split("<br>"), all_releases.split("<br>"))
}


def is_named(releases, release):
    """Whether "jax 2.4 to 2.8, from 2.10" names a release; "to 2.8" has 2.8.3, too."""
    if releases == "any":
        return True
    assert releases.startswith("jax ")
    for part in releases.removeprefix("jax ").split(", "):
        first, last = re.fullmatch(r"(?:from )?([\d.]*)(?: ?(?:to )([\d.]+))?", part).groups()
        if part.startswith("from "):
            last = "9999"
        elif not part.startswith("to ") and last is None:
            last = first
        since, until = numbers(first or "0"), numbers(last)
        if since <= numbers(release) and numbers(release)[: len(until)] <= until:
            return True
    return False


@pytest.fixture(scope="module")
def natively(run):
    return json.loads(run(HERE / "symptoms_program.py", BUILD, HANDLERS))


@pytest.fixture(scope="module")
def revived(run):
    return json.loads(run(HERE / "symptoms_program.py", BUILD, HANDLERS, "revived"))


def test_the_table_is_whole(natively):
    assert list(TABLE) == list(natively)


@pytest.mark.parametrize("text", TABLE)
def test_what_jax_says(text, natively):
    if text.startswith("custom_call_target_registry.h") and shutil.which("g++") is None:
        pytest.skip("no g++, as in the Debian 13 of make matrix")
    _, said = natively[text]
    assert (text in said) == is_named(TABLE[text][0], jax.__version__), said


@pytest.mark.parametrize(
    "text",
    [
        text
        for text, (releases, remedy) in TABLE.items()
        if "resurrect" in remedy and is_named(releases, jax.__version__)
    ],
)
def test_resurrect_mends_it(text, revived):
    well, said = revived[text]
    assert well, said


def test_each_text_is_said_somewhere():
    releases = used_by("revive")
    for text, (named, _) in TABLE.items():
        assert any(is_named(named, release) for release in releases), text


def test_how_releases_are_named():
    assert is_named("jax 2.4.34 to 2.8", "2.8.3") and is_named("jax 2.4.34 to 2.8", "2.4.34")
    assert not is_named("jax 2.4.34 to 2.8", "2.9.2") and not is_named("jax 2.6", "2.7.2")
    assert is_named("jax to 2.4, from 2.8", "2.4.13") and is_named("jax from 2.8", "2.12.0.1")
    assert not is_named("jax to 2.4.13, from 2.8", "2.4.30") and is_named("jax 2.6", "2.6.2")
