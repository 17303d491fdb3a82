"""Modules made by chance: random_modules.py says what is compared with genuine XLA."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests"
COUNT = 200
# The bits do not depend on them, and half of the time does. On another release
# random_modules_in_debian_13.py has XLA's defaults.
COMPILE_FAST = (
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
    "--xla_cpu_use_fusion_emitters=false"
)


def test_genuine_xla_computes_the_same_bits():
    program = BUILD / "genuine/random_modules"
    library = BUILD / "targets/described_calls.so"
    command = [sys.executable, HERE / "random_modules.py", program, library, "1", str(COUNT)]
    flags = f"{os.environ.get('XLA_FLAGS', '')} {COMPILE_FAST}"
    environment = {**os.environ, "XLA_FLAGS": flags}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.returncode} {done.stderr[-8000:]}"
    assert int(done.stdout) == COUNT
