"""Simulates quantum circuits with tensorcircuit's JAX backend; the amplitudes are known."""

import numpy as np
import tensorcircuit
from checks import check, report

backend = tensorcircuit.set_backend("jax")


def energy(theta):
    circuit = tensorcircuit.Circuit(2)
    circuit.rx(0, theta=theta)
    circuit.cnot(0, 1)
    return backend.real(circuit.expectation_ps(z=[1]))


bell = tensorcircuit.Circuit(2)
bell.H(0)
bell.cnot(0, 1)
check(bell.state(), np.array([1, 0, 0, 1]) / np.sqrt(2), atol=1e-6)
check(bell.expectation_ps(z=[0, 1]), 1.0, atol=1e-6)
angle = backend.convert_to_tensor(np.float32(0.7))
check(energy(angle), np.cos(0.7), rtol=1e-5)
check(backend.jit(energy)(angle), np.cos(0.7), rtol=1e-5)
value, slope = backend.value_and_grad(energy)(angle)
check(slope, -np.sin(0.7), rtol=1e-5)
angles = np.linspace(0, 1, 5, dtype=np.float32)
many = backend.vmap(energy)(backend.convert_to_tensor(angles))
check(many, np.cos(angles), rtol=1e-5)
report()
