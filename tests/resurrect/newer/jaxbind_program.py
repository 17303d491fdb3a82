"""jaxbind: any function as a primitive; its handler gets pickled keywords and calls Python."""

import jax
import jax.numpy as jnp
import numpy as np
from checks import close
from jaxbind import get_linear_call, get_nonlinear_call

jax.config.update("jax_enable_x64", True)
random = np.random.default_rng(0)
A = random.standard_normal((3, 4))


def product(out, args, kwargs_dump):
    out[0][()] = A @ args[0]


def transposed(out, args, kwargs_dump):
    out[0][()] = A.T @ args[0]


def rows(*args, **kwargs):
    return (((3,), args[0].dtype),)


def columns(*args, **kwargs):
    return (((4,), args[0].dtype),)


linear = get_linear_call(product, transposed, rows, columns, func_can_batch=False)
x = random.standard_normal(4)
close(linear(x)[0], A @ x)
close(jax.jit(linear)(x)[0], A @ x)
close(jax.grad(lambda x: jnp.sum(linear(x)[0] ** 2))(x), 2 * A.T @ A @ x)
close(jax.jvp(linear, (x,), (2 * x,))[1][0], 2 * A @ x)
close(jax.vmap(linear)(np.stack([x, 3 * x]))[0], np.stack([A @ x, 3 * A @ x]))


def square(out, args, kwargs_dump):
    out[0][()] = args[0] ** 2


def tangent(out, args, kwargs_dump):
    out[0][()] = 2 * args[0] * args[1]


squared = get_nonlinear_call(square, (tangent, tangent), columns, columns)
close(squared(x)[0], x**2)
close(jax.grad(lambda x: squared(x)[0].sum())(x), 2 * x)
