"""Constructs parts of jaxprs by the arguments of any release, and asks what classes are arrays."""

import jax
import jax.numpy as jnp
from jax._src import core
from jax.typing import ArrayLike

aval = core.ShapedArray((), jnp.float32)
for arguments in ((3, "", aval), ("", aval), (aval,)):
    assert core.Var(*arguments).aval is aval
(equation,) = jax.make_jaxpr(jnp.sin)(1.0).jaxpr.eqns
parts = equation.invars, equation.outvars, equation.primitive, equation.params
again = core.JaxprEqn(*parts, equation.effects, equation.source_info)
for part in ("invars", "outvars", "primitive", "params", "effects", "source_info"):
    assert getattr(again, part) == getattr(equation, part), part
assert type(getattr(again, "ctx", None)) is type(getattr(equation, "ctx", None))
seen = []
jax.jit(lambda x: seen.append((isinstance(x, ArrayLike), issubclass(type(x), jax.Array))))(1.0)
assert seen == [(True, True)]
assert not issubclass(int, jax.Array) and not isinstance(1, jax.Array)
