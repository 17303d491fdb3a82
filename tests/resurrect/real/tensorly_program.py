"""Decomposes tensors with tensorly's JAX backend; NumPy is the measure."""

import numpy as np
import tensorly
from checks import check, report
from tensorly import decomposition, tenalg

tensorly.set_backend("jax")
random = np.random.default_rng(3)
whole = random.normal(size=(3, 4, 5))
tensor = tensorly.tensor(whole)
check(
    tensorly.to_numpy(tensorly.unfold(tensor, 1)),
    np.moveaxis(whole, 1, 0).reshape(4, 15),
    rtol=1e-6,
)
check(tensorly.norm(tensor), np.linalg.norm(whole), rtol=1e-5)
matrix = random.normal(size=(6, 4))
product = tenalg.mode_dot(tensor, tensorly.tensor(matrix), 1)
check(product, np.einsum("ijk,lj->ilk", whole, matrix), rtol=1e-4, atol=1e-5)
core, factors = decomposition.tucker(tensor, rank=[3, 4, 5])
check(tensorly.tucker_to_tensor((core, factors)), whole, atol=1e-4)
a, b, c = (random.normal(size=(n, 2)) for n in (3, 4, 5))
low = np.einsum("ir,jr,kr->ijk", a, b, c)
parts = decomposition.parafac(
    tensorly.tensor(low), rank=2, n_iter_max=500, random_state=0, tol=1e-10
)
check(tensorly.cp_to_tensor(parts), low, atol=2e-2)
u, s, v = tenalg.svd_interface(tensorly.tensor(matrix), n_eigenvecs=4)
check(s, np.linalg.svd(matrix)[1], rtol=1e-4)
report()
