import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "matrix"), str(TESTS / "gpu")]

import packages  # noqa: E402


@pytest.fixture(scope="session")
def headers(tmp_path_factory):
    """A folder with the wheel callbridge-headers."""
    folder = tmp_path_factory.mktemp("headers")
    words = ("wheel", "--no-deps", "--wheel-dir", folder, packages.ROOT / "python/headers")
    packages.run(packages.PYTHON, "-m", "pip", *words, **packages.pip(folder))
    return folder
