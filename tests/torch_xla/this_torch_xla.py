"""The PyTorch/XLA that the tests run with, and what it can."""

import pytest

torch_xla = pytest.importorskip("torch_xla", reason="make test-frameworks has PyTorch/XLA")

RELEASE = tuple(map(int, torch_xla.__version__.split(".")[:2]))
# Up to 2.6 PyPI's PyTorch/XLA has std::string of the old ABI.
CALLS_UNTYPED = RELEASE >= (2, 7)
# Its XLA FFI is that of jaxlib 0.4.30.
HAS_INSTANTIATE = RELEASE >= (2, 5)

needs_untyped = pytest.mark.skipif(
    not CALLS_UNTYPED, reason="the XLA of this PyTorch/XLA has std::string of the old ABI"
)
needs_instantiate = pytest.mark.skipif(
    not HAS_INSTANTIATE, reason="the XLA of this PyTorch/XLA has no stage INSTANTIATE"
)
only_typed = pytest.mark.skipif(CALLS_UNTYPED, reason="this PyTorch/XLA calls untyped targets")


def xla(tensor):
    return tensor.to(torch_xla.device())
