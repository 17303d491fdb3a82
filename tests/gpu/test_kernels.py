"""XLA:GPU's own kernels between custom calls: fusions, reductions, loops, over the stand-in."""

import json

import pytest
import xla_gpu


@pytest.fixture(params=xla_gpu.releases())
def release(request):
    if reason := xla_gpu.missing(request.param):
        pytest.skip(reason)
    return request.param


def check(done, count):
    assert done.status == 0, done.output + done.errors
    outcomes = json.loads(done.output.splitlines()[-1])
    assert len(outcomes) >= count
    assert {name: wrong for name, wrong in outcomes.items() if wrong} == {}


def test_kernels_have_the_bits_of_numpy(release):
    check(xla_gpu.run(release, "kernels.py", "exact"), 50)


def test_kernels_of_libdevice_are_near_numpy(release):
    done = xla_gpu.run(release, "kernels.py", "near")
    if "libdevice not found" in done.errors:
        pytest.skip("this XLA takes libdevice of a CUDA toolkit, which the stand-in's folder lacks")
    check(done, 6)


def test_unknown_instructions_are_refused_by_name(release):
    if release is None:
        pytest.skip("a device knows all instructions")
    done = xla_gpu.run(release, "half_precision.py")
    assert done.status == 0, done.output + done.errors
    assert "XlaRuntimeError" in done.output or "JaxRuntimeError" in done.output
    assert "f16" in done.errors, done.errors
    assert "still runs: 3.0" in done.output
