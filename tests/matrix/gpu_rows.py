"""The GPU rows in genuine XLA:GPU of each release that has a plugin here, over the tests' stand-in
for the driver: each cell a process of its own (tests/gpu/gpu_cell.py), as a table."""

import concurrent.futures
import importlib
import json
import os
import pathlib
import sys

from jax_releases import ROWS, WITH_HEADERS

GPU = pathlib.Path(__file__).resolve().parents[1] / "gpu"
RELEASES = [row.release for row in ROWS if row.plugin]


def run(build, callbridge, jobs):
    """The cells by (what people call the row, release), and which releases are not there."""
    os.environ["CALLBRIDGE_LIBRARY"] = str(callbridge)
    os.environ["CALLBRIDGE_BUILD"] = str(build)
    sys.path.insert(0, str(GPU))
    rows, xla_gpu = importlib.import_module("rows"), importlib.import_module("xla_gpu")
    there = [release for release in RELEASES if xla_gpu.missing(release) is None]
    wanted = [
        (row, release)
        for row in (*rows.ROWS, *rows.genuine_rows(WITH_HEADERS))
        for release in there
    ]

    def fill(cell):
        row, release = cell
        done = xla_gpu.run(release, "gpu_cell.py", xla_gpu.TARGETS / row.library, row.name)
        text = _text(done)
        print(f"{row.what} on XLA:GPU {release}: {text}", flush=True)
        return (row.what, release), text

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(fill, wanted)), [r for r in RELEASES if r not in there]


def _text(done):
    if done.status < 0:
        return f"error: signal {-done.status}"
    if done.status != 0:
        return f"error: {done.errors.strip().splitlines()[-1]}"
    found = json.loads(done.output.splitlines()[-1])
    text = "ok" + (f" ({', '.join(found['paths'])})" if found["paths"] else "")
    if found["lacking"]:
        text += f"; UNIMPLEMENTED: {', '.join(found['lacking'])}"
    return text


def is_good(cells):
    return not any(text.startswith("error") for text in cells.values())


def markdown(cells):
    releases = list(dict.fromkeys(release for _, release in cells))
    lines = [
        f"| target \\ runs on XLA:GPU of | {' | '.join(releases)} |",
        "|---|" + "---|" * len(releases),
    ]
    for what in dict.fromkeys(what for what, _ in cells):
        texts = [cells[what, release].replace("|", "\\|") for release in releases]
        lines.append(f"| {what} | {' | '.join(texts)} |")
    return "\n".join(lines)
