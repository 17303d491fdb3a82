"""Prints what jnp.linalg lowers to and exports, with callbridge.resurrect where asked.

linalg_program.py with|without
"""

import hashlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

if sys.argv[1] == "with":
    import callbridge.resurrect  # noqa: F401

try:
    from jax import export
except ImportError:
    from jax.experimental import export

x = np.array([[4, 1], [1, 3]], np.float32)
FUNCTIONS = {
    "cholesky": jnp.linalg.cholesky,
    "eigh": jnp.linalg.eigh,
    "eig": jnp.linalg.eig,
    "inv": jnp.linalg.inv,
    "qr": jnp.linalg.qr,
    "solve": lambda x: jnp.linalg.solve(x, x),
    "svd": jnp.linalg.svd,
    "fft": jnp.fft.fft2,
    "schur": lambda x: jax.scipy.linalg.schur(x),
    "lu": lambda x: jax.scipy.linalg.lu_factor(x),
}
for name, function in FUNCTIONS.items():
    jitted = jax.jit(function)
    text = jitted.lower(x).as_text()
    assert name == "fft" or "custom_call" in text or name == "inv", text
    results = [np.asarray(leaf).tobytes() for leaf in jax.tree_util.tree_leaves(jitted(x))]
    artifact = export.export(jitted)(jax.ShapeDtypeStruct(x.shape, x.dtype))
    for made in (text.encode(), artifact.mlir_module().encode(), *results):
        print(name, hashlib.sha256(made).hexdigest())
