"""Metrics of jax-metrics; NumPy is the measure."""

import jax
import jax.numpy as jnp
import jax_metrics
import numpy as np
from checks import check, report

random = np.random.default_rng(8)
scores = random.normal(size=(3, 16, 4)).astype(np.float32)
labels = random.integers(0, 4, size=(3, 16))
accuracy = jax_metrics.metrics.Accuracy()
for each, own in zip(scores, labels, strict=True):
    accuracy = accuracy.update(preds=jnp.asarray(each), target=jnp.asarray(own))
check(accuracy.compute(), (scores.argmax(-1) == labels).mean(), rtol=1e-6)
error = jax_metrics.metrics.MeanSquareError()
wanted = random.normal(size=(3, 16, 4)).astype(np.float32)
update = jax.jit(lambda metric, a, b: metric.update(preds=a, target=b))
for each, own in zip(scores, wanted, strict=True):
    error = update(error, each, own)
check(error.compute(), ((scores - wanted) ** 2).mean(), rtol=1e-5)
loss = jax_metrics.losses.Crossentropy()
log_softmax = scores[0] - np.log(np.exp(scores[0]).sum(-1, keepdims=True))
own = -log_softmax[np.arange(16), labels[0]].mean()
check(loss(preds=scores[0], target=jnp.asarray(labels[0])), own, rtol=1e-5)
check(
    jax_metrics.losses.MeanAbsoluteError()(preds=scores[0], target=wanted[0]),
    np.abs(scores[0] - wanted[0]).mean(),
    rtol=1e-5,
)
report()
