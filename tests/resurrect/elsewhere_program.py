"""Uses what a release has by another module's name, as programs did that knew the first one; prints
what is alike on all releases. Run in a process of its own."""

import callbridge.resurrect  # noqa: F401
import jax
import jax.numpy as jnp

try:
    from jax.extend.core import Primitive
except ImportError:
    from jax.core import Primitive
from jax.interpreters import mlir
from jax.lib import xla_extension

# A program's graph, as notebooks show it.
text = """
HloModule add_twice

ENTRY main {
  x = f32[3]{0} parameter(0)
  y = f32[3]{0} add(x, x)
  ROOT z = f32[3]{0} multiply(y, x)
}
"""
module = xla_extension.hlo_module_from_text(text)
assert isinstance(module, xla_extension.HloModule)
print(module.name)
graph = xla_extension.hlo_module_to_dot_graph(module)
print(graph.startswith("digraph"), "multiply" in graph, "subtract" in graph)
options = xla_extension.HloPrintOptions.short_parsable()
print("multiply(y, x)" in module.to_string(options).replace("%", ""))
print(xla_extension.OpSharding_Type.REPLICATED != xla_extension.OpSharding_Type.OTHER)

# A rule that lowers to an operation of MHLO, which StableHLO has not.
import jax.extend.mlir.dialects.mhlo as mhlo  # noqa: E402
from jax.extend.mlir.dialects.stablehlo import AddOp  # noqa: E402

copied = Primitive("copied")
copied.def_abstract_eval(lambda x: x)
mlir.register_lowering(copied, lambda context, x: [AddOp(x, mhlo.CopyOp(x)).result])
print(jax.jit(copied.bind)(jnp.arange(3.0)))
lowered = jax.jit(copied.bind).lower(jnp.arange(3.0)).compiler_ir("stablehlo")
print("mhlo.copy" in str(lowered))

from jax.jaxpr_util import collect_eqns, primitives  # noqa: E402

jaxpr = jax.make_jaxpr(lambda x: jnp.sin(x) + jnp.sin(2 * x))(1.0).jaxpr
print(dict(sorted(primitives(jaxpr).items())))
print(len(collect_eqns(jaxpr, lambda equation: equation.primitive.name)["sin"]))
