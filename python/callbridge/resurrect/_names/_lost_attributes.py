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


class Attributes:
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


# Class, the first release without them, attributes; "attribute=other" is Attributes.other.
ROWS = [
    ("jax.core.Tracer", "0.4.30", "broadcast broadcast_in_dim split"),
    ("jax._src.array.ArrayImpl", "0.4.30", "broadcast broadcast_in_dim split"),
    ("jax._src.array.ArrayImpl", "0.4.30", "device_buffer device_buffers"),
    ("jax._src.array.ArrayImpl", "0.7.2", "layout"),
    ("jax._src.prng.PRNGKeyArray", "0.4.30", "impl unsafe_raw_array"),
    ("jax._src.random.prng.PRNGKeyArray", "0.4.30", "impl unsafe_raw_array"),
    ("jax.numpy.ufunc", "0.4.34", "clear_cache eval_shape lower trace"),
    ("jax.core.Tracer", "0.9.2", "block_until_ready copy_to_host_async"),
    ("jax.core.AbstractValue", "0.4.31", "strip_named_shape"),
    ("jax.core.AbstractValue", "0.4.38", "join"),
    ("jax.core.AbstractValue", "0.9.2", "to_cotangent_aval"),
    ("jax.core.ShapedArray", "0.4.30", "broadcast_in_dim split"),
    ("jax.core.ShapedArray", "0.4.34", "named_shape"),
    ("jax.core.ShapedArray", "0.6.2", "varying_manual_axes"),
    ("jax.core.AbstractValue", "0.10.2", "update_vma"),
    ("jax.core.ShapedArray", "0.10.2", "vma"),
    ("jax.ShapeDtypeStruct", "0.4.34", "named_shape"),
    ("jax.ShapeDtypeStruct", "0.7.2", "layout"),
    ("jax.ShapeDtypeStruct", "0.10.2", "vma=ShapeDtypeStruct_vma"),
    ("jax.interpreters.ad.Zero", "0.4.34", "from_value"),
    ("jax.core.Trace", "0.4.38", "level"),
    ("jax._src.effects.EffectTypeSet", "0.4.13", "add"),
    ("jax.interpreters.ad.Zero", "0.9.2", "from_primal_value"),
    ("jax._src.interpreters.batching.BatchTrace", "0.4.38", "axis_name spmd_axis_name"),
    ("jax.extend.core.Primitive", "0.4.38", "def_custom_bind"),
    ("jax.extend.core.Primitive", "0.10.2", "map_primitive"),
    ("jax.tree_util.PyTreeDef", "0.6.2", "make_from_node_data_and_children"),
    ("jax.extend.core.Var", "0.6.2", "suffix"),
    ("jax.extend.core.Var", "0.10.2", "count"),
    ("jax.extend.core.Var", "0.6.2", "__lt__ __le__ __gt__ __ge__"),
    ("jax.sharding.NamedSharding", "0.5.3", "with_mesh"),
    ("jax.sharding.NamedSharding", "0.6.2", "with_spec"),
    ("jax.extend.source_info_util.NameStack", "0.5.3", "wrap_name"),
    ("jax.interpreters.xla.Backend", "0.10.2", "buffer_from_pyval"),
    ("jax.interpreters.xla.Backend", "0.4.30", "get_default_device_assignment"),
    (
        "jax.export.Exported",
        "0.4.38",
        "in_shardings out_shardings lowering_platforms mlir_module_serialization_version "
        "uses_shape_polymorphism",
    ),
    ("jax.stages.Compiled", "0.7.2", "input_layouts output_layouts"),
    ("jax.stages.ArgInfo", "0.4.30", "aval"),
    ("jax.experimental.layout.Format", "0.7.2", "device_local_layout dll"),
    ("jax.sharding.NamedSharding", "0.4.30", "is_compatible_aval"),
    ("jax.lax.DotAlgorithm", "0.4.38", "Preset"),
    ("jax.interpreters.mlir.ModuleContext", "0.4.30", "platform"),
    ("jax.interpreters.mlir.ModuleContext", "0.5.3", "backend_or_name"),
    ("jax.interpreters.mlir.ModuleContext", "0.10.2", "axis_env=ModuleContext_axis_env"),
    (
        "jax.interpreters.mlir.SPMDAxisContext",
        "0.10.2",
        "axis_env=SPMDAxisContext_axis_env unsafe_axis_env extend_manual",
    ),
    ("jax.interpreters.mlir.ShardingContext", "0.10.2", "axis_env=ShardingContext_axis_env"),
]

