"""Flows of flowjax; SciPy is the measure, and each is its own inverse."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats
from checks import check, report
from flowjax.bijections import Affine
from flowjax.distributions import Normal, StandardNormal, StudentT, Transformed
from flowjax.flows import CouplingFlow, MaskedAutoregressiveFlow

key = jax.random.PRNGKey(3)
x = np.array([0.3, -1.2])
normal = Normal(jnp.array([1.0, 2.0]), jnp.array([2.0, 0.5]))
check(normal.log_prob(x), scipy.stats.norm.logpdf(x, [1, 2], [2, 0.5]).sum(), rtol=1e-5)
check(StudentT(jnp.array([5.0, 3.0])).log_prob(x), scipy.stats.t.logpdf(x, [5, 3]).sum(), rtol=1e-4)
scaled = Transformed(StandardNormal((2,)), Affine(jnp.ones(2), 3 * jnp.ones(2)))
check(scaled.log_prob(x), scipy.stats.norm.logpdf(x, 1, 3).sum(), rtol=1e-5)
for flow in (CouplingFlow, MaskedAutoregressiveFlow):
    made = flow(key, base_dist=StandardNormal((2,)), transformer=Affine())
    there = made.bijection.transform(jnp.asarray(x))
    check(made.bijection.inverse(there), x, atol=1e-4)
    _, slope = made.bijection.transform_and_log_det(jnp.asarray(x))
    jacobian = jax.jacobian(made.bijection.transform)(jnp.asarray(x))
    check(slope, np.linalg.slogdet(np.asarray(jacobian))[1], rtol=1e-3, atol=1e-4)
samples = np.asarray(normal.sample(key, (5000,)))
check(samples.mean(0), [1.0, 2.0], atol=0.1)
report()
