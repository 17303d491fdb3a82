"""examples/gpu: what nvcc made of it, and its kernels in genuine XLA:GPU.

Over the stand-in for the driver with a libcudart.so that finds the PTX that nvcc wrote; on a device
as users build it, with nvcc's own.
"""

import json
import pathlib
import re
import subprocess

import pytest
from xla_gpu import BUILD, ON_DEVICE, environment, missing, releases, run

FOLDER = BUILD / "examples/gpu"
FLAGS = "--xla_gpu_enable_command_buffer=CUSTOM_CALL,FUSION --xla_gpu_graph_min_graph_size=1"
NAMES = (
    *("add_repeated", "add_repeated_or_fail", "add_repeated_unified", "add_repeated_twice"),
    *("add_repeated_typed", "AddRepeatedAot"),
)

needs_toolkit = pytest.mark.skipif(
    not (FOLDER / "add_repeated.so").exists(),
    reason="examples/gpu is not built: no CUDA Toolkit was found at configure time",
)


@needs_toolkit
def test_what_nvcc_made():
    done = subprocess.run(
        [BUILD / "callbridge", "inspect", FOLDER / "add_repeated.so"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (kernels,) = re.findall("CUDA kernels for (.*)", done.stdout)
    built = set(kernels.split(", "))
    assert built >= {"sm_90"} and any(each.startswith("compute_") for each in built), kernels
    assert not built - {
        f"{kind}_{n}" for kind in ("sm", "compute") for n in (75, 80, 86, 89, 90, 100)
    }
    text = done.stdout
    assert re.search(r"add_repeated\(CUstream_st\*.*original", text, re.DOTALL), text
    assert re.search(r"add_repeated_or_fail\(CUstream_st\*.*status_returning", text, re.DOTALL)


@needs_toolkit
@pytest.mark.parametrize("release", releases(), ids=str)
def test_kernels_of_nvcc(release):
    why = missing(release)
    if why:
        pytest.skip(why)
    library = FOLDER / ("add_repeated.so" if ON_DEVICE else "add_repeated_ptx.so")
    if not ON_DEVICE:
        (cudart,) = set(re.findall(rb"libcudart\.so\.\d+", library.read_bytes()))
        standins = pathlib.Path(environment(release)["LD_LIBRARY_PATH"].split(":")[0])
        if not (standins / cudart.decode()).exists():
            pytest.skip(f"the plugin of jax {release} is for another CUDA than {cudart.decode()}")
    outcome = run(release, "examples_program.py", library, flags=FLAGS)
    assert outcome.status == 0, outcome
    found = {}
    for line in outcome.output.splitlines():
        if line.startswith("{"):
            found.update(json.loads(line))
    for name in NAMES:
        assert found[name] == [True] * 3, (name, found)
    words = "CustomCall failed: the opaque is no number of elements"
    assert all(words in error for error in found["failure"])
    graphs = found["graphs launched"]
    # Each function's last two runs at least.
    assert graphs is None or graphs >= 2 * len(NAMES)
