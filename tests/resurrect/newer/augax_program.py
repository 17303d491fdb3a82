"""augax, random draws: their mean is known, and equal keys give equal draws."""

import augax
import jax
import jax.numpy as jnp
import numpy as np
from checks import close

jax.config.update("jax_enable_x64", True)
n, z = 200000, 1.5
key = jax.random.PRNGKey(3)
draws = augax.pg_sample(jnp.ones(n), jnp.full(n, z), key)
close(jnp.mean(draws), np.tanh(z / 2) / (2 * z), 2e-3)
close(jax.jit(augax.pg_sample)(jnp.ones(n), jnp.full(n, z), key), draws, 0)
keys = jnp.stack([key, jax.random.PRNGKey(4)])
mapped = jax.vmap(lambda k: augax.pg_sample(jnp.ones(n), jnp.full(n, z), k))(keys)
close(jnp.mean(mapped, axis=1), np.full(2, np.tanh(z / 2) / (2 * z)), 2e-3)
