"""The names of JAX that went, by module, with the first release without them.

scripts/jax_names writes the rows; what stands for the names is decided by hand. A row: module,
origins, and names, each after the release that it was gone in. Origins are modules, which are
looked into in their order, for "name=other" for `other`; "import": `other` is a module;
"not-had:KEY": nothing can stand for the names where no origin before it has them, for the reason
that _not_had.py has by that key; "none-is:KEY": likewise, of a class: one without instances.
(_restored.py has what must be there before it is asked for.)
"""

# jax.lib had jaxlib's modules under its name: a row of one is for both, since it went from either.
LIKE = {
    "jaxlib.xla_client": "jax.lib.xla_client",
    "jaxlib.xla_extension": "jax.lib.xla_extension",
}

# fmt: off
ROWS = [
    ("jax", "callbridge.resurrect._backports._jax",
        "0.4.13 partial 0.4.34 xla_computation 0.6.2 spmd_mode"),
    ("jax", "import",
        "0.4.13 api=jax.api 0.4.30 abstract_arrays=jax.abstract_arrays "
        "linear_util=jax.linear_util prng=jax.prng 0.8.3 util=jax.util 0.10.2 "
        "custom_transpose=jax.custom_transpose jax 0.12.0.1 cloud_tpu_init=jax.cloud_tpu_init"),
    ("jax", "import not-had:jaxpr-tools", "0.4.30 jaxpr_util=jax.jaxpr_util"),
    ("jax", "jax._src.api callbridge.resurrect._backports._jax",
        "0.4.38 clear_backends 0.10.2 device_put_replicated device_put_sharded"),
    ("jax", "jax._src.api_util", "0.4.30 flatten_fun_nokwargs"),
    ("jax", "jax._src.core", "0.4.30 ShapedArray 0.9.2 ArrayRef=Ref"),
    ("jax", "jax._src.custom_transpose not-had:custom-transpose",
        "0.10.2 enable_custom_vjp_by_custom_transpose"),
    ("jax", "jax._src.ref", "0.9.2 array_ref=new_ref"),
    ("jax", "jax._src.util", "0.4.30 curry"),
    ("jax", "jax.interpreters", "0.4.30 ad partial_eval pxla xla"),
    ("jax", "jax.stages", "0.4.13 Compiled Lowered"),
    ("jax", "jax.tree_util",
        "0.4.13 tree_multimap=tree_map 0.6.2 tree_flatten tree_leaves tree_map tree_structure "
        "tree_transpose tree_unflatten treedef_is_leaf"),
    ("jax._src", "import",
        "0.10.2 custom_transpose=jax._src.custom_transpose prng=jax._src.random.prng "
        "stateful_rng=jax._src.stateful_rng"),
    ("jax._src.ad_checkpoint", "jax._src.api_util",
        "0.12.0.1 _dyn_args_fun_cached _dyn_args_fun_uncached"),
    ("jax._src.ad_checkpoint", "jax._src.effects", "0.4.13 remat_allowed_effects"),
    ("jax._src.ad_checkpoint", "jax._src.lax.lax",
        "0.4.34 _optimization_barrier_abstract_eval _optimization_barrier_lowering_rule "
        "optimization_barrier_p"),
    ("jax._src.ad_checkpoint", "jax.lax", "0.6.2 _optimization_barrier=optimization_barrier"),
    ("jax._src.ad_util", "jax._src.core", "0.9.2 valid_jaxtype"),
    ("jax._src.api", "callbridge.resurrect._backports._jax",
        "0.4.13 _check_callable=check_callable 0.10.2 _vjp=vjp"),
    ("jax._src.api", "callbridge.resurrect._names._old_signatures",
        "0.4.13 _infer_argnums_and_argnames=infer_argnums_and_argnames"),
    ("jax._src.api", "jax._src.api_util",
        "0.4.30 _ensure_str_tuple 0.5.3 fun_sourceinfo 0.10.2 _ensure_index_tuple "
        "argnums_partial donation_vector flat_out_axes flatten_fun rebase_donate_argnums"),
    ("jax._src.api", "jax._src.config",
        "0.4.30 config_explicit_device_get_scope=explicit_device_get_scope "
        "config_explicit_device_put_scope=explicit_device_put_scope"),
    ("jax._src.api", "jax._src.core", "0.7.2 _sds_aval_mapping"),
    ("jax._src.api", "jax._src.dispatch", "0.4.13 _check_arg=check_arg"),
    ("jax._src.api", "jax._src.layout", "0.7.2 AutoLayout"),
    ("jax._src.api", "jax._src.stages", "0.4.13 Compiled Lowered"),
    ("jax._src.api", "jax._src.tree_util", "0.10.2 broadcast_prefix prefix_errors"),
    ("jax._src.api", "jax._src.tree_util jax.tree_util", "0.9.2 all_leaves"),
    ("jax._src.api", "jax._src.util", "0.4.34 wrap_name 0.8.3 split_list"),
    ("jax._src.api_util", "jax._src.abstract_arrays", "0.5.3 numpy_scalar_types"),
    ("jax._src.api_util", "jax._src.api_util",
        "0.4.30 validate_argnames=_validate_argnames validate_argnums=_validate_argnums"),
    ("jax._src.api_util", "jax._src.core", "0.5.3 ShapedArray _str_abstractify shaped_abstractify"),
    ("jax._src.api_util", "jax._src.tree_util", "0.10.2 generate_key_paths"),
    ("jax._src.api_util", "jax._src.tree_util jax.tree_util", "0.5.3 keystr 0.8.3 tree_map"),
    ("jax._src.array", "jax._src.layout", "0.10.2 AutoLayout"),
    ("jax._src.array", "jax._src.sharding_impls jax.sharding", "0.10.2 SingleDeviceSharding"),
    ("jax._src.cloud_tpu_init", "jax._src.clusters.cloud_tpu_cluster", "0.4.13 get_metadata"),
    ("jax._src.compilation_cache", "jax._src.cache_key",
        "0.4.30 _hash_devices _hash_platform _hash_string _log_cache_key_hash"),
    ("jax._src.config", "callbridge.resurrect._names._old_private",
        "0.5.3 enable_memories 0.8.3 dynamic_shapes"),
    ("jax._src.config", "jax._src.logging_config",
        "0.4.38 _update_debug_log_modules=update_debug_log_modules"),
    ("jax._src.core", "callbridge.resurrect._backports._avals",
        "0.6.2 raise_to_shaped 0.10.2 get_aval"),
    ("jax._src.core", "callbridge.resurrect._backports._core",
        "0.4.38 MainTrace cur_sublevel new_main new_sublevel raise_as_much_as_possible"),
    ("jax._src.core", "jax._src.dtypes", "0.4.34 _short_dtype_name=short_dtype_name"),
    ("jax._src.core", "jax._src.layout", "0.10.2 AutoLayout"),
    ("jax._src.core", "jax._src.ref", "0.8.3 mutable_array=new_ref"),
    ("jax._src.core", "jax._src.tree_util jax.tree_util", "0.8.3 tree_flatten tree_unflatten"),
    ("jax._src.core", "jax._src.util", "0.10.2 HashableFunction"),
    ("jax._src.custom_derivatives", "jax._src.custom_partitioning", "0.4.34 _resolve_kwargs"),
    ("jax._src.custom_derivatives", "jax._src.interpreters.partial_eval",
        "0.12.0.1 _close_jaxpr=close_jaxpr"),
    ("jax._src.custom_derivatives", "jax._src.util", "0.5.3 Unhashable"),
    ("jax._src.custom_transpose", "jax._src.custom_batching", "0.10.2 rule_name"),
    ("jax._src.custom_transpose", "jax._src.linear_util", "0.10.2 transformation_with_aux"),
    ("jax._src.debugging", "jax._src.custom_partitioning",
        "0.10.2 ShardingCallbackInfo=_ShardingCallbackInfo"),
    ("jax._src.dispatch", "callbridge.resurrect._backports._interpreters",
        "0.4.30 backend_compile"),
    ("jax._src.dispatch", "callbridge.resurrect._names._old_private",
        "0.4.13 _xla_callable=xla_callable"),
    ("jax._src.dispatch", "jax._src.api_util",
        "0.6.2 _raise_no_nan_in_deoptimized maybe_recursive_nan_check"),
    ("jax._src.dispatch", "jax._src.interpreters.mlir", "0.4.30 _make_string_safe_for_filename"),
    ("jax._src.dispatch", "jax._src.interpreters.pxla",
        "0.4.30 _prune_unused_inputs=prune_unused_inputs"),
    ("jax._src.dispatch", "jax._src.pjit", "0.10.2 _identity_fn"),
    ("jax._src.dispatch", "jax._src.sharding_impls", "0.4.30 UNSPECIFIED"),
    ("jax._src.dispatch", "jax._src.sharding_impls jax.sharding", "0.10.2 SingleDeviceSharding"),
    ("jax._src.dispatch", "not-had:compiled-functions",
        "0.4.13 device_put_handlers result_handlers"),
    ("jax._src.dtypes", "callbridge.resurrect._backports._jax", "0.10.2 is_python_scalar"),
    ("jax._src.dtypes", "jax._src.dtypes",
        "0.4.13 _to_complex_dtype=to_complex_dtype _to_inexact_dtype=to_inexact_dtype 0.7.2 "
        "_lattice_result_type=lattice_result_type _scalar_type_to_dtype=scalar_type_to_dtype"),
    ("jax._src.extend", "import", "0.5.3 ffi=jax._src.extend.ffi"),
    ("jax._src.extend.ffi", "jax._src.ffi",
        "0.5.3 FfiEffect ResultMetadata _aval_shape _check_compatible_avals "
        "_convert_layout_for_lowering _convert_layouts_for_ffi_call _result_avals "
        "_unwrap_kwargs_hashable _wrap_kwargs_hashable ffi_call_abstract_eval ffi_call_jvp "
        "ffi_call_lowering ffi_call_p ffi_call_transpose ffi_lowering include_dir pycapsule "
        "register_ffi_target"),
    ("jax._src.extend.ffi", "jax._src.hashable_array jax._src.ffi", "0.5.3 HashableArray"),
    ("jax._src.flatten_util", "jax._src.util", "0.8.3 safe_zip"),
    ("jax._src.interpreters", "import", "0.7.2 xla=jax._src.interpreters.xla"),
    ("jax._src.interpreters.ad", "jax._src.ad_util", "0.4.38 zeros_like_jaxval 0.7.2 zeros_like_p"),
    ("jax._src.interpreters.ad", "jax._src.api_util", "0.10.2 flatten_fun"),
    ("jax._src.interpreters.ad", "jax._src.util", "0.10.2 wrap_name"),
    ("jax._src.interpreters.batching", "callbridge.resurrect._backports._avals",
        "0.10.2 not_mapped"),
    ("jax._src.interpreters.batching", "jax._src.ad_util",
        "0.4.30 zeros_like_jaxval zeros_like_p 0.6.2 instantiate "
        "replace_rule_output_symbolic_zeros"),
    ("jax._src.interpreters.batching", "jax._src.named_sharding jax.sharding",
        "0.9.2 NamedSharding"),
    ("jax._src.interpreters.batching", "jax._src.tree_util jax.tree_util",
        "0.8.3 register_pytree_node"),
    ("jax._src.interpreters.batching", "jax._src.util", "0.4.38 unzip3 0.9.2 curry"),
    ("jax._src.interpreters.mlir", "jax._src.effects", "0.8.3 lowerable_effects"),
    ("jax._src.interpreters.mlir", "jax._src.layout", "0.10.2 AutoLayout"),
    ("jax._src.interpreters.mlir", "jax._src.lib", "0.10.2 jaxlib_extension_version"),
    ("jax._src.interpreters.partial_eval", "jax._src.api_util",
        "0.5.3 flatten_fun_nokwargs fun_sourceinfo"),
    ("jax._src.interpreters.partial_eval", "jax._src.core",
        "0.8.3 InputType OutputType ShapedArray 0.10.2 get_aval=typeof mapped_aval "
        "unmapped_aval"),
    ("jax._src.interpreters.partial_eval", "jax._src.tree_util",
        "0.5.3 KeyPath generate_key_paths"),
    ("jax._src.interpreters.partial_eval", "jax._src.tree_util jax.tree_util",
        "0.5.3 keystr tree_unflatten 0.7.2 tree_flatten tree_structure 0.8.3 register_static "
        "0.10.2 treedef_tuple"),
    ("jax._src.interpreters.partial_eval", "jax._src.util", "0.10.2 HashableFunction"),
    ("jax._src.interpreters.pxla", "jax._src.array",
        "0.4.30 as_slice_indices shard_device_array shard_sharded_device_array_slow_path"),
    ("jax._src.interpreters.pxla", "jax._src.errors jax.errors", "0.4.31 JAXTypeError"),
    ("jax._src.interpreters.pxla", "jax._src.interpreters.pxla",
        "0.4.38 _get_default_device=get_default_device"),
    ("jax._src.interpreters.pxla", "jax._src.layout", "0.10.2 AutoLayout"),
    ("jax._src.interpreters.pxla", "jax._src.named_sharding",
        "0.8.3 ArrayMappingOrAutoOrUnspecified _get_array_mapping=get_array_mapping 0.10.2 "
        "array_mapping_to_axis_resources"),
    ("jax._src.interpreters.pxla", "jax._src.sharding_impls",
        "0.4.13 _UNSPECIFIED=UNSPECIFIED 0.5.3 UNSPECIFIED"),
    ("jax._src.interpreters.pxla", "jax._src.stages",
        "0.6.2 DeviceAssignmentMismatch MismatchType"),
    ("jax._src.interpreters.pxla", "jax._src.tree_util", "0.4.30 tree_map"),
    ("jax._src.interpreters.pxla", "jax._src.util",
        "0.4.30 unzip3 0.9.2 tuple_delete 0.10.2 HashableFunction distributed_debug_log "
        "tuple_update wrap_name"),
    ("jax._src.interpreters.xla", "callbridge.resurrect._builder._translations",
        "0.4.38 _backend_specific_translations=context_rules_by_platform "
        "_translations=context_rules register_translation"),
    ("jax._src.interpreters.xla", "jax._src.abstract_arrays",
        "0.4.38 _make_shaped_array_for_numpy_array _make_shaped_array_for_numpy_scalar 0.7.2 "
        "_canonicalize_masked_array_dtype numpy_scalar_types"),
    ("jax._src.interpreters.xla", "jax._src.callback", "0.6.2 _make_array_shape"),
    ("jax._src.interpreters.xla", "jax._src.config", "0.4.30 config"),
    ("jax._src.interpreters.xla", "jax._src.core", "0.6.2 ShapedArray"),
    ("jax._src.interpreters.xla", "jax._src.interpreters.pxla", "0.4.30 _axis_groups"),
    ("jax._src.interpreters.xla", "jax._src.typing", "0.7.2 Shape"),
    ("jax._src.interpreters.xla", "jax._src.util", "0.7.2 safe_map safe_zip"),
    ("jax._src.lax", "import",
        "0.6.2 eigh=jax._src.lax.eigh qdwh=jax._src.lax.qdwh stack=jax._src.lax.stack "
        "svd=jax._src.lax.svd"),
    ("jax._src.lax.control_flow", "import",
        "0.4.13 remat_impl=jax._src.lax.control_flow.remat_impl 0.7.2 "
        "for_loop=jax._src.lax.control_flow.for_loop"),
    ("jax._src.lax.control_flow", "jax._src.effects",
        "0.4.30 allowed_effects=control_flow_allowed_effects"),
    ("jax._src.lax.control_flow", "jax._src.lax.control_flow.common",
        "0.4.13 _avals_short _check_tree _prune_zeros _show_diff _typecheck_param"),
    ("jax._src.lax.control_flow", "jax._src.lax.control_flow.conditionals",
        "0.4.13 _bcast_select _bcast_select_n _ordered_unique"),
    ("jax._src.lax.control_flow", "jax._src.lax.control_flow.loops",
        "0.4.13 _cumred_batch_rule _cumred_dtype_rule _cumred_shape_rule _cumsum_transpose_rule "
        "_cumulative_jvp_rule _fori_cond_fun _while_loop_jvp _while_lowering "
        "_while_partial_eval _while_transpose_error"),
    ("jax._src.lax.control_flow", "jax._src.lax.control_flow.solves",
        "0.4.13 _LinearSolveTuple _check_shapes _custom_linear_solve_jvp "
        "_linear_solve_abstract_eval _linear_solve_transpose_rule _split_linear_solve_args "
        "_transpose_one_output"),
    ("jax._src.lax.control_flow",
     "jax._src.lax.lax jax._src.ad_checkpoint jax._src.lax.control_flow.remat_impl",
        "0.4.13 _optimization_barrier_abstract_eval _optimization_barrier_lowering_rule"),
    ("jax._src.lax.control_flow.common", "jax._src.effects",
        "0.4.30 allowed_effects=control_flow_allowed_effects"),
    ("jax._src.lax.control_flow.for_loop", "jax._src.lax.control_flow.loops", "0.7.2 scan"),
    ("jax._src.lax.control_flow.for_loop", "jax._src.state.primitives",
        "0.4.13 _addupdate_pp_rule _get_jvp _get_pp_rule _swap_jvp _swap_pp_rule "
        "addupdate_jvp_rule addupdate_p get_p swap_p"),
    ("jax._src.lax.control_flow.for_loop", "jax._src.state.utils",
        "0.4.31 _hoist_consts_to_refs=hoist_consts_to_refs"),
    ("jax._src.lax.control_flow.loops", "jax._src.core",
        "0.6.2 _aval_mismatch_extra=aval_mismatch_extra"),
    ("jax._src.lax.control_flow.remat_impl", "jax._src.lax.lax jax._src.ad_checkpoint",
        "0.4.13 _optimization_barrier_abstract_eval _optimization_barrier_lowering_rule "
        "optimization_barrier_p"),
    ("jax._src.lax.eigh", "jax._src.tpu.linalg.eigh",
        "0.6.2 _eigh_work _projector_subspace _round_up _update_slice split_spectrum"),
    ("jax._src.lax.fft", "jax._src.lax.fft",
        "0.4.13 fft_batching_rule=_fft_batching_rule fft_impl=_fft_impl "
        "fft_transpose_rule=_fft_transpose_rule"),
    ("jax._src.lax.lax", "jax._src.lax.lax",
        "0.4.13 _broadcasting_shape_rule=broadcasting_shape_rule _shape_as_value=shape_as_value "
        "0.5.3 _reduce_and=reduce_and _reduce_max=reduce_max _reduce_min=reduce_min "
        "_reduce_or=reduce_or _reduce_prod=reduce_prod _reduce_sum=reduce_sum "
        "_reduce_xor=reduce_xor"),
    ("jax._src.lax.lax", "jax._src.lax.special",
        "0.4.13 _bessel_i1e_jvp bessel_i0e_p bessel_i1e_p betainc_grad_not_implemented "
        "betainc_gradx digamma_p erf_inv_p erf_p erfc_p igamma_grad_a igamma_grad_a_p "
        "igamma_grada igamma_gradx igamma_p igammac_grada igammac_gradx igammac_p lgamma_p "
        "regularized_incomplete_beta_p"),
    ("jax._src.lax.lax", "jax._src.pjit", "0.10.2 _identity_fn"),
    ("jax._src.lax.lax", "jax._src.sharding_impls", "0.8.3 SPMDAxisContext ShardingContext"),
    ("jax._src.lax.lax", "jax._src.state.types", "0.9.2 zeros_like_abstract_ref"),
    ("jax._src.lax.lax", "jax._src.tree_util jax.tree_util", "0.7.2 tree_map"),
    ("jax._src.lax.linalg", "jax._src.lax.linalg",
        "0.4.13 cholesky_jvp_rule=_cholesky_jvp_rule "
        "triangular_solve_jvp_rule_a=_triangular_solve_jvp_rule_a "
        "triangular_solve_transpose_rule=_triangular_solve_transpose_rule"),
    ("jax._src.lax.linalg", "jax._src.tpu.linalg.svd", "0.6.2 _svd_tpu _svd_tpu_lowering_rule"),
    ("jax._src.lax.qdwh", "jax._src.tpu.linalg.qdwh",
        "0.6.2 _dynamic_concat _pad_in_dim _qdwh _use_cholesky _use_qr qdwh"),
    ("jax._src.lax.stack", "jax._src.tpu.linalg.stack", "0.6.2 Stack"),
    ("jax._src.lax.svd", "jax._src.tpu.linalg.svd", "0.6.2 _svd_tall_and_square_input"),
    ("jax._src.lib", "import",
        "0.4.13 hlo_helpers=jaxlib.hlo_helpers xla_bridge=jax._src.lib.xla_bridge 0.6.2 "
        "xla_extension=jaxlib.xla_extension"),
    ("jax._src.lib.xla_bridge", "jax._src.xla_bridge",
        "0.4.13 _clear_backends _get_backend_uncached _init_backend backends "
        "canonicalize_platform default_backend device_count devices expand_platform_alias "
        "get_backend get_device_backend host_count host_id host_ids is_known_platform "
        "local_device_count local_devices process_count process_index register_backend_factory "
        "tpu_client_timer_callback"),
    ("jax._src.linear_util", "jax._src.tree_util jax.tree_util", "0.4.38 tree_map"),
    ("jax._src.linear_util", "jax._src.util", "0.4.30 clear_all_caches 0.8.3 HashableFunction"),
    ("jax._src.logging_config", "jax._src.logging_config",
        "0.4.38 disable_all_debug_logging=_disable_all_debug_logging "
        "enable_debug_logging=_enable_debug_logging"),
    ("jax._src.mesh", "jax._src.mesh", "0.7.2 _BaseMesh=BaseMesh"),
    ("jax._src.monitoring", "jax._src.monitoring",
        "0.4.30 _clear_event_listeners=clear_event_listeners"),
    ("jax._src.nn.functions", "jax._src.custom_derivatives", "0.7.2 custom_jvp"),
    ("jax._src.numpy", "import", "0.7.2 array=jax._src.numpy.array"),
    ("jax._src.numpy.array", "jax._src.numpy.array_constructors",
        "0.7.2 _convert_to_array_if_dtype_fails _get_platform _make_string_array "
        "_supports_buffer_protocol"),
    ("jax._src.numpy.array_methods", "jax._src.array", "0.12.0.1 _chunk_iter"),
    ("jax._src.numpy.lax_numpy", "jax", "0.4.13 ndarray=Array"),
    ("jax._src.numpy.lax_numpy", "jax._src.api", "0.7.2 jit"),
    ("jax._src.numpy.lax_numpy", "jax._src.array jax._src.numpy.array_methods",
        "0.4.13 _chunk_iter"),
    ("jax._src.numpy.lax_numpy", "jax._src.array jaxlib.xla_extension", "0.5.3 ArrayImpl"),
    ("jax._src.numpy.lax_numpy", "jax._src.basearray", "0.5.3 StaticScalar"),
    ("jax._src.numpy.lax_numpy", "jax._src.core", "0.5.3 ShapedArray"),
    ("jax._src.numpy.lax_numpy", "jax._src.lax.lax",
        "0.5.3 _ndim 0.7.2 PrecisionLike _array_copy _lax_const=_const _sort_le_comparator "
        "_sort_lt_comparator"),
    ("jax._src.numpy.lax_numpy", "jax._src.lax.other jax._src.numpy.ufuncs",
        "0.4.13 _logaddexp_jvp"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy jax.numpy",
        "0.5.3 bfloat16 bool_ float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
        "float8_e5m2fnuz int4 uint4 0.7.2 empty empty_like full ones zeros"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.array_constructors jax._src.numpy.array",
        "0.6.2 _convert_to_array_if_dtype_fails _make_string_array _supports_buffer_protocol"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.array_creation",
        "0.5.3 _check_forgot_shape_tuple 0.6.2 _geomspace _linspace _logspace geomspace "
        "logspace 0.7.2 linspace ones_like zeros_like"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.array_methods",
        "0.4.13 _HANDLED_ARRAY_TYPES _IndexUpdateHelper _IndexUpdateRef _copy _deepcopy "
        "_notimplemented_flat _operator_round _set_shaped_array_attributes "
        "_unimplemented_setitem"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.einsum",
        "0.5.3 Unoptimized _default_poly_einsum_handler _einsum _poly_einsum_handlers "
        "_removechars einsum_path"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.index_tricks",
        "0.4.13 _AxisConcat _make_1d_grid_from_slice"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.indexing",
        "0.5.3 _eliminate_deprecated_list_indexing=eliminate_deprecated_list_indexing "
        "_is_boolean_index _is_integer_index _is_scalar "
        "_is_slice_element_none_or_constant_or_symbolic _make_along_axis_idx _normalize_index "
        "_rewriting_take=rewriting_take _should_unpack_list_index _take=take place put "
        "put_along_axis take take_along_axis"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.lax_numpy", "0.4.13 _roll=roll"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.polynomial",
        "0.4.13 poly polyadd polyder polyfit polyint polymul polysub polyval 0.5.3 dot outer"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.reductions",
        "0.4.13 _average _canonicalize_axis_allow_named _cast_to_bool _ensure_optional_axes "
        "_mean=mean _ptp=ptp _reduce_all _reduce_any _reduction_dims _reduction_init_val "
        "_std=std _var=var _var_promote_types any average count_nonzero mean median nanmax "
        "nanmean nanmedian nanmin nanprod nanstd nansum nanvar prod ptp std var"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.scalar_types",
        "0.5.3 _ScalarMeta _abstractify_scalar_meta _make_scalar_type cdouble complex128 "
        "complex64 csingle double float16 float32 float64 int16 int32 int64 int8 single uint16 "
        "uint32 uint64 uint8"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.setops",
        "0.4.13 intersect1d isin setdiff1d setxor1d union1d unique"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.sorting",
        "0.5.3 argpartition lexsort partition sort_complex"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.tensor_contractions",
        "0.5.3 inner matvec vdot vecmat"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.ufuncs",
        "0.4.13 _constant_like _float_divmod _isposneginf _power absolute conjugate copysign "
        "deg2rad divmod floor_divide fmod frexp heaviside isfinite isinf isnan ldexp log10 modf "
        "power rad2deg remainder right_shift rint signbit sinc true_divide"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.util",
        "0.4.13 _arraylike _check_arraylike=check_arraylike _promote_args=promote_args "
        "_promote_args_inexact=promote_args_inexact _promote_dtypes=promote_dtypes "
        "_promote_dtypes_inexact=promote_dtypes_inexact _promote_shapes=promote_shapes "
        "_rank_promotion_warning_or_error _where 0.6.2 canonicalize_device_to_sharding"),
    ("jax._src.numpy.lax_numpy", "jax._src.numpy.window_functions",
        "0.5.3 bartlett blackman hamming hanning kaiser"),
    ("jax._src.numpy.lax_numpy", "jax._src.random.core jax._src.random",
        "0.7.2 _convert_and_clip_integer"),
    ("jax._src.numpy.lax_numpy", "jax._src.sharding_impls jaxlib.xla_extension",
        "0.6.2 SingleDeviceSharding"),
    ("jax._src.numpy.lax_numpy", "jax._src.tree_util jax.tree_util",
        "0.5.3 tree_flatten 0.6.2 tree_leaves"),
    ("jax._src.numpy.lax_numpy", "jax._src.typing", "0.5.3 DuckTypedArray 0.10.2 DeprecatedArg"),
    ("jax._src.numpy.lax_numpy", "jax._src.util", "0.4.38 subvals 0.5.3 partition_list"),
    ("jax._src.numpy.lax_numpy", "jax.numpy", "0.4.13 inf newaxis"),
    ("jax._src.numpy.linalg", "jax._src.api", "0.7.2 jit"),
    ("jax._src.numpy.linalg", "jax._src.lax.lax", "0.7.2 PrecisionLike"),
    ("jax._src.numpy.linalg", "jax._src.numpy.util", "0.5.3 check_arraylike"),
    ("jax._src.numpy.linalg", "jax._src.typing", "0.8.3 DeprecatedArg"),
    ("jax._src.numpy.reductions", "jax._src.lax.lax", "0.7.2 _lax_const=_const"),
    ("jax._src.numpy.reductions", "jax._src.numpy.util", "0.6.2 check_arraylike"),
    ("jax._src.numpy.reductions", "jax._src.typing", "0.9.2 DeprecatedArg"),
    ("jax._src.numpy.reductions", "jax._src.util", "0.7.2 _canonicalize_axis=canonicalize_axis"),
    ("jax._src.numpy.ufuncs", "jax._src.lax.other", "0.4.34 _logaddexp_jvp 0.4.38 _wrap_between"),
    ("jax._src.numpy.ufuncs", "jax._src.numpy.ufuncs",
        "0.4.31 _arccosh=arccosh 0.4.38 _logical_and=logical_and _logical_or=logical_or "
        "_logical_xor=logical_xor _multiply=multiply _negative=negative"),
    ("jax._src.numpy.util", "jax._src.numpy.util",
        "0.4.13 _check_arraylike=check_arraylike _promote_args=promote_args "
        "_promote_args_inexact=promote_args_inexact _promote_args_numeric=promote_args_numeric "
        "_promote_dtypes=promote_dtypes _promote_dtypes_complex=promote_dtypes_complex "
        "_promote_dtypes_inexact=promote_dtypes_inexact "
        "_promote_dtypes_numeric=promote_dtypes_numeric _promote_shapes=promote_shapes"),
    ("jax._src.numpy.util", "jax._src.sharding_impls jax.sharding", "0.10.2 SingleDeviceSharding"),
    ("jax._src.numpy.util", "jax._src.typing", "0.6.2 DTypeLike"),
    ("jax._src.pjit", "jax._src.api_util",
        "0.8.3 flatten_fun flatten_fun_nokwargs 0.9.2 PytreeLeaf"),
    ("jax._src.pjit", "jax._src.core jax._src.api_util", "0.5.3 shaped_abstractify"),
    ("jax._src.pjit", "jax._src.errors jax.errors", "0.4.31 JAXTypeError"),
    ("jax._src.pjit", "jax._src.interpreters.pxla", "0.6.2 get_op_sharding_from_executable"),
    ("jax._src.pjit", "jax._src.interpreters.pxla jax._src.pjit",
        "0.4.30 _get_op_sharding_from_executable=get_op_sharding_from_executable"),
    ("jax._src.pjit", "jax._src.lax.utils",
        "0.5.3 get_abstract_mesh_from_avals=_get_abstract_mesh_from_avals"),
    ("jax._src.pjit", "jax._src.layout", "0.10.2 AutoLayout"),
    ("jax._src.pjit", "jax._src.named_sharding jax._src.sharding_impls", "0.7.2 flatten_spec"),
    ("jax._src.pjit", "jax._src.pjit", "0.7.2 pjit_p=jit_p"),
    ("jax._src.pjit", "jax._src.sharding_impls",
        "0.4.30 XLADeviceAssignment 0.4.31 XLACompatibleSharding"),
    ("jax._src.pjit", "jax._src.sharding_impls jax.sharding", "0.10.2 SingleDeviceSharding"),
    ("jax._src.pjit", "jax._src.stages",
        "0.6.2 _device_assignment_mismatch_error _find_arg_mismatch"),
    ("jax._src.pjit", "jax._src.state.types", "0.6.2 AbstractRef 0.10.2 TransformedRefAvalError"),
    ("jax._src.pjit", "jax._src.tree_util",
        "0.4.30 generate_key_paths treedef_tuple 0.8.3 broadcast_prefix 0.9.2 prefix_errors"),
    ("jax._src.pjit", "jax._src.tree_util jax.tree_util",
        "0.7.2 tree_flatten_with_path tree_leaves 0.8.3 all_leaves 0.9.2 keystr treedef_is_leaf"),
    ("jax._src.pjit", "jax._src.util",
        "0.4.31 flatten=concatenate unflatten 0.7.2 split_list_checked 0.9.2 fun_qual_name"),
    ("jax._src.prng", "jax._src.api", "0.10.2 jit vmap"),
    ("jax._src.prng", "jax._src.basearray", "0.10.2 Array"),
    ("jax._src.prng", "jax._src.config", "0.10.2 config"),
    ("jax._src.prng", "jax._src.custom_derivatives", "0.10.2 reduce"),
    ("jax._src.prng", "jax._src.dtypes", "0.10.2 float0"),
    ("jax._src.prng", "jax._src.lib jaxlib._jax", "0.10.2 Device"),
    ("jax._src.prng", "jax._src.named_sharding jax.sharding", "0.10.2 NamedSharding"),
    ("jax._src.prng", "jax._src.numpy.array_methods",
        "0.10.2 _IndexUpdateHelper _array_operators _set_array_base_attributes"),
    ("jax._src.prng", "jax._src.pallas.mosaic.random", "0.10.2 Shape"),
    ("jax._src.prng", "jax._src.random.prng",
        "0.10.2 KeyTy KeyTyRules UINT_DTYPES _check_prng_key_data base_arr_shape_to_keys_shape "
        "bcast_iotas_to_reshaped_iota iota_2x32_shape iota_2x32_shape_abstract_eval "
        "iota_2x32_shape_lowering iota_2x32_shape_p iterated_vmap_binary_bcast "
        "iterated_vmap_unary key_array_constant_handler key_array_shard_arg_handler "
        "prngkeyarray_flatten prngkeyarray_unflatten random_bits_abstract_eval random_bits_impl "
        "random_bits_impl_base random_bits_lowering random_bits_p random_fold_in_abstract_eval "
        "random_fold_in_impl random_fold_in_impl_base random_fold_in_lowering random_fold_in_p "
        "random_seed_abstract_eval random_seed_impl random_seed_impl_base random_seed_lowering "
        "random_seed_p random_split_abstract_eval random_split_impl random_split_impl_base "
        "random_split_lowering random_split_p random_unwrap_abstract_eval random_unwrap_impl "
        "random_unwrap_lowering random_unwrap_p random_wrap_abstract_eval "
        "random_wrap_batch_rule random_wrap_impl random_wrap_lowering random_wrap_p "
        "register_prng squeeze_vmap"),
    ("jax._src.prng", "jax._src.random.prng jax._src.random.threefry2x32 jax._src.random.rbg",
        "0.10.2 PRNGImpl PRNGKeyArray random_bits random_fold_in random_seed random_split "
        "random_unwrap random_wrap rbg_prng_impl seed_with_impl threefry2x32_p threefry_2x32 "
        "threefry_fold_in threefry_prng_impl threefry_random_bits threefry_seed threefry_split "
        "unsafe_rbg_prng_impl"),
    ("jax._src.prng", "jax._src.random.rbg",
        "0.10.2 _rbg_fold_in _rbg_random_bits _rbg_seed _rbg_split _unsafe_rbg_fold_in "
        "_unsafe_rbg_split"),
    ("jax._src.prng", "jax._src.random.threefry2x32",
        "0.10.2 _is_threefry_prng_key _make_rotate_left _threefry2x32_abstract_eval "
        "_threefry2x32_cpu_lowering_rule _threefry2x32_gpu_lowering_rule _threefry2x32_lowering "
        "_threefry2x32_lowering_rule _threefry_fold_in _threefry_random_bits_original "
        "_threefry_random_bits_partitionable _threefry_seed _threefry_split "
        "_threefry_split_foldlike _threefry_split_original apply_round rolled_loop_step "
        "rotate_left rotate_list"),
    ("jax._src.prng", "jax._src.sharding jaxlib._jax", "0.10.2 Sharding"),
    ("jax._src.prng", "jax._src.sharding_impls", "0.10.2 logical_sharding physical_sharding"),
    ("jax._src.prng", "jax._src.sharding_impls jax.sharding", "0.10.2 SingleDeviceSharding"),
    ("jax._src.prng", "jax._src.sharding_impls jaxlib.xla_extension", "0.4.30 GSPMDSharding"),
    ("jax._src.prng", "jax._src.util", "0.10.2 safe_map safe_zip"),
    ("jax._src.random", "callbridge.resurrect._backports._numpy", "0.4.38 KeyArray=DeviceArray"),
    ("jax._src.random", "jax._src.api", "0.10.2 jit vmap"),
    ("jax._src.random", "jax._src.basearray", "0.10.2 Array ArrayLike"),
    ("jax._src.random", "jax._src.config", "0.10.2 config"),
    ("jax._src.random", "jax._src.lax.lax", "0.7.2 _lax_const=_const"),
    ("jax._src.random", "jax._src.mesh", "0.10.2 get_abstract_mesh"),
    ("jax._src.random", "jax._src.named_sharding jax.sharding", "0.10.2 NamedSharding"),
    ("jax._src.random", "jax._src.nn.functions", "0.6.2 _softmax 0.7.2 softmax"),
    ("jax._src.random", "jax._src.numpy.linalg", "0.7.2 cholesky eigh svd"),
    ("jax._src.random", "jax._src.numpy.util",
        "0.10.2 _arraylike check_arraylike promote_dtypes_inexact"),
    ("jax._src.random", "jax._src.pjit", "0.10.2 auto_axes"),
    ("jax._src.random", "jax._src.random.core",
        "0.10.2 UINT_DTYPES _bernoulli _beta _binomial _binomial_inversion _btrs _cauchy "
        "_check_prng_key _check_shape _chisquare=chisquare _convert_and_clip_integer _dirichlet "
        "_double_sided_maxwell _exponential _f=f _gamma _gamma_batching_rule _gamma_grad "
        "_gamma_impl _gamma_one _geometric=geometric _gumbel _isnan _key _key_data _key_impl "
        "_key_spec _laplace _logistic _lognormal _maxwell=maxwell _multivariate_normal _normal "
        "_normal_real _pareto _permutation _poisson _poisson_knuth _poisson_rejection "
        "_rademacher=rademacher _randint _random_bits _random_gamma_abstract_eval _rayleigh "
        "_return_prng_keys _shuffle _split _stirling_approx_tail _t _triangular "
        "_truncated_normal _uniform _wald _weibull_min canonicalize_sharding_for_samplers "
        "maybe_auto_axes random_insert_pvary"),
    ("jax._src.random", "jax._src.random.core jax._src.random", "0.4.30 _fold_in=fold_in"),
    ("jax._src.random", "jax._src.random.prng jax._src.prng", "0.10.2 PRNGImpl"),
    ("jax._src.random", "jax._src.random.threefry2x32 jax._src.prng", "0.4.30 threefry_2x32"),
    ("jax._src.random", "jax._src.sharding_impls", "0.10.2 canonicalize_sharding"),
    ("jax._src.random", "jax._src.typing", "0.10.2 DTypeLike"),
    ("jax._src.random", "jax._src.util", "0.10.2 canonicalize_axis"),
    ("jax._src.scipy.cluster.vq", "jax._src.scipy.linalg", "0.4.30 _no_chkfinite_doc"),
    ("jax._src.scipy.linalg", "jax._src.numpy.lax_numpy", "0.4.30 tril triu"),
    ("jax._src.shard_map", "jax._src.core",
        "0.7.2 _shard_aval=shard_aval _unshard_aval=unshard_aval"),
    ("jax._src.shard_map", "jax._src.debugging", "0.7.2 _debug_callback_eager_rule"),
    ("jax._src.sharding", "jax._src.sharding_impls",
        "0.4.13 SingleDeviceSharding _hashed_index=hashed_index device_replica_id_map"),
    ("jax._src.sharding_impls", "callbridge.resurrect._names._old_private",
        "0.4.38 is_unspecified"),
    ("jax._src.sharding_impls", "jax.sharding", "0.7.2 PositionalSharding"),
    ("jax._src.source_info_util", "jax._src.source_info_util",
        "0.4.13 _raw_frame_to_frame=raw_frame_to_frame"),
    ("jax._src.state.primitives", "jax._src.state.indexing", "0.6.2 _pp_slice"),
    ("jax._src.stateful_rng", "jax._src.random.stateful_rng",
        "0.10.2 StatefulPRNG _canonicalize_size stateful_rng"),
    ("jax._src.traceback_util", "jax._src.traceback_util",
        "0.4.13 add_call_stack_frames=_add_call_stack_frames "
        "add_tracebackhide_to_hidden_frames=_add_tracebackhide_to_hidden_frames "
        "filtering_mode=_filtering_mode ignore_known_hidden_frame=_ignore_known_hidden_frame "
        "ipython_supports_tracebackhide=_ipython_supports_tracebackhide "
        "is_reraiser_frame=_is_reraiser_frame is_under_reraiser=_is_under_reraiser "
        "path_starts_with=_path_starts_with running_under_ipython=_running_under_ipython"),
    ("jax._src.tree_util", "callbridge.resurrect._backports._trees",
        "0.8.3 _replace_nones=replace_nones"),
    ("jax._src.tree_util", "callbridge.resurrect._names._old_private", "0.4.38 BuiltInKeyEntry"),
    ("jax._src.tree_util", "jax._src.api_util", "0.12.0.1 _ensure_inbounds"),
    ("jax._src.tree_util", "jax._src.flattree", "0.12.0.1 FlatTree"),
    ("jax._src.tree_util", "jax._src.lib", "0.7.2 jaxlib_extension_version"),
    ("jax._src.util", "callbridge.resurrect._names._old_private", "0.4.13 get_module_functions"),
    ("jax._src.util", "jax._src.lib", "0.10.2 jaxlib_extension_version"),
    ("jax._src.util", "jax._src.pjit", "0.4.31 _IgnoreKey=IgnoreKey"),
    ("jax._src.util", "jax._src.source_info_util", "0.4.13 new_name_stack"),
    ("jax._src.xla_bridge", "jax._src.config", "0.4.30 bool_env int_env"),
    ("jax._src.xla_bridge", "jax._src.lib", "0.7.2 cuda_versions"),
    ("jax._src.xla_bridge", "jax._src.xla_bridge",
        "0.6.2 _MOCK_GPU_TOPOLOGY=MOCK_GPU_TOPOLOGY "
        "_MOCK_NUM_GPU_PROCESSES=MOCK_NUM_GPU_PROCESSES "
        "_get_num_nodes_from_gpu_topology=get_num_nodes_from_gpu_topology"),
    ("jax._src.xla_metadata", "jax._src.xla_metadata_lib",
        "0.7.2 XlaMetadata current_xla_metadata filter_nones update_metadata"),
    ("jax._src.xla_metadata", "jax._src.xla_metadata_lib jax._src.xla_metadata",
        "0.5.3 _XlaMetadata=XlaMetadata"),
    ("jax.abstract_arrays", "callbridge.resurrect._backports._avals",
        "0.4.30 array_types raise_to_shaped"),
    ("jax.abstract_arrays", "jax._src.core", "0.4.30 ShapedArray"),
    ("jax.ad_checkpoint", "jax._src.ad_checkpoint", "0.10.2 checkpoint remat=checkpoint"),
    ("jax.api", "jax",
        "0.4.13 ShapeDtypeStruct custom_jvp custom_vjp device_get device_put devices "
        "disable_jit eval_shape grad hessian jacfwd jacobian jacrev jit jvp linear_transpose "
        "linearize local_devices make_jaxpr named_call pmap value_and_grad vjp vmap "
        "xla_computation"),
    ("jax.api", "jax._src.api", "0.4.13 _std_basis _unravel_array_into_pytree"),
    ("jax.api", "jax._src.api callbridge.resurrect._backports._jax",
        "0.4.13 device_put_replicated device_put_sharded"),
    ("jax.api", "jax.core", "0.4.13 ShapedArray"),
    ("jax.cloud_tpu_init", "jax._src.cloud_tpu_init", "0.10.2 cloud_tpu_init"),
    ("jax.config", "jax._src.api", "0.4.30 config"),
    ("jax.core", "callbridge.resurrect._backports._avals",
        "0.4.38 ConcreteArray 0.6.2 concrete_aval lattice_join raise_to_shaped "
        "raise_to_shaped_mappings 0.7.2 get_type=get_aval 0.8.3 UnshapedArray 0.10.2 get_aval"),
    ("jax.core", "callbridge.resurrect._backports._core",
        "0.4.13 unit unitvar 0.4.30 Shape diff_dim diff_shape dilate_shape greater_equal_dim "
        "greater_equal_shape has_opaque_dtype is_opaque_dtype is_special_dim_size "
        "same_shape_sizes stride_shape sum_dim sum_shapes symbolic_equal_one_of_dim "
        "symbolic_equal_shape token 0.4.31 NamedShape as_named_shape join_named_shapes 0.4.38 "
        "MainTrace Sublevel apply_todos cur_sublevel extend_axis_env jaxpr_uses_outfeed "
        "new_base_main new_main new_sublevel outfeed_primitives primitive_uses_outfeed "
        "raise_as_much_as_possible thread_local_state 0.5.3 JaxprDebugInfo 0.6.2 "
        "str_eqn_compact 0.12.0.1 find_top_trace"),
    ("jax.core", "callbridge.resurrect._backports._jax", "0.4.30 partial"),
    ("jax.core", "callbridge.resurrect._names._old_private", "0.4.13 extract_call_jaxpr"),
    ("jax.core", "import",
        "0.4.30 dtypes=jax._src.dtypes lu=jax._src.linear_util pp=jax._src.pretty_printer "
        "source_info_util=jax._src.source_info_util traceback_util=jax._src.traceback_util"),
    ("jax.core", "jax._src", "0.4.13 jax_config=config"),
    ("jax.core", "jax._src.core",
        "0.4.13 HashableWrapper aval_method aval_property bint curry namedtuple total_ordering "
        "weakref_lru_cache 0.4.30 canonicalize_dim dilate_dim divide_shape_sizes is_dim "
        "is_empty_shape same_referent stride_dim 0.4.31 canonicalize_shape definitely_equal "
        "dimension_as_value 0.4.34 pp_aval pp_eqn pp_eqn_rules pp_eqns pp_jaxpr "
        "pp_jaxpr_eqn_range pp_jaxpr_skeleton pp_jaxprs pp_kv_pair pp_kv_pairs pp_var pp_vars "
        "0.4.38 check_eqn check_type 0.6.2 EvalTrace InputType Jaxpr JaxprEqn Literal "
        "OpaqueTraceState Primitive TRACER_LEAK_DEBUGGER_WARNING Token Var dedup_referents "
        "escaped_tracer_error extend_axis_env_nd=ExtendAxisEnvNdContextManager full_lower "
        "get_referent jaxpr_as_fun join_effects leaked_tracer_error maybe_find_leaked_tracers "
        "reset_trace_state typecompat 0.7.2 axis_frame call_p closed_call_p trace_state_clean "
        "typecheck typematch 0.10.2 AbstractToken TraceTag mapped_aval "
        "set_current_trace=SetCurrentTraceContextManager subjaxprs "
        "take_current_trace=TakeCurrentTraceContextManager unmapped_aval 0.12.0.1 DropVar "
        "JaxprPpContext JaxprPpSettings OutputType abstract_token aval_mapping_handlers "
        "check_jaxpr concrete_or_error concretization_function_error custom_typechecks gensym "
        "get_opaque_trace_state is_concrete is_constant_dim is_constant_shape jaxprs_in_params "
        "literalable_types new_jaxpr_eqn no_axis_name no_effects "
        "nonempty_axis_env_DO_NOT_USE=nonempty_axis_env primal_dtype_to_tangent_dtype trace_ctx "
        "unsafe_am_i_under_a_jit_DO_NOT_USE=unsafe_am_i_under_a_jit "
        "unsafe_am_i_under_a_vmap_DO_NOT_USE=unsafe_am_i_under_a_vmap "
        "unsafe_get_axis_names_DO_NOT_USE=unsafe_get_axis_names valid_jaxtype"),
    ("jax.core", "jax._src.core callbridge.resurrect._backports._core",
        "0.4.31 symbolic_equal_dim=definitely_equal 0.4.38 check_valid_jaxtype non_negative_dim "
        "used_axis_names 0.6.2 InDBIdx OutDBIdx used_axis_names_jaxpr 0.10.2 "
        "traverse_jaxpr_params 0.12.0.1 call"),
    ("jax.core", "jax._src.core jax._src.export.shape_poly", "0.4.30 concrete_dim_or_error"),
    ("jax.core", "jax._src.core none-is:dynamic-shapes", "0.8.3 DShapedArray"),
    ("jax.core", "jax._src.core not-had:call-primitives", "0.4.13 ClosedCallPrimitive"),
    ("jax.core", "jax._src.core not-had:dynamic-shapes", "0.6.2 substitute_vars_in_output_ty"),
    ("jax.core", "jax._src.core not-had:pmap", "0.6.2 MapPrimitive"),
    ("jax.core", "jax._src.effects", "0.12.0.1 Effect"),
    ("jax.core", "jax._src.lib", "0.4.13 jax_jit"),
    ("jax.core", "jax._src.linear_util", "0.12.0.1 DebugInfo"),
    ("jax.core", "jax._src.util", "0.4.13 HashableFunction 0.4.30 tuple_delete tuple_insert"),
    ("jax.core", "jax._src.util callbridge.resurrect._backports._trees",
        "0.4.30 as_hashable_function"),
    ("jax.core", "jax.errors",
        "0.4.30 TracerArrayConversionError TracerIntegerConversionError UnexpectedTracerError "
        "0.7.2 ConcretizationTypeError 0.12.0.1 InconclusiveDimensionOperation JaxprTypeError"),
    ("jax.core", "jax.extend.core", "0.6.2 ClosedJaxpr"),
    ("jax.core", "jax.extend.core jax._src.core not-had:call-primitives",
        "0.10.2 call_impl 0.12.0.1 CallPrimitive"),
    ("jax.core", "jaxlib.utils", "0.4.30 map=safe_map safe_map safe_zip zip=safe_zip"),
    ("jax.core", "math", "0.4.13 prod"),
    ("jax.core", "not-had:axis-substitution",
        "0.4.38 NameGatheringSubst do_subst_axis_names_jaxpr subst_axis_names "
        "subst_axis_names_eqn subst_axis_names_jaxpr subst_axis_names_var"),
    ("jax.core", "not-had:main-traces",
        "0.4.38 ThreadLocalState TraceStack TraceState call_bind_with_continuation map_bind "
        "map_bind_with_continuation stash_axis_env"),
    ("jax.custom_derivatives", "callbridge.resurrect._backports._lax",
        "0.6.2 custom_vjp_call_jaxpr_p 0.8.3 custom_jvp_call_jaxpr_p"),
    ("jax.custom_transpose", "jax._src.custom_transpose not-had:custom-transpose",
        "0.10.2 custom_transpose"),
    ("jax.dlpack", "callbridge.resurrect._backports._jax", "0.7.2 to_dlpack"),
    ("jax.dlpack", "import", "0.8.3 jax"),
    ("jax.dlpack", "jax._src.dlpack", "0.8.3 SUPPORTED_DTYPES"),
    ("jax.errors", "import", "0.8.3 jax"),
    ("jax.errors", "jax._src.traceback_util", "0.8.3 SimplifiedTraceback"),
    ("jax.example_libraries.optimizers", "import", "0.4.34 tree_util=jax.tree_util"),
    ("jax.example_libraries.optimizers", "jax.tree_util",
        "0.4.34 register_pytree_node tree_flatten tree_map tree_unflatten"),
    ("jax.experimental", "callbridge.resurrect._backports._experimental",
        "0.9.2 disable_x64 enable_x64"),
    ("jax.experimental", "import",
        "0.4.13 ann=jax.experimental.ann array=jax.experimental.array "
        "global_device_array=jax.experimental.global_device_array "
        "optimizers=jax.example_libraries.optimizers pjit=jax.experimental.pjit "
        "sharding=jax.experimental.sharding stax=jax.example_libraries.stax 0.4.31 "
        "maps=jax.experimental.maps 0.4.38 export=jax.experimental.export 0.5.3 "
        "array_api=jax.numpy 0.7.2 attrs=jax.experimental.attrs "
        "multihost_utils=jax.experimental.multihost_utils shard=jax.experimental.shard 0.8.3 "
        "host_callback=jax.experimental.host_callback 0.10.2 "
        "custom_dce=jax.experimental.custom_dce x64_context=jax.experimental.x64_context "
        "0.12.0.1 control_deps=jax.experimental.control_deps "
        "shard_alike=jax.experimental.shard_alike"),
    ("jax.experimental", "jax._src.api not-had:experiment",
        "0.8.3 saved_input_vjp si_vjp=saved_input_vjp"),
    ("jax.experimental", "jax._src.core", "0.9.2 MutableArray=Ref mutable_array=new_ref"),
    ("jax.experimental", "jax._src.core not-had:experiment", "0.12.0.1 cur_qdd"),
    ("jax.experimental", "jax.sharding", "0.4.13 PartitionSpec"),
    ("jax.experimental.ann", "jax.lax", "0.4.13 approx_max_k approx_min_k"),
    ("jax.experimental.array", "jax", "0.4.13 Array make_array_from_callback"),
    ("jax.experimental.array", "jax.sharding", "0.4.13 PmapSharding Sharding SingleDeviceSharding"),
    ("jax.experimental.array_api", "import", "0.5.3 fft=jax.numpy.fft linalg=jax.numpy.linalg"),
    ("jax.experimental.array_api", "jax.numpy",
        "0.4.31 finfo 0.4.38 round_=round 0.5.3 abs absolute acos acosh add all allclose amax "
        "amin angle any append apply_along_axis apply_over_axes arange arccos arccosh arcsin "
        "arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around "
        "array array_equal array_equiv array_split asarray asin asinh astype atan atan2 atanh "
        "atleast_1d atleast_2d atleast_3d average bartlett bfloat16 bincount bitwise_and "
        "bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or "
        "bitwise_right_shift bitwise_xor blackman block bool bool_ broadcast_arrays "
        "broadcast_shapes broadcast_to c_ can_cast cbrt cdouble ceil choose clip column_stack "
        "complex128 complex64 complex_ compress concat concatenate conj conjugate convolve copy "
        "copysign corrcoef correlate cos cosh count_nonzero cov cross csingle cumprod cumsum "
        "cumulative_prod cumulative_sum deg2rad degrees delete diag diag_indices "
        "diag_indices_from diagflat diagonal diff digitize divide divmod dot double dsplit "
        "dstack e ediff1d einsum einsum_path empty empty_like equal euler_gamma exp exp2 "
        "expand_dims expm1 extract eye fabs fill_diagonal fix flatnonzero flip fliplr flipud "
        "float16 float32 float64 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn "
        "float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float_ float_power floor floor_divide fmax "
        "fmin fmod frexp from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc "
        "fromstring full full_like gcd geomspace gradient greater greater_equal hamming hanning "
        "heaviside histogram histogram2d histogram_bin_edges histogramdd hsplit hstack hypot i0 "
        "identity iinfo imag index_exp indices inf inner insert int16 int2 int32 int4 int64 "
        "int8 int_ interp intersect1d invert isclose iscomplex iscomplexobj isdtype isfinite "
        "isin isinf isnan isneginf isposinf isreal isrealobj isscalar issubdtype ix_ kaiser "
        "kron lcm ldexp left_shift less less_equal lexsort linspace load log log10 log1p log2 "
        "logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace "
        "mask_indices matmul matrix_transpose matvec max maximum mean median meshgrid mgrid min "
        "minimum mod modf moveaxis multiply nan nan_to_num nanargmax nanargmin nancumprod "
        "nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd "
        "nansum nanvar ndarray negative newaxis nextafter nonzero not_equal ogrid ones "
        "ones_like outer packbits pad partition percentile permute_dims pi piecewise place poly "
        "polyadd polyder polydiv polyfit polyint polymul polysub polyval positive pow power "
        "prod promote_types ptp put put_along_axis quantile r_ rad2deg radians ravel "
        "ravel_multi_index real reciprocal remainder repeat reshape resize result_type "
        "right_shift rint roll rollaxis roots rot90 round s_ searchsorted select setdiff1d "
        "setxor1d sign signbit sin sinc single sinh sort sort_complex spacing split sqrt square "
        "squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile "
        "trace transpose trapezoid tri tril tril_indices tril_indices_from trim_zeros triu "
        "triu_indices triu_indices_from true_divide trunc ufunc uint uint16 uint2 uint32 uint4 "
        "uint64 uint8 union1d unique unique_all unique_counts unique_inverse unique_values "
        "unpackbits unravel_index unstack unwrap vander var vdot vecdot vecmat vectorize vsplit "
        "vstack where zeros zeros_like"),
    ("jax.experimental.array_api.fft", "jax.numpy.fft",
        "0.5.3 fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft "
        "irfft2 irfftn rfft rfft2 rfftfreq rfftn"),
    ("jax.experimental.array_api.linalg", "jax.numpy.linalg",
        "0.5.3 cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul "
        "matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr "
        "slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm"),
    ("jax.experimental.array_serialization.pytree_serialization_utils", "import", "0.10.2 jax"),
    ("jax.experimental.attrs", "import",
        "0.6.2 ad=jax._src.interpreters.ad api_util=jax._src.api_util core=jax._src.core "
        "lu=jax._src.linear_util pe=jax._src.interpreters.partial_eval "
        "source_info_util=jax._src.source_info_util"),
    ("jax.experimental.attrs", "jax._src.ad_util", "0.6.2 Zero"),
    ("jax.experimental.attrs", "jax._src.api", "0.6.2 float0 unsafe_map unsafe_zip"),
    ("jax.experimental.attrs", "jax._src.attrs not-had:experiment",
        "0.6.2 jvp linearize register vjp"),
    ("jax.experimental.attrs", "jax._src.dtypes", "0.6.2 dtype"),
    ("jax.experimental.attrs", "jax._src.util", "0.6.2 split_list unzip2"),
    ("jax.experimental.attrs", "jax.tree_util",
        "0.6.2 tree_flatten tree_structure tree_unflatten treedef_tuple"),
    ("jax.experimental.attrs", "jaxlib.utils", "0.6.2 map=safe_map safe_map safe_zip zip=safe_zip"),
    ("jax.experimental.attrs", "not-had:experiment",
        "0.4.38 top_trace 0.7.2 Box List jax_appendattr jax_getattr jax_setattr"),
    ("jax.experimental.attrs", "typing", "0.6.2 JaxVal=Any Pytree=Any"),
    ("jax.experimental.checkify", "import", "0.4.13 checkify_impl=jax.experimental.checkify"),
    ("jax.experimental.checkify", "jax._src.checkify",
        "0.4.13 assert_func checkify_jaxpr checkify_while_body_jaxpr cond_error_check core "
        "div_error_check error_checks gather_error_check is_scalar_pred jnp lax lu "
        "nan_error_check pe safe_map safe_zip scan_error_check scatter_error_check "
        "source_info_util split_list traceback_util tree_flatten tree_unflatten "
        "while_loop_error_check"),
    ("jax.experimental.checkify", "jax._src.lax", "0.4.13 control_flow slicing"),
    ("jax.experimental.checkify", "jax._src.util", "0.4.13 unzip2"),
    ("jax.experimental.checkify", "jax.api_util", "0.4.13 flatten_fun"),
    ("jax.experimental.checkify", "jax.tree_util", "0.4.13 register_pytree_node"),
    ("jax.experimental.compilation_cache.compilation_cache", "jax._src", "0.4.13 pathlib=path"),
    ("jax.experimental.compilation_cache.compilation_cache", "jax._src.compilation_cache",
        "0.4.13 get_cache_key xla_client 0.8.3 initialize_cache is_initialized"),
    ("jax.experimental.compilation_cache.compilation_cache", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.compute_on", "not-had:experiment", "0.12.0.1 compute_on2"),
    ("jax.experimental.control_deps", "import", "0.12.0.1 jax"),
    ("jax.experimental.control_deps", "not-had:experiment", "0.12.0.1 control_dep schedule"),
    ("jax.experimental.custom_dce", "not-had:experiment", "0.10.2 custom_dce custom_dce_p"),
    ("jax.experimental.custom_partitioning", "import",
        "0.4.13 pjit=jax.experimental.pjit pxla=jax.interpreters.pxla 0.4.31 core=jax._src.core "
        "custom_api_util=jax._src.custom_api_util dispatch=jax._src.dispatch "
        "hlo=jaxlib.mlir.dialects.stablehlo ir=jaxlib.mlir.ir jax lu=jax._src.linear_util "
        "mesh_lib=jax._src.mesh mlir=jax._src.interpreters.mlir "
        "pe=jax._src.interpreters.partial_eval sharding_impls=jax._src.sharding_impls "
        "tree_util=jax.tree_util xb=jax._src.xla_bridge xc=jaxlib.xla_client"),
    ("jax.experimental.custom_partitioning", "jax._src.api_util",
        "0.4.13 flatten_fun_nokwargs 0.4.31 argnums_partial"),
    ("jax.experimental.custom_partitioning", "jax._src.lib.mlir.dialects", "0.4.13 mhlo"),
    ("jax.experimental.custom_partitioning", "jax.errors", "0.4.31 UnexpectedTracerError"),
    ("jax.experimental.custom_partitioning", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.export", "callbridge.resurrect._backports._experimental",
        "0.4.38 call=call_exported call_exported export serialize"),
    ("jax.experimental.export", "jax.export",
        "0.4.38 DisabledSafetyCheck Exported SymbolicScope "
        "default_lowering_platform=default_export_platform deserialize is_symbolic_dim "
        "maximum_supported_serialization_version=maximum_supported_calling_convention_version "
        "minimum_supported_serialization_version=minimum_supported_calling_convention_version "
        "symbolic_args_specs symbolic_shape"),
    ("jax.experimental.fused", "import", "0.12.0.1 lu=jax._src.linear_util"),
    ("jax.experimental.global_device_array", "jax._src", "0.4.13 api_util dispatch"),
    ("jax.experimental.global_device_array", "jax._src.api", "0.4.13 device_put"),
    ("jax.experimental.global_device_array", "jax._src.array",
        "0.4.13 Device Shard core mlir pxla xc"),
    ("jax.experimental.global_device_array", "jax._src.sharding_impls", "0.4.13 PartitionSpec"),
    ("jax.experimental.global_device_array", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.global_device_array", "none-is:sharded-arrays", "0.4.13 GlobalDeviceArray"),
    ("jax.experimental.hijax", "not-had:experiment",
        "0.12.0.1 AvalMutableQDD AvalQDD HiPrimitive MutableHiType VJPHiPrimitive"),
    ("jax.experimental.host_callback", "callbridge.resurrect._backports._experimental",
        "0.4.38 CallbackException TapFunctionException=CallbackException barrier_wait id_print "
        "0.8.3 call id_tap"),
    ("jax.experimental.host_callback", "callbridge.resurrect._backports._lax",
        "0.4.38 outside_call_p"),
    ("jax.experimental.host_callback", "callbridge.resurrect._builder._ops", "0.4.38 xops=ops"),
    ("jax.experimental.host_callback", "import",
        "0.4.38 ad=jax._src.interpreters.ad ad_checkpoint=jax._src.ad_checkpoint "
        "api=jax._src.api batching=jax._src.interpreters.batching compiler=jax._src.compiler "
        "config=jax._src.config core=jax._src.core custom_derivatives=jax.custom_derivatives "
        "dispatch=jax._src.dispatch dtypes=jax._src.dtypes hlo=jaxlib.mlir.dialects.stablehlo "
        "ir=jaxlib.mlir.ir jax lax=jax.lax mlir=jax._src.interpreters.mlir "
        "pe=jax._src.interpreters.partial_eval pjit=jax.experimental.pjit "
        "pp=jax._src.pretty_printer pxla=jax._src.interpreters.pxla "
        "sharding_impls=jax._src.sharding_impls source_info_util=jax._src.source_info_util "
        "tree_util=jax._src.tree_util util=jax._src.util xb=jax._src.xla_bridge "
        "xla=jax.interpreters.xla xla_client=jax.lib.xla_client "
        "xla_extension=jax.lib.xla_extension"),
    ("jax.experimental.host_callback", "import not-had:infeed",
        "0.4.30 pytree=jax.lib.xla_extension.pytree"),
    ("jax.experimental.host_callback", "jax._src", "0.4.13 jaxlib=lib"),
    ("jax.experimental.host_callback", "jax._src.api", "0.4.38 XlaDevice=Device"),
    ("jax.experimental.host_callback", "jax._src.callback", "0.4.38 io_callback"),
    ("jax.experimental.host_callback", "jax._src.dispatch", "0.4.38 XlaLocalClient=Backend"),
    ("jax.experimental.host_callback", "jax._src.lib.mlir.dialects", "0.4.13 mhlo"),
    ("jax.experimental.host_callback", "jaxlib.xla_client",
        "0.4.38 XlaBuilder XlaOp XlaShape=Shape"),
    ("jax.experimental.host_callback", "not-had:infeed",
        "0.4.30 FLAGS id_tap_dep_p 0.4.38 CallbackFlavor id_p stop_outfeed_receiver "
        "xla_extension_version"),
    ("jax.experimental.host_callback", "typing", "0.4.38 DType=Any"),
    ("jax.experimental.jet", "jax._src.api", "0.5.3 shaped_abstractify"),
    ("jax.experimental.jet", "jax._src.custom_derivatives", "0.4.13 custom_jvp_call_jaxpr_p"),
    ("jax.experimental.jet", "jax.interpreters", "0.4.13 pxla xla"),
    ("jax.experimental.layout", "jax._src.layout", "0.7.2 DeviceLocalLayout=Layout"),
    ("jax.experimental.maps", "callbridge.resurrect._names._old_private",
        "0.4.13 _PositionalSemantics=PositionalSemantics "
        "_positional_semantics=positional_semantics"),
    ("jax.experimental.maps", "jax", "0.4.13 jnp=numpy lax stages"),
    ("jax.experimental.maps", "jax._src", "0.4.13 dispatch"),
    ("jax.experimental.maps", "jax._src.api_util",
        "0.4.13 donation_vector flatten_axes flatten_fun_nokwargs"),
    ("jax.experimental.maps", "jax._src.array", "0.4.13 ArrayImpl"),
    ("jax.experimental.maps", "jax._src.core",
        "0.4.13 Array lu partition_list safe_map traceback_util tuple_insert"),
    ("jax.experimental.maps", "jax._src.mesh",
        "0.4.13 show_axes xb xc 0.4.31 EMPTY_ENV ResourceEnv thread_resources"),
    ("jax.experimental.maps", "jax._src.sharding_impls", "0.4.13 NamedSharding"),
    ("jax.experimental.maps", "jax._src.util",
        "0.4.13 HashableFunction distributed_debug_log merge_lists moveaxis split_list unzip2 "
        "unzip3 wrap_name"),
    ("jax.experimental.maps", "jax.errors", "0.4.13 JAXTypeError"),
    ("jax.experimental.maps", "jax.interpreters",
        "0.4.13 ad batching mlir pe=partial_eval pxla xla"),
    ("jax.experimental.maps", "jax.sharding", "0.4.13 Mesh mesh=Mesh"),
    ("jax.experimental.maps", "jax.stages", "0.4.13 Lowered"),
    ("jax.experimental.maps", "jax.tree_util",
        "0.4.13 all_leaves tree_flatten tree_leaves tree_unflatten treedef_tuple"),
    ("jax.experimental.maps", "not-had:xmap",
        "0.4.31 SerialLoop make_xmap_callable serial_loop xmap xmap_p"),
    ("jax.experimental.mesh_utils", "import", "0.4.30 jax 0.4.34 xb=jax._src.xla_bridge"),
    ("jax.experimental.multihost_utils", "import", "0.7.2 xla=jax.interpreters.xla"),
    ("jax.experimental.multihost_utils", "jax._src",
        "0.4.13 config_internal=config dispatch sharding"),
    ("jax.experimental.multihost_utils", "jax._src.pjit", "0.4.34 pjit"),
    ("jax.experimental.multihost_utils", "jax.tree_util", "0.4.13 PyTreeDef 0.4.38 tree_map"),
    ("jax.experimental.ode", "import", "0.12.0.1 api_util=jax.api_util lu=jax._src.linear_util"),
    ("jax.experimental.optimizers", "jax.example_libraries.optimizers",
        "0.4.13 Optimizer adagrad adam make_schedule momentum optimizer rmsprop "
        "rmsprop_momentum sgd sm3"),
    ("jax.experimental.pallas", "import", "0.6.2 gpu=jax.experimental.pallas.triton"),
    ("jax.experimental.pallas", "jax._src.pallas.primitives", "0.9.2 load store swap"),
    ("jax.experimental.pallas", "jax._src.pallas.primitives jax.experimental.pallas.triton",
        "0.9.2 atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg "
        "atomic_xor max_contiguous"),
    ("jax.experimental.pallas.gpu", "jax.experimental.pallas.triton",
        "0.6.2 TritonCompilerParams approx_tanh debug_barrier elementwise_inline_asm"),
    ("jax.experimental.pallas.ops", "import",
        "0.4.30 attention=jax.experimental.pallas.ops.gpu.attention "
        "layer_norm=jax.experimental.pallas.ops.gpu.layer_norm"),
    ("jax.experimental.pallas.tpu", "jax.experimental.pallas",
        "0.4.38 CostEstimate run_scoped 0.9.2 ANY delay"),
    ("jax.experimental.pallas.tpu", "jax.experimental.pallas.tpu",
        "0.7.2 TPUCompilerParams=CompilerParams TPUMemorySpace=MemorySpace"),
    ("jax.experimental.pallas.triton", "jax.experimental.pallas.triton",
        "0.7.2 TritonCompilerParams=CompilerParams"),
    ("jax.experimental.pjit", "jax", "0.4.13 local_devices"),
    ("jax.experimental.pjit", "jax._src", "0.4.13 array"),
    ("jax.experimental.pjit", "jax._src.api", "0.4.13 device_put"),
    ("jax.experimental.pjit", "jax._src.api_util",
        "0.4.13 flatten_fun_nokwargs rebase_donate_argnums"),
    ("jax.experimental.pjit", "jax._src.pjit",
        "0.4.13 HashableFunction NamedSharding ad batching core dispatch distributed_debug_log "
        "donation_vector flatten_axes flatten_axis_resources func_dialect "
        "get_unconstrained_dims ir lu merge_lists mlir pe pjit_check_aval_sharding pxla "
        "safe_map safe_zip sharding_constraint_p source_info_util split_list stages "
        "tree_flatten tree_structure tree_unflatten weakref_lru_cache wraps xb xc 0.4.30 "
        "hashable_pytree 0.7.2 pjit_p=jit_p"),
    ("jax.experimental.pjit", "jax._src.sharding_impls",
        "0.4.13 XLACompatibleSharding explode_superdims strides_for_sizes unflatten_array "
        "unflatten_superdims 0.4.30 get_array_mapping parse_flatten_op_sharding"),
    ("jax.experimental.pjit",
     "jax._src.sharding_impls callbridge.resurrect._backports._interpreters",
        "0.10.2 AUTO"),
    ("jax.experimental.pjit", "jax._src.sharding_impls not-had:lowering",
        "0.4.30 ParsedPartitionSpec"),
    ("jax.experimental.pjit", "jax._src.stages", "0.4.13 CompiledCallParams"),
    ("jax.experimental.pjit", "jax._src.tree_util", "0.4.13 prefix_errors"),
    ("jax.experimental.pjit", "jax._src.util", "0.4.13 tuple_insert wrap_name"),
    ("jax.experimental.pjit", "jax.errors", "0.4.13 JAXTypeError"),
    ("jax.experimental.pjit", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.pjit", "jax.lax", "0.4.30 with_sharding_constraint"),
    ("jax.experimental.pjit", "jax.sharding", "0.4.13 PartitionSpec PmapSharding Sharding"),
    ("jax.experimental.pjit", "jax.stages", "0.4.13 Lowered"),
    ("jax.experimental.pjit", "jax.tree_util", "0.4.13 tree_leaves treedef_is_leaf treedef_tuple"),
    ("jax.experimental.profiler", "import", "0.6.2 xla_client=jax.lib.xla_client"),
    ("jax.experimental.rnn", "import", "0.7.2 xla=jax.interpreters.xla"),
    ("jax.experimental.scheduling_groups", "import",
        "0.8.3 api_util=jax._src.api_util 0.12.0.1 ad=jax._src.interpreters.ad "
        "batching=jax._src.interpreters.batching core=jax._src.core dispatch=jax._src.dispatch "
        "func_dialect=jaxlib.mlir.dialects.func ir=jaxlib.mlir.ir lu=jax._src.linear_util "
        "mlir=jax._src.interpreters.mlir pe=jax._src.interpreters.partial_eval"),
    ("jax.experimental.scheduling_groups", "jax._src.api", "0.12.0.1 unsafe_map unsafe_zip"),
    ("jax.experimental.scheduling_groups", "jax._src.api_util", "0.12.0.1 debug_info"),
    ("jax.experimental.scheduling_groups", "jax._src.interpreters.ad", "0.12.0.1 FlatTree=ft"),
    ("jax.experimental.scheduling_groups", "jax._src.util",
        "0.12.0.1 split_list subs_list unzip2 weakref_lru_cache"),
    ("jax.experimental.scheduling_groups", "jax.tree_util", "0.12.0.1 tree_flatten tree_unflatten"),
    ("jax.experimental.scheduling_groups", "jaxlib.utils",
        "0.12.0.1 map=safe_map safe_map safe_zip zip=safe_zip"),
    ("jax.experimental.scheduling_groups", "not-had:experiment",
        "0.8.3 scheduling_group_p xla_metadata 0.12.0.1 attr_get dce_jaxpr_xla_metadata_rule "
        "xla_metadata_call_p"),
    ("jax.experimental.shard", "jax._src.pjit", "0.7.2 auto_axes explicit_axes reshard"),
    ("jax.experimental.shard_alike", "not-had:experiment", "0.12.0.1 shard_alike"),
    ("jax.experimental.shard_map", "builtins", "0.6.2 AxisNames=dict"),
    ("jax.experimental.shard_map", "callbridge.resurrect._backports._sharding",
        "0.6.2 MaybeTracer RepType"),
    ("jax.experimental.shard_map", "collections.abc", "0.8.3 AxisName=Hashable"),
    ("jax.experimental.shard_map", "import",
        "0.4.30 array=jax._src.array 0.4.38 hlo=jaxlib.mlir.dialects.stablehlo 0.6.2 "
        "ad=jax._src.interpreters.ad ad_checkpoint=jax._src.ad_checkpoint "
        "ad_util=jax._src.ad_util ann=jax._src.lax.ann api_util=jax._src.api_util "
        "batching=jax._src.interpreters.batching callback=jax._src.callback "
        "config=jax._src.config control_flow=jax._src.lax.control_flow "
        "convolution=jax._src.lax.convolution core=jax._src.core "
        "custom_derivatives=jax._src.custom_derivatives debugging=jax._src.debugging "
        "dispatch=jax._src.dispatch dtypes=jax._src.dtypes ffi=jax._src.ffi "
        "fft=jax._src.lax.fft ir=jaxlib.mlir.ir jax jnp=jax.numpy lax=jax._src.lax.lax "
        "lax_parallel=jax._src.lax.parallel linalg=jax._src.lax.linalg lu=jax._src.linear_util "
        "mlir=jax._src.interpreters.mlir ops=jax._src.ops pe=jax._src.interpreters.partial_eval "
        "pjit=jax._src.pjit prng=jax.prng pxla=jax._src.interpreters.pxla "
        "random=jax._src.random sdy=jaxlib.mlir.dialects.sdy "
        "sharding_impls=jax._src.sharding_impls slicing=jax._src.lax.slicing "
        "source_info_util=jax._src.source_info_util special=jax._src.lax.special "
        "util=jax._src.util windowed_reductions=jax._src.lax.windowed_reductions"),
    ("jax.experimental.shard_map", "jax._src.api",
        "0.5.3 shaped_abstractify 0.6.2 NamedSharding PyTreeDef unsafe_map unsafe_zip"),
    ("jax.experimental.shard_map", "jax._src.api_util", "0.5.3 argnums_partial"),
    ("jax.experimental.shard_map", "jax._src.core", "0.6.2 Tracer"),
    ("jax.experimental.shard_map", "jax._src.lax.parallel not-had:shard-map-rules",
        "0.6.2 psum2_p=psum_invariant_p"),
    ("jax.experimental.shard_map", "jax._src.mesh",
        "0.6.2 AxisType get_abstract_mesh use_abstract_mesh 0.8.3 AbstractMesh Mesh"),
    ("jax.experimental.shard_map", "jax._src.partition_spec",
        "0.6.2 P=PartitionSpec PartitionSpec"),
    ("jax.experimental.shard_map", "jax._src.random", "0.6.2 o=clone"),
    ("jax.experimental.shard_map", "jax._src.shard_map",
        "0.6.2 ShardMapPrimitive ShardMapTrace ShardMapTracer shard_map_p"),
    ("jax.experimental.shard_map", "jax._src.shard_map not-had:shard-map-rules",
        "0.6.2 NoFail SpecErrorType eager_rules get_mesh_from_args no_fail pmap"),
    ("jax.experimental.shard_map", "jax._src.tree_util",
        "0.6.2 KeyPath broadcast_prefix generate_key_paths prefix_errors"),
    ("jax.experimental.shard_map", "jax._src.util",
        "0.4.38 merge_lists unzip3 0.6.2 HashableFunction HashablePartial memoize "
        "partition_list split_list subs_list2 unzip2"),
    ("jax.experimental.shard_map", "jax._src.util callbridge.resurrect._backports._trees",
        "0.6.2 as_hashable_function"),
    ("jax.experimental.shard_map", "jax.api_util", "0.4.13 flatten_fun_nokwargs"),
    ("jax.experimental.shard_map", "jax.experimental.multihost_utils",
        "0.6.2 global_array_to_host_local_array host_local_array_to_global_array"),
    ("jax.experimental.shard_map",
     "jax.experimental.shard_map callbridge.resurrect._backports._sharding",
        "0.4.30 register_rule register_standard 0.6.2 register_check register_norewrite "
        "register_reduction_collective register_rewrite register_standard_check "
        "register_standard_collective register_standard_rewrite"),
    ("jax.experimental.shard_map", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.shard_map", "jax.lax not-had:shard-map-rules", "0.6.2 pbroadcast=pvary"),
    ("jax.experimental.shard_map", "jax.sharding not-had:shard-map-rules",
        "0.5.3 AxisTypes=AxisType"),
    ("jax.experimental.shard_map", "jax.tree_util",
        "0.6.2 keystr tree_flatten tree_leaves tree_map tree_structure tree_unflatten"),
    ("jax.experimental.shard_map", "jaxlib.utils", "0.6.2 foreach map=safe_map zip=safe_zip"),
    ("jax.experimental.shard_map", "not-had:shard-map-rules",
        "0.5.3 set_abstract_mesh 0.6.2 RewriteTrace RewriteTracer get_replication p "
        "pbroadcast_p"),
    ("jax.experimental.shard_map", "typing", "0.6.2 JaxType=Any Val=Any 0.8.3 Specs=Any"),
    ("jax.experimental.sharding", "jax._src.sharding_impls",
        "0.4.13 Device XLACompatibleSharding device_replica_id_map xc"),
    ("jax.experimental.sharding", "jax.interpreters", "0.4.13 mlir pxla"),
    ("jax.experimental.sharding", "jax.sharding",
        "0.4.13 MeshPspecSharding=NamedSharding NamedSharding PmapSharding Sharding "
        "SingleDeviceSharding"),
    ("jax.experimental.sparse", "import not-had:experiment",
        "0.10.2 nm=jax.experimental.sparse.nm"),
    ("jax.experimental.sparse.ad", "jax.experimental.sparse.bcoo", "0.4.13 BCOO"),
    ("jax.experimental.sparse.api", "import", "0.4.13 jnp=jax.numpy"),
    ("jax.experimental.sparse.api", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.sparse.bcoo", "import",
        "0.4.38 hlo=jaxlib.mlir.dialects.stablehlo ir=jaxlib.mlir.ir 0.8.3 "
        "gpu_sparse=jaxlib.gpu_sparse"),
    ("jax.experimental.sparse.bcoo", "jax._src.api_util", "0.4.13 flatten_axes"),
    ("jax.experimental.sparse.bcoo", "jax._src.lib", "0.4.13 xc=xla_client"),
    ("jax.experimental.sparse.bcoo", "jax._src.lib.mlir.dialects", "0.4.13 mhlo"),
    ("jax.experimental.sparse.bcoo", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.sparse.bcsr", "import", "0.8.3 gpu_sparse=jaxlib.gpu_sparse"),
    ("jax.experimental.sparse.coo", "import", "0.8.3 gpu_sparse=jaxlib.gpu_sparse"),
    ("jax.experimental.sparse.coo", "jax._src.lib", "0.4.13 xla_client"),
    ("jax.experimental.sparse.coo", "jax._src.lib.mlir.dialects", "0.4.13 mhlo"),
    ("jax.experimental.sparse.coo", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.sparse.csr", "import", "0.8.3 gpu_sparse=jaxlib.gpu_sparse"),
    ("jax.experimental.sparse.csr", "jax.interpreters", "0.4.13 xla"),
    ("jax.experimental.sparse.linalg", "import",
        "0.6.2 gpu_solver=jaxlib.gpu_solver 0.7.2 xla=jax.interpreters.xla"),
    ("jax.experimental.sparse.nm", "import",
        "0.8.3 gpu_sparse=jaxlib.gpu_sparse 0.10.2 core=jax._src.core "
        "dispatch=jax._src.dispatch jnp=jax.numpy mhlo=jaxlib.mlir.dialects.mhlo "
        "mlir=jax.interpreters.mlir"),
    ("jax.experimental.sparse.nm", "jax._src.ffi", "0.10.2 Array"),
    ("jax.experimental.sparse.nm", "jax._src.lax.lax", "0.10.2 DotDimensionNumbers"),
    ("jax.experimental.sparse.nm", "not-had:experiment",
        "0.10.2 nm_pack nm_pack_p nm_spmm nm_spmm_p"),
    ("jax.experimental.sparse.transform", "import", "0.5.3 lax_numpy=jax._src.numpy.lax_numpy"),
    ("jax.experimental.sparse.transform", "jax._src.util", "0.4.13 canonicalize_axis"),
    ("jax.experimental.sparse.transform", "jax.interpreters", "0.4.13 pxla xla"),
    ("jax.experimental.sparse.transform", "not-had:experiment", "0.4.38 popattr setnewattr"),
    ("jax.experimental.sparse.util", "import",
        "0.4.38 dtypes=jax._src.dtypes stages=jax._src.stages"),
    ("jax.experimental.stax", "jax.example_libraries.stax",
        "0.4.13 AvgPool Dense Dropout Elu FanInConcat FanInSum FanOut Flatten GeneralConv "
        "GeneralConvTranspose Identity Relu SumPool _pooling_layer glorot ones parallel randn "
        "serial softmax zeros"),
    ("jax.experimental.topologies", "import",
        "0.6.2 xla_extension=jax.lib.xla_extension 0.8.3 xc=jax.lib.xla_client"),
    ("jax.experimental.x64_context", "callbridge.resurrect._backports._experimental",
        "0.9.2 disable_x64 enable_x64"),
    ("jax.experimental.x64_context", "import", "0.9.2 config=jax._src.config"),
    ("jax.extend", "import", "0.8.3 ffi=jax.extend.ffi"),
    ("jax.extend.backend", "callbridge.resurrect._backports._jax",
        "0.7.2 add_clear_backends_callback"),
    ("jax.extend.core", "not-had:call-primitives", "0.12.0.1 CallPrimitive call_impl"),
    ("jax.extend.core.primitives", "jax._src.ad_util", "0.7.2 zeros_like_p"),
    ("jax.extend.core.primitives",
     "jax._src.interpreters.pxla callbridge.resurrect._backports._lax",
        "0.6.2 custom_jvp_call_jaxpr_p custom_vjp_call_jaxpr_p random_gamma_grad_p 0.7.2 "
        "infeed_p outfeed_p 0.10.2 xla_pmap_p"),
    ("jax.extend.core.primitives", "jax.extend.core.primitives", "0.7.2 pjit_p=jit_p"),
    ("jax.extend.ffi", "callbridge.resurrect._lowering._ffi_call",
        "0.7.2 ffi_call=extend_ffi_call"),
    ("jax.extend.ffi", "jax.ffi", "0.7.2 ffi_lowering include_dir pycapsule register_ffi_target"),
    ("jax.extend.mlir.dialects", "import", "0.4.34 mhlo=jax.extend.mlir.dialects.mhlo"),
    ("jax.extend.mlir.dialects.arith", "not-had:mlir",
        "0.10.2 RegionIterator 0.12.0.1 MemoryEffectInstancesList"),
    ("jax.extend.mlir.dialects.builtin", "not-had:mlir",
        "0.10.2 RegionIterator 0.12.0.1 MemoryEffectInstancesList"),
    ("jax.extend.mlir.dialects.func", "not-had:mlir",
        "0.10.2 RegionIterator 0.12.0.1 MemoryEffectInstancesList"),
    ("jax.extend.mlir.dialects.memref", "jaxlib.mlir.dialects.arith", "0.9.2 ConstantOp"),
    ("jax.extend.mlir.dialects.memref", "jaxlib.mlir.ir", "0.9.2 Operation"),
    ("jax.extend.mlir.dialects.mhlo",
     "jaxlib.mlir.dialects.mhlo jaxlib.mlir.dialects.stablehlo not-had:mhlo",
        "0.4.31 UnaryEinsumOp unary_einsum 0.4.34 AbsOp AddDependencyOp AddOp AfterAllOp "
        "AllGatherOp AllReduceOp AllToAllOp AndOp AsyncDoneOp AsyncStartOp AsyncUpdateOp "
        "Atan2Op BatchNormGradOp BatchNormInferenceOp BatchNormTrainingOp BitcastConvertOp "
        "BitcastOp BroadcastInDimOp BroadcastOp CaseOp CbrtOp CeilOp CholeskyOp ClampOp ClzOp "
        "CollectiveBroadcastOp CollectivePermuteOp CompareOp ComplexOp CompositeOp "
        "ConcatenateOp ConstantOp ConvertOp ConvolutionOp CopyOp CosineOp CreateTokenOp "
        "CrossReplicaSumOp CustomCallOp DivOp DomainOp DotGeneralOp DotOp "
        "DynamicBroadcastInDimOp DynamicConvOp DynamicGatherOp DynamicIotaOp DynamicPadOp "
        "DynamicReshapeOp DynamicSliceOp DynamicUpdateSliceOp EinsumOp ErfOp ExpOp Expm1Op "
        "FftOp FloorOp FusionOp GatherOp GetDimensionSizeOp GetTupleElementOp IfOp ImagOp "
        "InfeedOp IotaOp IsFiniteOp Log1pOp LogOp LogisticOp MapOp MaxOp MinOp "
        "MinimumBroadcastShapesOp MulOp NegOp NotOp OptimizationBarrierOp OrOp OutfeedOp PadOp "
        "PartitionIdOp PopulationCountOp PowOp RealDynamicSliceOp RealOp RecvOp ReduceOp "
        "ReducePrecisionOp ReduceScatterOp ReduceWindowOp RemOp ReplicaIdOp ReshapeOp ReturnOp "
        "ReverseOp RngBitGeneratorOp RngOp RoundNearestEvenOp RoundOp RsqrtOp ScatterOp "
        "SelectAndScatterOp SelectOp SendOp SetDimensionSizeOp ShiftLeftOp "
        "ShiftRightArithmeticOp ShiftRightLogicalOp SignOp SineOp SliceOp SortOp SparseDotOp "
        "SqrtOp StochasticConvertOp SubtractOp TanOp TanhOp TopKOp TorchIndexSelectOp TraceOp "
        "TransposeOp TriangularSolveOp TupleOp UniformDequantizeOp UniformQuantizeOp WhileOp "
        "XlaRngGetAndUpdateStateOp XorOp abs add add_dependency after_all all_gather all_reduce "
        "all_to_all and_ async_done async_start async_update atan2 batch_norm_grad "
        "batch_norm_inference batch_norm_training bitcast bitcast_convert broadcast "
        "broadcast_in_dim case cbrt ceil cholesky clamp collective_broadcast collective_permute "
        "compare complex composite concatenate constant convert convolution copy cosine "
        "count_leading_zeros create_token cross_replica_sum custom_call divide domain dot "
        "dot_general dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota "
        "dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice einsum erf exponential "
        "exponential_minus_one fft floor fusion gather get_dimension_size get_tuple_element if_ "
        "imag infeed iota is_finite log log_plus_one logistic map maximum minimum "
        "minimum_broadcast_shapes multiply negate not_ optimization_barrier or_ outfeed pad "
        "partition_id popcnt power real real_dynamic_slice recv reduce reduce_precision "
        "reduce_scatter reduce_window register_mhlo_dialect register_mhlo_passes remainder "
        "replica_id reshape return_ reverse rng rng_bit_generator round_nearest_afz "
        "round_nearest_even rsqrt scatter select select_and_scatter send set_dimension_size "
        "shift_left shift_right_arithmetic shift_right_logical sign sine slice sort sparse_dot "
        "sqrt stochastic_convert subtract tan tanh topk torch_index_select trace transpose "
        "triangular_solve tuple uniform_dequantize uniform_quantize while_ "
        "xla_rng_get_and_update_state xor"),
    ("jax.extend.mlir.dialects.scf", "not-had:mlir",
        "0.10.2 RegionIterator 0.12.0.1 MemoryEffectInstancesList"),
    ("jax.extend.mlir.dialects.vector", "jaxlib.mlir.dialects.gpu not-had:mlir",
        "0.4.38 WarpExecuteOnLane0Op warp_execute_on_lane_0"),
    ("jax.extend.mlir.dialects.vector", "not-had:mlir",
        "0.4.34 ReshapeOp reshape 0.7.2 ExtractElementOp FlatTransposeOp InsertElementOp "
        "MatmulOp extractelement flat_transpose insertelement matrix_multiply 0.8.3 SplatOp "
        "splat"),
    ("jax.extend.mlir.ir", "not-had:mlir",
        "0.10.2 RegionIterator 0.12.0.1 MemoryEffectInstancesList"),
    ("jax.interpreters.ad", "callbridge.resurrect._backports._avals",
        "0.4.30 instantiate_zeros_aval"),
    ("jax.interpreters.ad", "callbridge.resurrect._backports._interpreters",
        "0.4.34 recast_to_float0 replace_float0s 0.7.2 unpair_pval"),
    ("jax.interpreters.ad", "callbridge.resurrect._names._old_signatures",
        "0.8.3 backward_pass vjp"),
    ("jax.interpreters.ad", "import", "0.4.30 source_info_util=jax._src.source_info_util"),
    ("jax.interpreters.ad", "jax", "0.4.30 config"),
    ("jax.interpreters.ad", "jax._src.ad_util", "0.4.38 zeros_like_jaxval 0.9.2 zeros_like_p"),
    ("jax.interpreters.ad", "jax._src.api_util", "0.4.13 flatten_fun flatten_fun_nokwargs"),
    ("jax.interpreters.ad", "jax._src.interpreters.ad",
        "0.4.13 Literal Primitive Trace Tracer core dtype float0 lu partition_list pe "
        "register_pytree_node safe_map safe_zip split_list unzip2 weakref_lru_cache 0.4.38 "
        "CustomVJPException 0.7.2 backward_pass_internal=backward_pass 0.9.2 bilinear_transpose "
        "call_transpose custom_lin_p defjvp_zero jvp_jaxpr linear_jvp linear_transpose "
        "linear_transpose2 rearrange_binders standard_jvp standard_jvp2 zero_jvp 0.10.2 "
        "reducing_transposes"),
    ("jax.interpreters.ad", "jax._src.interpreters.ad callbridge.resurrect._backports._core",
        "0.9.2 call_param_updaters call_transpose_param_updaters"),
    ("jax.interpreters.ad",
     "jax._src.interpreters.ad callbridge.resurrect._backports._interpreters",
        "0.4.38 CustomJVPException"),
    ("jax.interpreters.ad", "jax._src.interpreters.ad not-had:backward-pass",
        "0.8.3 closed_backward_pass"),
    ("jax.interpreters.ad", "jax._src.interpreters.ad not-had:pmap", "0.9.2 map_transpose"),
    ("jax.interpreters.ad", "jax._src.util", "0.4.13 cache wrap_name"),
    ("jax.interpreters.ad", "jax.core", "0.4.13 get_aval raise_to_shaped"),
    ("jax.interpreters.ad", "jax.tree_util", "0.4.13 Partial tree_flatten tree_unflatten"),
    ("jax.interpreters.batching", "callbridge.resurrect._backports._avals", "0.10.2 not_mapped"),
    ("jax.interpreters.batching", "callbridge.resurrect._backports._interpreters",
        "0.4.30 zeros_like_batched 0.4.38 spmd_axis_primitive_batchers 0.9.2 broadcast_batcher "
        "vectorized_batcher"),
    ("jax.interpreters.batching", "callbridge.resurrect._names._old_signatures",
        "0.4.30 add_batched 0.9.2 batch_jaxpr_axes from_elt matchaxis reducer_batcher"),
    ("jax.interpreters.batching", "jax._src.ad_util",
        "0.4.13 zeros_like_jaxval 0.4.30 zeros_like_p 0.7.2 Zero 0.9.2 Zeros=Zero"),
    ("jax.interpreters.batching", "jax._src.core", "0.9.2 Array"),
    ("jax.interpreters.batching", "jax._src.interpreters.batching",
        "0.4.13 Trace Tracer add_jaxvals add_jaxvals_p batch_custom_jvp_subtrace batch_subtrace "
        "canonicalize_axis core flatten_fun_for_vmap lu memoize pe safe_map safe_zip "
        "source_info_util split_list tree_flatten tree_unflatten unzip2 weakref_lru_cache 0.8.3 "
        "batch_jaxpr2 0.9.2 BatchTrace BatchTracer ZeroIfMapped batch batch_custom_vjp_bwd "
        "batch_jaxpr from_elt_handlers is_vmappable make_iota make_iota_handlers spec_types "
        "to_elt to_elt_handlers vmappables zero_if_mapped 0.10.2 NotMapped"),
    ("jax.interpreters.batching", "jax._src.interpreters.batching none-is:jumbles",
        "0.4.30 Pile PileTy 0.8.3 Jumble JumbleTy RaggedAxis"),
    ("jax.interpreters.batching", "jax._src.tree_util", "0.4.13 register_pytree_node"),
    ("jax.interpreters.batching", "jax._src.util",
        "0.4.13 cache curry unzip3 wrap_name 0.9.2 moveaxis"),
    ("jax.interpreters.batching", "jax.core", "0.4.13 raise_to_shaped"),
    ("jax.interpreters.batching", "not-had:jumbles",
        "0.4.30 PileAxis pile_axis 0.8.3 IndexedAxisSize JumbleAxis jumble_axis"),
    ("jax.interpreters.batching", "not-had:xmap", "0.9.2 vtile"),
    ("jax.interpreters.mlir", "callbridge.resurrect._lowering._mlir",
        "0.4.13 xla_computation_to_mhlo_module=xla_computation_to_mlir_module 0.4.31 "
        "ir_constants token_type 0.6.2 xla_computation_to_mlir_module 0.8.3 custom_call "
        "dense_bool_array 0.9.2 dense_bool_elements"),
    ("jax.interpreters.mlir", "import",
        "0.4.13 ad=jax.interpreters.ad xla=jax.interpreters.xla 0.6.2 "
        "func_dialect=jaxlib.mlir.dialects.func hlo=jaxlib.mlir.dialects.stablehlo"),
    ("jax.interpreters.mlir", "jax._src.interpreters.mlir",
        "0.4.13 ad_util add_jaxvals_lowering broadcast_in_dim core create_token "
        "delegate_lowering dtypes dynamic_slice dynamic_update_slice eval_dynamic_shape "
        "full_like_aval get_constant_handler merge_mhlo_modules=merge_mlir_modules "
        "multi_broadcast_in_dim pe reshape set_sharding sharded_aval slice_op source_info_util "
        "util wrap_with_full_to_shard_op wrap_with_shard_to_full_op wrap_with_sharding_op xb xc "
        "0.7.2 flatten_lowering_ir_args=flatten_ir_values 0.10.2 LoweringRule"),
    ("jax.interpreters.mlir", "jax._src.lib", "0.4.13 jaxlib_version=version"),
    ("jax.interpreters.mlir", "jax._src.lib.mlir.dialects", "0.4.13 builtin chlo mhlo"),
    ("jax.interpreters.mlir", "jax._src.sharding_impls callbridge.resurrect._backports._core",
        "0.10.2 ReplicaAxisContext"),
    ("jax.interpreters.partial_eval", "callbridge.resurrect._backports._interpreters",
        "0.4.38 extend_jaxpr_stack trace_to_jaxpr trace_to_jaxpr_final 0.6.2 trivial_ctx 0.8.3 "
        "def_trivial_padding padding_rules"),
    ("jax.interpreters.partial_eval", "import", "0.9.2 config=jax._src.config"),
    ("jax.interpreters.partial_eval", "jax._src", "0.4.13 api_util"),
    ("jax.interpreters.partial_eval", "jax._src.ad_util", "0.4.13 Zero"),
    ("jax.interpreters.partial_eval", "jax._src.api_util", "0.4.13 flatten_fun_nokwargs"),
    ("jax.interpreters.partial_eval", "jax._src.core",
        "0.4.13 ShapedArray mapped_aval unmapped_aval 0.5.3 DebugInfo 0.9.2 Jaxpr"),
    ("jax.interpreters.partial_eval", "jax._src.core jax.extend.core", "0.4.13 ClosedJaxpr"),
    ("jax.interpreters.partial_eval", "jax._src.interpreters.partial_eval",
        "0.4.13 AbstractValue DropVar JaxprEqn Literal OrderedSet Primitive PyTreeDef Trace "
        "Tracer Var core dtypes effects get_referent lu merge_lists new_jaxpr_eqn "
        "partial_eval_wrapper_nounits partition_list profiler safe_map safe_zip "
        "source_info_util split_list toposort trace_to_subjaxpr_nounits "
        "trace_to_subjaxpr_nounits_fwd unzip2 weakref_lru_cache 0.9.2 ConstVar "
        "DynamicJaxprTrace FreeVar JaxprEqnRecipe JaxprStackFrame JaxprTrace LambdaBinding "
        "PartialEvalCustomResult TracerAsName TracerId abstract_eval_fun "
        "call_partial_eval_custom_rule close_jaxpr closed_call_partial_eval_custom_rule "
        "const_fold_rules convert_constvars_jaxpr custom_staging_rules forwarding_rules "
        "has_effects make_jaxpr_effects move_binders_to_back move_binders_to_front "
        "new_eqn_recipe partial_eval_jaxpr_custom partial_eval_jaxpr_nounits partition_pvals "
        "tracers_to_jaxpr"),
    ("jax.interpreters.partial_eval",
     "jax._src.interpreters.partial_eval callbridge.resurrect._backports._interpreters",
        "0.9.2 call_param_updaters call_partial_eval_rules convert_invars_to_constvars "
        "instantiate_const_at partial_eval_jaxpr_custom_rule_not_implemented"),
    ("jax.interpreters.partial_eval", "jax._src.tree_util",
        "0.4.13 keystr tree_leaves tree_unflatten treedef_tuple"),
    ("jax.interpreters.partial_eval", "jax._src.util", "0.4.13 cache"),
    ("jax.interpreters.partial_eval", "jax.core", "0.4.13 ConcreteArray get_aval raise_to_shaped"),
    ("jax.interpreters.partial_eval", "none-is:dynamic-shapes",
        "0.4.30 DimensionHandlerTracer 0.8.3 BoundedAxisSize"),
    ("jax.interpreters.partial_eval", "not-had:debug-info",
        "0.5.3 arg_info_all debug_info debug_info_final result_info sig_info"),
    ("jax.interpreters.partial_eval", "not-had:dynamic-shapes",
        "0.4.38 trace_to_jaxpr_final2 trace_to_subjaxpr_dynamic2 0.8.3 call_padding_rule "
        "infer_lambda_input_type pad_jaxpr trace_to_jaxpr_dynamic2"),
    ("jax.interpreters.partial_eval", "not-had:main-traces", "0.4.38 trace_to_subjaxpr_dynamic"),
    ("jax.interpreters.partial_eval", "not-had:recipes",
        "0.9.2 convert_envvars_to_constvars recipe_to_eqn"),
    ("jax.interpreters.pxla", "callbridge.resurrect._backports._interpreters",
        "0.4.30 WeakRefList multi_host_supported_collectives"),
    ("jax.interpreters.pxla", "callbridge.resurrect._names._old_private",
        "0.4.13 _is_unspecified=is_unspecified"),
    ("jax.interpreters.pxla", "callbridge.resurrect._names._old_signatures",
        "0.4.30 device_put wrap_name"),
    ("jax.interpreters.pxla", "import", "0.4.30 xb=jax._src.xla_bridge"),
    ("jax.interpreters.pxla", "jax._src",
        "0.4.13 abstract_arrays api_util basearray lu=linear_util"),
    ("jax.interpreters.pxla", "jax._src.interpreters.pxla",
        "0.4.13 ShapedArray core dispatch dtypes ir mlir partition_list pe profiler safe_map "
        "safe_zip stages unzip2 util xc 0.4.30 ExecuteReplicated InputsHandler ResultsHandler "
        "UnloadedMeshExecutable array_types shard_arg_handlers tile_aval_nd untile_aval_nd "
        "0.10.2 shard_args 0.12.0.1 MeshExecutable global_aval_to_result_handler "
        "global_result_handlers"),
    ("jax.interpreters.pxla", "jax._src.interpreters.pxla callbridge.resurrect._backports._lax",
        "0.10.2 xla_pmap_p"),
    ("jax.interpreters.pxla", "jax._src.interpreters.pxla none-is:pmap", "0.10.2 MapTracer"),
    ("jax.interpreters.pxla", "jax._src.interpreters.pxla not-had:pmap",
        "0.4.30 EmapInfo MapTrace ParallelCallableInfo PmapComputation ReplicaInfo ShardInfo "
        "UnloadedPmapExecutable find_replicas full_to_shard_p local_aval_to_result_handler "
        "local_avals_to_results_handler local_result_handlers shard_to_full_p "
        "stage_parallel_callable xla_pmap xla_pmap_impl xla_pmap_impl_lazy 0.10.2 "
        "PmapExecutable parallel_callable"),
    ("jax.interpreters.pxla", "jax._src.interpreters.pxla not-had:xmap",
        "0.4.30 SPMDBatchTrace TileManual TileVectorize custom_resource_typing_rules "
        "maybe_extend_axis_env resource_typecheck spmd_primitive_batchers vtile_by_mesh"),
    ("jax.interpreters.pxla", "jax._src.lib.mlir.dialects", "0.4.13 mhlo"),
    ("jax.interpreters.pxla", "jax._src.mesh", "0.4.13 EMPTY_ENV ResourceEnv show_axes"),
    ("jax.interpreters.pxla", "jax._src.named_sharding",
        "0.12.0.1 array_mapping_to_axis_resources"),
    ("jax.interpreters.pxla", "jax._src.op_shardings",
        "0.12.0.1 are_hlo_shardings_equal is_hlo_sharding_replicated op_sharding_to_indices"),
    ("jax.interpreters.pxla", "jax._src.op_shardings callbridge.resurrect._backports._interpreters",
        "0.7.2 are_op_shardings_equal is_op_sharding_replicated"),
    ("jax.interpreters.pxla", "jax._src.sharding_impls",
        "0.4.13 XLACompatibleSharding use_cpp_class use_cpp_method"),
    ("jax.interpreters.pxla",
     "jax._src.sharding_impls callbridge.resurrect._backports._interpreters",
        "0.4.30 AUTO"),
    ("jax.interpreters.pxla", "jax._src.sharding_specs jaxlib._jax.pmap_lib not-had:pmap-sharding",
        "0.10.2 Chunked NoSharding Replicated ShardedAxis ShardingSpec Unstacked "
        "spec_to_indices"),
    ("jax.interpreters.pxla", "jax._src.sharding_specs not-had:pmap-sharding",
        "0.4.30 mesh_sharding_specs new_mesh_sharding_specs sharding_spec_sharding_proto"),
    ("jax.interpreters.pxla", "jax._src.source_info_util", "0.4.13 new_name_stack"),
    ("jax.interpreters.pxla", "jax._src.util",
        "0.4.13 HashableFunction distributed_debug_log unzip3"),
    ("jax.interpreters.pxla", "jax.core", "0.4.13 ConcreteArray"),
    ("jax.interpreters.pxla", "jax.errors", "0.4.13 JAXTypeError"),
    ("jax.interpreters.pxla", "jax.interpreters", "0.4.13 ad batching xla"),
    ("jax.interpreters.pxla", "jax.lib.xla_client jaxlib.xla_client", "0.4.13 xops=ops"),
    ("jax.interpreters.pxla", "jax.sharding", "0.4.13 NamedSharding"),
    ("jax.interpreters.pxla", "jax.tree_util", "0.4.13 tree_flatten tree_map"),
    ("jax.interpreters.pxla", "math", "0.4.13 prod"),
    ("jax.interpreters.pxla", "none-is:sharded-arrays", "0.4.30 ShardedDeviceArray"),
    ("jax.interpreters.pxla", "not-had:compiled-functions",
        "0.4.30 lower_mesh_computation lower_parallel_callable lower_sharding_computation"),
    ("jax.interpreters.pxla", "not-had:sharded-arrays",
        "0.4.30 make_sharded_device_array replicate shard_arg shard_aval shard_aval_handlers"),
    ("jax.interpreters.xla", "callbridge.resurrect._backports._avals",
        "0.4.30 xla_shape_handlers 0.7.2 abstractify 0.8.3 canonicalize_dtype"),
    ("jax.interpreters.xla", "callbridge.resurrect._backports._interpreters",
        "0.4.30 axis_groups backend_compile check_backend_matches"),
    ("jax.interpreters.xla", "callbridge.resurrect._backports._lax", "0.4.13 xla_call_p"),
    ("jax.interpreters.xla", "callbridge.resurrect._backports._numpy",
        "0.4.13 Buffer=DeviceArray DeviceArray"),
    ("jax.interpreters.xla", "callbridge.resurrect._builder._translations",
        "0.4.13 _translations=translations lower_fun 0.4.30 TranslationContext TranslationRule "
        "backend_specific_translations register_translation translations xla_destructure"),
    ("jax.interpreters.xla", "callbridge.resurrect._names._old_private",
        "0.4.13 _xla_callable=xla_callable"),
    ("jax.interpreters.xla", "import",
        "0.4.13 pp=jax._src.pretty_printer 0.4.38 xb=jax.lib.xla_bridge xc=jax.lib.xla_client "
        "xe=jax.lib.xla_extension"),
    ("jax.interpreters.xla", "jax", "0.4.13 core device_put"),
    ("jax.interpreters.xla", "jax._src",
        "0.4.13 ad_util dtypes lu=linear_util profiler source_info_util util"),
    ("jax.interpreters.xla", "jax._src.abstract_arrays", "0.4.13 array_types numpy_scalar_types"),
    ("jax.interpreters.xla", "jax._src.array", "0.4.13 _DeviceArray=ArrayImpl"),
    ("jax.interpreters.xla", "jax._src.core",
        "0.4.13 Literal 0.4.30 ShapedArray 0.7.2 pytype_aval_mappings"),
    ("jax.interpreters.xla", "jax._src.core callbridge.resurrect._backports._avals",
        "0.4.30 ConcreteArray"),
    ("jax.interpreters.xla",
     "jax._src.interpreters.xla callbridge.resurrect._builder._translations",
        "0.4.30 parameter register_collective_primitive register_initial_style_primitive "
        "sharding_to_proto"),
    ("jax.interpreters.xla",
     "jax._src.sharding_impls callbridge.resurrect._backports._interpreters",
        "0.4.30 AxisEnv"),
    ("jax.interpreters.xla", "jax._src.source_info_util", "0.4.13 new_name_stack"),
    ("jax.interpreters.xla", "jax._src.util", "0.4.13 partition_list safe_map safe_zip wrap_name"),
    ("jax.interpreters.xla", "jax.core", "0.4.13 JaxprPpContext abstract_token"),
    ("jax.interpreters.xla", "jax.interpreters", "0.4.13 ad pe=partial_eval"),
    ("jax.interpreters.xla", "jax.lib.xla_client jaxlib.xla_client",
        "0.4.13 XlaBuilder XlaShape=Shape xops=ops"),
    ("jax.interpreters.xla", "jax.lib.xla_extension jaxlib.xla_extension", "0.4.13 Device"),
    ("jax.interpreters.xla", "jaxlib.xla_client", "0.4.30 XlaOp"),
    ("jax.interpreters.xla", "math", "0.4.13 prod"),
    ("jax.jaxpr_util", "import",
        "0.4.30 core=jax._src.core source_info_util=jax._src.source_info_util "
        "util=jax._src.util xla_client=jaxlib.xla_client"),
    ("jax.jaxpr_util", "jax._src.api", "0.4.30 unsafe_map unsafe_zip"),
    ("jax.jaxpr_util", "jax._src.jaxpr_util", "0.4.30 MaybeEqn"),
    ("jax.jaxpr_util", "jax._src.jaxpr_util not-had:jaxpr-tools",
        "0.4.30 all_eqns collect_eqns histogram pprof_equation_profile primitives "
        "primitives_by_shape primitives_by_source print_histogram source_locations "
        "var_defs_and_refs vars_by_fanout"),
    ("jax.jaxpr_util", "jaxlib.utils", "0.4.30 map=safe_map zip=safe_zip"),
    ("jax.lax", "callbridge.resurrect._backports._avals", "0.9.2 zeros_like_array"),
    ("jax.lax", "callbridge.resurrect._backports._lax",
        "0.4.13 select_p 0.4.38 scan_bind 0.6.2 random_gamma_grad_p 0.7.2 infeed_p outfeed_p"),
    ("jax.lax", "callbridge.resurrect._names._old_signatures",
        "0.4.30 naryop naryop_dtype_rule standard_primitive"),
    ("jax.lax", "import", "0.4.30 dtypes=jax._src.dtypes 0.7.2 jax"),
    ("jax.lax", "jax._src.core", "0.10.2 pvary"),
    ("jax.lax", "jax._src.lax.lax",
        "0.4.13 itertools standard_unop 0.4.30 standard_naryop unop unop_dtype_rule 0.12.0.1 "
        "dce_sink_p"),
    ("jax.lax", "jax._src.lax.lax callbridge.resurrect._backports._lax", "0.4.30 tie_in"),
    ("jax.lax", "jax._src.lax.parallel", "0.10.2 all_gather_start"),
    ("jax.lax", "jax._src.lax.parallel not-had:private",
        "0.8.3 all_gather_invariant 0.10.2 all_gather_done"),
    ("jax.lax", "jax._src.lax.utils", "0.4.30 standard_abstract_eval"),
    ("jax.lax", "not-had:infeed", "0.7.2 infeed outfeed"),
    ("jax.lax", "not-had:xmap", "0.4.31 pdot xeinsum"),
    ("jax.lib", "import",
        "0.9.2 xla_bridge=jax.lib.xla_bridge xla_client=jax.lib.xla_client "
        "xla_extension=jax.lib.xla_extension"),
    ("jax.lib.xla_bridge", "callbridge.resurrect._names._old_signatures",
        "0.8.3 get_compile_options"),
    ("jax.lib.xla_bridge", "import", "0.4.38 xla_client=jax.lib.xla_client"),
    ("jax.lib.xla_bridge", "jax._src.xla_bridge",
        "0.4.13 get_device_backend register_backend_factory 0.4.38 _backends default_backend "
        "0.8.3 get_backend"),
    ("jax.lib.xla_client", "callbridge.resurrect._lowering._xla_shapes",
        "0.6.2 dtype_to_etype shape_from_pyval"),
    ("jax.lib.xla_client", "callbridge.resurrect._registration._untyped",
        "0.4.30 register_cpu_custom_call_target 0.6.2 register_custom_call_target"),
    ("jax.lib.xla_client", "jax._src.api", "0.5.3 Device"),
    ("jax.lib.xla_client", "jax._src.core", "0.4.34 weakref_lru_cache 0.6.2 Shape"),
    ("jax.lib.xla_client", "jax._src.interpreters.pxla",
        "0.4.34 GSPMDSharding SingleDeviceSharding batched_device_put logger"),
    ("jax.lib.xla_client", "jax._src.lax.lax", "0.4.34 NamedSharding Sharding"),
    ("jax.lib.xla_client", "jax.sharding", "0.4.30 XLACompatibleSharding=Sharding"),
    ("jax.lib.xla_client", "jaxlib._jax",
        "0.6.2 ArrayImpl 0.7.2 DeviceAssignment get_topology_for_devices 0.8.3 Client "
        "CompileOptions Frame Traceback"),
    ("jax.lib.xla_client", "jaxlib._jax callbridge.resurrect._registration._ffi",
        "0.8.3 register_custom_type_id"),
    ("jax.lib.xla_client", "jaxlib._jax not-had:jaxlib", "0.10.2 HloShardingV3 HloShardingV3Mesh"),
    ("jax.lib.xla_client", "jaxlib.xla_client",
        "0.4.34 CustomCallTargetTraits DeviceList DeviceTopology HostBufferSemantics Layout "
        "LoadedExecutable LoadedExecutable_execute LoadedExecutable_execute_with_token Memory "
        "PjRtLayout ProgramShape XlaOp array_result_handler batched_block_until_ready "
        "batched_copy_array_to_devices_with_sharding check_and_canonicalize_memory_kind "
        "custom_call_targets encode_inspect_sharding_callback generate_pjrt_gpu_plugin_options "
        "initialize_pjrt_plugin load_pjrt_plugin_dynamically load_pjrt_plugin_with_c_api "
        "make_c_api_client make_c_api_device_topology make_cpu_client "
        "make_tfrt_tpu_c_api_device_topology pjrt_plugin_initialized pjrt_plugin_loaded "
        "register_custom_call_handler register_custom_call_partitioner xla_platform_names 0.5.3 "
        "XlaRuntimeError 0.6.2 PrimitiveType XlaBuilder XlaComputation ops 0.8.3 HloSharding "
        "OpSharding"),
    ("jax.lib.xla_client", "jaxlib.xla_client callbridge.resurrect._builder._client",
        "0.4.34 ConvolutionDimensionNumbers CurrentSourceInfoMetadata CustomCallHandler "
        "DTYPE_TO_XLA_ELEMENT_TYPE DotDimensionNumbers GatherDimensionNumbers OpMetadata "
        "PaddingConfig PaddingConfigDimension PrecisionConfig ReplicaGroup "
        "ScatterDimensionNumbers ShapeIndex XLA_ELEMENT_TYPE_TO_DTYPE "
        "execute_with_python_values execute_with_python_values_replicated "
        "make_convolution_dimension_numbers make_dot_dimension_numbers make_padding_config "
        "make_replica_groups tracebacks window_padding_type_to_pad_values 0.6.2 PaddingType "
        "ResultAccuracy ResultAccuracyMode=ResultAccuracy_Mode heap_profile mlir_api_version"),
    ("jax.lib.xla_client", "jaxlib.xla_client jax._src.xla_bridge not-had:clients",
        "0.4.34 make_tpu_client"),
    ("jax.lib.xla_client", "jaxlib.xla_client jax.lax", "0.6.2 FftType"),
    ("jax.lib.xla_client", "jaxlib.xla_client jax.sharding", "0.4.34 PmapSharding"),
    ("jax.lib.xla_client", "jaxlib.xla_client not-had:clients",
        "0.4.30 make_interpreter_client 0.4.34 make_gpu_client make_tfrt_tpu_c_api_client"),
    ("jax.lib.xla_client", "jaxlib.xla_client not-had:jaxlib",
        "0.8.3 register_custom_type_id_handler"),
    ("jax.lib.xla_client", "jaxlib.xla_extension jaxlib._jax jaxlib.xla_client",
        "0.4.34 hlo_sharding_util ifrt_programs"),
    ("jax.lib.xla_client",
     "jaxlib.xla_extension jaxlib._jax jaxlib.xla_client callbridge.resurrect._builder._client",
        "0.4.34 profiler"),
    ("jax.lib.xla_client", "ml_dtypes",
        "0.4.34 bfloat16 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
        "float8_e5m2fnuz"),
    ("jax.lib.xla_client", "not-had:copies", "0.4.30 copy_array_to_devices_with_sharding"),
    ("jax.lib.xla_extension", "callbridge.resurrect._backports._numpy",
        "0.4.13 Buffer=DeviceArray DeviceArray DeviceArrayBase=DeviceArray"),
    ("jax.lib.xla_extension", "import",
        "0.6.2 config=jaxlib._jax.config guard_lib=jaxlib._jax.guard_lib "
        "jax_jit=jaxlib._jax.jax_jit mlir=jaxlib._jax.mlir pytree=jaxlib._jax.pytree 0.8.3 jax"),
    ("jax.lib.xla_extension", "jax._src.dispatch", "0.4.34 CompileOptions"),
    ("jax.lib.xla_extension", "jax._src.interpreters.pxla",
        "0.4.34 GSPMDSharding SingleDeviceSharding batched_device_put"),
    ("jax.lib.xla_extension", "jax._src.lax.lax", "0.4.34 NamedSharding Sharding"),
    ("jax.lib.xla_extension", "jax.sharding", "0.4.30 XLACompatibleSharding=Sharding"),
    ("jax.lib.xla_extension", "jaxlib._jax",
        "0.6.2 ArrayCopySemantics ArrayImpl AutotuneCacheMode Device DistributedRuntimeClient "
        "PjitFunction PjitFunctionCache TransferConnection TransferServer "
        "get_distributed_runtime_client get_distributed_runtime_service "
        "register_custom_call_as_batch_partitionable reorder_shards start_transfer_server"),
    ("jax.lib.xla_extension", "jaxlib._jax callbridge.resurrect._builder._client",
        "0.6.2 ifrt_proxy"),
    ("jax.lib.xla_extension", "jaxlib._jax callbridge.resurrect._registration._ffi",
        "0.6.2 register_custom_type_id"),
    ("jax.lib.xla_extension", "jaxlib._jax jaxlib._hlo not-had:hlo-modules",
        "0.6.2 HloModule HloPrintOptions hlo_module_to_dot_graph"),
    ("jax.lib.xla_extension", "jaxlib._jax jaxlib.xla_extension", "0.4.34 pjit"),
    ("jax.lib.xla_extension", "jaxlib._jax jaxlib.xla_extension jax.sharding",
        "0.4.34 PmapSharding"),
    ("jax.lib.xla_extension", "jaxlib._jax jaxlib.xla_extension jaxlib._hlo not-had:hlo-modules",
        "0.4.34 HloComputation hlo_module_from_text"),
    ("jax.lib.xla_extension", "jaxlib._jax jaxlib.xla_extension jaxlib._hlo not-had:jaxlib",
        "0.4.34 OpSharding_ShardGroupType OpSharding_Type"),
    ("jax.lib.xla_extension", "jaxlib._jax jaxlib.xla_extension jaxlib._jax.pytree not-had:jaxlib",
        "0.4.34 PyTreeRegistry"),
    ("jax.lib.xla_extension", "jaxlib._jax jaxlib.xla_extension jaxlib.xla_client",
        "0.4.34 Executable"),
    ("jax.lib.xla_extension", "jaxlib._jax none-is:pmap", "0.6.2 PmapFunction"),
    ("jax.lib.xla_extension", "jaxlib._jax not-had:hlo-modules", "0.6.2 hlo_module_cost_analysis"),
    ("jax.lib.xla_extension", "jaxlib._jax not-had:jaxlib", "0.6.2 sdy"),
    ("jax.lib.xla_extension", "jaxlib._jax not-had:pmap", "0.6.2 pmap_lib"),
    ("jax.lib.xla_extension", "jaxlib.xla_client",
        "0.4.34 Client DeviceAssignment DeviceList DeviceTopology Frame HloSharding "
        "HostBufferSemantics Layout LoadedExecutable Memory PjRtLayout PrimitiveType "
        "ProgramShape Shape Traceback XlaBuilder XlaComputation XlaOp array_result_handler "
        "batched_block_until_ready batched_copy_array_to_devices_with_sharding "
        "check_and_canonicalize_memory_kind custom_call_targets "
        "encode_inspect_sharding_callback get_topology_for_devices initialize_pjrt_plugin ops "
        "pjrt_plugin_initialized pjrt_plugin_loaded register_custom_call_partitioner "
        "register_custom_call_target 0.6.2 OpSharding XlaRuntimeError"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension callbridge.resurrect._builder._client",
        "0.4.34 PrecisionConfig_Precision ShapeIndex 0.6.2 ResultAccuracy_Mode"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension jaxlib._jax",
        "0.4.34 CompileOnlyPyClient CompiledMemoryStats CpuCollectives DebugOptions "
        "DistributedRuntimeService ExecutableBuildOptions ExecuteResults MpiCollectives "
        "PreemptionSyncManager ResultHandler ShardedToken buffer_to_dlpack_managed_tensor "
        "collect_garbage create_preemption_sync_manager cuda_array_interface_to_buffer "
        "dlpack_managed_tensor_to_buffer get_c_api_client get_c_api_topology "
        "get_default_c_api_topology get_tfrt_cpu_client is_asan is_msan is_optimized_build "
        "is_sanitized is_tsan json_to_pprof_profile load_pjrt_plugin make_gloo_tcp_collectives "
        "make_mpi_collectives pprof_profile_to_json"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension jaxlib._jax jaxlib._hlo not-had:jaxlib",
        "0.4.34 Literal"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension jaxlib._jax jaxlib.xla_client",
        "0.4.34 hlo_sharding_util ifrt_programs"),
    ("jax.lib.xla_extension",
     "jaxlib.xla_extension jaxlib._jax jaxlib.xla_client callbridge.resurrect._builder._client",
        "0.6.2 profiler"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension jaxlib._jax not-had:jaxlib", "0.4.34 Token"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension jaxlib.weakref_lru_cache",
        "0.4.34 WeakrefLRUCache"),
    ("jax.lib.xla_extension",
     "jaxlib.xla_extension jaxlib.weakref_lru_cache jaxlib._jax jax._src.core",
        "0.4.34 weakref_lru_cache"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension jaxlib.xla_client jax.lax", "0.4.34 FftType"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension not-had:compiled-functions",
        "0.4.34 PjRtXlaLayout outfeed_receiver transfer_guard_lib"),
    ("jax.lib.xla_extension", "jaxlib.xla_extension not-had:hlo-passes",
        "0.4.34 CallInliner FlattenCallGraph FrontendAttributes HloDCE HloModuleGroup "
        "HloPassInterface TupleSimplifier"),
    ("jax.lib.xla_extension", "none-is:compiled-functions", "0.4.30 CompiledFunction"),
    ("jax.lib.xla_extension", "not-had:clients", "0.4.30 get_interpreter_client get_tpu_client"),
    ("jax.lib.xla_extension", "not-had:copies", "0.4.30 copy_array_to_devices_with_sharding"),
    ("jax.linear_util", "callbridge.resurrect._backports._avals", "0.4.30 wrap_init"),
    ("jax.linear_util", "jax._src.linear_util",
        "0.4.13 EmptyStoreValue Store annotate core curry fun_name hashable_partial "
        "traceback_util 0.4.30 StoreException WrappedFun cache merge_linear_aux"),
    ("jax.linear_util", "jax.tree_util", "0.4.13 tree_map"),
    ("jax.nn", "jax.nn", "0.4.30 normalize=standardize"),
    ("jax.numpy", "callbridge.resurrect._backports._numpy",
        "0.4.13 msort 0.4.30 DeviceArray NINF NZERO PZERO in1d issubsctype row_stack trapz "
        "0.10.2 fix"),
    ("jax.numpy", "import", "0.4.13 lax_numpy=jax._src.numpy.lax_numpy 0.4.30 jax"),
    ("jax.numpy", "jax._src.numpy.lax_numpy", "0.4.38 round_=round"),
    ("jax.numpy", "jax._src.numpy.reductions",
        "0.4.30 alltrue=all cumproduct=cumprod product=prod sometrue=any"),
    ("jax.ops", "callbridge.resurrect._backports._lax",
        "0.4.13 index index_add index_max index_min index_mul index_update"),
    ("jax.prng", "jax._src.prng jax._src.random.prng", "0.4.30 PRNGImpl"),
    ("jax.prng", "jax._src.prng jax._src.random.prng jax._src.random.rbg",
        "0.4.30 rbg_prng_impl unsafe_rbg_prng_impl"),
    ("jax.prng", "jax._src.prng jax._src.random.prng jax._src.random.threefry2x32",
        "0.4.30 threefry2x32_p threefry_2x32 threefry_prng_impl"),
    ("jax.prng", "jax._src.prng jax._src.random.prng not-had:experiment", "0.4.30 seed_with_impl"),
    ("jax.profiler", "jax.profiler",
        "0.4.13 StepTraceContext=StepTraceAnnotation TraceContext=TraceAnnotation "
        "trace_function=annotate_function"),
    ("jax.random", "callbridge.resurrect._backports._random",
        "0.4.30 KeyArray=PRNGKeyArray PRNGKeyArray default_prng_impl rbg_key threefry2x32_key "
        "unsafe_rbg_key 0.4.31 shuffle"),
    ("jax.random", "jax._src.prng jax._src.random.prng jax._src.random.threefry2x32",
        "0.4.30 threefry2x32_p threefry_2x32"),
    ("jax.ref", "jax._src.core", "0.9.2 ArrayRef=Ref"),
    ("jax.ref", "jax._src.ref", "0.9.2 array_ref=new_ref"),
    ("jax.scipy.linalg", "callbridge.resurrect._backports._scipy", "0.4.30 tril triu"),
    ("jax.scipy.special", "callbridge.resurrect._backports._scipy", "0.10.2 sph_harm"),
    ("jax.scipy.stats.norm", "import", "0.4.13 osp_stats=scipy.stats"),
    ("jax.scipy.stats.poisson", "import", "0.4.13 osp_stats=scipy.stats"),
    ("jax.sharding", "jax", "0.7.2 use_mesh=set_mesh"),
    ("jax.sharding", "jax._src.sharding_impls",
        "0.4.13 OpShardingSharding=GSPMDSharding 0.7.2 GSPMDSharding"),
    ("jax.sharding", "jax.sharding", "0.4.34 XLACompatibleSharding=Sharding"),
    ("jax.sharding", "jaxlib._jax none-is:pmap", "0.10.2 PmapSharding"),
    ("jax.sharding", "none-is:positional-sharding", "0.7.2 PositionalSharding"),
    ("jax.stages", "jax", "0.7.2 OutInfo=ShapeDtypeStruct"),
    ("jax.tree_util", "callbridge.resurrect._backports._trees",
        "0.4.30 AttributeKeyPathEntry GetitemKeyPathEntry register_keypaths 0.7.2 build_tree"),
    ("jax.tree_util", "jax.tree_util", "0.4.13 tree_multimap=tree_map"),
    ("jax.util", "callbridge.resurrect._backports._jax", "0.4.13 partial"),
    ("jax.util", "callbridge.resurrect._backports._trees", "0.7.2 as_hashable_function"),
    ("jax.util", "callbridge.resurrect._names._old_signatures", "0.7.2 wrap_name"),
    ("jax.util", "import", "0.8.3 jax"),
    ("jax.util", "jax._src.dlpack", "0.7.2 to_dlpack"),
    ("jax.util", "jax._src.util",
        "0.5.3 toposort 0.7.2 HashableFunction cache safe_map safe_zip split_list "
        "split_list_checked subvals unzip2 wraps"),
    ("jax.util", "jax._src.util callbridge.resurrect._backports._trees",
        "0.7.2 split_dict split_merge"),
    ("jaxlib", "import",
        "0.4.30 ducc_fft=jaxlib.ducc_fft 0.6.2 xla_extension=jaxlib.xla_extension 0.8.3 "
        "hlo_helpers=jaxlib.hlo_helpers"),
    ("jaxlib.ducc_fft", "callbridge.resurrect._lowering._mlir",
        "0.4.30 custom_call=hlo_custom_call"),
    ("jaxlib.ducc_fft", "import",
        "0.4.30 hlo=jaxlib.mlir.dialects.stablehlo ir=jaxlib.mlir.ir "
        "xla_client=jaxlib.xla_client"),
    ("jaxlib.ducc_fft", "jaxlib.xla_client jax.lax", "0.4.30 FftType"),
    ("jaxlib.ducc_fft", "not-had:jaxlib-lowerings", "0.4.30 dynamic_ducc_fft_hlo"),
    ("jaxlib.gpu_linalg", "callbridge.resurrect._lowering._mlir",
        "0.4.34 custom_call=hlo_custom_call"),
    ("jaxlib.gpu_linalg", "import", "0.4.34 ir=jaxlib.mlir.ir 0.5.3 xla_client=jaxlib.xla_client"),
    ("jaxlib.gpu_linalg", "jaxlib.gpu_common_utils", "0.4.34 GpuLibNotLinkedError"),
    ("jaxlib.gpu_linalg", "not-had:jaxlib", "0.5.3 cuda_module_name rocm_module_name"),
    ("jaxlib.gpu_linalg", "not-had:jaxlib-lowerings",
        "0.4.34 cuda_cholesky_update cuda_lu_pivots_to_permutation hip_lu_pivots_to_permutation"),
    ("jaxlib.gpu_prng", "callbridge.resurrect._lowering._mlir",
        "0.6.2 custom_call=hlo_custom_call"),
    ("jaxlib.gpu_prng", "import", "0.6.2 ir=jaxlib.mlir.ir xla_client=jaxlib.xla_client"),
    ("jaxlib.gpu_prng", "jaxlib.gpu_common_utils", "0.4.34 GpuLibNotLinkedError"),
    ("jaxlib.gpu_prng", "not-had:jaxlib", "0.5.3 cuda_module_name rocm_module_name"),
    ("jaxlib.gpu_prng", "not-had:jaxlib-lowerings", "0.6.2 cuda_threefry2x32 rocm_threefry2x32"),
    ("jaxlib.gpu_rnn", "not-had:jaxlib", "0.5.3 cuda_module_name"),
    ("jaxlib.gpu_solver", "callbridge.resurrect._lowering._mlir",
        "0.4.38 ShapeTypePair ensure_hlo_s32 hlo_s32 mk_result_types_and_shapes 0.5.3 "
        "custom_call=hlo_custom_call dense_int_array"),
    ("jaxlib.gpu_solver", "import",
        "0.5.3 hlo=jaxlib.mlir.dialects.stablehlo ir=jaxlib.mlir.ir "
        "xla_client=jaxlib.xla_client"),
    ("jaxlib.gpu_solver", "jaxlib.gpu_common_utils", "0.4.38 GpuLibNotLinkedError"),
    ("jaxlib.gpu_solver", "not-had:jaxlib", "0.5.3 cuda_module_name rocm_module_name"),
    ("jaxlib.gpu_solver", "not-had:jaxlib-lowerings",
        "0.4.34 cuda_getrf rocm_getrf 0.4.38 cuda_geqrf cuda_geqrf_batched cuda_gesvd "
        "cuda_orgqr cuda_syevd rocm_geqrf rocm_geqrf_batched rocm_gesvd rocm_orgqr rocm_syevd "
        "0.5.3 cuda_csrlsvqr cuda_sytrd rocm_sytrd"),
    ("jaxlib.gpu_sparse", "callbridge.resurrect._lowering._mlir",
        "0.4.30 cuda_is_supported rocm_is_supported 0.6.2 custom_call=hlo_custom_call "
        "mk_result_types_and_shapes"),
    ("jaxlib.gpu_sparse", "import", "0.5.3 xla_client=jaxlib.xla_client 0.6.2 ir=jaxlib.mlir.ir"),
    ("jaxlib.gpu_sparse", "not-had:jaxlib", "0.5.3 cuda_module_name rocm_module_name"),
    ("jaxlib.gpu_sparse", "not-had:jaxlib-lowerings",
        "0.6.2 cuda_coo_fromdense cuda_coo_matmat cuda_coo_matvec cuda_coo_todense "
        "cuda_csr_fromdense cuda_csr_matmat cuda_csr_matvec cuda_csr_todense cuda_gtsv2 "
        "rocm_coo_fromdense rocm_coo_matmat rocm_coo_matvec rocm_coo_todense rocm_csr_fromdense "
        "rocm_csr_matmat rocm_csr_matvec rocm_csr_todense rocm_gtsv2"),
    ("jaxlib.gpu_triton", "not-had:jaxlib", "0.5.3 cuda_module_name rocm_module_name"),
    ("jaxlib.hlo_helpers", "callbridge.resurrect._lowering._mlir",
        "0.4.30 ir_constant ir_constant_i32 ir_constant_u8 0.8.3 DimensionSize ShapeTypePair "
        "custom_call=hlo_custom_call dense_int_array dtype_to_ir_type ensure_hlo_s32 hlo_add "
        "hlo_const hlo_min hlo_s32 hlo_u8 mk_result_types_and_shapes shape_dtype_to_ir_type "
        "shape_tensor"),
    ("jaxlib.hlo_helpers", "import", "0.8.3 hlo=jaxlib.mlir.dialects.stablehlo ir=jaxlib.mlir.ir"),
    ("jaxlib.lapack", "callbridge.resurrect._lowering._mlir",
        "0.4.30 DimensionSize ir_constant_i32 ir_constant_u8 shape_tensor 0.4.34 hlo_min 0.5.3 "
        "ShapeTypePair custom_call=hlo_custom_call ensure_hlo_s32 hlo_add hlo_s32 hlo_u8 "
        "mk_result_types_and_shapes"),
    ("jaxlib.lapack", "import",
        "0.5.3 hlo=jaxlib.mlir.dialects.stablehlo ir=jaxlib.mlir.ir "
        "xla_client=jaxlib.xla_client"),
    ("jaxlib.lapack", "not-had:jaxlib-lowerings",
        "0.4.34 getrf_hlo 0.4.38 geqrf_hlo gesdd_hlo orgqr_hlo syevd_hlo 0.5.3 gees_hlo "
        "geev_hlo gehrd_hlo potrf_hlo sytrd_hlo trsm_hlo"),
]
# fmt: on
