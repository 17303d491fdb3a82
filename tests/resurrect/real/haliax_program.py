"""Named axes of haliax; NumPy is the measure."""

import haliax
import haliax.nn
import jax
import jax.numpy as jnp
import numpy as np
from checks import check, report

Row, Column, Out = haliax.make_axes(row=4, column=5, out=3)
random = np.random.default_rng(2)
a = random.normal(size=(4, 5)).astype(np.float32)
b = random.normal(size=(5, 3)).astype(np.float32)
x = haliax.named(jnp.asarray(a), (Row, Column))
y = haliax.named(jnp.asarray(b), (Column, Out))
check(haliax.dot(Column, x, y).array, a @ b, rtol=1e-4, atol=1e-5)
check(haliax.sum(x, Row).array, a.sum(0), rtol=1e-5, atol=1e-5)
check(x.rearrange((Column, Row)).array, a.T)
softmax = np.exp(a) / np.exp(a).sum(1, keepdims=True)
check(haliax.nn.softmax(x, Column).array, softmax, rtol=1e-5)
check(jax.jit(lambda x: haliax.mean(x, Column))(x).array, a.mean(1), rtol=1e-4, atol=1e-6)
gradient = jax.grad(lambda x: haliax.sum(x * x).array if hasattr(haliax.sum(x * x), "array") else haliax.sum(x * x))(x)
check(gradient.array, 2 * a, rtol=1e-6)
linear = haliax.nn.Linear.init(Column, Out, key=jax.random.PRNGKey(0))
own = np.asarray(linear.weight.rearrange((Column, Out)).array)
check(linear(x).array, a @ own + np.asarray(linear.bias.array), rtol=1e-4, atol=1e-5)
check(haliax.take(x, Column, 2).array, a[:, 2])
check(haliax.vmap(lambda r: haliax.sum(r), Row)(x).array, a.sum(1), rtol=1e-4, atol=1e-5)
report()
