"""Functions that leave by what is no C++ exception, called by callbridge.torch."""

import importlib.util

import leaves
import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("make test-frameworks has PyTorch", allow_module_level=True)


@pytest.mark.parametrize("way", ["0", "thread"])
@pytest.mark.parametrize("stage", leaves.STAGES)
def test_eager(built, stage, way):
    leaves.check(leaves.call("torch", built / "targets/leaves.so", stage, way), way)
