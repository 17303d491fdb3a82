"""The version is in one place, python/callbridge/__init__.py, and CHANGELOG.md begins with it."""

import pathlib
import re
import subprocess

from the_tree import files_of_the_tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = "python/callbridge/__init__.py"
(VERSION,) = re.findall(r'^__version__ = "(\d+\.\d+\.\d+)"$', (ROOT / PLACE).read_text(), re.M)
# Names of other projects' versions: "package==0.1.0", "package-0.1.0".
OWN = re.compile(rf"(?<![\w=.-]){re.escape(VERSION)}(?![\w.])|[.]so[.]{re.escape(VERSION)}")
# What names versions of others, or is compared below.
# The manual page is written by the program, and tests/tools/test_completion.py compares it.
OTHERS = (
    "CHANGELOG.md", "tests/house/", "tests/resurrect/", "tests/fuzz/corpus/", "tools/callbridge.1",
)  # fmt: skip


def test_no_other_file_has_it():
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in files_of_the_tree()
        if name != PLACE and not name.startswith(OTHERS)
        for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1)
        if OWN.search(line)
    ]
    assert found == []


def test_the_newest_changes_are_its_own():
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert headings[0].rstrip(",") == VERSION


def test_cmake_reads_it(tmp_path):
    """The lines that stand before project(), and what they are for."""
    for folder, name in ((ROOT, "callbridge"), (ROOT / "include", "callbridge_headers")):
        text = (folder / "CMakeLists.txt").read_text()
        before = text[text.index("file(STRINGS") : text.index(f"project({name} VERSION")]
        program = before.replace("${CMAKE_CURRENT_LIST_DIR}", str(folder)) + 'message("${version}")'
        (tmp_path / "read.cmake").write_text(program)
        done = subprocess.run(
            ["cmake", "-P", tmp_path / "read.cmake"], check=True, capture_output=True, text=True
        )
        assert done.stderr == f"{VERSION}\n"


def test_both_wheels_read_it():
    for project in ("pyproject.toml", "python/headers/pyproject.toml"):
        text = (ROOT / project).read_text()
        (reads,) = re.findall(r'^input = "(.*)"$', text, re.M)
        (pattern,) = re.findall(r"^regex = '(.*)'$", text, re.M)
        place = ((ROOT / project).parent / reads).resolve()
        assert place == ROOT / PLACE
        assert re.search(pattern, place.read_text())["value"] == VERSION
