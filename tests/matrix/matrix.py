"""The grid, then every binary of the suite on every runtime: prints a line a cell, then the tables.

  matrix.py --build FOLDER --callbridge libcallbridge.so [--write FILE] [--svg FILE]
            [--runtimes 0.4.30,...]

FOLDER is the build's: of it the suite's suite_<headers>.so and exported.so; `ours` is callbridge's
own headers. Exits 1 where a cell of the grid, a binary of callbridge's, or one that went through
it, did not answer as it must.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "typed_ffi/suite")]

import cases  # noqa: E402
import exported_cases  # noqa: E402
import gpu_rows  # noqa: E402
import grid  # noqa: E402
import picture  # noqa: E402
import pytorch_xla  # noqa: E402
import registered  # noqa: E402
from headers import number_of  # noqa: E402
from jax_releases import WITH_HEADERS, used_by  # noqa: E402
from runtimes import python_of  # noqa: E402

ON_GPU = "XLA:GPU, over a stand-in for CUDA's driver; on no device yet"
RUNTIMES = used_by("suite")
ASKS = {case.name: case.asks for case in [*cases.CASES, *exported_cases.CASES]}


class Matrix:
    def __init__(self, options):
        self._options = options
        self._build = pathlib.Path(options.build).resolve() / "tests/typed_ffi/suite"
        self._callbridge = str(pathlib.Path(options.callbridge).resolve())
        self.cells = {}

    def run(self, mode, headers, runtime):
        python = python_of(runtime)
        library = self._build / ("exported.so" if headers == "exported" else f"suite_{headers}.so")
        command = [*python, str(HERE / "run_suite.py"), mode, str(library)]
        if mode in ("cross_version", "resurrect"):
            command += ["--callbridge", self._callbridge]
        if headers == "exported":
            command += ["--exported"]
        else:
            command += ["--headers", str(number_of(headers))]
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            outcomes = {"run_suite.py": ["error", done.stderr[-600:]]}
        else:
            outcomes = json.loads(done.stdout)
        self.cells[mode, headers, runtime] = outcomes
        print(f"{mode:8} {headers:9} on {runtime:9} {summary(outcomes)}", flush=True)


def summary(outcomes):
    """A cell of the tables."""
    counts = collections.Counter(outcome for outcome, _ in outcomes.values())
    failed = {outcome: n for outcome, n in counts.items() if outcome not in ("ok", "unimplemented")}
    lacking = sorted(
        {
            ask
            for name, (outcome, _) in outcomes.items()
            if outcome == "unimplemented"
            for ask in ASKS.get(name, ())
        }
    )
    parts = ["ok"] if not failed else [f"{counts['ok']} of {len(outcomes)}"]
    parts += [f"{n} {outcome}" for outcome, n in sorted(failed.items())]
    if lacking:
        parts.append(f"UNIMPLEMENTED: {', '.join(lacking)}")
    return "; ".join(parts)


def table(cells, mode, rows, runtimes):
    lines = [
        f"| headers \\ runtime | {' | '.join(runtimes)} |",
        "|---|" + "---|" * len(runtimes),
    ]
    for headers in rows:
        texts = [
            summary(cells[mode, headers, runtime]) if (mode, headers, runtime) in cells else "-"
            for runtime in runtimes
        ]
        lines.append(f"| {headers} | {' | '.join(texts)} |")
    return "\n".join(lines)


def failures(cells, modes):
    """The cases that failed, each with the cells and a text."""
    found = collections.OrderedDict()
    for (mode, headers, runtime), outcomes in cells.items():
        if mode not in modes:
            continue
        for name, (outcome, text) in outcomes.items():
            if outcome in ("ok", "unimplemented"):
                continue
            text = re.sub(r"0x[0-9a-f]+", "0x...", text.split("\n")[0])[:150].replace("|", "\\|")
            found.setdefault((name, outcome, text), []).append(f"{headers} on {runtime}")
    lines = ["| case | outcome | where |", "|---|---|---|"]
    for (name, outcome, text), where in found.items():
        places = ", ".join(where[:6]) + (f" and {len(where) - 6} more" if len(where) > 6 else "")
        lines.append(f"| {name} | {outcome}{': ' + text if text else ''} | {places} |")
    return "\n".join(lines) if found else "None."


def document(grid_cells, gpu_cells, cells, torch_columns, runtimes, left_out):
    total = len(cases.CASES)
    text = f"""# The matrix

`make matrix` writes this file. First the grid: a row for each ABI, a column for each runtime. Each
cell is a separate process. It makes the calls of its row by `callbridge.jax` (by `callbridge.numpy`
on the embedded runtime), by each path through XLA that the runtime has, and compares the results
with NumPy's, bit for bit (tests/matrix/grid_cell.py).

- `ok`: all calls passed.
- `UNIMPLEMENTED: ...`: the runtime lacks these features; calls that use them returned an error that
  names them, and all other calls passed.

![the grid](grid.svg)

{grid.markdown(grid_cells)}

## XLA:GPU

The same on the unmodified CUDA plugins of JAX, over a stand-in for the driver (tests/gpu/driver):
each cell is a process that makes the calls of its row by `callbridge.jax`, by each path that the
runtime has, and compares the results with NumPy's, bit for bit (tests/gpu/gpu_cell.py).

