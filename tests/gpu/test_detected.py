"""What is wrong on a GPU is found without one: the stand-in for the driver is no host memory, and
does nothing at once."""

import functools
import signal

import pytest
import xla_gpu

pytestmark = pytest.mark.skipif(xla_gpu.ON_DEVICE, reason="of the stand-in for the driver")
RELEASES = [] if xla_gpu.ON_DEVICE else xla_gpu.releases()
UNTYPED = xla_gpu.TARGETS / "untyped.so"


@pytest.fixture(params=RELEASES)
def release(request):
    if why := xla_gpu.missing(request.param):
        pytest.skip(why)
    return request.param


@functools.cache
def wrong(release):
    """What becomes of a target that throws, and then of one that reads device memory."""
    return xla_gpu.run(release, "detected.py", UNTYPED, "throws", "dereferences")


def test_a_target_that_dereferences_device_memory_crashes(release):
    assert wrong(release).status == -signal.SIGSEGV, wrong(release).errors


def test_an_exception_is_an_error(release):
    words = "CustomCall failed: the target threw std::runtime_error: thrown on a GPU"
    assert words in wrong(release).output


def test_a_target_that_nobody_waits_for_is_late(release):
    """With what XLA itself waits for, it is right or wrong by chance."""
    delay = {"CALLBRIDGE_STANDIN_DELAY_US": "30000"}
    done = xla_gpu.run(release, "detected.py", UNTYPED, "late", **delay)
    assert done.status == 0, done.errors
    assert done.output.splitlines()[-1] != "[1. 2. 3. 4.]"


def test_rows_are_right_on_late_streams(release):
    delay = {"CALLBRIDGE_STANDIN_DELAY_US": "3000"}
    done = xla_gpu.run(release, "gpu_cell.py", UNTYPED, "tuples", "status_returning", **delay)
    assert done.status == 0, done.errors


def test_callbridge_leaves_nothing_behind(release):
    row = ("gpu_cell.py", UNTYPED, "original")
    done = xla_gpu.run(release, *row, with_ledger=True)
    assert done.status == 0, done.errors
    assert "taken by xla_cuda_plugin.so" in done.ledger
    assert "libcallbridge.so" not in done.ledger
    assert "unknown function" not in done.ledger, done.ledger
