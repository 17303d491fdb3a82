"""Functions and classes of jax.interpreters.pxla and xla that are gone, made of those JAX has."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
from jax._src import op_shardings
from jax._src.interpreters import mlir

# Which jax.pmap ran over several hosts: all of them do.
multi_host_supported_collectives: set = set()


class AUTO:
    """Left the sharding to XLA. JAX has jax.sharding.AxisType.Auto for it."""

    def __init__(self, mesh: Any):
        self.mesh = mesh


class WeakRefList(list):
    """A list that can be the referent of a weak reference."""

    __slots__ = ("__weakref__",)


def are_op_shardings_equal(op1: Any, op2: Any) -> bool:
    return op_shardings.are_hlo_shardings_equal(_hlo_sharding(op1), _hlo_sharding(op2))


def is_op_sharding_replicated(op: Any) -> bool:
    return op_shardings.is_hlo_sharding_replicated(_hlo_sharding(op))


def axis_groups(axis_env: Any, name: Any) -> tuple:
    """The replicas of an AxisEnv that differ in the named axes alone, group by group."""
    names = name if isinstance(name, (list, tuple)) else (name,)
    axes = [axis_env.names.index(axis) for axis in names]
    rest, ragged = divmod(axis_env.nreps, math.prod(axis_env.sizes))
    if ragged:
        raise ValueError(f"{axis_env.nreps} replicas are no multiple of {axis_env.sizes}")
    replicas = np.arange(axis_env.nreps).reshape(*axis_env.sizes, rest)
    size = math.prod(axis_env.sizes[axis] for axis in axes)
    groups = np.moveaxis(replicas, axes, range(len(axes))).reshape(size, -1).T
    return tuple(map(tuple, groups.tolist()))


def check_backend_matches(inner_backend: Any, outer_backend: Any) -> None:
    """Raises ValueError where a function's backend is another than that of what calls it."""
    mlir.check_backend_matches(inner_backend, (outer_backend,))


def _hlo_sharding(sharding: Any) -> Any:
    from jaxlib.xla_client import HloSharding

    return sharding if isinstance(sharding, HloSharding) else HloSharding.from_proto(sharding)


def backend_compile(backend: Any, module: Any, options: Any, host_callbacks: Any) -> Any:
    """Compiles an MLIR module for the devices of the options, the backend's first without such."""
    from jax._src import compiler  # 0.4.13, which has this function, has no such module

    compile_module = getattr(compiler, "backend_compile_and_load", None)
    if compile_module is None:
        compile_module = compiler.backend_compile
    if "executable_devices" not in inspect.signature(compile_module).parameters:
        return compile_module(backend, module, options, host_callbacks)
    from jaxlib.xla_client import DeviceList

    count = options.num_replicas * options.num_partitions
    devices = DeviceList(tuple(backend.local_devices()[:count]))
    return compile_module(backend, module, devices, options, list(host_callbacks))
