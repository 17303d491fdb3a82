"""Solves sparse systems with umfpack-jax, whose module has typed handlers alone; NumPy's solutions
are the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
import umfpack_jax_cpp  # noqa: E402
from checks import check, report  # noqa: E402
from jax import ffi  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

random = np.random.default_rng(2)
n = 11
dense = np.where(random.random((n, n)) < 0.3, random.normal(size=(n, n)), 0) + 4 * np.eye(n)
matrix = csr_matrix(dense)
b = random.normal(size=n)
expected = {
    "umfpack_dot_f64": dense @ b,
    "umfpack_solve_f64": np.linalg.solve(dense, b),
    "umfpack_solve_transpose_f64": np.linalg.solve(dense.T, b),
}
for name, value in expected.items():
    ffi.register_ffi_target(name, getattr(umfpack_jax_cpp, name)(), platform="cpu")
    call = ffi.ffi_call(name, jax.ShapeDtypeStruct((n,), np.float64))
    operands = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data, b
    for function in (call, jax.jit(call)):
        check(function(*operands), value)
report()
