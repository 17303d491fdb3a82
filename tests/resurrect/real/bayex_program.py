"""Maximises a function with bayex; the maximum is known."""

import bayex
import numpy as np
from checks import check, report


def parabola(x):
    return -((x - 1.5) ** 2) + 2.0


found = bayex.optim(parabola, constrains={"x": (-4, 4)}, seed=42, n=15, n_init=5)
check(float(found.target), 2.0, atol=0.05)
check(float(found.params["x"]), 1.5, atol=0.25)
check(float(found.target), parabola(float(found.params["x"])), rtol=1e-4)
assert len(np.asarray(found.target_all)) >= 15
report()
