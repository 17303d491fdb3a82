"""What a call costs in XLA:GPU, by each way that leads to the same target, over the tests' stand-in
for the driver: instructions, since the device does nothing."""

import sys
from collections import namedtuple
from pathlib import Path

import callgrind
import gpu_calls
from gpu_calls import PATHS
from jax_calls import REPEAT

ROOT = Path(__file__).resolve().parent.parent
COUNTED = (16, 80)

Cost = namedtuple("Cost", "instructions")


def measure(folder):
    """A path and its cost after the other: each takes valgrind minutes."""
    sys.path.insert(0, str(ROOT / "tests/gpu"))
    import xla_gpu

    release = xla_gpu.releases()[-1]
    environment = {**xla_gpu.environment(release), "JAX_PLATFORMS": "cuda,cpu"}
    environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    for path in PATHS:
        yield path, Cost(instructions(folder, path, environment))


def instructions(folder, path, environment):
    program = [ROOT / "tests/gpu/start.py", gpu_calls.__file__, folder]
    few, many = (
        callgrind.instructions(
            [sys.executable, *program, path, "count", chain],
            ["--collect-atstart=no"],
            **{**environment, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        for chain in COUNTED
    )
    return (many - few) / (REPEAT * (COUNTED[1] - COUNTED[0]))


def budgets(costs):
    """What is promised, what is measured: (what, limit, measured)."""
    yield (
        "XLA:GPU, version 3, more than native: instructions",
        30.0,
        costs["version_3"].instructions - costs["native"].instructions,
    )
    yield (
        "XLA:GPU, typed FFI, more than a handler by hand: instructions",
        75.0,
        costs["typed"].instructions - costs["raw"].instructions,
    )
