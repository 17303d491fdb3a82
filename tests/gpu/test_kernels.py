"""XLA:GPU's own kernels between custom calls: fusions, reductions, loops, over the stand-in."""

import functools
import json
import os
import pathlib
import shutil

import pytest
import xla_gpu


@pytest.fixture(params=xla_gpu.newest())
def release(request):
    if reason := xla_gpu.missing(request.param):
        pytest.skip(reason)
    return request.param


@pytest.fixture(scope="module")
def data_folder():
    """XLA's ptxas of tests/gpu/toolkit, with the libdevice of a genuine toolkit if there is one.

    Copies, since the environment in Debian 13 sees this folder alone.
    """
    folder = xla_gpu.BUILD / "tests/gpu/toolkit"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(xla_gpu.FOLDER / "toolkit", folder)
    toolkit = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    if (toolkit / "nvvm/libdevice").is_dir():
        shutil.copytree(toolkit / "nvvm/libdevice", folder / "nvvm/libdevice")
    return folder


@pytest.fixture
def flags(release, data_folder):
    return f"--xla_gpu_cuda_data_dir={data_folder}" if release else ""


def check(found, count):
    assert len(found) >= count
    wrong = {name: what for name, what in found.items() if what}
    lacking = [name for name, what in wrong.items() if "libdevice not found" in what]
    assert {name: what for name, what in wrong.items() if name not in lacking} == {}
    if lacking:
        pytest.skip(f"this XLA takes libdevice of a CUDA toolkit, here is none: {lacking}")


@functools.cache
def outcomes(release, flags):
    """What is wrong with each kernel, by the part of kernels.py; of one process."""
    done = xla_gpu.run(release, "kernels.py", flags=flags)
    assert done.status == 0, done.output + done.errors
    return json.loads(done.output.splitlines()[-1])


def test_kernels_have_the_bits_of_numpy(release, flags):
    check(outcomes(release, flags)["exact"], 50)


def test_kernels_of_libdevice_are_near_numpy(release, flags):
    check(outcomes(release, flags)["near"], 6)


def test_unknown_instructions_are_refused_by_name(release):
    if release is None:
        pytest.skip("a device knows all instructions")
    done = xla_gpu.run(release, "half_precision.py")
    assert done.status == 0, done.output + done.errors
    assert "XlaRuntimeError" in done.output or "JaxRuntimeError" in done.output
    assert "f16" in done.errors, done.errors
    assert "still runs: 3.0" in done.output
