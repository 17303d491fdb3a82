"""README leads by what brought its reader: errors in JAX's own words, then what mends them."""

import re

import page

README = (page.ROOT / "README.md").read_text()
SECTIONS = [
    "What runs where",
    "Install",
    "What it costs, and what it does not do",
    "What do you have?",
    "Safety",
    "Develop it",
]


def test_the_order():
    assert re.findall(r"^## (.*)$", README, re.MULTILINE) == SECTIONS
    first, second, third, *_ = page.blocks(README)
    assert [first.language, second.language, third.language] == ["", "sh", "c++"]
    assert len(second.text.splitlines()) == 3, "three lines mend it"
    for picture, section in (("grid", SECTIONS[0]), ("cost", SECTIONS[2])):
        assert f"(docs/{picture}.svg)" in README.split(f"\n## {section}\n")[1].split("\n## ")[0]


def test_the_errors_are_those_that_jax_says():
    """tests/resurrect/test_symptoms.py has JAX say the texts of MIGRATION.md's table."""
    table = (page.ROOT / "MIGRATION.md").read_text().split("\n## ")[1]
    texts = re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE)
    errors = page.blocks(README)[0].text.strip()
    said = [
        line for line in errors.replace("failed\nbecause", "failed because").splitlines() if line
    ]
    assert len(said) == 3
    for line in said:
        assert any(text in line for text in texts), line
