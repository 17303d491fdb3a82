"""Where there is no PyTorch, as in `make test`: the tests of calls over stub/torch.py, which has as
much of PyTorch as callbridge.torch uses. Those that need PyTorch itself are skipped."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is not None, reason="the tests themselves run here"
)
OF_CALLS = ("calls", "bad_input", "aliases", "vmap")
ALL = (
    *(*OF_CALLS, "modules", "gradients", "operators_of_mindspore", "modes", "processes"),
    *("attribute_bits", "compile"),
)
# They look at graphs, and at views of dimensions, that the stub has not.
NOT_HERE = (
    *("test_one_graph_for_all_sizes", "test_an_unused_call_with_an_effect_stays"),
    *("test_an_exported_program_runs_in_another_process", "test_make_fx"),
    "test_a_rule_of_the_users",
)


def passed(names, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", " and ".join(f"not {n}" for n in NOT_HERE)]
        + [str(HERE / f"test_{name}.py") for name in names],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "python", HERE / "stub"))),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return int(re.search(r"(\d+) passed", done.stdout)[1])


def test_calls():
    assert passed(ALL) >= 325


def test_calls_without_the_module_in_c(without_extension):
    assert passed(OF_CALLS, **without_extension) >= 198


def check_program(name, printed, **environment):
    path = os.pathsep.join(map(str, (ROOT / "python", HERE / "stub")))
    done = subprocess.run(
        [sys.executable, HERE / f"{name}.py"],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, printed), done.stdout + done.stderr


def test_rocm(without_extension):
    """Where targets get a stream and pointers."""
    check_program("on_rocm", "called on 1\n")
    check_program("on_rocm", "called on 1\n", **without_extension)


def test_cuda(built, tmp_path):
    """Over the stand-in for CUDA's driver."""
    folder = built / "gpu/cuda12"
    environment = {
        "LD_LIBRARY_PATH": str(folder),
        "LD_PRELOAD": str(folder / "libcuda.so.1"),
        "CALLBRIDGE_STANDIN_VERSION": "12090",
        "CALLBRIDGE_STANDIN_LEDGER": str(tmp_path / "ledger"),
    }
    check_program("on_cuda", "done\n", **environment)


def test_no_device():
    check_program("without_device", "done\n")
