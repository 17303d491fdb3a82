"""scripts/test_changed runs what a change can touch, and no more than that."""

import changed
import pytest


def test_a_module_touches_those_that_reach_it():
    found = changed.commands(["python/callbridge/resurrect/_builder/_math.py"])
    assert "scripts/pytest_on TODAY tests/resurrect" in found
    assert "scripts/pytest_on TODAY tests/torch" not in found
    core = changed.commands(["python/callbridge/_core/_shapes.py"])
    for folder in ("jax", "numpy", "torch", "python", "resurrect"):
        assert f"scripts/pytest_on TODAY tests/{folder}" in core, folder


def test_a_folder_of_cpp_touches_those_above_it():
    below, above = (changed.commands([name]) for name in ("abi/shape.cc", "client/plan.cc"))
    assert below[0] == above[0] == "scripts/build dev"
    assert "adapters" in below[1] and "adapters" not in above[1] and "client" in above[1]
    assert "scripts/pytest_on TODAY tests/resurrect" in below


@pytest.mark.parametrize(
    "files, expected",
    [
        ([], []),
        (["tests/numpy/test_options.py"], ["scripts/pytest_on TODAY tests/numpy"]),
        (
            ["docs/speed.md"],
            ["scripts/pytest_on TODAY tests/documents", "scripts/pytest_on TODAY tests/house"],
        ),
        (["CMakeLists.txt"], ["make test"]),
        (["scripts/pytest"], ["make test"]),
        (
            ["tests/abi/shape_test.cc"],
            ["scripts/build dev", "scripts/ctest dev '^(abi)[._]'"],
        ),
    ],
)
def test_others(files, expected):
    assert changed.commands(files) == expected


def test_every_folder_of_tests_is_known():
    """A folder of Python tests that is reached by no module would never run."""
    alone = {folder for folder, found in changed.python_folders().items() if not found}
    # They start the command, a compiler or other programs, or look at the tree.
    assert alone <= {f"tests/{name}" for name in ALONE}, alone


ALONE = ("documents", "gpu", "hlo", "house", "include", "install", "pjrt", "typed_ffi")
