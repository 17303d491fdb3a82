"""Phrases that kept coming back, in sources, errors and documents."""

import re
import subprocess

import pytest
from the_tree import ROOT

# What was written, and what to write instead.
PHRASES = {
    r"\b(?:has|have|had) not got\b": "lacks, does not have",
    r"\b(?:has|have) (?:it|them) not\b": "does not have it",
    r"\b(?:is|are|was|were) had from\b": "comes from",
    r"\b(?:is|are) told\b": "gets, knows, sees",
    r"\blent\b": "backported, borrowed",
    r"(?<!\bthere )\bis none\b(?! of\b)": "is not one",
}
# Tests' names and comments are for those who write tests; the rest is data, or history.
LEFT_OUT = ("tests/", "requirements/", "CHANGELOG.md", "LICENSE")
TEXTS = {
    ".py",
    ".h",
    ".hpp",
    ".c",
    ".cc",
    ".cu",
    ".inc",
    ".md",
    ".sh",
    ".cmake",
    ".yml",
    ".toml",
    "",
}


def files():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    for name in listed:
        path = ROOT / name
        if path.suffix in TEXTS and not name.startswith(LEFT_OUT) and not path.is_symlink():
            yield name, path


def running(text):
    """Comments of several lines as one, so that a phrase is found across their ends."""
    return re.sub(r"\n[ \t]*(?:(?://+|#+|\*) ?)?", " ", text)


def found_in(text):
    return [
        f"{match[0]!r}: {instead}"
        for phrase, instead in PHRASES.items()
        for match in re.finditer(phrase, running(text))
    ]


def test_nobody_writes_them():
    found = {name: found_in(path.read_text(errors="replace")) for name, path in files()}
    assert {name: phrases for name, phrases in found.items() if phrases} == {}


@pytest.mark.parametrize(
    "text",
    [
        "a type that NumPy has not got",
        "// a name that this JAX\n  // has not got yet",
        "where JAX has it not",
        "where each is had from",
        "what XLA is told",
        "an older JAX is lent it",
        "an index that is none;",
    ],
)
def test_each_is_found(text):
    assert len(found_in(text)) == 1


@pytest.mark.parametrize(
    "text", ["null if there is none", "if there\n// is none.", "it is none of these", "silent"]
)
def test_others_are_not(text):
    assert found_in(text) == []
