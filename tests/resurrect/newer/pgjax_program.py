"""pgjax, random draws: their mean is known, and equal keys give equal draws."""

import jax
import jax.numpy as jnp
import numpy as np
import pgjax
from checks import close

jax.config.update("jax_enable_x64", True)
n, z = 200000, 1.5
key = jax.random.PRNGKey(3)
draws = pgjax.pg_sample(jnp.ones(n), jnp.full(n, z), key)
close(jnp.mean(draws), np.tanh(z / 2) / (2 * z), 2e-3)
close(jax.jit(pgjax.pg_sample)(jnp.ones(n), jnp.full(n, z), key), draws, 0)
