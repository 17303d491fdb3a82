"""Measures what a call costs, and draws it: `make bench`.

Times are Google Benchmark's (the median of several runs; noisy on a shared machine), instructions
are callgrind's: the difference between two counts of calls, so that nothing but the calls is in
it. Both go to build/bench/results.json, the picture to build/bench/calls.svg and .png. Exits with
1 where a budget of docs/architecture.md is not kept.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
OUT = ROOT / "build/bench"
CALL_COST = BUILD / "benchmarks/call_cost"
COUNTS = (1_000, 11_000)
# In JAX: calls that follow each other in one jitted function, which runs jax_calls.REPEAT times.
CHAINS, REPEAT = (64, 320), 20
JAX_PATHS = {
    "native_1": "native, version 1",
    "native_3": "native, called as version 3",
    "version_3": "callbridge, version 3",
    "typed": "callbridge, typed FFI",
}
SIZES = (1, 4, 8, 16)


def callgrind(*command, **environment):
    """Instructions that `command` takes, all threads together."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0", **environment},
    )
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        sys.exit(f"callgrind failed on {command}:\n{done.stderr[-2000:]}")
    return int(collected[1])


def instructions(case):
    few, many = (callgrind(CALL_COST, "--calls", case, n) for n in COUNTS)
    return (many - few) / (COUNTS[1] - COUNTS[0])


def jax_instructions(path):
    script = ROOT / "benchmarks/jax_calls.py"
    targets = BUILD / "benchmarks/measured_targets.so"
    # Valgrind knows no AVX-512.
    few, many = (
        callgrind(
            "--collect-atstart=no",
            sys.executable,
            script,
            targets,
            path,
            chain,
            XLA_FLAGS="--xla_cpu_max_isa=AVX2",
            TF_CPP_MIN_LOG_LEVEL="3",
        )
        for chain in CHAINS
    )
    return (many - few) / (REPEAT * (CHAINS[1] - CHAINS[0]))


def times():
    """Median nanoseconds a call, by case."""
    done = subprocess.run(
        [
            CALL_COST,
            "--benchmark_format=json",
            "--benchmark_repetitions=5",
            "--benchmark_min_time=0.05",
            "--benchmark_report_aggregates_only=true",
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return {
        each["run_name"]: each["cpu_time"]
        for each in json.loads(done.stdout)["benchmarks"]
        if each["aggregate_name"] == "median"
    }


def slope(counts, name, sizes):
    """Instructions that one leaf more takes, between the smallest size and the largest."""
    first, last = sizes[0], sizes[-1]
    return (counts[f"{name}/{last}"] - counts[f"{name}/{first}"]) / (last - first)


def budgets(counts, jax):
    """What is promised, what is measured: (what, limit, measured)."""
    for n in SIZES:
        yield (
            f"Execute, {n} operands, against the direct call: ratio",
            2.0,
            counts[f"execute/{n}"] / counts[f"direct/{n}"],
        )
    leaf = slope(counts, "tuple of leaves and a tuple", (4, 64))
    flat = slope(counts, "execute", SIZES)
    yield "a leaf in a list with a tuple, more than a flat operand: instructions", 2.0, leaf - flat
    native = min(jax["native_1"], jax["native_3"])
    yield (
        "jax.jit, version 3, more than the faster native call: instructions",
        30.0,
        jax["version_3"] - native,
    )


def draw(counts, jax):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (calls, leaves, inside) = plt.subplots(1, 3, figsize=(15, 4.5))
    for name in ("direct", "execute", "execute, version declared only"):
        calls.plot(SIZES, [counts[f"{name}/{n}"] for n in SIZES], marker="o", label=name)
    calls.plot(SIZES, [2 * counts[f"direct/{n}"] for n in SIZES], ":", color="gray", label="budget")
    calls.set(
        title="One call of a version-1 target",
        xlabel="array operands",
        ylabel="instructions",
        xticks=SIZES,
        ylim=0,
    )
    calls.legend()
    sizes = (4, 8, 16, 32, 64)
    for name in ("tuple of leaves and a tuple", "documentation's tuple"):
        leaves.plot(sizes, [counts[f"{name}/{n}"] for n in sizes], marker="o", label=name)
    leaves.set(title="Tuple operands", xlabel="leaves", ylabel="instructions", xticks=sizes, ylim=0)
    leaves.legend()
    bars = inside.barh(list(JAX_PATHS.values())[::-1], [jax[p] for p in JAX_PATHS][::-1])
    inside.bar_label(bars, fmt="%.0f", padding=3)
    inside.set(title="One call inside jax.jit", xlabel="instructions, XLA's own included")
    inside.margins(x=0.15)
    figure.tight_layout()
    for kind in ("svg", "png"):
        figure.savefig(OUT / f"calls.{kind}", dpi=110)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    print("times", flush=True)
    nanoseconds = times()
    counts, jax = {}, {}
    for case in nanoseconds:
        counts[case] = instructions(case)
        print(
            f"  {case:62} {nanoseconds[case]:8.1f} ns {counts[case]:8.1f} instructions", flush=True
        )
    for path, name in JAX_PATHS.items():
        jax[path] = jax_instructions(path)
        print(f"  {'jax.jit: ' + name:62} {'':11} {jax[path]:8.1f} instructions", flush=True)
    rows = [
        {"what": what, "limit": limit, "measured": round(measured, 2), "kept": measured <= limit}
        for what, limit, measured in budgets(counts, jax)
    ]
    print("\nbudget")
    for row in rows:
        kept = "ok" if row["kept"] else "OVER"
        print(f"  {row['what']:68} {row['measured']:6.2f} of {row['limit']:5.1f}  {kept}")
    results = {
        "nanoseconds": nanoseconds,
        "instructions": counts,
        "jax instructions": jax,
        "budget": rows,
    }
    (OUT / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    draw(counts, jax)
    print(f"\n{OUT / 'results.json'}\n{OUT / 'calls.svg'}")
    return 0 if all(row["kept"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
