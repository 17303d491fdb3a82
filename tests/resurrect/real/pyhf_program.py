"""Statistical models of pyhf with its JAX backend; SciPy is the measure."""

import numpy as np
import pyhf
import scipy.stats
from checks import check, report

pyhf.set_backend("jax")
signal, background, uncertainty = np.array([[12.0, 11.0], [50.0, 52.0], [3.0, 7.0]])
model = pyhf.simplemodels.uncorrelated_background(
    signal=list(signal), bkg=list(background), bkg_uncertainty=list(uncertainty)
)
counts = np.array([51.0, 48.0])
data = [*counts, *model.config.auxdata]
factors = (background / uncertainty) ** 2
check(model.config.auxdata, factors, rtol=1e-6)


def log_density(mu, gammas):
    rates = mu * signal + gammas * background
    of_counts = counts * np.log(rates) - rates - scipy.special.gammaln(counts + 1)
    rates = gammas * factors
    return (of_counts + factors * np.log(rates) - rates - scipy.special.gammaln(factors + 1)).sum()


for mu, gammas in ((0.0, [1.0, 1.0]), (0.7, [0.95, 1.1])):
    check(model.logpdf([mu, *gammas], data)[0], log_density(mu, np.array(gammas)), rtol=1e-6)
rates = 0.5 * signal + np.array([0.9, 1.2]) * background
check(model.expected_actualdata([0.5, 0.9, 1.2]), rates, rtol=1e-6)
best = np.asarray(pyhf.infer.mle.fit(data, model))
at_best = log_density(best[0], best[1:])
for step in 0.01 * np.eye(3)[1:]:
    for moved in (best + step, best - step):
        assert log_density(max(moved[0], 0), moved[1:]) <= at_best
check(best[0], 0.0, atol=1e-3)
limit = pyhf.infer.hypotest(1.0, data, model, test_stat="qtilde")
check(0 < float(limit) < 1, True)
report()
