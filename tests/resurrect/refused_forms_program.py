"""Prints what calls give whose arguments have a form that newer releases refuse: "name: value".

refused_forms_program.py          with callbridge.resurrect
refused_forms_program.py plain    by JAX alone
"""

import sys
import warnings

if sys.argv[1:] != ["plain"]:
    import callbridge.resurrect  # noqa: F401
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

warnings.simplefilter("ignore")
x = jnp.array([[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]])
nan = jnp.array([[3.0, np.nan, 2.0], [0.5, -1.0, 4.0]])
integers = jnp.array([[3, 0, 2], [1, 7, 4]])
mask, weights, floats = jnp.array([1, 0, 1]), jnp.array([2, 0, 3]), jnp.array([0.5, 0.0, 2.0])
of_mask, key = np.array([1, 0, 1]), jax.random.PRNGKey(3)

CALLS = {
    "sort": lambda: [jnp.sort(x, kind=kind) for kind in ("quicksort", "mergesort", "stable")],
    "sort by position": lambda: [jnp.sort(x, 0, "quicksort"), jnp.sort(x, kind="heapsort", axis=0)],
    "argsort": lambda: [jnp.argsort(x, kind=kind) for kind in ("quicksort", "stable")],
    "argsort by position": lambda: jnp.argsort(x, 0, "mergesort"),
    "methods": lambda: [x.sort(kind="stable"), x.argsort(axis=0, kind="quicksort")],
    "traced methods": lambda: jax.jit(lambda x: x.argsort(kind="stable"))(x),
    "sum method": lambda: [x.sum(where=mask), x.mean(1, where=mask)],
    **{
        f"{name} {what}": lambda name=name, where=where: [
            getattr(jnp, name)(x, where=where),
            getattr(jnp, name)(x, axis=1, where=where),
            getattr(jnp, name)(x, 1, keepdims=True, where=where),
            getattr(jnp, name)(integers, where=where),
            jax.jit(lambda x, where: getattr(jnp, name)(x, axis=0, where=where))(x, where),
        ]
        for name in ("sum", "prod", "mean", "std", "var", "any", "all")
        for what, where in [
            *(("mask", mask), ("weights", weights), ("floats", floats), ("NumPy", of_mask)),
            ("a number", 1),
        ]
    },
    **{
        name: lambda name=name: [getattr(jnp, name)(nan, axis=1, where=mask)]
        for name in ("nansum", "nanprod", "nanmean", "nanstd", "nanvar")
    },
    **{
        name: lambda name=name: [getattr(jnp, name)(nan, axis=1, where=mask, initial=1.5)]
        for name in ("max", "min", "amax", "amin", "nanmax", "nanmin")
    },
    "ddof": lambda: [jnp.var(x, ddof=1, where=weights), jnp.std(x, axis=1, ddof=1, where=mask)],
    "dtype": lambda: [jnp.mean(integers, dtype=jnp.float16, where=mask)],
    "complex": lambda: [jnp.var(x + 1j * x, where=mask), jnp.mean(x + 1j, where=weights)],
    "gradient": lambda: jax.grad(lambda x: jnp.mean(x, where=weights))(x),
    "nonzero": lambda: [jnp.nonzero(value) for value in (3, 0, 1.5)],
    "where": lambda: [jnp.where(jnp.array(2)), jnp.where(True), jnp.where(np.bool_(False))],
    "nonzero method": lambda: jnp.array(3).nonzero(),
    "dot": lambda: [lax.dot(x, x.T, lax.Precision.HIGHEST), lax.dot(x, x.T, None)],
    "dot of a type": lambda: lax.dot(integers, integers.T, None, np.dtype("float32")),
    "convert": lambda: [
        lax.convert_element_type(x, jnp.int8(1)),
        lax.convert_element_type(operand=x, new_dtype=integers),
    ],
    "fold_in": lambda: [jax.random.fold_in(key, data) for data in (-1, -(2**31), 7)],
    "scalars": lambda: [
        *(jnp.uint32(-1), jnp.uint8(300), jnp.int8(200), jnp.uint16(-2)),
        jnp.uint8([1, 257]),
    ],
    "arrays": lambda: [jnp.array(-1, jnp.uint32), jnp.asarray([1, 300], "uint8")],
    "none": lambda: [
        *(jnp.array(None), jnp.asarray(None), jnp.array([1.0, None]), jnp.asarray([None, None])),
        jnp.array(None, dtype=jnp.float16),
    ],
    "by keyword": lambda: [
        *(jnp.array(object=None), jnp.asarray(a=[None, 1.0], dtype="float16")),
        jnp.array(object=300, dtype=jnp.uint8),
        *(jax.random.fold_in(key=key, data=-2), jnp.nonzero(a=3), jnp.sort(a=x, kind="stable")),
    ],
    "empty": lambda: bool(jnp.array([])),
}


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(part) for part in value]
    array = np.asarray(value)
    if array.dtype.kind in "fc":
        array = np.round(array.astype(np.complex128), 4) + 0
    return f"{getattr(value, 'dtype', type(value).__name__)} {array.tolist()}"


for name, call in CALLS.items():
    try:
        print(f"{name}: {shown(call())}")
    except Exception as error:
        print(f"{name}: {type(error).__name__} {str(error).splitlines()[0]}")
