"""The modules that the tables of names have rows for."""

from callbridge.resurrect._names import _changes


def module_of(path):
    """None also where it needs more than JAX does: jax.experimental.pallas.tpu, absl."""
    try:
        return _changes._find(path)
    except ModuleNotFoundError as error:
        assert not error.name.startswith(("jax", "callbridge")), error
        return None
