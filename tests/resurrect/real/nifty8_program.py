"""Solves with nifty8.re; NumPy is the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import nifty8.re as jft  # noqa: E402
import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402

data = jnp.array([1.0, 2.0, 3.0])
likelihood = jft.Gaussian(data, lambda x: 4 * x) @ (lambda x: 2 * x)
at = jnp.array([0.2, 0.4, 0.1])
check(likelihood(at), 2 * ((np.asarray(data) - 2 * np.asarray(at)) ** 2).sum())
check(likelihood.metric(at, jnp.ones(3)), 16 * np.ones(3))
field = jft.Field({"a": jnp.ones(2), "b": jnp.arange(3.0)})
check((field + 2 * field).val["b"], 3 * np.arange(3.0))
check(jft.vdot(field, field), 2 + 5)
report()
