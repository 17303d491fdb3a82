"""jaxlib 0.4.13's LAPACK kernels, all of them, on this JAX."""

import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def test_all_targets_of_lapack(run):
    packages = pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / "old-packages"
    library = packages / "jaxlib-0.4.13/jaxlib/cpu/_lapack.so"
    assert library.exists(), f"{library} is not there; scripts/old_packages"
    assert run(HERE / "real/lapack_program.py", library) == "44 targets\n"
