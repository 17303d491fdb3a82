"""The libraries of targets that tests/python/CMakeLists.txt and tests/targets build."""

import os
import pathlib

import pytest


@pytest.fixture(scope="session")
def built() -> pathlib.Path:
    """tests/ in CALLBRIDGE_BUILD, or else beside libcallbridge.so."""
    build = os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
    return pathlib.Path(build) / "tests"
