"""The calls that the tests of uses make, each with what NumPy computes in its place."""

import jax
import numpy as np
from callbridge.jax import custom_call


def random(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def like(*arrays):
    """Their shapes, as results are declared: one, or a tuple."""
    shapes = tuple(jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays)
    return shapes if len(shapes) != 1 else shapes[0]


def square(x):
    return x * x


def trees(operand, c):
    a, (b, _) = operand
    return a + b * c, (a - c,)


class Calls:
    """Targets of tests/jax/targets/uses.cc, called in one way.

    Attributes:
      way: a path through XLA, "version_3" or "typed"; or "handler": not the untyped functions, but
        the typed handlers that compute the same.
    """

    def __init__(self, way):
        self.way = way

    def target(self, name, result, **options):
        if self.way == "handler":
            return custom_call(f"{name}_typed", result, **options)
        return custom_call(name, result, prefer=self.way, **options)

    def square(self, x, n=None, **options):
        """Of f32[n]. `n` is how many elements the untyped target finds; its default fits x."""
        n = np.int32(x.shape[0] if n is None else n)
        return self.target("square", like(x), **options)(n, x)

    def trees(self, operand, c, **options):
        """((a, (b, n)), c) -> (a + b * c, (a - c,)), of f32[n]."""
        return self.target("trees", (like(c), (like(c),)), **options)(operand, c)

    def nonnegative(self, x, **options):
        return self.target("nonnegative", like(x), **options)(x)


def assert_equal(got, expected):
    """Trees of arrays, bit for bit."""
    if isinstance(expected, tuple):
        assert type(got) is tuple and len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert_equal(one, other)
        return
    got, expected = np.asarray(got), np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == expected.tobytes()
