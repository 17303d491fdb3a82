"""What the tests of AOT operators share: libraries of operators.cc, for each string ABI."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))


@pytest.fixture(params=["old", "new"])
def operators(request):
    return str(BUILD / f"tests/mindspore_aot/aot_operators_{request.param}.so")
