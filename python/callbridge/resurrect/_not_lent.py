"""What newer releases of JAX have and an older one is not lent, each with the reason.

It stays absent, with JAX's own error: a program that probes for it takes its other way.
"""

REASONS = {
    "bindings": "its jaxlib does not bind it",
    "custom-rules": "its derivatives and custom rules have no such parts",
    "jaxprs": "its jaxprs lack what it says, or programs tell a closed jaxpr from a jaxpr by it",
    "keys": "its arrays of keys have few methods of arrays",
    "machinery": "it traces, lowers and runs programs by other parts",
    "memories": "its arrays have one kind of memory, and layouts that say less or nothing",
    "results": "its functions return plain tuples and functions",
    "sharded-types": "its types of arrays know no shardings, memories or axes that they vary over",
}

# Attributes, by class: a key of REASONS, and names.
ATTRIBUTES = {
    "AbstractMesh": (
        "sharded-types",
        "abstract_device abstract_mesh are_all_axes_auto are_all_axes_explicit "
        "are_all_axes_explicit_or_manual are_all_axes_manual auto_axes axis_sizes axis_types "
        "explicit_axes manual_axes update update_axis_types",
    ),
    "AbstractToken": (
        "sharded-types",
        "dec_rank inc_rank is_high leading_axis_spec lo_ty lower_val lower_val2 normalize "
        "raise_val raise_val2 reshard shard to_cotangent_aval unshard update_manual_axis_type "
        "update_vma update_weak_type vspace_add",
    ),
    "ArrayImpl": ("memories", "format layout unsafe_raw_buffer"),
    "AxisPrimitive": (
        "machinery",
        "def_bind_with_trace def_effectful_abstract_eval2 is_effectful is_high ref_allocating "
        "ref_primitive skip_canonicalization to_lojax",
    ),
    "BatchTrace": (
        "machinery",
        "axis_data axis_name invalidate is_valid parent_trace requires_low spmd_axis_name "
        "stage_value tag to_batch_info",
    ),
    "BatchTracer": ("machinery", "committed dimension_as_value memory_space to_concrete_value"),
    "Client": (
        "bindings",
        "compile_and_load compile_and_load_ifrt_program compile_ifrt_program "
        "create_hlo_output_callback device_from_local_hardware_id dma_map dma_unmap "
        "get_default_layout is_c_api unsafe_client_pointer",
    ),
    "ClosedCallPrimitive": (
        "machinery",
        "def_bind_with_trace def_effectful_abstract_eval2 is_effectful is_high ref_allocating "
        "ref_primitive skip_canonicalization to_lojax",
    ),
    "ClosedJaxpr": ("jaxprs", "all_invars final_aval_qdds in_aval_qdds is_high with_consts"),
    "Compiled": ("memories", "input_formats input_layouts out_info output_formats output_layouts"),
    "CustomJVPCallPrimitive": (
        "machinery",
        "def_bind_with_trace def_effectful_abstract_eval2 is_effectful is_high ref_allocating "
        "ref_primitive skip_canonicalization to_lojax",
    ),
    "Device": (
        "bindings",
        "addressable_memories default_memory get_stream_for_external_ready_events "
        "local_hardware_id memory poison_execution",
    ),
    "DeviceLocalLayout": (
        "memories",
        "check_compatible_aval for_array from_pjrt_layout major_to_minor "
        "sub_byte_element_size_in_bits tiling update",
    ),
    "DropVar": ("jaxprs", "pretty_print"),
    "DynamicJaxprTrace": (
        "machinery",
        "emit_eqn finalize_const get_const invalidate is_valid make_eqn parent_trace "
        "requires_low stage_value to_jaxpr to_jaxpr_tracer var_to_tracer",
    ),
    "DynamicJaxprTracer": (
        "machinery",
        "committed dimension_as_value get_const memory_space parent to_concrete_value val",
    ),
    "Format": ("memories", "device_local_layout dll"),
    "JVPTrace": (
        "machinery",
        "invalidate is_valid parent_trace requires_low stage_value tag to_primal_tangent_pair",
    ),
    "JVPTracer": ("machinery", "committed dimension_as_value memory_space to_concrete_value"),
    "JaxRuntimeError": ("bindings", "error_code error_code_string error_message"),
    "Jaxpr": (
        "jaxprs",
        "all_invars consts is_high jaxpr literals map_jaxpr num_consts with_consts",
    ),
    "JaxprEqn": ("jaxprs", "ctx"),
    "Layout": ("memories", "for_array sub_byte_element_size_in_bits"),
    "LinearizeTracer": ("machinery", "dimension_as_value"),
    "Literal": ("jaxprs", "pretty_print"),
    "LoadedExecutable": (
        "bindings",
        "get_executable_version get_hlo_text get_output_layouts get_output_memory_kinds "
        "get_parameter_layouts serialize unsafe_executable_pointer",
    ),
    "LoweringRuleContext": (
        "machinery",
        "const_lowering is_forward_compat jaxpr_eqn_ctx name_stack traceback",
    ),
    "Mesh": (
        "sharded-types",
        "abstract_mesh are_all_axes_auto are_all_axes_explicit "
        "are_all_axes_explicit_or_manual are_all_axes_manual auto_axes axis_types "
        "explicit_axes is_scalar manual_axes update",
    ),
    "ModuleContext": (
        "machinery",
        "all_default_mem_kind aval_to_ir_types_cache get_backend lowering_cache "
        "lowering_parameters pallas_collective_id_mapping pallas_lowering_cache "
        "sharding_attr_cache traceback_caches",
    ),
    "NamedSharding": ("memories", "memory_kind replicated_axes with_memory_kind"),
    "P": ("sharded-types", "unreduced_kind"),
    "PRNGKeyArray": ("keys", "byteswap to_device"),
    "PRNGKeyArrayImpl": (
        "keys",
        "all any argmax argmin argpartition argsort astype byteswap choose clip compress conj "
        "conjugate cumprod cumsum diagonal dot flat imag item itemsize mT max mean min nbytes "
        "nonzero prod ptp real repeat round searchsorted sort std sum to_device trace var view",
    ),
    "Partial": (
        "custom-rules",
        "args_res fun in_tree jaxpr opaque_residuals out_nzs out_tree replace "
        "structured_residuals want_logs with_logs with_refs",
    ),
    "PartitionSpec": ("sharded-types", "to_ct_spec to_lo to_tangent_spec unreduced_kind"),
    "PjitFunction": (
        "results",
        "accumulate at identity nargs nin nout outer reduce reduceat trace",
    ),
    "PmapSharding": (
        "memories",
        "check_compatible_aval memory_kind mesh replicated_axes spec update with_memory_kind",
    ),
    "Primitive": (
        "machinery",
        "def_bind_with_trace def_effectful_abstract_eval2 is_effectful is_high ref_allocating "
        "ref_primitive skip_canonicalization to_lojax",
    ),
    "PyTreeDef": ("bindings", "from_node_data_and_children"),
    "ShapeDtypeStruct": ("sharded-types", "format is_ref layout manual_axis_type sharding vma"),
    "ShapedArray": (
        "sharded-types",
        "byteswap dec_rank inc_rank is_high layout leading_axis_spec lo_ty lower_val "
        "lower_val2 manual_axis_type mat memory_space normalize nospec raise_val raise_val2 "
        "reshard shard sharding to_device unshard update_manual_axis_type update_vma vma "
        "vspace_add",
    ),
    "ShardingContext": ("machinery", "abstract_mesh num_devices"),
    "SingleDeviceSharding": ("memories", "check_compatible_aval memory_kind with_memory_kind"),
    "Traced": ("machinery", "closure_convert lojax physicalize with_consts_as_arg"),
    "VJP": ("custom-rules", "out_nzs replace structured_residuals want_logs with_logs"),
    "Var": ("jaxprs", "pretty_print"),
    "WrappedFun": ("machinery", "f_transformed replace_debug_info with_unknown_names"),
    "XlaRuntimeError": ("bindings", "error_code error_code_string error_message"),
    "custom_vjp": (
        "custom-rules",
        "defremat defremat_with_logs defvjp_with_accums defvjp_with_logs generic_batching "
        "optimize_remat remat_rules with_accums with_logs",
    ),
    "tuple": ("results", "Q R S U Vh eigenvalues eigenvectors logabsdet sign"),
}
