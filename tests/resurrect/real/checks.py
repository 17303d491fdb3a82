"""Counts the checks of a program that uses a real package."""

import numpy as np

count = 0


def check(value, expected, rtol=1e-12, atol=1e-12):
    """Compares with NumPy's or SciPy's value; counts the comparison."""
    global count
    np.testing.assert_allclose(np.asarray(value), expected, rtol=rtol, atol=atol)
    count += 1


def report():
    print(f"{count} checks")
