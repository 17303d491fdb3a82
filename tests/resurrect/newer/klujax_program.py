"""klujax, a sparse solver: typed handlers with handles of factors, against NumPy."""

import jax
import klujax
import numpy as np
from checks import close

random = np.random.default_rng(0)
n = 20
A = np.where(random.random((n, n)) < 0.3, random.standard_normal((n, n)), 0) + 4 * np.eye(n)
i, j = (index.astype(np.int32) for index in np.nonzero(A))
a = A[i, j]
b = random.standard_normal((n, 3))
x = np.linalg.solve(A, b)

close(klujax.solve(i, j, a, b), x)
close(klujax.solve(i, j, a * (1 + 2j), b), np.linalg.solve(A * (1 + 2j), b))
close(klujax.dot(i, j, a, b), A @ b)
close(jax.jit(klujax.dot)(i, j, a, b + 1j), A @ (b + 1j))
gradient = jax.grad(lambda a: klujax.solve(i, j, a, b).sum())(a)
close(gradient, -(np.linalg.solve(A.T, np.ones((n, 3))) @ x.T)[i, j])
batch = jax.vmap(lambda a: klujax.solve(i, j, a, b))(np.stack([a, 2 * a, 3 * a]))
close(batch, np.stack([x, x / 2, x / 3]))
_, tangent = jax.jvp(lambda b: klujax.solve(i, j, a, b), (b,), (b,))
close(tangent, x)
symbolic = klujax.analyze(i, j, n)
close(klujax.solve_with_symbol(i, j, a, b, symbolic), x)
numeric = klujax.factor(i, j, a, symbolic)
close(klujax.solve_with_numeric(numeric, b, symbolic), x)
