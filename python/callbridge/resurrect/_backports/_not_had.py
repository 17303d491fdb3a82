"""Names whose meaning cannot be restored: an error says why, and what JAX has."""

from __future__ import annotations

import functools
import importlib
from typing import Any, NoReturn

# By key in _removed.py: what JAX lacks, and what there is instead.
REASONS = {
    "axis-substitution": "axis names are looked up when a jaxpr is evaluated, and no longer "
    "substituted in it",
    "backward-pass": "it took jaxprs apart as JAX did then; use jax.vjp or jax.linear_transpose",
    "call-primitives": "JAX removed primitives that call functions; use jax.jit, or a primitive "
    "with a jaxpr among its parameters",
    "clients": "jaxlib makes clients of PJRT plugins only; use jax.extend.backend.get_backend",
    "compiled-functions": "it was a part of jax.jit's machinery; use jax.jit",
    "copies": "use jax.device_put with a jax.sharding.Sharding",
    "custom-transpose": "JAX removed custom transposes; use jax.custom_vjp",
    "debug-info": "functions have their argument names in the debug_info of jax.api_util",
    "dynamic-shapes": "JAX removed arrays of dynamic shape; use jax.export.symbolic_shape",
    "executables": "jaxlib's executables are run by what jax.jit compiles; use jax.stages.Compiled",
    "experiment": "JAX tried it and removed it",
    "hlo-modules": "jaxlib has no HLO modules in Python; use jax.jit(f).lower(x).as_text('hlo')",
    "hlo-passes": "jaxlib has no HLO passes in Python; use jax.jit(f).lower(x).compile().as_text()",
    "infeed": "JAX removed infeed and outfeed; use jax.experimental.io_callback",
    "jaxlib": "jaxlib removed it from its Python bindings",
    "jaxlib-lowerings": "jaxlib has no lowerings of its kernels any more; call their handlers by "
    "jax.ffi.ffi_call",
    "jaxpr-tools": "JAX has no tools for jaxprs any more; walk the equations of jax.make_jaxpr",
    "jumbles": "JAX removed jumbles; pad the arrays, and use jax.vmap",
    "lowering": "it was a part of how JAX lowers, which is another now; see "
    "jax.interpreters.mlir.LoweringRuleContext",
    "main-traces": "JAX's tracing has no stack of main traces; set a jax.core.Trace with "
    "jax.extend.core.set_current_trace",
    "mhlo": "jaxlib has no MHLO; StableHLO has no such operation: jaxlib.mlir.dialects.stablehlo",
    "mlir": "LLVM removed it from MLIR's Python bindings",
    "pmap": "jax.pmap is made of jax.shard_map, and has no primitive; use jax.shard_map",
    "pmap-sharding": "jax.pmap is made of jax.shard_map; use jax.sharding.NamedSharding",
    "positional-sharding": "JAX removed it; use jax.sharding.NamedSharding",
    "private": "JAX made it private, and removed it; use jax.lax.all_gather in jax.shard_map",
    "quasi-dynamic-data": "JAX removed the experiment that it was for",
    "recipes": "jaxprs are built while functions are traced; use jax.make_jaxpr",
    "shard-map-rules": "jax.shard_map has no rules of primitives for what is replicated; it asks "
    "their abstract values for the axes that they vary over",
    "sharded-arrays": "all arrays are jax.Array, and have a sharding; use jax.device_put",
    "tracers": "a tracer is on no device, and says nothing of it",
    "xmap": "JAX removed xmap; use jax.vmap with spmd_axis_name, or jax.shard_map",
}


class NotHadError(AttributeError):
    """The name cannot be restored. Programs that try it, and have another way, take that."""


def error(what: str, reason: str) -> NotHadError:
    """`what` is the name, `reason` a key of REASONS."""
    return NotHadError(_text(what, reason))


# Of what class they were, and what a match pattern takes by position.
BASES = {
    "DShapedArray": ("callbridge.resurrect._backports._avals", "UnshapedArray"),
    "MapTracer": ("jax.core", "Tracer"),
    "BoundedAxisSize": ("builtins", "tuple"),
}
MATCH_ARGS = {
    "Jumble": "aval data",
    "JumbleTy": "binder length elt_ty",
    "Pile": "aval data",
    "PileTy": "binder length elt_ty",
    "RaggedAxis": "stacked_axis ragged_axes",
    "BoundedAxisSize": "val bound",
}


@functools.cache
def class_without_instances(module: str, name: str, reason: str) -> Any:
    """A class that programs ask isinstance() of, and that JAX has no values of any more."""
    owner, base = BASES.get(name, ("builtins", "object"))
    of = getattr(importlib.import_module(owner), base)
    kind = type("WithoutInstances", (_WithoutInstances, type(of)), {"__module__": __name__})
    members: dict[str, Any] = {"__module__": module, "_text": _text(f"{module}.{name}", reason)}
    if name in MATCH_ARGS:
        members["__match_args__"] = tuple(MATCH_ARGS[name].split())
    return kind(name, (of,), members)


class _WithoutInstances(type):
    _text: str

    def __call__(cls, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(cls._text)

    def __instancecheck__(cls, _: Any) -> bool:
        return False


def _text(what: str, reason: str) -> str:
    return f"callbridge.resurrect cannot restore {what}: {REASONS[reason]}"
