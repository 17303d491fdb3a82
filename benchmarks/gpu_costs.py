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
# XLA:GPU copies shapes in each untyped call, six allocations of one size. The C library keeps seven
# free ones of a size for each thread, and what it does with the next depends on what lies beside
# them: 10 to 100 instructions a call more or less. So it keeps all of them.
ALLOCATOR = "glibc.malloc.tcache_count=10000"


def measure(folder, out):
    """The Cost of each path; `out` is for callgrind's files."""
    sys.path.insert(0, str(ROOT / "tests/gpu"))
    import xla_gpu

    release = xla_gpu.releases()[-1]
    program = [ROOT / "tests/gpu/start.py", gpu_calls.__file__, folder, "count", *COUNTED]
    _, counts = callgrind.dumps(
        [sys.executable, *program],
        out,
        ["--collect-atstart=no"],
        **xla_gpu.environment(release),
        JAX_PLATFORMS="cuda,cpu",
        XLA_PYTHON_CLIENT_PREALLOCATE="false",
        TF_CPP_MIN_LOG_LEVEL="3",
        GLIBC_TUNABLES=ALLOCATOR,
    )
    few, many = COUNTED
    calls = REPEAT * (many - few)
    return {
        path: Cost((counts[f"{path} {many}"] - counts[f"{path} {few}"]) / calls) for path in PATHS
    }


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
