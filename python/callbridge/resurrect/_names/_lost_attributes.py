"""Attributes that classes of JAX lost, as functions of their instances or classes."""

from __future__ import annotations

from typing import Any, NoReturn

import jax
from jax._src import core
from jaxlib.xla_client import XlaRuntimeError

from callbridge.resurrect._backports._avals import (
    get_aval,  # type: ignore[attr-defined]
    lattice_join,
)
from callbridge.resurrect._backports._interpreters import AxisEnv


class LostAttributes:
    """One for each attribute, by its name; of those that differ by class, by "Class_name"."""

    # ---- Arrays and tracers ------------------------------------------------------------------
    def broadcast(operand: Any, sizes: Any) -> Any:
        return jax.lax.broadcast(operand, sizes)

    def broadcast_in_dim(operand: Any, shape: Any, broadcast_dimensions: Any) -> Any:
        return jax.lax.broadcast_in_dim(operand, shape, broadcast_dimensions)

    def split(array: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        return jax.numpy.split(array, indices_or_sections, axis)

    device_buffer = property(lambda array: _only(_buffers(array)))
    device_buffers = property(lambda array: _buffers(array))
    impl = property(lambda keys: keys._impl)

    def unsafe_raw_array(keys: Any) -> Any:
        return keys._base_array

    # Tracers had them in order to say that they have not.
    block_until_ready = property(lambda tracer: _of_arrays_alone(tracer, "block_until_ready"))
    copy_to_host_async = property(lambda tracer: _of_arrays_alone(tracer, "copy_to_host_async"))

    # ---- Abstract values ---------------------------------------------------------------------
    def join(aval: Any, other: Any) -> Any:
        return lattice_join(aval, other)

    def strip_named_shape(aval: Any) -> Any:
        return aval

    def to_cotangent_aval(aval: Any) -> Any:
        to = getattr(aval, "to_ct_aval", aval.to_tangent_aval)
        return to()

    # Named axes, which were xmap's: no array has any.
    named_shape = property(lambda aval: {})
    varying_manual_axes = property(lambda aval: aval.vma)
    vma = property(lambda aval: _varying(aval))
    # None: the struct states none.
    ShapeDtypeStruct_vma = property(
        lambda struct: None if struct.manual_axis_type is None else _varying(struct)
    )

    def update_vma(aval: Any, vma: Any) -> Any:
        if frozenset(vma) == _varying(aval):
            return aval
        type_ = aval.manual_axis_type.update(varying=frozenset(vma))
        return aval.update(manual_axis_type=type_)

    # ---- Functions of jax.numpy, which jax.jit gave ----------------------------------------------
    def lower(function: Any, *args: Any, **keywords: Any) -> Any:
        return jax.jit(function).lower(*args, **keywords)

    def trace(function: Any, *args: Any, **keywords: Any) -> Any:
        return jax.jit(function).trace(*args, **keywords)

    def eval_shape(function: Any, *args: Any, **keywords: Any) -> Any:
        return jax.eval_shape(function, *args, **keywords)

    def clear_cache(function: Any) -> None:
        """It has none of its own."""

    make_from_node_data_and_children = (
        staticmethod(lambda *parts: _from_node_data_and_children(*parts))
        if hasattr(jax.tree_util.PyTreeDef, "from_node_data_and_children")
        else None
    )

    # ---- Others ------------------------------------------------------------------------------
    level = property(lambda trace: _level(trace))

    def add(types: Any, effect: Any) -> None:
        """To a set of types of effects, which was one of effects."""
        types.add_type(type(effect))

    @classmethod
    def from_primal_value(cls, value: Any) -> Any:
        """A symbolic zero for the tangent of the value."""
        return cls(get_aval(value).to_tangent_aval())  # type: ignore[call-arg]

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """A symbolic zero like the value."""
        return cls(get_aval(value))  # type: ignore[call-arg]

    def def_custom_bind(primitive: Any, bind: Any) -> Any:
        primitive.bind = bind
        return bind

    axis_name = property(lambda trace: trace.axis_data.name)
    spmd_axis_name = property(lambda trace: trace.axis_data.spmd_name)
    Preset = getattr(jax.lax, "DotAlgorithmPreset", None)
    map_primitive = False
    suffix = ""
    # By which variables are in order, as dictionaries that are pytrees want their keys.
    count = property(id)
    __lt__ = lambda var, other: _order(var) < _order(other)  # noqa: E731
    __le__ = lambda var, other: _order(var) <= _order(other)  # noqa: E731
    __gt__ = lambda var, other: _order(var) > _order(other)  # noqa: E731
    __ge__ = lambda var, other: _order(var) >= _order(other)  # noqa: E731

    def with_spec(sharding: Any, spec: Any) -> Any:
        if not isinstance(spec, jax.sharding.PartitionSpec):
            spec = jax.sharding.PartitionSpec(*spec)
        return (
            sharding.update(spec=spec)
            if hasattr(sharding, "update")
            else _sharding(sharding.mesh, spec, sharding)
        )

    def with_mesh(sharding: Any, mesh: Any) -> Any:
        return _sharding(mesh, sharding.spec, sharding)

    def wrap_name(stack: Any, name: str) -> str:
        return f"{stack}/{name}" if str(stack) else name

    def buffer_from_pyval(backend: Any, argument: Any, device: Any = None, *_: Any) -> Any:
        return jax.device_put(argument, device or backend.local_devices()[0])

    def get_default_device_assignment(
        backend: Any, num_replicas: int, num_partitions: int | None = None
    ) -> list:
        """The devices that programs run on which name none: of each replica, of each of its
        partitions a list. XLA numbers the replicas of a partition one after another."""
        devices = {device.id: device for device in backend.devices()}

        def device(index: int) -> Any:
            if index not in devices:
                raise XlaRuntimeError(
                    f"INVALID_ARGUMENT: No matching device found for device_id {index}"
                )
            return devices[index]

        replicas = range(num_replicas)
        if num_partitions is None:
            return [device(replica) for replica in replicas]
        partitions = range(num_partitions)
        return [[device(p * num_replicas + replica) for p in partitions] for replica in replicas]

    platform = property(lambda context: context.platforms[0])
    backend_or_name = property(
        lambda context: context.platforms[0] if context.backend is None else context.backend
    )
    layout = property(lambda struct: struct.format)
    SPMDAxisContext_axis_env = property(
        lambda context: AxisEnv(
            context.mesh.size, context.mesh.axis_names, tuple(context.mesh.shape.values())
        )
    )
    unsafe_axis_env = SPMDAxisContext_axis_env
    ShardingContext_axis_env = property(lambda context: AxisEnv(1, (), ()))
    ModuleContext_axis_env = property(lambda context: context.axis_context.axis_env)

    # ---- jax.export, jax.stages and layouts --------------------------------------------------
    in_shardings = property(lambda exported: exported.in_shardings_hlo)
    out_shardings = property(lambda exported: exported.out_shardings_hlo)
    lowering_platforms = property(lambda exported: exported.platforms)
    mlir_module_serialization_version = property(
        lambda exported: exported.calling_convention_version
    )
    uses_shape_polymorphism = property(lambda exported: exported.uses_global_constants)
    input_layouts = property(lambda compiled: compiled.input_formats)
    output_layouts = property(lambda compiled: compiled.output_formats)
    device_local_layout = property(lambda found: found.layout)
    dll = device_local_layout
    aval = property(lambda info: info._aval)

    def is_compatible_aval(sharding: Any, aval_shape: Any) -> None:
        sharding.check_compatible_aval(aval_shape)

    def extend_manual(context: Any, axes: frozenset) -> Any:
        return type(context)(context.mesh, context.manual_axes | axes)


def _order(var: Any) -> tuple:
    return getattr(var, "suffix", ""), var.count


def _level(trace: Any) -> int:
    """How many traces are entered with it, but for the one that evaluates: a jit's trace of an
    older JAX, which does not know the one outside, counts as one."""
    level = 0
    while trace is not None and not isinstance(trace, core.EvalTrace):
        level += 1
        trace = getattr(trace, "parent_trace", None)
    return level


def _from_node_data_and_children(*parts: Any) -> Any:
    """Of (registry, node_data, children), or without the registry, as until 0.4.13."""
    tree = jax.tree_util.tree_structure(None)
    registry = parts[0] if len(parts) == 3 else jax.tree_util.default_registry
    return tree.from_node_data_and_children(registry, *parts[-2:])  # type: ignore[attr-defined]


def _buffers(array: Any) -> list:
    return [shard.data for shard in array.addressable_shards]


def _only(buffers: list) -> Any:
    if len(buffers) != 1:
        raise ValueError(
            f"device_buffer: expected one buffer, got {len(buffers)}; use device_buffers"
        )
    return buffers[0]


def _of_arrays_alone(tracer: Any, name: str) -> NoReturn:
    raise AttributeError(f"{type(tracer).__name__} has no attribute {name}", name=name)


def _varying(aval: Any) -> frozenset:
    found = getattr(aval, "manual_axis_type", None)
    return frozenset(getattr(found, "varying", ()))


def _sharding(mesh: Any, spec: Any, like: Any) -> Any:
    return jax.sharding.NamedSharding(mesh, spec, memory_kind=like.memory_kind)
