"""Functions of jax itself, and of its MLIR, that are gone, made of those that JAX has."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np


def xla_computation(
    fun: Callable,
    static_argnums: Any = (),
    axis_env: Any = None,
    in_parts: Any = None,
    out_parts: Any = None,
    backend: str | None = None,
    tuple_args: bool = False,
    instantiate_const_outputs: bool | None = None,
    return_shape: bool = False,
    donate_argnums: Any = (),
) -> Callable:
    """Returns a function of `fun`'s arguments that returns the XlaComputation.

    `instantiate_const_outputs` did nothing for long. Named axes, parts and tuple arguments are
    refused: jax.jit has none.
    """
    for name, value in (
        ("axis_env", axis_env),
        ("in_parts", in_parts),
        ("out_parts", out_parts),
        ("tuple_args", tuple_args),
    ):
        if value:
            raise NotImplementedError(
                f"callbridge.resurrect restores jax.xla_computation without {name}; "
                "jax.jit(f).lower() with in_shardings says it otherwise"
            )
    jitted = jax.jit(
        fun, static_argnums=static_argnums, donate_argnums=donate_argnums, backend=backend
    )

    def computation(*args: Any, **kwargs: Any) -> Any:
        lowered: Any = jitted.lower(*args, **kwargs)
        found = lowered.compiler_ir("hlo")
        if not return_shape:
            return found
        shape_of = lambda out: jax.ShapeDtypeStruct(out.shape, out.dtype)  # noqa: E731
        return found, jax.tree_util.tree_map(shape_of, lowered.out_info)

    return computation


@contextlib.contextmanager
def spmd_mode(new_val: Any) -> Iterator[None]:
    """Allowed jax.jit without shardings to run on several devices, which it always may now."""
    yield


def clear_backends() -> None:
    """Lets go of what is compiled, and of the backends: arrays must not be used any more."""
    from jax.extend.backend import clear_backends

    clear_backends()


def device_put_replicated(x: Any, devices: Sequence[Any]) -> Any:
    """A copy on each device, along a new first axis that is sharded over them."""
    return jax.tree_util.tree_map(
        lambda leaf: device_put_sharded([leaf] * len(devices), devices), x
    )


def device_put_sharded(shards: Sequence[Any], devices: Sequence[Any]) -> Any:
    """The shards stacked along a new first axis, each on its device."""
    shards, devices = list(shards), list(devices)
    if not shards or len(shards) != len(devices):
        raise ValueError(
            f"device_put_sharded: expected as many shards as devices, and one at least; got "
            f"{len(shards)} and {len(devices)}"
        )
    mesh = jax.sharding.Mesh(np.array(devices), ("_device_put_sharded",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("_device_put_sharded"))

    def stack(*leaves: Any) -> jax.Array:
        parts = [
            jax.device_put(jax.numpy.asarray(leaf)[None], device)
            for leaf, device in zip(leaves, devices)
        ]
        shape = (len(parts), *parts[0].shape[1:])
        return jax.make_array_from_single_device_arrays(shape, sharding, parts)

    return jax.tree_util.tree_map(stack, *shards)


def xla_computation_to_mlir_module(xla_computation: Any) -> Any:
    """The MLIR module of an XlaComputation, in a context as JAX lowers in."""
    from jax.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        return ir.Module.parse(text_of(xla_computation))


def text_of(xla_computation: Any) -> Any:
    """The same module, as text or bytecode."""
    try:
        from jaxlib import _jax as xla
    except ImportError:
        from jaxlib import xla_extension as xla
    return xla.mlir.xla_computation_to_mlir_module(xla_computation)
