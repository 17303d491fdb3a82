"""What a call costs inside a jitted JAX function, by each way that leads to it, and how long
callbridge.jax and callbridge.resurrect take to be imported."""

import os
import statistics
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import callgrind
import jax_calls
from jax_calls import PATHS, REPEAT

SCRIPT = Path(jax_calls.__file__)
COUNTED, TIMED = (64, 320), (10, 1010)
IMPORTS = 9
IMPORTED = ("callbridge.jax", "callbridge.resurrect")

Cost = namedtuple("Cost", "nanoseconds instructions")
# Milliseconds: CPU time's and time's minimum and median of several processes.
Import = namedtuple("Import", "cpu_minimum cpu_median minimum median modules")


def measure(folder):
    """A path and its cost after the other: each takes valgrind a minute."""
    for path in PATHS:
        yield path, Cost(nanoseconds(folder, path), instructions(folder, path))


def nanoseconds(folder, path):
    command = [sys.executable, SCRIPT, folder, path, "time", *TIMED]
    return float(run(command))


def instructions(folder, path):
    # Valgrind knows no AVX-512.
    few, many = (
        callgrind.instructions(
            [sys.executable, SCRIPT, folder, path, "count", chain],
            ["--collect-atstart=no"],
            XLA_FLAGS="--xla_cpu_max_isa=AVX2",
            TF_CPP_MIN_LOG_LEVEL="3",
        )
        for chain in COUNTED
    )
    return (many - few) / (REPEAT * (COUNTED[1] - COUNTED[0]))


def imports(python=sys.executable):
    """What the import of a module after jax takes, by its name."""
    return {module: import_cost(python, module) for module in IMPORTED}


def import_cost(python, module):
    code = (
        "import jax, sys, time\nloaded = len(sys.modules)\n"
        f"begin, cpu = time.perf_counter(), time.process_time()\nimport {module}\n"
        "print(1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - begin),"
        " len(sys.modules) - loaded)"
    )
    run([python, "-c", code])  # compiles what is not compiled yet
    rounds = [run([python, "-c", code]).split() for _ in range(IMPORTS)]
    cpu, elapsed, modules = zip(*rounds, strict=True)
    cpu, elapsed = list(map(float, cpu)), list(map(float, elapsed))
    return Import(
        *(min(cpu), statistics.median(cpu), min(elapsed), statistics.median(elapsed)),
        int(modules[0]),
    )


def run(command):
    return subprocess.run(
        list(map(str, command)),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    ).stdout


def budgets(costs):
    """What is promised, what is measured: (what, limit, measured)."""
    native = min(costs["native_1"].instructions, costs["native_3"].instructions)
    yield (
        "jax.jit, version 3, more than the faster native call: instructions",
        30.0,
        costs["version_3"].instructions - native,
    )
    # Nothing proves such a function's version, so a status is passed: 15 more, as by typed FFI.
    for version in ("1", "2"):
        yield (
            f"jax.jit, {PATHS[f'resurrect_{version}']}, more than the native call: instructions",
            45.0,
            costs[f"resurrect_{version}"].instructions - costs[f"native_{version}"].instructions,
        )
    for path, limit in (("typed", 60.0), ("typed_declared", 75.0)):
        yield (
            f"jax.jit, {PATHS[path]}, more than a raw handler: instructions",
            limit,
            costs[path].instructions - costs["raw"].instructions,
        )
