"""The GPU rows in genuine XLA:GPU: on the stand-in for the driver, or on a device (xla_gpu.py)."""

import json

import pytest
import rows
import xla_gpu
from jax_releases import numbers

ROWS = (*rows.ROWS, *rows.built_genuine_rows(xla_gpu.BUILD))
# What typed handlers ask for that a runtime before this release may lack.
SINCE = {"state": "0.4.38", "stages": "0.4.38", "scratch memory": "0.4.30"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}-{row.library}")
@pytest.mark.parametrize("release", xla_gpu.releases())
def test_a_row(release, row):
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    done = xla_gpu.run(release, "gpu_cell.py", row.name, xla_gpu.TARGETS / row.library)
    assert done.status == 0, done.errors
    outcome = json.loads(done.output.splitlines()[-1])
    assert outcome["calls"] > 0
    for what in outcome["lacking"]:
        assert numbers(outcome["release"]) < numbers(SINCE[what]), what
    assert row not in rows.UNTYPED or outcome["paths"]
