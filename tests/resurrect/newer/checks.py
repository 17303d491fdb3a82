"""Counts what agrees with another library's answer."""

import atexit
import sys

import numpy as np

count = 0


def close(got, expected, tolerance=1e-9):
    global count
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape, (got.shape, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    count += 1


def report():
    if not hasattr(sys, "last_value"):
        print(f"{count} checks")


atexit.register(report)
