"""Trains a layer of treex; least squares is the measure."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import treex
from checks import check, report

random = np.random.default_rng(4)
x = random.normal(size=(64, 3)).astype(np.float32)
y = x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 0.25
model = treex.Linear(1).init(jax.random.PRNGKey(1), x)
check(model(x), x @ np.asarray(model.kernel) + np.asarray(model.bias), rtol=1e-4, atol=1e-5)
optimizer = treex.Optimizer(optax.adam(0.05)).init(model.filter(treex.Parameter))


@jax.jit
def step(model, optimizer):
    def loss(parameters):
        return jnp.mean((model.merge(parameters)(x) - y) ** 2)

    parameters = model.filter(treex.Parameter)
    value, slopes = jax.value_and_grad(loss)(parameters)
    return value, model.merge(optimizer.update(slopes, parameters)), optimizer


for _ in range(400):
    value, model, optimizer = step(model, optimizer)
check(value, 0.0, atol=1e-3)
check(model.kernel, [[1.0], [-2.0], [0.5]], atol=1e-2)
check(model.bias, [0.25], atol=1e-2)
network = treex.Sequential(treex.Linear(8), jax.nn.relu, treex.Linear(2)).init(1, x)
assert network(x).shape == (64, 2)
report()
