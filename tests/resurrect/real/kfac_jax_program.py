"""Kronecker-factored optimization of a small network with kfac_jax; NumPy is the measure."""

import jax
import jax.numpy as jnp
import kfac_jax
import numpy as np
from checks import check, report

random = np.random.default_rng(6)
x = random.normal(size=(32, 3)).astype(np.float32)
y = (x @ np.array([[1.0], [-2], [0.5]])).astype(np.float32)


def loss(parameters, batch):
    x, y = batch
    outputs = x @ parameters["w"] + parameters["b"]
    kfac_jax.register_squared_error_loss(outputs, y)
    return jnp.mean(jnp.sum((outputs - y) ** 2, axis=1))


parameters = {"w": jnp.zeros((3, 1)), "b": jnp.zeros((1,))}
optimizer = kfac_jax.Optimizer(
    jax.value_and_grad(loss),
    l2_reg=0.0,
    use_adaptive_learning_rate=True,
    use_adaptive_momentum=True,
    use_adaptive_damping=True,
    initial_damping=1.0,
)
key = jax.random.PRNGKey(0)
state = optimizer.init(parameters, key, (x, y))
# Few enough that more is left of the loss than rounding errors, of which alone the optimizer
# divides 0 by 0.
for step in range(8):
    parameters, state, stats = optimizer.step(
        parameters, state, key, batch=(x, y), global_step_int=step
    )
    if step == 0:
        check(stats["loss"], np.mean(y**2), rtol=1e-5)
design = np.hstack([x, np.ones((32, 1))])
best = np.linalg.lstsq(design, y, rcond=None)[0]
check(parameters["w"], best[:3], atol=0.02)
check(parameters["b"], best[3], atol=0.02)
check(stats["loss"], 0, atol=1e-3)
report()
