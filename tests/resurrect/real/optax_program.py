"""Optimizers and losses of optax; NumPy is the measure."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from checks import check, report

matrix = np.array([[3.0, 1], [1, 2]], np.float32)
vector = np.array([1.0, 3], np.float32)
minimum = np.linalg.solve(matrix, vector)


def loss(parameters):
    x = parameters["x"]
    return 0.5 * x @ matrix @ x - vector @ x


def minimize(optimizer, steps):
    parameters = {"x": jnp.zeros(2)}

    def step(carry, _):
        parameters, state = carry
        updates, state = optimizer.update(jax.grad(loss)(parameters), state, parameters)
        return (optax.apply_updates(parameters, updates), state), loss(parameters)

    (parameters, _), _ = jax.lax.scan(step, (parameters, optimizer.init(parameters)), None, steps)
    return parameters["x"]


check(minimize(optax.sgd(0.2), 100), minimum, rtol=1e-4)
check(minimize(optax.sgd(0.1, momentum=0.5), 200), minimum, rtol=1e-4)
check(minimize(optax.adam(0.1), 400), minimum, rtol=1e-3)
check(minimize(optax.chain(optax.clip_by_global_norm(0.5), optax.sgd(0.2)), 300), minimum, 1e-4)
check(
    minimize(optax.adamw(optax.exponential_decay(0.1, 50, 0.5), weight_decay=0), 400), minimum, 0.01
)

# One step of adam by hand.
state = optax.adam(0.1).init({"x": jnp.zeros(2)})
gradient = {"x": jnp.array([0.5, -2.0])}
updates, _ = optax.adam(0.1).update(gradient, state)
check(updates["x"], [-0.1, 0.1], rtol=1e-5)

logits = np.array([[1.0, 2, 0], [0, 0, 3]], np.float32)
labels = np.array([1, 0])
expected = np.log(np.exp(logits).sum(1)) - logits[[0, 1], labels]
check(optax.softmax_cross_entropy_with_integer_labels(logits, labels), expected, rtol=1e-5)
check(optax.huber_loss(jnp.array([0.5, 3.0]), jnp.zeros(2)), [0.125, 2.5], rtol=1e-6)
check(optax.cosine_decay_schedule(1.0, 10)(5), 0.5, rtol=1e-6)
report()
