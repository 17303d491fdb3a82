"""Sums visibilities with ri_kernels; NumPy's sums are the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402
from ri_kernels.jax_api.rfi_vis_op import RFIVisOp  # noqa: E402

random = np.random.default_rng(4)
antennas, frequencies, times, sources, fine_frequencies, fine_times = 4, 3, 2, 2, 3, 5
a1, a2 = (v.astype(np.int32) for v in np.triu_indices(antennas, 1))
shape = (antennas, frequencies, times, sources, fine_frequencies, fine_times)
amplitude = random.normal(size=shape) + 1j * random.normal(size=shape)
phase = random.uniform(-3, 3, shape)


def visibilities(amplitude, phase):
    signal = amplitude * np.exp(1j * phase)
    products = signal[a1] * signal[a2].conj()
    return products.mean((-1, -2)).sum(-1)


operation = RFIVisOp(antennas, jax.numpy.asarray(a1), jax.numpy.asarray(a2))
own = visibilities(amplitude, phase)
for run in (operation.eval, jax.jit(operation.eval)):
    check(run(amplitude, phase), own, rtol=1e-10)
single = operation.eval(amplitude.astype(np.complex64), phase.astype(np.float32))
check(single, own, rtol=1e-4, atol=1e-4)

tangent = random.normal(size=shape)
_, slope = jax.jvp(lambda p: operation.eval(amplitude, p), (phase,), (tangent,))
h = 1e-6
moved = visibilities(amplitude, phase + h * tangent) - visibilities(amplitude, phase - h * tangent)
check(slope, moved / (2 * h), rtol=1e-6, atol=1e-6)
report()
