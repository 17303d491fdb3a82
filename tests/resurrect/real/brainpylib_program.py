"""Counts events and multiplies sparse matrices by them with brainpylib, whose custom calls on CPU
are functions that Numba made; NumPy's are the measure."""

import jax
import numpy as np
from brainpylib.event_ops import event_csr_matvec, event_info
from checks import check, report
from scipy.sparse import csr_matrix

random = np.random.default_rng(3)
events = random.random(12) < 0.4
dense = np.where(random.random((12, 7)) < 0.5, random.normal(size=(12, 7)), 0).astype(np.float32)
matrix = csr_matrix(dense)
indices, pointers = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)

where = np.flatnonzero(events)
for function in (event_info, jax.jit(event_info)):
    found, number = function(jax.numpy.asarray(events))
    check(number, [len(where)])
    check(np.asarray(found)[: len(where)], where)


def multiply(events, data=matrix.data):
    return event_csr_matvec(data, indices, pointers, events, shape=(12, 7), transpose=True)


for function in (multiply, jax.jit(multiply)):
    check(function(events), dense.T @ events, rtol=1e-5, atol=1e-6)
    check(
        function(events, np.float32(1.5)), 1.5 * ((dense != 0).T @ events.astype(float)), rtol=1e-5
    )
many = random.random((4, 12)) < 0.5
check(jax.vmap(multiply)(many), many @ dense, rtol=1e-5, atol=1e-6)
report()
