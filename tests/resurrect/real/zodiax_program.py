"""Trees of parameters with zodiax; the values are known."""

import jax
import jax.numpy as jnp
import numpy as np
import zodiax
from checks import check, report


class Line(zodiax.Base):
    slope: jax.Array
    offset: jax.Array

    def model(self, x):
        return self.slope * x + self.offset


x = jnp.linspace(0, 1, 11)
line = Line(jnp.array(2.0), jnp.array(-1.0))
check(line.get("slope"), 2.0)
check(
    line.set("slope", jnp.array(3.0)).model(x), 3 * np.linspace(0, 1, 11) - 1, rtol=1e-5, atol=1e-6
)
check(line.add("offset", 0.5).offset, -0.5)
check(line.multiply("slope", 4.0).slope, 8.0)


@zodiax.filter_jit
@zodiax.filter_value_and_grad(["slope", "offset"])
def loss(line, x, y):
    return jnp.sum((line.model(x) - y) ** 2)


value, slopes = loss(line, x, jnp.zeros(11))
residue = 2 * np.linspace(0, 1, 11) - 1
check(value, (residue**2).sum(), rtol=1e-5)
check(slopes.slope, (2 * residue * np.linspace(0, 1, 11)).sum(), rtol=1e-5)
check(slopes.offset, 2 * residue.sum(), atol=1e-5)
report()
