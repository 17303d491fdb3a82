"""The tests of callbridge.jax: they run on any JAX, each with that JAX's own Python."""

import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "matrix"))  # for jax_releases

# Before JAX starts its CPU backend.
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
)

import callbridge.jax  # noqa: E402
import callbridge.numpy  # noqa: E402
import jax  # noqa: E402
import pytest  # noqa: E402
from calls import Calls  # noqa: E402
from this_jax import PATHS  # noqa: E402
from this_platform import ON_GPU  # noqa: E402


@pytest.fixture(scope="session")
def tests_folder() -> pathlib.Path:
    """Of what is built: in CALLBRIDGE_BUILD, or else beside libcallbridge.so."""
    build = os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
    return pathlib.Path(build) / "tests"


@pytest.fixture(scope="session")
def platforms_folder(tests_folder) -> pathlib.Path:
    """Of those that are built for each platform."""
    return tests_folder / "gpu/suites" if ON_GPU else tests_folder


@pytest.fixture(scope="session")
def uses(platforms_folder) -> pathlib.Path:
    """The library of tests/jax/targets/uses.cc."""
    return platforms_folder / "jax/uses.so"


@pytest.fixture(scope="session")
def modules(platforms_folder) -> pathlib.Path:
    """The folder of the libraries of tests/python/targets."""
    return platforms_folder / "python"


@pytest.fixture(scope="session")
def library(uses) -> callbridge.jax.Library:
    return callbridge.jax.load(uses)


@pytest.fixture(params=PATHS)
def path(request, library) -> str:
    """A path through XLA, for what only untyped targets do."""
    return request.param


@pytest.fixture(params=[*PATHS, "handler"])
def calls(request, library) -> Calls:
    """The untyped functions by each path, and the typed handlers that compute the same."""
    return Calls(request.param)


@pytest.fixture(params=["numpy", "jax", "jax.jit"])
def call_on(request):
    """custom_call() of a face, as users call it."""
    if request.param == "numpy":
        return callbridge.numpy.custom_call
    if request.param == "jax":
        return callbridge.jax.custom_call
    return lambda *arguments, **options: jax.jit(callbridge.jax.custom_call(*arguments, **options))
