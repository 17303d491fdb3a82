"""Each C++ source has a test where CONTRIBUTING.md says that a reader finds it.

That is tests/<folder>/<name>_test.cc, a subfolder being left out, part of the name, or the folder;
or the file in tests/ that tests/tested_by.txt has for it. And each C++ test is one of a program
that CMake is told of.
"""

import pathlib
import re

import pytest
from the_tree import files_of_the_tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
BESIDE = ("benchmarks/", "examples/", "include/", "tests/")


def by_name(source):
    """Where the test of a source may be by its name: of a/b/c.cc, a/b/c, a/c, a/b_c or b/c."""
    *folders, name = source.rsplit(".", 1)[0].split("/")
    top, inner = folders[0], folders[1:]
    stems = ["/".join([*folders, name]), f"{top}/{name}", f"{top}/" + "_".join([*inner, name])]
    stems += [f"{folder}/{name}" for folder in inner]
    return [f"tests/{stem}_test.cc" for stem in stems]


def read_table(text):
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {source: "tests/" + test for source, test in lines}


def faults(files, table):
    """What is wrong: sources without a test, rows of no use, rows that lead nowhere."""
    sources = {name for name in files if re.search(r"\.(c|cc|cu)$", name)}
    sources = {name for name in sources if not name.startswith(BESIDE)}
    named = {source for source in sources if {*by_name(source)} & {*files}}
    found = [f"{source} has no test" for source in sources - named - table.keys()]
    same = {source for source in named if by_name(source)[0] in files}
    found += [f"{source} has a test of its name" for source in same & table.keys()]
    found += [f"{source} is not there" for source in table.keys() - sources]
    found += [f"{test} is not there" for test in {*table.values()} - {*files}]
    return sorted(found)


def test_each_source_has_a_test():
    table = read_table((ROOT / "tests/tested_by.txt").read_text())
    assert faults(files_of_the_tree(), table) == []


def test_the_table_is_sorted():
    lines = (ROOT / "tests/tested_by.txt").read_text().splitlines()[1:]
    assert lines == sorted({*lines})


def programs(text):
    """(folder, words) of each callbridge_tests() in a list of CMake's."""
    text = re.sub("#.*", "", text)
    for match in re.finditer(r"\bcallbridge_tests\(([\w/]+)", text):
        end, depth = match.end(), 1
        while depth:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        yield match[1], {*re.findall(r"\w+", text[match.end() : end])}


def test_each_test_is_in_a_program():
    """In callbridge_tests(), or named by its folder's own list of CMake's."""
    files = files_of_the_tree()
    lists = {name: (ROOT / name).read_text() for name in files if "CMakeLists.txt" in name}
    within = [found for text in lists.values() for found in programs(text)]
    assert len(within) > 10
    for name in files:
        if match := re.fullmatch(r"tests/(.+)/(\w+)_test\.cc", name):
            folder, test = match.groups()
            listed = any(folder == of and test in words for of, words in within)
            own = lists.get(f"tests/{folder}/CMakeLists.txt", "")
            assert listed or f"{test}_test.cc" in own, name


def program_name(folder, words):
    named = [word for word in words if word.endswith("_test")]
    return named[0] if "PROGRAM" in words else folder.replace("/", "_") + "_test"


def test_each_program_is_emulated_or_left_out():
    """`make test-aarch64` runs it, or tests/not_emulated.txt says why not."""
    lists = [ROOT / name for name in files_of_the_tree() if "CMakeLists.txt" in name]
    known = {program_name(*found) for file in lists for found in programs(file.read_text())}
    script = (ROOT / "scripts/test_aarch64").read_text()
    emulated = {*re.search(r"^programs=\((.*?)^\)", script, re.M | re.S)[1].split()}
    reasons = (ROOT / "tests/not_emulated.txt").read_text()
    left_out = {*re.findall(r"^(\w+_test)  \S", reasons, re.M)}
    assert emulated & left_out == set()
    assert emulated | left_out == known


def test_lists_are_read_rightly():
    text = 'callbridge_tests(a TOGETHER "b c" X=$<F:(d)>)\n# callbridge_tests(e f)\ng()'
    assert list(programs(text)) == [("a", {"TOGETHER", "b", "c", "X", "F", "d"})]


@pytest.mark.parametrize(
    "files, table, expected",
    [
        (["a/b.cc", "tests/a/b_test.cc"], {}, []),
        (["a/b/c.cc", "tests/a/b_c_test.cc"], {}, []),
        (["a/b/c.cc", "tests/b/c_test.cc"], {}, []),
        (["a/b/c.cc", "tests/a/c_test.cc"], {}, []),
        (["a/b.cc", "tests/a/other_test.cc"], {}, ["a/b.cc has no test"]),
        (["a/b.cc", "tests/a/other_test.cc"], {"a/b.cc": "tests/a/other_test.cc"}, []),
        (["a/b.c", "tests/a/test_b.py"], {"a/b.c": "tests/a/test_b.py"}, []),
        (["a/b.cc"], {"a/b.cc": "tests/a/gone.cc"}, ["tests/a/gone.cc is not there"]),
        (["t/x.h"], {"a/gone.cc": "t/x.h"}, ["a/gone.cc is not there"]),
        (
            ["a/b.cc", "tests/a/b_test.cc"],
            {"a/b.cc": "tests/a/b_test.cc"},
            ["a/b.cc has a test of its name"],
        ),
    ],
)
def test_a_fault_is_found(files, table, expected):
    assert faults(files, table) == expected
