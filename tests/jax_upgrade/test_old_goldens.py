"""JAX's own artifacts that call untyped targets, wherever somebody has them.

CALLBRIDGE_JAX_GOLDENS names the folder: jax/_src/internal_test_util/export_back_compat_test_data of
JAX's public repository. Its states until June 2025 have artifacts that call untyped targets on the
CPU; that of May 2024 has most. Nothing of them is in this project.
"""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
FOLDER = os.environ.get("CALLBRIDGE_JAX_GOLDENS")


@pytest.mark.skipif(not FOLDER, reason="CALLBRIDGE_JAX_GOLDENS names no folder of JAX's test data")
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="jaxlib 0.4.13's targets need Python 3.11"
)
def test_the_recorded_outputs(build):
    folder = pathlib.Path(FOLDER)
    assert list(folder.rglob("cpu_*.py")), f"{folder} has no goldens of the CPU"
    jaxlib = pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / "old-packages/jaxlib-0.4.13/jaxlib/cpu"
    libraries = [jaxlib / "_lapack.so", jaxlib / "_ducc_fft.so"]
    for library in libraries:
        assert library.exists(), f"{library} is not there; scripts/old_packages"
    command = [sys.executable, HERE / "old_goldens.py", folder, build / "callbridge", *libraries]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    if not lines:
        pytest.skip(f"{folder} has no artifact that calls an untyped target on the CPU")
    assert len(lines) % 3 == 0 and all(line.endswith(" right") for line in lines)
