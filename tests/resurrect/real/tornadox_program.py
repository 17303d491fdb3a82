"""Solves differential equations with tornadox; SciPy is the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
import scipy.integrate  # noqa: E402
import tornadox  # noqa: E402
from checks import check, report  # noqa: E402

problem = tornadox.ivp.vanderpol(stiffness_constant=1.0)
own = scipy.integrate.solve_ivp(
    lambda t, y: np.asarray(problem.f(t, y)),
    (problem.t0, 5.0),
    np.asarray(problem.y0),
    rtol=1e-10,
    atol=1e-10,
)
problem = problem._replace(tmax=5.0)
for solver in (tornadox.ek0.KroneckerEK0, tornadox.ek1.ReferenceEK1, tornadox.ek0.DiagonalEK0):
    filter = solver(
        num_derivatives=4, steprule=tornadox.step.AdaptiveSteps(abstol=1e-6, reltol=1e-6)
    )
    state, _ = filter.simulate_final_state(ivp=problem)
    mean = np.asarray(state.y.mean)
    check(state.t, 5.0)
    check(mean[0] if mean.ndim == 2 else mean[:: mean.size // 2][:2], own.y[:, -1], rtol=1e-3)
report()
