"""Calls that come while the interpreter ends."""

import pathlib
import subprocess
import sys

import pytest
from this_jax import has

PROGRAM = pathlib.Path(__file__).with_name("last_calls.py")


WHO = ["atexit", "del", "threads"]
if not has("the jax.ffi.ffi_call that callbridge uses"):
    WHO.append("lowering")  # by version 3, which later leads to no typed handlers


@pytest.mark.parametrize("who", WHO)
def test_calls_at_exit(uses, who):
    for _ in range(3 if who == "lowering" else 1):
        command = [sys.executable, PROGRAM, uses.parents[1], who]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, (done.returncode, done.stderr)
        if "in check_array_xla_sharding" in done.stderr and "sys.meta_path is None" in done.stderr:
            pytest.skip(
                "this JAX (0.4.38, 0.5.3) imports modules in each call, which it cannot so late"
            )
        assert "Exception ignored" not in done.stderr, done.stderr
        # Above it what a GPU's plugin writes.
        assert done.stdout.splitlines()[-1].startswith("called "), done
