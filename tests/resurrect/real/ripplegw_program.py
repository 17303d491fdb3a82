"""Gravitational waves of ripplegw; the stationary-phase amplitude's power law is known."""

import jax
import jax.numpy as jnp
import numpy as np
import ripple
from checks import check, report
from ripple.waveforms import IMRPhenomD

masses = jnp.array([20.0, 19.0])
chirp, eta = ripple.ms_to_Mc_eta(masses)
check(eta, 20.0 * 19.0 / 39.0**2, rtol=1e-5)
check(chirp, (20.0 * 19.0) ** 0.6 / 39.0**0.2, rtol=1e-5)
check(jnp.array(ripple.Mc_eta_to_ms(jnp.array([chirp, eta]))), [20.0, 19.0], rtol=1e-3)
frequencies = jnp.arange(24.0, 256.0, 0.5)
theta = jnp.array([chirp, eta, 0.3, -0.2, 440.0, 0.0, 0.0])
wave = jax.jit(lambda t: IMRPhenomD.gen_IMRPhenomD(frequencies, t, 24.0))(theta)
amplitude = np.abs(np.asarray(wave))
slope = np.polyfit(np.log(frequencies[:12]), np.log(amplitude[:12]), 1)[0]
check(slope, -7 / 6, atol=0.1)
farther = IMRPhenomD.gen_IMRPhenomD(frequencies, theta.at[4].set(880.0), 24.0)
check(np.abs(np.asarray(farther)) * 2e22, amplitude * 1e22, rtol=1e-3)
derivative = jax.grad(
    lambda d: jnp.abs(IMRPhenomD.gen_IMRPhenomD(frequencies, theta.at[4].set(d), 24.0)).sum() * 1e20
)(440.0)
check(derivative, -amplitude.sum() * 1e20 / 440.0, rtol=1e-3)
report()
