"""Handlers with genuine headers, registered by JAX's own functions, on XLA:GPU of each release."""

import pytest
import rows
import xla_gpu


@pytest.mark.parametrize("library", [row.library for row in rows.built_genuine_rows(xla_gpu.BUILD)])
@pytest.mark.parametrize("release", xla_gpu.releases())
def test_registered_with_jax(release, library):
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    done = xla_gpu.run(release, "registered_program.py", xla_gpu.TARGETS / library)
    assert done.status == 0, done.errors
    assert done.output.splitlines()[-1].endswith(" calls ok")
