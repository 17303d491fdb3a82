"""Passes lists to each function that took them once; run in a process of its own."""

import callbridge.resurrect  # noqa: F401
import jax
import jax.numpy as jnp
import numpy as np
from callbridge.jax._runtimes import is_since
from rows import LISTS

square, vector = [[2.0, 1.0], [1.0, 3.0]], [1.0, 2.0]
OTHERS = {"matrix_power": (2,), "solve": (vector,), "lstsq": (vector,)}
SEQUENCES = ([vector, jnp.ones(2)], [[0.5], [1]], (vector, vector))
OF_VECTORS = {"trim_zeros", "atleast_1d", "atleast_2d", "atleast_3d", "fftshift", "ifftshift"}


def same(ours, expected):
    ours, expected = map(jax.tree_util.tree_leaves, (ours, expected))
    assert len(ours) == len(expected) > 0
    for a, b in zip(ours, expected):  # noqa: B905
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
        assert a.dtype == b.dtype


def outcome(function, *args):
    try:
        return jax.tree_util.tree_map(np.shape, function(*args))
    except Exception as error:
        return type(error), str(error)


called = 0
for row in LISTS:
    of_modules = {"jax.numpy": jnp, "jax.numpy.linalg": jnp.linalg, "jax.numpy.fft": jnp.fft}
    owner, since, arrays = of_modules[row.module], row.gone, row.wrapped_by.arrays
    for name in row.names:
        function, others = getattr(owner, name), OTHERS.get(name, ())
        if arrays == 0:
            for sequence in SEQUENCES:
                same(function(sequence), function([jnp.array(value) for value in sequence]))
        for value in (vector,) if name in OF_VECTORS else (square,) if arrays else ():
            of_arrays = [jnp.array(o) if isinstance(o, list) else o for o in (value, *others)]
            wanted = function(*of_arrays)
            of_tuples = tuple(map(tuple, value)) if value is square else tuple(value)
            same(function(value, *others), wanted)
            same(function(of_tuples, *others), wanted)
        if is_since(since):
            # What is no list is taken, or refused, as JAX does it.
            for other in (None, "text", {}, object):
                assert outcome(function, other) == outcome(function.__wrapped__, other), name
            # Which jax.jit gave some of them.
            assert hasattr(function, "__wrapped__") and function.__name__ == name
        called += 1
same(jnp.linalg.norm(square, axis=(0, 1)), jnp.linalg.norm(jnp.array(square), axis=(0, 1)))
same(jnp.linalg.norm(x=square, ord=1), jnp.linalg.norm(jnp.array(square), ord=1))
same(jax.jit(lambda x: jnp.hstack([[0.0], x]))(jnp.ones(2)), jnp.array([0.0, 1, 1]))
same(jnp.linalg.solve(a=square, b=vector), jnp.linalg.solve(jnp.array(square), jnp.array(vector)))
print(f"{called} take lists")
