"""The grid: every ABI on every runtime, each cell in a process of its own, compared with NumPy.

  grid.py --build FOLDER --callbridge libcallbridge.so [--runtimes embedded,0.4.13,...]

FOLDER is the build's. Prints a line a cell, then the grid; exits 1 where a cell is not as it must
be. matrix.py writes it to docs/matrix.md.
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
sys.path[:0] = [str(HERE), str(HERE.parent / "typed_ffi/suite")]

from headers import OURS, number_of  # noqa: E402
from jax_releases import WITH_HEADERS, used_by  # noqa: E402
from runtimes import python_of  # noqa: E402

EMBEDDED = "embedded"
RUNTIMES = [EMBEDDED, *used_by("grid")]

USES = "tests/jax/uses.so"
SUITE = "tests/typed_ffi/suite/suite_{}.so"
AOT = "tests/mindspore_aot/aot_operators_{}.so"
# What people call it, the row of grid_cell.py, and the binaries with their headers' numbers.
ROWS = [
    ("ORIGINAL, array operands", "original", [(USES, OURS)]),
    ("ORIGINAL, nested tuple operand, tuple result", "original_tuples", [(USES, OURS)]),
    ("STATUS_RETURNING, success and failure", "status_returning", [(USES, OURS)]),
    ("STATUS_RETURNING_UNIFIED with binary opaque", "unified", [(USES, OURS)]),
    (
        "TYPED_FFI handler built with this project's headers",
        "typed",
        [(SUITE.format("ours"), OURS)],
    ),
    (
        f"TYPED_FFI handlers built with the genuine headers of {len(WITH_HEADERS)} "
        f"releases, {WITH_HEADERS[0]} to {WITH_HEADERS[-1]}",
        "typed",
        [(SUITE.format(release), number_of(release)) for release in WITH_HEADERS],
    ),
    (
        "MindSpore AOT operators, of both string ABIs",
        "mindspore_aot",
        [(AOT.format(strings), OURS) for strings in ("old", "new")],
    ),
]
# `outcome` is "ok", "unimplemented" (ok, but for what the runtime has not, which is refused by
# name) or "error"; `text` what the cell says; `detail` the exact error.
Cell = collections.namedtuple("Cell", "outcome text detail")


def run_one(row, runtime, build, callbridge, library, headers):
    """The answer of one process, or the error as a text."""
    name = "EMBEDDED" if runtime == EMBEDDED else "JAX"
    python = [sys.executable] if runtime == EMBEDDED else python_of(runtime)
    command = [*python, HERE / "grid_cell.py", row, name, build / library]
    environment = {**os.environ, "CALLBRIDGE_LIBRARY": str(callbridge)}
    environment["TF_CPP_MIN_LOG_LEVEL"] = "3"
    done = subprocess.run(
        [*map(str, command), "--headers", str(headers)],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode == 0:
        return json.loads(done.stdout)
    if done.returncode < 0:
        return f"crash: signal {-done.returncode}"
    lines = [line for line in done.stderr.strip().splitlines() if not line.startswith("-----")]
    # JAX says below the error how to have more of the traceback.
    errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)]
    return (errors or lines or [f"exit status {done.returncode}"])[-1]


def run_cell(row, runtime, build, callbridge, binaries):
    answers = {
        library: run_one(row, runtime, build, callbridge, library, headers)
        for library, headers in binaries
    }
    errors = {library: answer for library, answer in answers.items() if isinstance(answer, str)}
    if errors:
        detail = "; ".join(f"{pathlib.Path(library).name}: {e}" for library, e in errors.items())
        of = f"{len(answers) - len(errors)} of {len(answers)}" if len(answers) > 1 else "error"
        return Cell("error", of, detail)
    paths = list(dict.fromkeys(path for a in answers.values() for path in a["paths"]))
    lacking = sorted({ask for a in answers.values() for ask in a.get("lacking", ())})
    text = "ok" + (f" ({', '.join(paths)})" if paths else "")
    if lacking:
        return Cell("unimplemented", f"{text}; UNIMPLEMENTED: {', '.join(lacking)}", "")
    return Cell("ok", text, "")


def run(build, callbridge, runtimes, jobs):
    """The cells by (what people call the row, runtime), and which runtimes are not there."""
    there = [r for r in runtimes if r == EMBEDDED or python_of(r)]
    wanted = [(what, row, binaries, r) for r in there for what, row, binaries in ROWS]

    def fill(cell):
        what, row, binaries, runtime = cell
        result = run_cell(row, runtime, build, callbridge, binaries)
        print(f"{what} on {runtime}: {result.text} {result.detail}".rstrip(), flush=True)
        return (what, runtime), result

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        cells = dict(pool.map(fill, wanted))
    return cells, [r for r in runtimes if r not in there]


def markdown(cells):
    """The grid as a table, and below it the exact errors."""
    rows = list(dict.fromkeys(what for what, _ in cells))
    runtimes = list(dict.fromkeys(runtime for _, runtime in cells))
    lines = [f"| target \\ runs on | {' | '.join(runtimes)} |", "|---|" + "---|" * len(runtimes)]
    for what in rows:
        texts = [cells[what, runtime].text for runtime in runtimes]
        lines.append(f"| {what} | {' | '.join(texts)} |")
    errors = [
        f"- {what} on {runtime}: `{cell.detail}`"
        for (what, runtime), cell in cells.items()
        if cell.outcome == "error"
    ]
    return "\n".join([*lines, "", *(errors or ["No cell has an error."])])


def is_good(cells):
    return all(cell.outcome != "error" for cell in cells.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--callbridge", required=True, type=pathlib.Path)
    parser.add_argument("--runtimes", default=",".join(RUNTIMES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    build, callbridge = options.build.resolve(), options.callbridge.resolve()
    cells, left_out = run(build, callbridge, options.runtimes.split(","), options.jobs)
    print("\n" + markdown(cells))
    for runtime in left_out:
        print(f"jaxlib {runtime} is not there: its column is left out")
    sys.exit(0 if is_good(cells) and not left_out else 1)


if __name__ == "__main__":
    main()
