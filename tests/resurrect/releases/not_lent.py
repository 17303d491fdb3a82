"""What newer releases of JAX have and an older one does not get, each with the reason.

It stays absent, with JAX's own error: a program that probes for it takes its other way.
"""

REASONS = {
    "tools": "its runtime reports nothing of it",
    "refs": "it has no mutable arrays",
    "primitives": "its XLA or its tracing has no such operation",
    "numerics": "functions with numerics of their own, which would be written anew",
    "export": "it exports no programs",
    "experiments": "JAX tries it in newer releases",
    "dtypes": "its NumPy types, of ml_dtypes, have none such",
    "config": "its options have no such state to enter",
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

# Parameters, by function: a key of REASONS, and names.
PARAMETERS = {
    "jax.checkpoint": ("machinery", "static_argnames"),
    "jax.empty_ref": ("refs", "pin"),
    "jax.lax.all_gather": ("sharded-types", "to"),
    "jax.lax.ragged_all_to_all": ("machinery", "axis_name"),
    "jax.new_ref": ("refs", "kind pin"),
    "jax.nn.standardize": ("numerics", "algorithm"),
    "jax.numpy.from_dlpack": ("memories", "copy device"),
    "jax.numpy.lexsort": ("machinery", "batch_size"),
    # Relative, where its own is absolute.
    "jax.numpy.linalg.matrix_rank": ("numerics", "rtol"),
    "jax.vjp": ("machinery", "saveable_args"),
}

# Names, by module: a key of REASONS, and names.
NAMES = [
    (
        "jax",
        "config",
        "CompilerEffortLevel allow_f16_reductions array_garbage_collection_guard "
        "debug_key_reuse explain_cache_misses legacy_prng_key make_user_context no_execution "
        "no_tracing thread_guard",
    ),
    (
        "jax",
        "machinery",
        "Inline copy_to_host_async ds export fwd_and_bwd make_array_from_process_local_data",
    ),
    ("jax", "refs", "Ref empty_ref free_ref freeze memory new_ref ref"),
    (
        "jax",
        "sharded-types",
        "auto_pcast get_abstract_mesh get_mesh remove_size_one_mesh_axis_from_type reshard smap "
        "use_abstract_mesh",
    ),
    ("jax.ad_checkpoint", "machinery", "Offloadable Recompute Saveable checkpoint_name_fwd"),
    ("jax.api_util", "machinery", "debug_info"),
    ("jax.core", "machinery", "max_dim min_dim"),
    ("jax.custom_derivatives", "machinery", "remat_opt_p zero_from_primal"),
    ("jax.dtypes", "machinery", "extended prng_key"),
    ("jax.errors", "machinery", "KeyReuseError"),
    ("jax.example_libraries.optimizers", "machinery", "jax"),
    (
        "jax.experimental",
        "experiments",
        "EArray buffer_callback compute_on fused hijax key_reuse layout overlap "
        "primal_tangent_dtype profiler random scheduling_groups thunky transfer xla_metadata",
    ),
    ("jax.experimental.array_serialization", "experiments", "pytree_serialization_utils"),
    (
        "jax.experimental.array_serialization.pytree_serialization_utils",
        "experiments",
        "PickleModule PyTreeFuture deserialize_pytreedef register_pytree_node_serialization "
        "ser_flatbuf serialize_pytreedef",
    ),
    (
        "jax.experimental.buffer_callback",
        "experiments",
        "Buffer ExecutionContext ExecutionStage buffer_callback",
    ),
    ("jax.experimental.compilation_cache.compilation_cache", "experiments", "set_cache_dir"),
    ("jax.experimental.compute_on", "experiments", "compute_on"),
    (
        "jax.experimental.custom_partitioning",
        "experiments",
        "ArrayMapping BATCHING CompoundFactor SdyShardingRule",
    ),
    (
        "jax.experimental.fused",
        "experiments",
        "ad batching core debug_info dispatch ft fused fused_p ir map mlir pe safe_map safe_zip "
        "tree_flatten tree_unflatten typeof unsafe_map unsafe_zip unzip2 weakref_lru_cache zip",
    ),
    (
        "jax.experimental.hijax",
        "experiments",
        "AbstractValue GradAccum HiPrim HiPspec HiType MappingSpec NullAccum RefAccum "
        "ShapedArray TransformedRef ValAccum Zero aval_method aval_property bdims_at_front "
        "control_flow_allowed_effects instantiate_zeros is_undefined_primal jvp_from_lin "
        "linearize_from_jvp register_hitype unmap_avals vjp_from_jvp vjp_from_lin vmap_rule",
    ),
    ("jax.experimental.hijax", "refs", "AbstractRef"),
    ("jax.experimental.jet", "experiments", "api_util jet2 safe_zip"),
    (
        "jax.experimental.layout",
        "experiments",
        "Format Layout explicit_layout with_layout_constraint",
    ),
    ("jax.experimental.mesh_utils", "experiments", "device_kind_handler_dict"),
    (
        "jax.experimental.multihost_utils",
        "experiments",
        "ProcessFailureError dtypes live_devices prng xla_bridge xla_client",
    ),
    ("jax.experimental.overlap", "experiments", "program_order"),
    ("jax.experimental.profiler", "experiments", "get_profiled_instructions_proto"),
    ("jax.experimental.random", "experiments", "StatefulPRNG stateful_rng"),
    ("jax.experimental.rnn", "experiments", "dispatch lax swap_lstm_gates"),
    ("jax.experimental.scheduling_groups", "experiments", "scheduling_group xla_metadata_call"),
    ("jax.experimental.shard_map", "experiments", "jshmap"),
    ("jax.experimental.sparse.bcsr", "experiments", "SparseEfficiencyWarning"),
    ("jax.experimental.sparse.linalg", "experiments", "ad dispatch ffi sparse"),
    ("jax.experimental.sparse.random", "experiments", "Array DTypeLike"),
    (
        "jax.experimental.sparse.transform",
        "experiments",
        "api_util ft hijax jax jnp_indexing lift_jvp tree_util",
    ),
    (
        "jax.experimental.thunky",
        "experiments",
        "all_gather all_gather_p all_reduce all_reduce_p all_to_all all_to_all_p async_done "
        "async_done_p async_start async_start_p call_jax call_jax_p call_thunky_p "
        "collective_group collective_group_p collective_permute collective_permute_p cond "
        "cond_p copy copy_p custom_call custom_call_p jit memset memset_p memzero memzero_p "
        "ptx_kernel ptx_kernel_p reduce_scatter reduce_scatter_p switch while_loop while_p",
    ),
    (
        "jax.experimental.transfer",
        "experiments",
        "TransferConnection TransferServer jax make_error_array start_transfer_server "
        "use_cpp_class use_cpp_method",
    ),
    (
        "jax.experimental.xla_metadata",
        "experiments",
        "fuse_limit must_fuse_call set_xla_metadata xla_metadata_call xla_metadata_call2",
    ),
    (
        "jax.export",
        "export",
        "DisabledSafetyCheck Exported SymbolicScope default_export_platform deserialize export "
        "is_symbolic_dim maximum_supported_calling_convention_version "
        "minimum_supported_calling_convention_version register_namedtuple_serialization "
        "register_pytree_node_serialization symbolic_args_specs symbolic_dim_bounds "
        "symbolic_shape",
    ),
    ("jax.extend", "machinery", "ifrt_programs pallas xla"),
    (
        "jax.extend.backend",
        "machinery",
        "backend_xla_version clear_in_memory_compilation_cache get_compile_options "
        "get_default_device ifrt_proxy register_backend_cache",
    ),
    (
        "jax.extend.core",
        "machinery",
        "DebugInfo TraceTag create_call_primitive eval_jaxpr_transpose get_opaque_trace_state "
        "nonempty_axis_env_DO_NOT_USE register_call_primitive_rules set_current_trace "
        "take_current_trace unsafe_am_i_under_a_jit_DO_NOT_USE "
        "unsafe_am_i_under_a_vmap_DO_NOT_USE unsafe_get_axis_names_DO_NOT_USE",
    ),
    (
        "jax.extend.core.primitives",
        "primitives",
        "create_call_primitive eq_to_p eval_jaxpr_transpose exp2_p le_to_p log2_p lt_to_p "
        "one_minus_square_p polygamma_p polynomial_p ragged_all_to_all_p "
        "register_call_primitive_rules square_p zeta_p",
    ),
    ("jax.extend.core.primitives", "refs", "empty2_p"),
    ("jax.extend.ifrt_programs", "machinery", "ifrt_programs"),
    ("jax.extend.linear_util", "machinery", "transformation2 transformation_with_aux2"),
    ("jax.extend.lowering", "machinery", "JaxIrContext upstream_dialects"),
    ("jax.extend.mlir", "bindings", "hlo_to_stablehlo"),
    ("jax.extend.mlir", "sharded-types", "lower_with_sharding_in_types"),
    ("jax.extend.random", "machinery", "define_prng_impl"),
    ("jax.extend.sharding", "machinery", "xla_client"),
    (
        "jax.extend.xla",
        "machinery",
        "PipelineStage clear_hlo_module_transformation register_hlo_module_transformation",
    ),
    (
        "jax.lax",
        "primitives",
        "AccuracyMode DotAlgorithm DotAlgorithmPreset RaggedDotDimensionNumbers Tolerance "
        "broadcast_like composite dce_sink eq_to_p exp2_p le_to_p log2_p lt_to_p mulhi mulhi_p "
        "one_minus_square one_minus_square_p pbroadcast polygamma_p polynomial polynomial_p "
        "precv psend psum_scatter_start ragged_all_to_all ragged_all_to_all_p ragged_dot "
        "ragged_dot_general scaled_dot scatter_sub_p split_p square_p stack_p stage stage_p "
        "tile_p unstack_p zeta_p",
    ),
    (
        "jax.lax.linalg",
        "primitives",
        "EigImplementation EighImplementation SvdAlgorithm cholesky_update cholesky_update_p "
        "ormqr ormqr_p symmetric_product symmetric_product_p",
    ),
    (
        "jax.monitoring",
        "tools",
        "clear_event_listeners record_event_time_span record_scalar "
        "register_event_time_span_listener register_scalar_listener "
        "unregister_event_duration_listener unregister_event_listener "
        "unregister_event_time_span_listener unregister_scalar_listener",
    ),
    (
        "jax.nn",
        "numerics",
        "dot_product_attention get_scaled_dot_general_config scaled_dot_general scaled_matmul",
    ),
    (
        "jax.numpy",
        "dtypes",
        "float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3fnuz "
        "float8_e5m2fnuz float8_e8m0fnu int1 uint1",
    ),
    ("jax.numpy", "numerics", "frompyfunc minmax top_k ufunc"),
    (
        "jax.profiler",
        "tools",
        "ProfileData ProfileEvent ProfileLine ProfileOptions ProfilePlane ProfileSession "
        "export_profile_data register_subprocess",
    ),
    ("jax.random", "keys", "Key key_dtype key_impl wrap_key_data"),
    ("jax.random", "numerics", "binomial multinomial"),
    ("jax.ref", "refs", "AbstractRef Ref addupdate empty_ref free_ref freeze get new_ref set swap"),
    (
        "jax.scipy.linalg",
        "numerics",
        "companion convolution_matrix dft fiedler fiedler_companion hadamard helmert invhilbert "
        "invpascal leslie pascal qr_multiply solve_sylvester",
    ),
    (
        "jax.scipy.special",
        "numerics",
        "bernoulli comb dawsn erfcinv erfcx fresnel hyp1f1 hyp2f1 loggamma owens_t poch sici "
        "sph_harm_y wofz",
    ),
    ("jax.scipy.stats", "numerics", "binom gumbel_l gumbel_r wrapcauchy"),
    ("jax.scipy.stats.beta", "numerics", "logsf"),
    ("jax.scipy.stats.binom", "numerics", "logpmf pmf"),
    ("jax.scipy.stats.cauchy", "numerics", "logsf"),
    ("jax.scipy.stats.chi2", "numerics", "logsf"),
    ("jax.scipy.stats.gamma", "numerics", "logsf"),
    ("jax.scipy.stats.gumbel_l", "numerics", "cdf logcdf logpdf logsf pdf ppf sf"),
    ("jax.scipy.stats.gumbel_r", "numerics", "cdf logcdf logpdf logsf pdf ppf sf"),
    ("jax.scipy.stats.pareto", "numerics", "cdf logcdf logsf ppf sf"),
    ("jax.scipy.stats.poisson", "numerics", "entropy"),
    ("jax.scipy.stats.wrapcauchy", "numerics", "logpdf pdf"),
    (
        "jax.sharding",
        "sharded-types",
        "AbstractDevice AbstractMesh ManualAxisType UnreducedKind auto_axes explicit_axes "
        "get_abstract_mesh get_mesh make_single_device_sharding no_collectives reshard set_mesh "
        "use_abstract_mesh",
    ),
    ("jax.stages", "machinery", "Traced"),
    ("jax.tree_util", "machinery", "default_registry flatten_one_level_with_keys is_tree_node"),
]
