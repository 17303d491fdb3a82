"""README says what callbridge is, shows it, and what to type, before anything is scrolled."""

import re

import page

README = (page.ROOT / "README.md").read_text()
SECTIONS = [
    "What do you type?",
    "Install",
    "What it costs, and what it does not do",
    "Develop it",
]


def test_the_order():
    assert re.findall(r"^## (.*)$", README, re.MULTILINE) == SECTIONS
    above = README.split("\n## ")[0]
    sentence, before_and_after, grid = (
        above.index(text) for text in ("callbridge runs", "```console", "(docs/grid.svg)")
    )
    assert sentence < before_and_after < grid


def test_it_is_short():
    assert len(README.split()) <= 600


def test_a_terminal_before_and_after():
    """tests/resurrect/test_symptoms.py has JAX say the texts of MIGRATION.md's table."""
    table = (page.ROOT / "MIGRATION.md").read_text().split("\n## ")[1]
    texts = re.findall(r"`(.+?)`", "\n".join(re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)))
    _, (before, said), (after, printed) = page.commands(page.blocks(README)[0])
    assert any(text in said for text in texts), said
    assert before.removesuffix(" 2>&1 | tail -1") == after.replace(" -m callbridge.resurrect", "")
    assert printed == "[2. 4. 6.]\n"
