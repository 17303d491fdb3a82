"""Turns SymPy's expressions into JAX's functions with sympy2jax; SymPy is the measure."""

import equinox
import jax
import jax.numpy as jnp
import sympy
import sympy2jax
from checks import check, report

x, y = sympy.symbols("x y")
expressions = [2 * sympy.cos(x) + y**2, sympy.exp(-x) / (1 + y), sympy.Abs(x - y) + sympy.Max(x, y)]
module = sympy2jax.SymbolicModule(expressions)
at = {"x": 0.3, "y": 1.7}
values = [float(e.subs(at)) for e in expressions]
arrays = {name: jnp.array(value) for name, value in at.items()}
check(jnp.stack(module(**arrays)), values, rtol=1e-5)
check(jnp.stack(equinox.filter_jit(module)(**arrays)), values, rtol=1e-5)
(single,) = (sympy2jax.SymbolicModule([sympy.sin(x) * x])(x=jnp.array(0.7)),)
slope = jax.grad(lambda v: sympy2jax.SymbolicModule([sympy.sin(x) * x])(x=v)[0])(0.7)
check(slope, float(sympy.diff(sympy.sin(x) * x).subs({"x": 0.7})), rtol=1e-5)
check(single[0], float((sympy.sin(x) * x).subs({"x": 0.7})), rtol=1e-5)
scaled = sympy2jax.SymbolicModule([sympy.Float(3.5) * x])
gradient = equinox.filter_grad(lambda m: m(x=jnp.array(2.0))[0])(scaled)
check(sum(jnp.sum(leaf) for leaf in jax.tree_util.tree_leaves(gradient)), 2.0, rtol=1e-5)
report()
