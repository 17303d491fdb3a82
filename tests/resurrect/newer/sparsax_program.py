"""sparsax, sparse factorisations: typed handlers with attributes, against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import sparsax
from checks import close

jax.config.update("jax_enable_x64", True)
random = np.random.default_rng(0)
n = 20
B = np.where(random.random((n, n)) < 0.1, random.standard_normal((n, n)), 0)
A = B @ B.T + 3 * np.eye(n)
i, j = (index.astype(np.int32) for index in np.nonzero(A))
a = jnp.asarray(A[i, j])
b = jnp.asarray(random.standard_normal(n))
x = np.linalg.solve(A, b)

close(sparsax.solve(i, j, a, b), x)
close(jax.jit(sparsax.solve)(i, j, a, b), x)
close(sparsax.logdet(i, j, a, n), np.linalg.slogdet(A)[1])
gradient = jax.grad(lambda b: sparsax.solve(i, j, a, b).sum())(b)
close(gradient, np.linalg.solve(A.T, np.ones(n)))
batch = jax.vmap(lambda b: sparsax.solve(i, j, a, b))(jnp.stack([b, 2 * b]))
close(batch, np.stack([x, 2 * x]))
close(sparsax.lu_solve(i, j, a, b), x)