# Those that JAX has yet in order to raise.
REFUSED = {
    ("jax._src.array.ArrayImpl", "device_buffer"),
    ("jax._src.array.ArrayImpl", "device_buffers"),
}

# What cannot be restored, by class: a key of _not_had.REASONS, and attributes.
_DATA = (
    "aval_mutable_qdd cur_qdd final_aval_qdds final_qdd has_qdd in_aval_qdds initial_qdd lo_ty_qdd "
    "mutable_qdd"
)
_MAIN = (
    "main-traces",
    "join lift pure sublevel sublift post_process_call post_process_map "
    "post_process_custom_jvp_call post_process_custom_vjp_call process_box_get process_box_set "
    "process_getattr process_setattr process_custom_transpose process_map process_call cur_qdd "
    "process_xmap post_process_shard_map post_process_custom_vjp_call_fwd process_axis_index "
    "get_axis_primitive_batcher get_frame get_primitive_batcher instantiate_const getvar makevar "
    "is_const process_extendattr process_list_append",
)
NOT_HAD = {
    "Trace": _MAIN,
    "JVPTrace": _MAIN,
    "BatchTrace": _MAIN,
    "DynamicJaxprTrace": _MAIN,
    "CustomJVPCallPrimitive": ("call-primitives", "post_process"),
    "DynamicJaxprTracer": ("tracers", "device"),
    "BatchTracer": ("tracers", "device"),
    "LinearizeTracer": ("tracers", "device type_state"),
    "JVPTracer": ("tracers", "device type_state"),
    "LoadedExecutable": (
        "executables",
        "compile_options delete execute_sharded_on_local_devices "
        "execute_sharded_on_local_devices_with_tokens local_logical_device_ids",
    ),
    "NamedSharding": ("pmap-sharding", "default devices sharding_spec"),
    "PmapFunction": ("pmap", "trace"),
    "function": ("pmap", "trace"),
    "Client": (
        "clients",
        "emit_python_callback get_emit_python_callback get_emit_python_callback_descriptor "
        "make_cross_host_receive_buffers",
    ),
    "AbstractValue": ("quasi-dynamic-data", f"{_DATA} update_unreduced_reduced"),
    "Jaxpr": ("quasi-dynamic-data", _DATA),
    "Var": ("quasi-dynamic-data", _DATA),
    "Tracer": ("quasi-dynamic-data", _DATA),
    "Device": ("infeed", "transfer_from_outfeed transfer_to_infeed"),
    "LoweringRuleContext": ("lowering", "compute_type"),
    "ModuleContext": ("lowering", "cached_call_jaxpr_lowerings name_stack"),
    "ShardingContext": ("lowering", "mesh_shape"),
    "Mesh": ("lowering", "with_axis_types"),
    "AbstractMesh": ("lowering", "with_axis_types"),
    "MeshComputation": ("lowering", "mhlo"),
    "DisabledSafetyCheck": ("experiment", "shape_assertions"),
    "Compiled": ("hlo-modules", "compiler_ir"),
    "Lowered": ("compiled-functions", "from_flat_info"),
    "Traced": ("compiled-functions", "fall"),
    "PyTreeDef": ("jaxlib", "make_from_node_data_and_children"),
    "Backend": (
        "clients",
        "emit_python_callback get_emit_python_callback get_emit_python_callback_descriptor "
        "make_cross_host_receive_buffers",
    ),
    # Those of a class of jaxlib's, in place of which JAX has an enumeration.
    "Precision": ("jaxlib", "name value"),
    "CompileOptions": ("jaxlib", "tuple_arguments"),
    "HloSharding": ("jaxlib", "hlo_sharding_v3 is_hlo_sharding_v3"),
    "GSPMDSharding": ("copies", "is_compatible_aval"),
    "Traceback": ("jaxlib", "enabled"),
    "RandomAlgorithm": ("jaxlib", "name value"),
}
