"""The GPU rows in genuine XLA:GPU: on the stand-in for the driver, or on a device (xla_gpu.py)."""

import functools
import json

import pytest
import rows
import xla_gpu
from jax_releases import numbers

ROWS = (*rows.ROWS, *rows.built_genuine_rows(xla_gpu.BUILD))
# What typed handlers ask for that a runtime before this release may lack.
SINCE = {"state": "0.4.38", "stages": "0.4.38", "scratch memory": "0.4.30"}


@functools.cache
def outcomes(release, library):
    """All rows of a library, by one process: by row what it printed, and its errors."""
    names = [row.name for row in ROWS if row.library == library]
    done = xla_gpu.run(release, "gpu_cell.py", xla_gpu.TARGETS / library, *names)
    found = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
    return {outcome["row"]: outcome for outcome in found}, f"{done.errors}{done.status}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}-{row.library}")
@pytest.mark.parametrize("release", xla_gpu.releases())
def test_a_row(release, row):
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    found, errors = outcomes(release, row.library)
    assert row.name in found, errors
    outcome = found[row.name]
    assert outcome["calls"] > 0
    for what in outcome["lacking"]:
        assert numbers(outcome["release"]) < numbers(SINCE[what]), what
    assert row not in rows.UNTYPED or outcome["paths"]
