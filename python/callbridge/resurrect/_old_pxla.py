"""Functions and classes of jax.interpreters.pxla and xla that are gone, made of those JAX has."""

from __future__ import annotations

import inspect
from typing import Any

from jax._src import op_shardings

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
