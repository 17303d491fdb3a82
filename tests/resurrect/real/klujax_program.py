"""Solves sparse systems with klujax, old and new; SciPy's and NumPy's solutions are the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import klujax  # noqa: E402
import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402
from scipy.sparse import coo_matrix  # noqa: E402
from scipy.sparse.linalg import spsolve  # noqa: E402

random = np.random.default_rng(5)
n = 9
dense = np.where(random.random((n, n)) < 0.3, random.normal(size=(n, n)), 0) + 5 * np.eye(n)
sparse = coo_matrix(dense)
rows, columns = sparse.row.astype(np.int32), sparse.col.astype(np.int32)
for complex_part in (0, 0.5j):
    values = sparse.data + complex_part * random.normal(size=sparse.nnz)
    matrix = coo_matrix((values, (rows, columns)), (n, n)).tocsc()
    b = random.normal(size=n) + complex_part * random.normal(size=n)
    B = random.normal(size=(n, 3)) + complex_part * random.normal(size=(n, 3))
    for solve in (klujax.solve, jax.jit(klujax.solve)):
        check(solve(rows, columns, values, b), spsolve(matrix, b))
        check(solve(rows, columns, values, B), spsolve(matrix, B))
    # A batch of matrices with one pattern.
    many = np.stack([values, 2 * values, values - 0.25])
    inverses = [np.linalg.inv(coo_matrix((v, (rows, columns)), (n, n)).toarray()) for v in many]
    right = np.stack([b, B[:, 0], B[:, 1]])
    solved = jax.vmap(klujax.solve, (None, None, 0, 0))(rows, columns, many, right)
    expected = [inverse @ r for inverse, r in zip(inverses, right, strict=True)]
    check(solved, expected)
    solved = jax.vmap(klujax.solve, (None, None, None, 0))(rows, columns, values, right)
    check(solved, right @ np.linalg.inv(matrix.toarray()).T)


def total(values, b):
    return (klujax.solve(rows, columns, values, b) ** 2).sum()


values, b = sparse.data, random.normal(size=n)
inverse = np.linalg.inv(dense)
x = inverse @ b
adjoint = inverse.T @ (2 * x)
check(jax.jit(jax.grad(total, 1))(values, b), adjoint)
# dA/dx is only right for one system in the oldest; forward mode is in all.
direction = random.normal(size=len(values))
_, slope = jax.jvp(lambda v: klujax.solve(rows, columns, v, b), (values,), (direction,))
moved = coo_matrix((direction, (rows, columns)), (n, n)).toarray()
check(slope, -inverse @ moved @ x)
report()
