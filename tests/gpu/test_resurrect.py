"""A GPU package as they were written in 2023, unmodified, on XLA:GPU of today."""

import pytest
import xla_gpu


@pytest.mark.parametrize("release", xla_gpu.releases())
def test_a_package_of_2023(release):
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    program = xla_gpu.FOLDER / "of_2023.py"
    library = xla_gpu.TARGETS / "untyped.so"
    done = xla_gpu.run(release, "resurrected.py", program, library)
    assert done.status == 0, done.errors
    assert done.output.splitlines()[-1] == "of 2023: ok"
