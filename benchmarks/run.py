"""Measures what a call costs, and draws it: `make bench`.

Times are Google Benchmark's (the median of several runs; noisy on a shared machine), instructions
are callgrind's: the difference between two counts of calls, so that nothing but the calls is in
it. Both go to build/bench/results.json, the pictures to docs/cost.svg and build/bench/. Exits with
1 where a budget of docs/speed.md is not kept.
"""

import json
import sys
from pathlib import Path

import callgrind
import compile_costs
import executor_costs
import google_benchmark
import gpu_costs
import handler_costs
import jax_costs
import pictures
import python_costs
import torch_costs
from pictures import SIZES

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
OUT = ROOT / "build/bench"
COST = ROOT / "docs/cost.svg"
CALL_COST = BUILD / "benchmarks/call_cost"
EXECUTABLE_COST = BUILD / "benchmarks/executable_cost"
HANDLER_COST = BUILD / "benchmarks/typed_ffi/handler_cost"
# Of one length: a longer argument shifts the stack, which changes what starting the program takes.
COUNTS = (11_000, 21_000)


def instructions(case):
    few, many = (callgrind.instructions([CALL_COST, "--calls", case, n]) for n in COUNTS)
    return (many - few) / (COUNTS[1] - COUNTS[0])


def slope(counts, name, sizes):
    """Instructions that one leaf more takes, between the smallest size and the largest."""
    first, last = sizes[0], sizes[-1]
    return (counts[f"{name}/{last}"] - counts[f"{name}/{first}"]) / (last - first)


def budgets(counts):
    """What is promised, what is measured: (what, limit, measured)."""
    for n in SIZES:
        yield (
            f"Execute, {n} operands, against the direct call: ratio",
            2.0,
            counts[f"execute/{n}"] / counts[f"direct/{n}"],
        )
    leaf = slope(counts, "tuple of leaves and a tuple", (4, 64))
    flat = slope(counts, "execute", SIZES)
    for sites in ("typed sites", "tuple sites"):
        yield (
            f"{sites} by version 3, 20000 distinct ones, against one: ratio",
            2.0,
            counts[f"{sites} by version 3/20000"] / counts[f"{sites} by version 3/1"],
        )
    yield "a leaf in a list with a tuple, more than a flat operand: instructions", 2.0, leaf - flat


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    print("times", flush=True)
    nanoseconds = google_benchmark.times(CALL_COST)
    counts = {}
    for case in nanoseconds:
        counts[case] = instructions(case)
        print(
            f"  {case:62} {nanoseconds[case]:8.1f} ns {counts[case]:8.1f} instructions", flush=True
        )
    jax = {}
    for path, cost in jax_costs.measure(BUILD / "benchmarks"):
        jax[path] = cost
        print(
            f"  {'jax.jit: ' + jax_costs.PATHS[path]:62} {cost.nanoseconds:8.1f} ns"
            f" {cost.instructions:8.1f} instructions",
            flush=True,
        )
    gpu = gpu_costs.measure(BUILD / "benchmarks", OUT)
    for path, cost in gpu.items():
        what = f"XLA:GPU over the stand-in: {gpu_costs.PATHS[path]}"
        print(f"  {what:62} {'':11} {cost.instructions:8.1f} instructions", flush=True)
    imports = jax_costs.imports()
    for module, cost in imports.items():
        what = f"import {module}, after jax, {cost.modules} modules"
        print(
            f"  {what:62} {cost.cpu_median:8.1f} ms of CPU time (minimum {cost.cpu_minimum:.1f}),"
            f" {cost.median:.1f} ms (minimum {cost.minimum:.1f})",
            flush=True,
        )
    python = python_costs.measure(BUILD / "benchmarks")
    for case, cost in python.items():
        what, other, _ = python_costs.CASES[case]
        print(
            f"  {what:62} {cost.median:8.2f} us, {other} {cost.other_median:.2f}",
            flush=True,
        )
    torch = torch_costs.measure(BUILD / "benchmarks", OUT)
    for version, by_case in torch.items():
        for case, (what, _) in torch_costs.CASES.items():
            print(
                f"  {f'torch {version}: {what}':62} {by_case[case].median:8.2f} us,"
                f" an empty operator {by_case['empty'].median:.2f}",
                flush=True,
            )
    executor = executor_costs.measure(EXECUTABLE_COST)
    for case, cost in executor.items():
        print(
            f"  {'a chain, ' + case:62} {cost.nanoseconds:8.1f} ns"
            f" {cost.instructions:8.1f} instructions",
            flush=True,
        )
    handlers = handler_costs.measure(HANDLER_COST, OUT)
    for case, cost in sorted(handlers.items()):
        print(
            f"  {case:62} {cost.nanoseconds:8.1f} ns {cost.instructions:8.1f} instructions",
            flush=True,
        )
    compiled = compile_costs.measure()
    for case, cost in compiled.items():
        print(f"  {'compiling ' + case:62} {cost.seconds:8.2f} s {cost.object_bytes:9} bytes")

    promised = [
        *budgets(counts),
        *jax_costs.budgets(jax),
        *gpu_costs.budgets(gpu),
        *python_costs.budgets(python),
        *torch_costs.budgets(torch),
        *handler_costs.budgets(handlers),
        *compile_costs.budgets(compiled),
    ]
    rows = [
        {"what": what, "limit": limit, "measured": round(measured, 3), "kept": measured <= limit}
        for what, limit, measured in promised
    ]
    print("\nbudget")
    for row in rows:
        kept = "ok" if row["kept"] else "OVER"
        print(f"  {row['what']:86} {row['measured']:7.2f} of {row['limit']:5.2f}  {kept}")
    results = {
        "nanoseconds": nanoseconds,
        "instructions": counts,
        "jax": {path: cost._asdict() for path, cost in jax.items()},
        "XLA:GPU": {path: cost._asdict() for path, cost in gpu.items()},
        "imports, milliseconds": {module: cost._asdict() for module, cost in imports.items()},
        "python": {case: cost._asdict() for case, cost in python.items()},
        "torch": {
            version: {case: cost._asdict() for case, cost in by_case.items()}
            for version, by_case in torch.items()
        },
        "executor": {case: cost._asdict() for case, cost in executor.items()},
        "handlers": {case: cost._asdict() for case, cost in handlers.items()},
        "compiling": {case: cost._asdict() for case, cost in compiled.items()},
        "budget": rows,
    }
    (OUT / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    pictures.cost(jax, gpu, executor, COST)
    pictures.calls(counts, OUT)
    pictures.handlers(handlers, OUT)
    for path in (OUT / "results.json", COST, OUT / "calls.svg", OUT / "handlers.svg"):
        print(path)
    return 0 if all(row["kept"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
