"""Factors sparse matrices with sparsax; NumPy's dense algebra is the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
import sparsax  # noqa: E402
from checks import check, report  # noqa: E402

random = np.random.default_rng(9)
n = 12
half = np.where(random.random((n, n)) < 0.25, random.normal(size=(n, n)), 0)
definite = half @ half.T + n * np.eye(n)
general = half + 6 * np.eye(n)
b, B = random.normal(size=n), random.normal(size=(5, n))


def coo(matrix):
    rows, columns = np.nonzero(matrix)
    return rows.astype(np.int32), columns.astype(np.int32), matrix[rows, columns]


Ai, Aj, Ax = coo(definite)
for run in (sparsax.solve, jax.jit(sparsax.solve)):
    check(run(Ai, Aj, Ax, b), np.linalg.solve(definite, b), rtol=1e-10)
check(jax.jit(sparsax.logdet, static_argnums=3)(Ai, Aj, Ax, n), np.linalg.slogdet(definite)[1])
solved = jax.vmap(sparsax.solve, (None, None, None, 0))(Ai, Aj, Ax, B)
check(solved, np.linalg.solve(definite, B.T).T, rtol=1e-10)
adjoint = np.linalg.solve(definite, np.cos(b))
check(
    jax.grad(lambda b: sparsax.solve(Ai, Aj, Ax, b) @ np.cos(np.asarray(B[0] * 0 + 1)))(b),
    np.linalg.solve(definite, np.full(n, np.cos(1.0))),
    rtol=1e-10,
)

Gi, Gj, Gx = coo(general)
for run in (sparsax.lu_solve, jax.jit(sparsax.lu_solve)):
    check(run(Gi, Gj, Gx, b), np.linalg.solve(general, b), rtol=1e-10)
x = np.linalg.solve(general, b)
gradient = jax.jit(jax.grad(lambda v: (sparsax.lu_solve(Gi, Gj, v, b) ** 2).sum()))(Gx)
back = np.linalg.solve(general.T, 2 * x)
check(gradient, -back[Gi] * x[Gj], rtol=1e-9)


# A factor that is held open: a handle, made and used inside a loop.
@jax.jit
def powers(v):
    handle = sparsax.factor(Ai, Aj, Ax, n)
    return jax.lax.fori_loop(0, 3, lambda _, v: sparsax.solve_factor(handle, v), v)


inverse = np.linalg.inv(definite)
check(powers(b), inverse @ inverse @ inverse @ b, rtol=1e-9)
report()
