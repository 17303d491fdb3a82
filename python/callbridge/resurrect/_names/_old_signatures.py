"""Functions that take other arguments where they moved to, with those that they took; and private
functions and values that packages use, made anew.
"""

from __future__ import annotations

import enum
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, Union

import jax
from jax._src import core, util
from jax._src.interpreters import ad, batching
from jax._src.lax import lax
from jax._src.lax import utils as lax_utils
from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey

from callbridge.resurrect._backports import _interpreters
from callbridge.resurrect._names import _calls, _row


def _takes(function: Callable, name: str) -> bool:
    return name in inspect.signature(function).parameters


# ---- jax.interpreters ----------------------------------------------------------------------------


def vjp(traceable: Any, primals: Sequence[Any], has_aux: bool = False) -> tuple:
    """The results of a WrappedFun of lists, a function of their cotangents, and the auxiliary
    values where it has such."""
    results, pull, *aux = jax.vjp(
        lambda *operands: traceable.call_wrapped(*operands), *primals, has_aux=has_aux
    )
    container = type(results)
    return results, lambda *cts: list(pull(container(cts))), *aux


def add_batched(batched_args: Any, batch_dims: Any) -> tuple:
    if not _takes(batching.add_batched, "axis_data"):
        return batching.add_batched(batched_args, batch_dims)
    (x, y), (x_dim, y_dim) = batched_args, batch_dims
    if x_dim is None and y_dim is None:
        return x + y, None
    if y_dim is None:
        return x + jax.numpy.expand_dims(y, x_dim), x_dim
    if x_dim is None:
        x = jax.numpy.expand_dims(x, y_dim)
    else:
        x = jax.numpy.moveaxis(x, x_dim, y_dim)
    return x + y, y_dim


def reducer_batcher(
    prim: Any, ident: Any, axis_data: Any, batched_args: Any, batch_dims: Any, axes: Any, **params
) -> tuple:
    rule = batching.reducer_batcher
    before = (prim, ident) if _takes(rule, "ident") else (prim,)
    return rule(*before, axis_data, batched_args, batch_dims, axes, **params)


def matchaxis(
    axis_name: Any, sz: Any, mesh_axis: Any, src: Any, dst: Any, x: Any, sum_match: bool = False
) -> Any:
    """`x` with its batch dimension moved; the axis is in parts."""
    rule = batching.matchaxis
    if not _takes(rule, "axis_data"):
        return rule(axis_name, sz, mesh_axis, src, dst, x, sum_match=sum_match)
    mesh_axes = (mesh_axis,) if isinstance(mesh_axis, str) else mesh_axis
    data = _interpreters.axis_data(axis_name, sz, mesh_axes=mesh_axes)
    return rule(data, src, dst, x, sum_match=sum_match)


def from_elt(trace: Any, axis_size: Any, mesh_axis: Any, i: int, x: Any, spec: Any) -> Any:
    rule = batching.from_elt
    between = (False,) if _takes(rule, "sum_match") else ()
    return rule(trace, axis_size, mesh_axis, *between, i, x, spec)


def wrap_name(name: str, transform_name: str) -> str:
    if next(iter(inspect.signature(util.wrap_name).parameters)) == "name":
        return util.wrap_name(name, transform_name)
    return util.wrap_name(transform_name, name)


def device_put(x: Any, devices: Sequence[Any], replicate: bool = False) -> list:
    """A copy of `x` on each device; else `x` is a list of one value for each."""
    if replicate:
        return [jax.device_put(x, device) for device in devices]
    return [jax.device_put(value, device) for value, device in zip(x, devices)]


# ---- jax.lax -------------------------------------------------------------------------------------


def naryop(
    result_dtype: Any, accepted_dtypes: Any, name: str, allow_opaque_dtype: bool = False, **others
) -> Any:
    others.setdefault(_extended(lax.naryop), allow_opaque_dtype)
    return lax.naryop(result_dtype, accepted_dtypes, name, **others)


def naryop_dtype_rule(
    result_dtype: Any,
    accepted_dtypes: Any,
    name: str,
    *avals: Any,
    allow_opaque_dtype: bool = False,
    **others: Any,
) -> Any:
    others.setdefault(_extended(lax.naryop_dtype_rule), allow_opaque_dtype)
    return lax.naryop_dtype_rule(result_dtype, accepted_dtypes, name, *avals, **others)


