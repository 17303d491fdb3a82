"""The tests that a change can touch, as commands: what scripts/test_changed runs.

    changed.py FILE...

A Python module touches the folders of tests in which a file imports it, or a module that imports
it. A folder of C or C++ touches the C++ tests of the folders on its floor and above, and each
folder of Python tests whose files use the library. What nobody imports is a document, or the
house's affair.
"""

import re
import sys

from test_floors import FLOORS
from test_python_floors import PACKAGE, import_graph, reached
from the_tree import ROOT

TESTS = ROOT / "tests"
# In a program that a test writes too, which is a string.
IMPORTED = re.compile(r"(?:from|import) callbridge((?:\.\w+)*)(?: import (\([\w,\s]+\)|[\w, ]+))?")
CPP = {".c", ".cc", ".cpp", ".h", ".hpp", ".inc", ".cu"}


def python_folders():
    """The folders with Python tests, each with the modules of callbridge that it reaches."""
    graph = import_graph(PACKAGE)
    folders = {}
    for path in TESTS.rglob("*.py"):
        folder = path.relative_to(ROOT).parts[1]
        if path.name == "__init__.py" or path.parent == TESTS or folder == "wheel":
            continue  # tests/wheel is for `make test-wheel`
        text = path.read_text()
        direct = set()
        for dotted, names in IMPORTED.findall(text):
            module = dotted[1:]
            direct.add(module)
            direct |= {f"{module}.{name}".lstrip(".") for name in re.findall(r"\w+", names)}
        folders.setdefault(f"tests/{folder}", set()).update(reached(graph, direct & graph.keys()))
    return {
        folder: found
        for folder, found in folders.items()
        if list((ROOT / folder).rglob("test_*.py"))
    }


def commands(files):
    """What to run for these changed files, in order."""
    python, cpp, everything = set(), set(), False
    folders = python_folders()
    for name in files:
        top, *rest = name.split("/")
        suffix = name[name.rfind(".") :] if "." in name else ""
        if name.startswith("python/callbridge/"):
            dotted = name.removeprefix("python/callbridge/").removesuffix(".py").replace("/", ".")
            module = dotted.removesuffix("__init__").rstrip(".")
            python |= {folder for folder, found in folders.items() if module in found}
            python.add("tests/house")
        elif top == "tests" and rest[:1] and suffix == ".py":
            python.add(f"tests/{rest[0]}")
        elif top == "tests" and suffix in CPP:
            cpp.add(rest[0])
        elif top in FLOORS or top in ("include", "python", "examples", "tests"):
            floor = FLOORS.get(top, 1)
            cpp |= {folder for folder, other in FLOORS.items() if other >= floor}
            python |= folders.keys()
        elif suffix == ".md" or top == "docs":
            python |= {"tests/documents", "tests/house"}
        else:  # what builds, sets up or runs the tests
            everything = True
    if everything:
        return ["make test"]
    found = []
    if cpp:
        found.append("scripts/build dev")
        tests = "|".join(sorted(cpp & {path.name for path in TESTS.iterdir() if path.is_dir()}))
        found.append(f"scripts/ctest dev '^({tests})[._]'")
    found += [f"scripts/pytest_on TODAY {folder}" for folder in sorted(python & {*folders})]
    return found


def main():
    print("\n".join(commands(sys.argv[1:])))


if __name__ == "__main__":
    main()
