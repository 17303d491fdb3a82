"""jax.ffi.register_ffi_target_as_batch_partitionable, on every JAX."""

import pathlib

from callbridge.jax._runtimes import RUNTIME

HERE = pathlib.Path(__file__).resolve().parent


def test_where_xla_has_the_parts(run):
    """As JAX has it, and as callbridge lends it; elsewhere both refuse by name."""
    lines = run(HERE / "batch_partitionable_program.py").splitlines()
    if RUNTIME.register_batch_partitionable is not None:
        assert lines == ["registered"] * 2
        return
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("UNIMPLEMENTED: target ") and "batch_dims=n" in line
