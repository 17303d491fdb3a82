"""Layers, training and serialization with flax; NumPy is the measure."""

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from checks import check, report
from flax.training import train_state

random = np.random.default_rng(2)
x = random.normal(size=(5, 4)).astype(np.float32)
y = (x @ random.normal(size=(4, 1))).astype(np.float32)

model = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(1)])
variables = model.init(jax.random.PRNGKey(0), x)
first, last = variables["params"]["layers_0"], variables["params"]["layers_2"]
hidden = np.maximum(x @ np.asarray(first["kernel"]) + first["bias"], 0)
check(
    jax.jit(model.apply)(variables, x), hidden @ last["kernel"] + last["bias"], rtol=1e-5, atol=1e-6
)


class Normalized(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=False, momentum=0.9, use_scale=False)(x)


normalized, state = Normalized().init_with_output(jax.random.PRNGKey(0), x)
check(normalized, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), rtol=1e-4, atol=1e-5)
_, updated = Normalized().apply(state, x, mutable=["batch_stats"])
mean = updated["batch_stats"]["BatchNorm_0"]["mean"]
check(mean, 0.9 * np.asarray(state["batch_stats"]["BatchNorm_0"]["mean"]) + 0.1 * x.mean(0), 1e-5)

# A module of recurrent cells, scanned along the axis of time.
cells = nn.scan(
    nn.GRUCell, variable_broadcast="params", split_rngs={"params": False}, in_axes=1, out_axes=1
)()
carry = nn.GRUCell.initialize_carry(jax.random.PRNGKey(0), (2,), 3)
steps = random.normal(size=(2, 6, 4)).astype(np.float32)
weights = cells.init(jax.random.PRNGKey(1), carry, steps)
_, outputs = cells.apply(weights, carry, steps)
one = nn.GRUCell()
for at in range(6):
    carry, output = one.apply(weights, carry, steps[:, at])
    check(outputs[:, at], output, rtol=1e-5, atol=1e-6)


def loss(parameters):
    return jnp.mean((model.apply(parameters, x) - y) ** 2)


state = train_state.TrainState.create(apply_fn=model.apply, params=variables, tx=optax.adam(0.05))
step = jax.jit(lambda state: state.apply_gradients(grads=jax.grad(loss)(state.params)))
for _ in range(200):
    state = step(state)
check(loss(state.params), 0, atol=0.05)
restored = flax.serialization.from_bytes(variables, flax.serialization.to_bytes(state.params))
check(loss(restored), loss(state.params), rtol=1e-6)

# Modules that are made inside of a gradient, and rematerialized.
rematerialized = nn.remat(nn.Dense)(3)
variables = rematerialized.init(jax.random.PRNGKey(0), x)
gradient = jax.grad(lambda v: rematerialized.apply(v, x).sum())(variables)
check(gradient["params"]["kernel"], np.repeat(x.sum(0)[:, None], 3, 1), rtol=1e-5, atol=1e-6)
report()