def _extended(function: Callable) -> str:
    name = "allow_opaque_dtype"
    return name if _takes(function, name) else "allow_extended_dtype"


def standard_primitive(
    shape_rule: Any,
    dtype_rule: Any,
    name: str,
    translation_rule: Any = None,
    weak_type_rule: Any = None,
    named_shape_rule: Any = None,
    **others: Any,
) -> Any:
    """Names were of xmap's axes. `translation_rule` became mlir.register_lowering() in 2022."""
    if translation_rule is not None:
        raise NotImplementedError(
            f"standard_primitive({name!r}): callbridge.resurrect restores it without a "
            "translation_rule; give jax.interpreters.mlir.register_lowering the lowering"
        )
    if _takes(lax_utils.standard_primitive, "vma_rule") and hasattr(core, "standard_vma_rule"):
        others.setdefault("vma_rule", functools.partial(core.standard_vma_rule, name))
    return lax_utils.standard_primitive(
        shape_rule, dtype_rule, name, weak_type_rule=weak_type_rule, **others
    )


# ---- jax.lib -------------------------------------------------------------------------------------


def get_compile_options(*args: Any, **keywords: Any) -> Any:
    """GSPMD's partitioner is asked for by the number of partitions now."""
    from jax._src import compiler  # 0.4.13 has no such module, and the function elsewhere

    original = compiler.get_compile_options
    if not _takes(original, "use_spmd_partitioning"):
        for name in _PARTITIONER:
            keywords.pop(name, None)
    return original(*args, **keywords)


_PARTITIONER = (
    "use_spmd_partitioning",
    "use_auto_spmd_partitioning",
    "auto_spmd_partitioning_mesh_shape",
    "auto_spmd_partitioning_mesh_ids",
)


backward_pass = _calls.backward_pass(ad.backward_pass)
batch_jaxpr_axes = _calls.batch_jaxpr_axes(batching.batch_jaxpr_axes)


def infer_argnums_and_argnames(
    fun: Callable | inspect.Signature, argnums: Any, argnames: Any
) -> tuple:
    """Positions and names of a function's arguments, each of the other where one is given.

    `fun` is the function, as until 0.4.7, or its signature.
    """
    from jax._src import api_util

    signature = fun if isinstance(fun, inspect.Signature) else inspect.signature(fun)
    return api_util.infer_argnums_and_argnames(signature, argnums, argnames)


# ---- Made anew -----------------------------------------------------------------------------------


# What keys of paths in trees are.
BuiltInKeyEntry = Union[SequenceKey, DictKey, GetAttrKey, FlattenedIndexKey]

# Settings that are settled: whoever reads them gets what JAX does.
enable_memories = types.SimpleNamespace(value=True)
dynamic_shapes = types.SimpleNamespace(value=False)


def get_module_functions(module: Any) -> dict[str, Callable]:
    """The module's public functions, ufuncs and the like included, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if name[0] != "_" and callable(value) and not inspect.isclass(value)
    }


def xla_callable(*_: Any, **__: Any) -> Any:
    """What jax.jit compiled by, of which programs emptied the cache: xla_callable.cache_clear()."""
    raise _row.not_had("jax._src.dispatch._xla_callable", "compiled-functions")


xla_callable.cache_clear = jax.clear_caches  # type: ignore[attr-defined]


def extract_call_jaxpr(primitive: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Of a primitive that calls, its jaxpr and its other parameters; None and all of them else."""
    if not any(getattr(primitive, f"{kind}_primitive", False) for kind in ("call", "map")):
        return None, params
    return params["call_jaxpr"], {k: v for k, v in params.items() if k != "call_jaxpr"}


def is_unspecified(sharding: Any) -> bool:
    from jax._src import sharding_impls

    return isinstance(sharding, sharding_impls.UnspecifiedValue)  # type: ignore[attr-defined]


class PositionalSemantics(enum.Enum):
    """How a process saw arrays of several: JAX knows whole ones only."""

    LOCAL = 0
    GLOBAL = 1


positional_semantics = types.SimpleNamespace(val=PositionalSemantics.GLOBAL)
