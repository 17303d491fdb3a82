"""Uses celerite2's JAX operations; its own NumPy and C++ results are the measure."""

import json
import pathlib

import celerite2
import celerite2.backprop as backprop
import celerite2.jax
import celerite2.testing
import jax
import numpy as np
from celerite2.jax import ops
from celerite2.jax import terms as jax_terms
from checks import check, report

jax.config.update("jax_enable_x64", True)
definitions = json.loads((pathlib.Path(celerite2.__file__).parent / "definitions.json").read_text())
x, c, a, U, V, Y, t, U2, V2 = celerite2.testing.get_matrices(conditional=True)
d, W = np.empty_like(a), np.empty_like(V)
backprop.factor_fwd(x, c, a, U, V, d, W, np.empty((len(x), len(c), len(c))))
inputs = {
    "factor": (x, c, a, U, V),
    "solve_lower": (x, c, U, W, Y),
    "solve_upper": (x, c, U, W, Y),
    "matmul_lower": (x, c, U, V, Y),
    "matmul_upper": (x, c, U, V, Y),
    "general_matmul_lower": (t, x, c, U2, V, Y),
    "general_matmul_upper": (t, x, c, U2, V, Y),
}

for spec in definitions:
    name, given = spec["name"], inputs[spec["name"]]
    dims = {i["name"]: given[i["coords"][0]].shape[i["coords"][1]] for i in spec["dimensions"]}
    outputs = [
        np.empty([dims[k] for k in s["shape"]]) for s in spec["outputs"] + spec["extra_outputs"]
    ]
    getattr(backprop, f"{name}_fwd")(*given, *outputs)
    results = getattr(ops, name)
    count = len(spec["outputs"])
    for run in (results, jax.jit(results)):
        values = run(*given)
        for value, expected in zip(values if count > 1 else [values], outputs, strict=False):
            check(value, expected)
    if not spec["has_rev"]:
        continue
    # Reverse mode, against the package's own.
    cotangents = [np.cos(np.arange(o.size)).reshape(o.shape) for o in outputs[:count]]
    expected = [np.empty_like(g) for g in given]
    backprop_rev = getattr(backprop, f"{name}_rev")
    backprop_rev(*given, *outputs, *cotangents, *expected)
    _, pull_back = jax.vjp(results, *given)
    gradients = pull_back(tuple(cotangents) if count > 1 else cotangents[0])
    for gradient, wanted in zip(gradients, expected, strict=True):
        check(gradient, wanted)

y = np.sin(x)


def log_likelihood(sigma, module=celerite2.jax, terms=jax_terms):
    process = module.GaussianProcess(terms.SHOTerm(sigma=sigma, rho=1.2, Q=0.4))
    process.compute(x, yerr=0.1)
    return process.log_likelihood(y)


own = log_likelihood(1.5, celerite2, celerite2.terms)
check(log_likelihood(1.5), own)
check(jax.jit(log_likelihood)(1.5), own)
slope = (log_likelihood(1.5 + 1e-6) - log_likelihood(1.5 - 1e-6)) / 2e-6
check(jax.grad(log_likelihood)(1.5), slope, rtol=1e-6)
check(jax.jit(jax.grad(log_likelihood))(1.5), slope, rtol=1e-6)
report()
