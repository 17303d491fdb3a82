"""Markov chains with blackjax; the moments of the distribution are the measure."""

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
from checks import check, report

MEAN, WIDTH = 1.5, 0.7


def log_density(position):
    return -0.5 * ((position["x"] - MEAN) / WIDTH) ** 2


def moments(algorithm, steps=4000):
    def step(state, key):
        state, _ = algorithm.step(key, state)
        return state, state.position["x"]

    state = algorithm.init({"x": jnp.float32(0)})
    _, samples = jax.lax.scan(step, state, jax.random.split(jax.random.PRNGKey(0), steps))
    samples = np.asarray(samples)[steps // 10 :]
    return [samples.mean(), samples.std()]


mass = jnp.ones(1)
nuts = blackjax.nuts(log_density, step_size=0.8, inverse_mass_matrix=mass)
check(moments(nuts), [MEAN, WIDTH], rtol=0.08)
hmc = blackjax.hmc(log_density, step_size=0.3, inverse_mass_matrix=mass, num_integration_steps=5)
check(moments(hmc), [MEAN, WIDTH], rtol=0.08)
check(moments(blackjax.mala(log_density, step_size=0.3)), [MEAN, WIDTH], rtol=0.1)

adapted = blackjax.window_adaptation(blackjax.nuts, log_density, num_steps=300)
state, kernel, _ = adapted.run(jax.random.PRNGKey(1), {"x": jnp.float32(0)})
positions = []
step = jax.jit(kernel)
for key in jax.random.split(jax.random.PRNGKey(2), 500):
    state, _ = step(key, state)
    positions.append(float(state.position["x"]))
check([np.mean(positions), np.std(positions)], [MEAN, WIDTH], rtol=0.15)
report()
