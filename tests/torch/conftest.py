"""What the tests of callbridge.torch share: the libraries of targets, opened once.

They run in PyTorch's own environments: make test-frameworks has them. Over stub/ those that need
PyTorch itself are skipped.
"""

import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

# What torch.compile keeps of other runs is found by operators' names, and not by what they do.
CACHE = tempfile.mkdtemp(prefix="callbridge-inductor-")
os.environ["TORCHINDUCTOR_CACHE_DIR"] = CACHE

LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])


def pytest_unconfigure():
    shutil.rmtree(CACHE, ignore_errors=True)


@pytest.fixture(scope="session")
def built() -> pathlib.Path:
    """tests/ in CALLBRIDGE_BUILD, or else beside libcallbridge.so."""
    return pathlib.Path(os.environ.get("CALLBRIDGE_BUILD") or LIBRARY.parent) / "tests"


@pytest.fixture(scope="session", autouse=True)
def loaded(built):
    """All targets by their names, and the path of MindSpore's operators."""
    if importlib.util.find_spec("torch") is None:
        return None
    import callbridge.torch

    callbridge.torch.load(built / "torch/torch_targets.so")
    callbridge.torch.load(built / "python/targets.so")
    callbridge.torch.load(built / "targets/typed_handlers.so")
    return str(built / "mindspore_aot/aot_operators_new.so")


@pytest.fixture
def without_extension(built, tmp_path) -> dict[str, str]:
    """The environment of a process that does without the module in C."""
    for path in LIBRARY.parent.iterdir():  # with the library, the programs that it runs
        if path.is_file() and path.name != "callbridge_python.abi3.so":
            (tmp_path / path.name).symlink_to(path)
    return {
        "CALLBRIDGE_LIBRARY": str(tmp_path / LIBRARY.name),
        "CALLBRIDGE_BUILD": str(built.parent),
    }


def pytest_configure():
    if os.environ.get("CALLBRIDGE_TEST_WITHOUT_DLPACK"):
        import torch

        del torch.Tensor.__dlpack_c_exchange_api__


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    outcome = yield
    error = outcome.excinfo and outcome.excinfo[1]
    lacking = getattr(sys.modules.get("torch"), "Lacking", ())
    while error is not None:
        if isinstance(error, lacking):
            outcome.force_exception(pytest.skip.Exception(str(error)))
            return
        error = error.__cause__ or error.__context__