{gpu_rows.markdown(gpu_cells)}

## PyTorch/XLA

What each PyTorch/XLA can, by name, on its CPU device (tests/matrix/pytorch_xla_calls.py): its own
interface; the symbols that `callbridge.torch_xla` relies on, and whether registering by them works;
and calls through callbridge in a lazily traced graph and in `torch.compile(backend="openxla")`,
compared with NumPy's results, bit for bit.

{pytorch_xla.markdown(torch_columns)}

## The handler suite

The tables below are of the handler suite (tests/typed_ffi/suite: {total} calls in
tests/typed_ffi/suite/cases.py), which runs inside every jaxlib's XLA:CPU. Rows are the headers that
a binary was built with, columns the runtimes. A suite makes every call that the headers and the
runtime's programs can have, and checks results and error codes. `ok` and `UNIMPLEMENTED: ...` mean
the same as in the grid.

## One binary with callbridge's headers, called natively

{table(cells, "native", ["ours"], runtimes)}

## Binaries with XLA's own headers, called through callbridge

{table(cells, "cross_version", WITH_HEADERS, runtimes)}

## One binary with XLA's own headers, registered by JAX's own functions

The binary with the headers of {registered.HEADERS}: its handlers and types are registered by
`xla_client.register_custom_call_target` and `register_custom_type`, as a published wheel does.

{registered.markdown(cells, runtimes, summary)}

## Functions of the untyped ABIs with CALLBRIDGE_EXPORT, called natively

{table(cells, "native", ["exported"], runtimes)}

## Failures of the tables above

{failures({k: v for k, v in cells.items() if ours(k)}, ("native", "cross_version", "resurrect"))}

## For comparison: binaries with XLA's own headers, without callbridge

The number of calls that passed.

{table(cells, "native", WITH_HEADERS, runtimes)}
"""
    if left_out:
        text += f"\nNot run: {'; '.join(left_out)}.\n"
    return text


def ours(key):
    mode, headers, _ = key
    return mode in ("cross_version", "resurrect") or headers in ("ours", "exported")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--callbridge", required=True)
    parser.add_argument("--write")
    parser.add_argument("--svg", help="where to draw the grid")
    parser.add_argument("--json", help="where to write every outcome with its text")
    parser.add_argument("--runtimes", default=",".join(RUNTIMES))
    parser.add_argument("--grid-runtimes", default=",".join(grid.RUNTIMES))
    parser.add_argument("--headers", default=",".join(WITH_HEADERS))
    parser.add_argument("--parts", default="ours,cross_version,resurrect,exported,native")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    parts = options.parts.split(",")
    build, callbridge = pathlib.Path(options.build), pathlib.Path(options.callbridge)
    grid_cells, not_there = grid.run(
        build.resolve(), callbridge.resolve(), options.grid_runtimes.split(","), options.jobs
    )
    matrix = Matrix(options)
    runtimes = []
    left_out = [f"the grid's column {runtime}, which is not there" for runtime in not_there]
    for runtime in options.runtimes.split(","):
        if python_of(runtime):
            runtimes.append(runtime)
        else:
            left_out.append(f"jaxlib {runtime}, which is not there")
            print(f"jaxlib {runtime} is not there: its column is left out", flush=True)
    wanted = []
    for runtime in runtimes:
        if "ours" in parts:
            wanted.append(("native", "ours", runtime))
        if "exported" in parts:
            wanted.append(("native", "exported", runtime))
        if "resurrect" in parts:
            wanted += registered.wanted(runtime)
        for mode in ("cross_version", "native"):
            for headers in options.headers.split(",") if mode in parts else []:
                wanted.append((mode, headers, runtime))
    wanted = list(dict.fromkeys(wanted))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda cell: matrix.run(*cell), wanted))
    matrix.cells = {cell: matrix.cells[cell] for cell in wanted}
    torch_columns, no_torch = pytorch_xla.run(build.resolve(), callbridge.resolve())
    left_out += [f"PyTorch/XLA {release}, which is not there" for release in no_torch]
    gpu_cells, no_plugin = gpu_rows.run(build.resolve(), callbridge.resolve(), options.jobs)
    left_out += [f"XLA:GPU of jax {release}, which is not there" for release in no_plugin]
    if options.svg:
        on_cpu = {key: cell.text for key, cell in grid_cells.items()}
        picture.draw([("CPU", on_cpu), (ON_GPU, gpu_cells)], options.svg)
    text = document(grid_cells, gpu_cells, matrix.cells, torch_columns, runtimes, left_out)
    print("\n" + text)
    if options.write:
        pathlib.Path(options.write).write_text(text)
    if options.json:
        listed = {" ".join(key): outcomes for key, outcomes in matrix.cells.items()}
        pathlib.Path(options.json).write_text(json.dumps(listed, indent=1))
    bad = [
        key
        for key, outcomes in matrix.cells.items()
        if ours(key) and any(o not in ("ok", "unimplemented") for o, _ in outcomes.values())
    ]
    is_good = grid.is_good(grid_cells) and gpu_rows.is_good(gpu_cells)
    is_good = is_good and pytorch_xla.is_good(torch_columns)
    sys.exit(1 if bad or left_out or not is_good else 0)


if __name__ == "__main__":
    main()
