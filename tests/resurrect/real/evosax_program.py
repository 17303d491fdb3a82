"""Minimises a quadratic function with evosax's strategies; the minimum is known."""

import evosax
import jax
import jax.numpy as jnp
import numpy as np
from checks import check, report

target = jnp.array([0.5, -0.25, 1.0])


def loss(x):
    return jnp.sum((x - target) ** 2, axis=-1)


for name in ("CMA_ES", "DE", "SimpleGA", "OpenES", "PSO"):
    strategy = evosax.Strategies[name](popsize=40, num_dims=3)
    key = jax.random.PRNGKey(1)
    parameters = strategy.default_params
    state = strategy.initialize(key, parameters)

    @jax.jit
    def step(state, key, strategy=strategy, parameters=parameters):
        population, state = strategy.ask(key, state, parameters)
        return strategy.tell(population, loss(population), state, parameters)

    for each in jax.random.split(key, 300):
        state = step(state, each)
    check(state.best_member, target, atol=0.1)
    check(loss(state.best_member), state.best_fitness, rtol=1e-4, atol=1e-6)
    assert np.isfinite(state.best_fitness)
report()
