"""Low-rank updates with jax-lorax, and qax's implicit arrays; NumPy is the measure."""

import jax
import jax.numpy as jnp
import lorax
import numpy as np
import qax
from checks import check, report

random = np.random.default_rng(3)
weights = [jnp.asarray(random.normal(size=(6, 6)), jnp.float32) for _ in range(2)]
x = jnp.asarray(random.normal(size=6), jnp.float32)


def model(weights, x):
    for weight in weights:
        x = jnp.tanh(x @ weight)
    return x


def by_numpy(weights, x):
    for weight in weights:
        x = np.tanh(x @ weight)
    return x


low = lorax.init_lora(weights, [2, 2], jax.random.PRNGKey(0))
adapted = lorax.lora(model)
check(adapted(low, x), by_numpy([np.asarray(w) for w in weights], np.asarray(x)), rtol=1e-4, atol=1e-5)
check(jax.jit(adapted)(low, x), model(weights, x), rtol=1e-4, atol=1e-5)
merged = lorax.merge_params(low, destructive=False)
for one, own in zip(merged, weights, strict=True):
    check(one, own, rtol=1e-5, atol=1e-6)


class Zeros(qax.ImplicitArray):
    default_dtype = jnp.float32

    def materialize(self):
        return jnp.zeros(self.shape, self.dtype)


@qax.use_implicit_args
def add(x, y):
    return (x + y) * 2


check(add(Zeros(shape=(2, 3)), jnp.ones(3)), 2 * np.ones((2, 3)))
report()
