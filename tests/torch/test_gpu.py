"""The tests in gpu/, over the stand-in for CUDA's driver: genuine PyTorch with two devices, on a
machine without a GPU."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

HERE = pathlib.Path(__file__).parent
# Those that depend on how tensors are read and calls are made; and all.
OF_CALLS = [str(HERE / f"gpu/test_gpu_{name}.py") for name in ("calls", "streams", "bad_input")]
ALL = [str(HERE / "gpu")]


@pytest.fixture
def standin(built, tmp_path):
    """The environment of a process in which torch finds the stand-in's libraries. Preloaded, since
    torch looks for the genuine ones, or scripts/cuda_stubs' stubs of them, in its own folders
    first."""
    if torch.version.cuda is None:
        pytest.skip("this PyTorch is not built for CUDA")
    if os.environ.get("CALLBRIDGE_GPU") == "device":
        pytest.skip("gpu/ runs on this machine's device")
    release = torch.version.cuda.split(".")[0]
    folder = built / "gpu" / f"cuda{release}"
    cudart = folder / f"libcudart.so.{release}"
    assert cudart.exists(), "build gpu_standin first"
    return {
        "LD_LIBRARY_PATH": str(folder),
        "LD_PRELOAD": f"{folder}/libcuda.so.1 {cudart}",
        "CALLBRIDGE_STANDIN_VERSION": "12090" if release == "12" else f"{release}000",
        # So that a result that is read too early is wrong.
        "CALLBRIDGE_STANDIN_DELAY_US": "300",
        "CALLBRIDGE_STANDIN_LEDGER": str(tmp_path / "ledger"),
    }


def run(environment, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def run_tests(environment, tests):
    done = run(environment, "-m", "pytest", "-q", *tests)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert re.search(r"\d+ passed", done.stdout) and "skipped" not in done.stdout, done.stdout
    ledger = pathlib.Path(environment["CALLBRIDGE_STANDIN_LEDGER"]).read_text()
    # What torch asks for and does without does not matter.
    assert not re.search("destroyed twice|double free|function called", ledger), ledger


def test_cuda_tensors(standin):
    run_tests(standin, ALL)


def test_cuda_tensors_without_the_module_in_c(standin, without_extension):
    run_tests({**standin, **without_extension}, OF_CALLS)


@pytest.mark.skipif(
    not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"),
    reason="this torch has none of DLPack's C functions, so all tests read attributes",
)
def test_cuda_tensors_by_attributes(standin):
    run_tests({**standin, "CALLBRIDGE_TEST_WITHOUT_DLPACK": "1"}, OF_CALLS)


def test_rocm(standin):
    """As torch's builds for ROCm have it: a device "cuda" whose targets are for ROCM."""
    done = run(standin, str(HERE / "on_rocm.py"))
    assert (done.returncode, done.stdout) == (0, "called on 1\n"), done.stdout + done.stderr


def test_no_device(standin):
    """The driver has none: what is wrong is said, and the CPU's targets run."""
    environment = {**standin, "CALLBRIDGE_STANDIN_DEVICES": "0"}
    done = run(environment, str(HERE / "without_device.py"))
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stdout + done.stderr
