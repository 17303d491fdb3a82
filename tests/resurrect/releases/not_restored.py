"""What classes of JAX lost and do not get back, with the reason; and lost parameters without a row.

Reasons are keys of callbridge.resurrect._names._row.REASONS.
"""

# By class: the key of the reason, and attributes.
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
ATTRIBUTES = {
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

# Parameters that wrappers of the tables, or of _wrappers.py, see to, by function.
PARAMETERS_ELSEWHERE = {
    # They are passed by position, which JAX takes as before.
    "jax.lax.random_gamma_grad": "a x",
    "jax.interpreters.mlir.ir_constant": "canonicalize_types",
    "jax.interpreters.mlir.ir_constants": "canonicalize_types",
    "jax.experimental.fused.weakref_lru_cache": "call",
    "jax.experimental.jet.weakref_lru_cache": "call",
    # A decorator of JAX's own functions.
    "jax.numpy.ufunc": "update_doc",
    "jax.experimental.layout.Layout": "device_local_layout sharding",
    "jax.experimental.shard_map.shard_map": "auto",
    "jax.interpreters.batching.batch_jaxpr_axes": "axis_size axis_name spmd_axis_name main_type",
}
