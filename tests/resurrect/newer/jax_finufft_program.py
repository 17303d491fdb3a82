"""jax-finufft, nonuniform Fourier transforms, whose handlers take structs: against NumPy's sums."""

import jax
import jax.numpy as jnp
import numpy as np
from checks import close

jax.config.update("jax_enable_x64", True)

from jax_finufft import nufft1, nufft2  # noqa: E402

random = np.random.default_rng(0)
m, n = 100, 16
x = random.uniform(-np.pi, np.pi, m)
c = random.standard_normal(m) + 1j * random.standard_normal(m)
k = np.arange(-n // 2, n // 2)
E = np.exp(1j * k[:, None] * x[None])


def type_1(c, x):
    return nufft1(n, jnp.asarray(c), jnp.asarray(x), eps=1e-12, iflag=1)


f = E @ c
close(type_1(c, x), f, 1e-8)
close(nufft2(jnp.asarray(f), jnp.asarray(x), eps=1e-12, iflag=-1), E.conj().T @ f, 1e-8)
close(jax.jit(type_1)(c, x), f, 1e-8)
close(jax.vmap(type_1, (0, None))(np.stack([c, 2 * c]), x), np.stack([f, 2 * f]), 1e-8)
gradient = jax.grad(lambda x: jnp.sum(jnp.abs(type_1(c, x)) ** 2))(x)
close(gradient, 2 * np.real(f.conj()[:, None] * 1j * k[:, None] * E * c).sum(0), 1e-6)
y = random.uniform(-np.pi, np.pi, m)
two = nufft1((n, n), jnp.asarray(c), jnp.asarray(x), jnp.asarray(y), eps=1e-12, iflag=1)
close(two, np.einsum("km,lm,m->kl", E, np.exp(1j * k[:, None] * y), c), 1e-8)
single = nufft1(n, jnp.asarray(c, jnp.complex64), jnp.asarray(x, jnp.float32), eps=1e-5, iflag=1)
close(single, f.astype(np.complex64), 1e-3)
