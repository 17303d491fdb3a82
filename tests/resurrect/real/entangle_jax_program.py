"""Orders values with entangle_jax, which gives the payload back; NumPy is the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402
from entangle_jax import entangle  # noqa: E402

random = np.random.default_rng(1)
for dtype in (np.float32, np.float64, np.int32, np.uint8, np.bool_, np.complex64):
    payload = (random.normal(size=(3, 4)) * 9).astype(dtype)
    witness = np.arange(5.0)
    for run in (entangle, jax.jit(entangle)):
        check(run(payload, witness), payload, rtol=0, atol=0)
tree = {"a": np.arange(3.0), "b": (np.ones((2, 2)), np.zeros(0))}
result = jax.jit(entangle)(tree, np.float32(1), np.arange(2))
for value, own in zip(jax.tree_util.tree_leaves(result), jax.tree_util.tree_leaves(tree)):  # noqa: B905
    check(value, own, rtol=0, atol=0)
x = random.normal(size=6)
check(jax.vmap(lambda v: entangle(2 * v, v))(x), 2 * x)
check(jax.grad(lambda v: (entangle(v, np.ones(1)) ** 3).sum())(x), 3 * x**2)
# The payload is used again by its producer: it must not be overwritten in place.
check(jax.jit(lambda v: entangle(v + 1, v) * (v + 1))(x), (x + 1) ** 2)
report()
