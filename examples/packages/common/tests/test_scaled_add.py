import jax
import jax.numpy as jnp
import numpy as np
import pytest
from mypackage import scaled_add

X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.full((2, 3), 10, np.float32)


def test_its_values():
    for function in (scaled_add, jax.jit(scaled_add, static_argnums=2)):
        np.testing.assert_array_equal(function(jnp.array(X), jnp.array(Y), 2.5), 2.5 * X + Y)


def test_in_vmap():
    rows = jax.vmap(lambda x, y: scaled_add(x, y, 0.5))
    np.testing.assert_array_equal(jax.jit(rows)(X, Y), 0.5 * X + Y)


def test_its_errors():
    with pytest.raises(Exception, match="expected x, y and the result to have one shape"):
        jax.block_until_ready(scaled_add(jnp.array(X), jnp.array(Y[0]), 1.0))
