"""The PyTorch/XLA that the tests run with, and what it can."""

import pytest

torch_xla = pytest.importorskip("torch_xla", reason="make test-frameworks has PyTorch/XLA")

RELEASE = tuple(map(int, torch_xla.__version__.split(".")[:2]))
# Up to 2.6 PyPI's PyTorch/XLA has std::string of the old ABI, so that untyped targets are called by
# typed FFI.
CALLS_BY_VERSION_3 = RELEASE >= (2, 7)
# Before, its XLA FFI is that of jaxlib 0.4.30.
HAS_INSTANTIATE = RELEASE >= (2, 5)

needs_version_3 = pytest.mark.skipif(
    not CALLS_BY_VERSION_3, reason="this PyTorch/XLA has std::string of the old ABI"
)
needs_instantiate = pytest.mark.skipif(
    not HAS_INSTANTIATE, reason="the XLA of this PyTorch/XLA has no stage INSTANTIATE"
)
without_instantiate = pytest.mark.skipif(
    HAS_INSTANTIATE, reason="the XLA of this PyTorch/XLA has the stage INSTANTIATE"
)


def xla(tensor):
    return tensor.to(torch_xla.device())
