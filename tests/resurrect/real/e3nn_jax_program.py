"""Equivariant functions of e3nn-jax: rotated before or after, the result is the same."""

import e3nn_jax as e3nn
import jax
import jax.numpy as jnp
import numpy as np
from checks import check, report

random = np.random.default_rng(1)
x = jnp.asarray(random.normal(size=(5, 3)), jnp.float32)
y = e3nn.spherical_harmonics("0e + 1o + 2e", x, True)
unit = np.asarray(x) / np.linalg.norm(x, axis=1, keepdims=True)
check(y.array[:, 1:4], np.sqrt(3) * unit, rtol=1e-4, atol=1e-5)
rotation = np.asarray(e3nn.rand_matrix(jax.random.PRNGKey(0), ()))
check(rotation @ rotation.T, np.eye(3), atol=1e-5)
turned = e3nn.spherical_harmonics("0e + 1o + 2e", x @ rotation.T, True)
check(turned.array, y.transform_by_matrix(jnp.asarray(rotation)).array, atol=1e-4)
a = e3nn.normal("2x0e + 1o", jax.random.PRNGKey(1), (4,))
b = e3nn.normal("1o + 2e", jax.random.PRNGKey(2), (4,))
product = e3nn.tensor_product(a, b)
rotated = e3nn.tensor_product(a.transform_by_matrix(rotation), b.transform_by_matrix(rotation))
check(rotated.array, product.transform_by_matrix(rotation).array, atol=1e-4)
norms = e3nn.norm(e3nn.IrrepsArray("1o", x))
check(norms.array[:, 0], np.linalg.norm(x, axis=1), rtol=1e-5)
check(jax.jit(e3nn.tensor_product)(a, b).array, product.array, atol=1e-5)
check(e3nn.clebsch_gordan(1, 1, 0)[:, :, 0], np.eye(3) / np.sqrt(3), atol=1e-5)
report()
