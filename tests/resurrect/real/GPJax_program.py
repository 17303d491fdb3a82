"""Gaussian processes of GPJax; NumPy's linear algebra is the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import gpjax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jaxkern  # noqa: E402
import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402

x = np.linspace(-1, 1, 8)[:, None]
y = np.sin(3 * x)
data = gpjax.Dataset(X=jnp.array(x), y=jnp.array(y))
prior = gpjax.Prior(kernel=jaxkern.RBF())
posterior = prior * gpjax.Gaussian(num_datapoints=8)
state = gpjax.initialise(posterior, key=jax.random.PRNGKey(0))
gram = np.exp(-0.5 * (x - x.T) ** 2)
at = np.linspace(-0.9, 0.9, 5)[:, None]
predicted = posterior(state.params, data)(jnp.array(at))
noise = gram + np.eye(8)
mean = np.exp(-0.5 * (at - x.T) ** 2) @ np.linalg.solve(noise, y)[:, 0]
check(predicted.mean(), mean, rtol=1e-4, atol=1e-4)
objective = jax.jit(posterior.marginal_log_likelihood(data, negative=True))
_, log_det = np.linalg.slogdet(noise)
likelihood = 0.5 * (y.T @ np.linalg.solve(noise, y))[0, 0] + 0.5 * log_det + 4 * np.log(2 * np.pi)
check(objective(state.params), likelihood, rtol=1e-4)
report()
