"""The names of JAX that went, by module, by the first release without them; what came.

scripts/jax_names writes it. resurrect/_names/_table.py says what stands for the names.
"""

# jax.lib had jaxlib's modules under its name: what is said of one is said of both, since a name
# went from either.
LIKE = {
    "jaxlib.xla_client": "jax.lib.xla_client",
    "jaxlib.xla_extension": "jax.lib.xla_extension",
}

# fmt: off
# The releases that were walked.
RELEASES = (
    "0.4.13", "0.4.30", "0.4.31", "0.4.34", "0.4.38", "0.5.3", "0.6.2", "0.7.2", "0.8.3", "0.9.2",
    "0.10.2", "0.12.0.1",
)

GONE = {
    "jax": {
        "0.4.13": "Compiled Lowered api partial tree_multimap",
        "0.4.30":
            "ShapedArray abstract_arrays ad curry flatten_fun_nokwargs jaxpr_util linear_util "
            "partial_eval prng pxla xla",
        "0.4.34": "xla_computation",
        "0.4.38": "clear_backends",
        "0.6.2":
            "spmd_mode tree_flatten tree_leaves tree_map tree_structure tree_transpose "
            "tree_unflatten treedef_is_leaf",
        "0.8.3": "util",
        "0.9.2": "ArrayRef array_ref",
        "0.10.2":
            "custom_transpose device_put_replicated device_put_sharded "
            "enable_custom_vjp_by_custom_transpose jax",
        "0.12.0.1": "cloud_tpu_init",
    },
    "jax._src": {
        "0.10.2": "custom_transpose prng stateful_rng",
    },
    "jax._src.ad_checkpoint": {
        "0.4.13": "remat_allowed_effects",
        "0.4.34":
            "_optimization_barrier_abstract_eval _optimization_barrier_lowering_rule "
            "optimization_barrier_p",
        "0.6.2": "_optimization_barrier",
        "0.12.0.1": "_dyn_args_fun_cached _dyn_args_fun_uncached",
    },
    "jax._src.ad_util": {
        "0.9.2": "valid_jaxtype",
    },
    "jax._src.api": {
        "0.4.13": "Compiled Lowered _check_arg _check_callable _infer_argnums_and_argnames",
        "0.4.30":
            "_ensure_str_tuple config_explicit_device_get_scope config_explicit_device_put_scope",
        "0.4.34": "wrap_name",
        "0.5.3": "fun_sourceinfo",
        "0.7.2": "AutoLayout _sds_aval_mapping",
        "0.8.3": "split_list",
        "0.9.2": "all_leaves",
        "0.10.2":
            "_ensure_index_tuple _vjp argnums_partial broadcast_prefix donation_vector "
            "flat_out_axes flatten_fun prefix_errors rebase_donate_argnums",
    },
    "jax._src.api_util": {
        "0.4.30": "validate_argnames validate_argnums",
        "0.5.3": "ShapedArray _str_abstractify keystr numpy_scalar_types shaped_abstractify",
        "0.8.3": "tree_map",
        "0.10.2": "generate_key_paths",
    },
    "jax._src.array": {
        "0.10.2": "AutoLayout SingleDeviceSharding",
    },
    "jax._src.cloud_tpu_init": {
        "0.4.13": "get_metadata",
    },
    "jax._src.compilation_cache": {
        "0.4.30": "_hash_devices _hash_platform _hash_string _log_cache_key_hash",
    },
    "jax._src.config": {
        "0.4.38": "_update_debug_log_modules",
        "0.5.3": "enable_memories",
        "0.8.3": "dynamic_shapes",
    },
    "jax._src.core": {
        "0.4.34": "_short_dtype_name",
        "0.4.38": "MainTrace cur_sublevel new_main new_sublevel raise_as_much_as_possible",
        "0.6.2": "raise_to_shaped",
        "0.8.3": "mutable_array tree_flatten tree_unflatten",
        "0.10.2": "AutoLayout HashableFunction get_aval",
    },
    "jax._src.custom_derivatives": {
        "0.4.34": "_resolve_kwargs",
        "0.5.3": "Unhashable",
        "0.12.0.1": "_close_jaxpr",
    },
    "jax._src.custom_transpose": {
        "0.10.2": "rule_name transformation_with_aux",
    },
    "jax._src.debugging": {
        "0.10.2": "ShardingCallbackInfo",
    },
    "jax._src.dispatch": {
        "0.4.13": "_xla_callable device_put_handlers result_handlers",
        "0.4.30": "UNSPECIFIED _make_string_safe_for_filename _prune_unused_inputs backend_compile",
        "0.6.2": "_raise_no_nan_in_deoptimized maybe_recursive_nan_check",
        "0.10.2": "SingleDeviceSharding _identity_fn",
    },
    "jax._src.dtypes": {
        "0.4.13": "_to_complex_dtype _to_inexact_dtype",
        "0.7.2": "_lattice_result_type _scalar_type_to_dtype",
        "0.10.2": "is_python_scalar",
    },
    "jax._src.extend": {
        "0.5.3": "ffi",
    },
    "jax._src.extend.ffi": {
        "0.5.3":
            "FfiEffect HashableArray ResultMetadata _aval_shape _check_compatible_avals "
            "_convert_layout_for_lowering _convert_layouts_for_ffi_call _result_avals "
            "_unwrap_kwargs_hashable _wrap_kwargs_hashable ffi_call_abstract_eval ffi_call_jvp "
            "ffi_call_lowering ffi_call_p ffi_call_transpose ffi_lowering include_dir pycapsule "
            "register_ffi_target",
    },
    "jax._src.flatten_util": {
        "0.8.3": "safe_zip",
    },
    "jax._src.interpreters": {
        "0.7.2": "xla",
    },
    "jax._src.interpreters.ad": {
        "0.4.38": "zeros_like_jaxval",
        "0.7.2": "zeros_like_p",
        "0.10.2": "flatten_fun wrap_name",
    },
    "jax._src.interpreters.batching": {
        "0.4.30": "zeros_like_jaxval zeros_like_p",
        "0.4.38": "unzip3",
        "0.6.2": "instantiate replace_rule_output_symbolic_zeros",
        "0.8.3": "register_pytree_node",
        "0.9.2": "NamedSharding curry",
        "0.10.2": "not_mapped",
    },
    "jax._src.interpreters.mlir": {
        "0.8.3": "lowerable_effects",
        "0.10.2": "AutoLayout jaxlib_extension_version",
    },
    "jax._src.interpreters.partial_eval": {
        "0.5.3":
            "KeyPath flatten_fun_nokwargs fun_sourceinfo generate_key_paths keystr tree_unflatten",
        "0.7.2": "tree_flatten tree_structure",
        "0.8.3": "InputType OutputType ShapedArray register_static",
        "0.10.2": "HashableFunction get_aval mapped_aval treedef_tuple unmapped_aval",
    },
    "jax._src.interpreters.pxla": {
        "0.4.13": "_UNSPECIFIED",
        "0.4.30":
            "as_slice_indices shard_device_array shard_sharded_device_array_slow_path tree_map "
            "unzip3",
        "0.4.31": "JAXTypeError",
        "0.4.38": "_get_default_device",
        "0.5.3": "UNSPECIFIED",
        "0.6.2": "DeviceAssignmentMismatch MismatchType",
        "0.8.3": "ArrayMappingOrAutoOrUnspecified _get_array_mapping",
        "0.9.2": "tuple_delete",
        "0.10.2":
            "AutoLayout HashableFunction array_mapping_to_axis_resources distributed_debug_log "
            "tuple_update wrap_name",
    },
    "jax._src.interpreters.xla": {
        "0.4.30": "_axis_groups config",
        "0.4.38":
            "_backend_specific_translations _make_shaped_array_for_numpy_array "
            "_make_shaped_array_for_numpy_scalar _translations register_translation",
        "0.6.2": "ShapedArray _make_array_shape",
        "0.7.2": "Shape _canonicalize_masked_array_dtype numpy_scalar_types safe_map safe_zip",
    },
    "jax._src.lax": {
        "0.6.2": "eigh qdwh stack svd",
    },
    "jax._src.lax.control_flow": {
        "0.4.13":
            "_LinearSolveTuple _avals_short _bcast_select _bcast_select_n _check_shapes "
            "_check_tree _cumred_batch_rule _cumred_dtype_rule _cumred_shape_rule "
            "_cumsum_transpose_rule _cumulative_jvp_rule _custom_linear_solve_jvp _fori_cond_fun "
            "_linear_solve_abstract_eval _linear_solve_transpose_rule "
            "_optimization_barrier_abstract_eval _optimization_barrier_lowering_rule "
            "_ordered_unique _prune_zeros _show_diff _split_linear_solve_args "
            "_transpose_one_output _typecheck_param _while_loop_jvp _while_lowering "
            "_while_partial_eval _while_transpose_error remat_impl",
        "0.4.30": "allowed_effects",
        "0.7.2": "for_loop",
    },
    "jax._src.lax.control_flow.common": {
        "0.4.30": "allowed_effects",
    },
    "jax._src.lax.control_flow.for_loop": {
        "0.4.13":
            "_addupdate_pp_rule _get_jvp _get_pp_rule _swap_jvp _swap_pp_rule addupdate_jvp_rule "
            "addupdate_p get_p swap_p",
        "0.4.31": "_hoist_consts_to_refs",
        "0.7.2": "scan",
    },
    "jax._src.lax.control_flow.loops": {
        "0.6.2": "_aval_mismatch_extra",
    },
    "jax._src.lax.control_flow.remat_impl": {
        "0.4.13":
            "_optimization_barrier_abstract_eval _optimization_barrier_lowering_rule "
            "optimization_barrier_p",
    },
    "jax._src.lax.eigh": {
        "0.6.2": "_eigh_work _projector_subspace _round_up _update_slice split_spectrum",
    },
    "jax._src.lax.fft": {
        "0.4.13": "fft_batching_rule fft_impl fft_transpose_rule",
    },
    "jax._src.lax.lax": {
        "0.4.13":
            "_bessel_i1e_jvp _broadcasting_shape_rule _shape_as_value bessel_i0e_p bessel_i1e_p "
            "betainc_grad_not_implemented betainc_gradx digamma_p erf_inv_p erf_p erfc_p "
            "igamma_grad_a igamma_grad_a_p igamma_grada igamma_gradx igamma_p igammac_grada "
            "igammac_gradx igammac_p lgamma_p regularized_incomplete_beta_p",
        "0.5.3":
            "_reduce_and _reduce_max _reduce_min _reduce_or _reduce_prod _reduce_sum _reduce_xor",
        "0.7.2": "tree_map",
        "0.8.3": "SPMDAxisContext ShardingContext",
        "0.9.2": "zeros_like_abstract_ref",
        "0.10.2": "_identity_fn",
    },
    "jax._src.lax.linalg": {
        "0.4.13": "cholesky_jvp_rule triangular_solve_jvp_rule_a triangular_solve_transpose_rule",
        "0.6.2": "_svd_tpu _svd_tpu_lowering_rule",
    },
    "jax._src.lax.qdwh": {
        "0.6.2": "_dynamic_concat _pad_in_dim _qdwh _use_cholesky _use_qr qdwh",
    },
    "jax._src.lax.stack": {
        "0.6.2": "Stack",
    },
    "jax._src.lax.svd": {
        "0.6.2": "_svd_tall_and_square_input",
    },
    "jax._src.lib": {
        "0.4.13": "hlo_helpers xla_bridge",
        "0.6.2": "xla_extension",
    },
    "jax._src.lib.xla_bridge": {
        "0.4.13":
            "_clear_backends _get_backend_uncached _init_backend backends canonicalize_platform "
            "default_backend device_count devices expand_platform_alias get_backend "
            "get_device_backend host_count host_id host_ids is_known_platform local_device_count "
            "local_devices process_count process_index register_backend_factory "
            "tpu_client_timer_callback",
    },
    "jax._src.linear_util": {
        "0.4.30": "clear_all_caches",
        "0.4.38": "tree_map",
        "0.8.3": "HashableFunction",
    },
    "jax._src.logging_config": {
        "0.4.38": "disable_all_debug_logging enable_debug_logging",
    },
    "jax._src.mesh": {
        "0.7.2": "_BaseMesh",
    },
    "jax._src.monitoring": {
        "0.4.30": "_clear_event_listeners",
    },
    "jax._src.nn.functions": {
        "0.7.2": "custom_jvp",
    },
    "jax._src.numpy": {
        "0.7.2": "array",
    },
    "jax._src.numpy.array": {
        "0.7.2":
            "_convert_to_array_if_dtype_fails _get_platform _make_string_array "
            "_supports_buffer_protocol",
    },
    "jax._src.numpy.array_methods": {
        "0.12.0.1": "_chunk_iter",
    },
    "jax._src.numpy.lax_numpy": {
        "0.4.13":
            "_AxisConcat _HANDLED_ARRAY_TYPES _IndexUpdateHelper _IndexUpdateRef _arraylike "
            "_average _canonicalize_axis_allow_named _cast_to_bool _check_arraylike _chunk_iter "
            "_constant_like _copy _deepcopy _ensure_optional_axes _float_divmod _isposneginf "
            "_logaddexp_jvp _make_1d_grid_from_slice _mean _notimplemented_flat _operator_round "
            "_power _promote_args _promote_args_inexact _promote_dtypes _promote_dtypes_inexact "
            "_promote_shapes _ptp _rank_promotion_warning_or_error _reduce_all _reduce_any "
            "_reduction_dims _reduction_init_val _roll _set_shaped_array_attributes _std "
            "_unimplemented_setitem _var _var_promote_types _where absolute any average conjugate "
            "copysign count_nonzero deg2rad divmod floor_divide fmod frexp heaviside inf "
            "intersect1d isfinite isin isinf isnan ldexp log10 mean median modf nanmax nanmean "
            "nanmedian nanmin nanprod nanstd nansum nanvar ndarray newaxis poly polyadd polyder "
            "polyfit polyint polymul polysub polyval power prod ptp rad2deg remainder right_shift "
            "rint setdiff1d setxor1d signbit sinc std true_divide union1d unique var",
        "0.4.38": "subvals",
        "0.5.3":
            "ArrayImpl DuckTypedArray ShapedArray StaticScalar Unoptimized _ScalarMeta "
            "_abstractify_scalar_meta _check_forgot_shape_tuple _default_poly_einsum_handler "
            "_einsum _eliminate_deprecated_list_indexing _is_boolean_index _is_integer_index "
            "_is_scalar _is_slice_element_none_or_constant_or_symbolic _make_along_axis_idx "
            "_make_scalar_type _ndim _normalize_index _poly_einsum_handlers _removechars "
            "_rewriting_take _should_unpack_list_index _take argpartition bartlett bfloat16 "
            "blackman bool_ cdouble complex128 complex64 csingle dot double einsum_path float16 "
            "float32 float64 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
            "float8_e5m2fnuz hamming hanning inner int16 int32 int4 int64 int8 kaiser lexsort "
            "matvec outer partition partition_list place put put_along_axis single sort_complex "
            "take take_along_axis tree_flatten uint16 uint32 uint4 uint64 uint8 vdot vecmat",
        "0.6.2":
            "SingleDeviceSharding _convert_to_array_if_dtype_fails _geomspace _linspace _logspace "
            "_make_string_array _supports_buffer_protocol canonicalize_device_to_sharding "
            "geomspace logspace tree_leaves",
        "0.7.2":
            "PrecisionLike _array_copy _convert_and_clip_integer _lax_const _sort_le_comparator "
            "_sort_lt_comparator empty empty_like full jit linspace ones ones_like zeros "
            "zeros_like",
        "0.10.2": "DeprecatedArg",
    },
    "jax._src.numpy.linalg": {
        "0.5.3": "check_arraylike",
        "0.7.2": "PrecisionLike jit",
        "0.8.3": "DeprecatedArg",
    },
    "jax._src.numpy.reductions": {
        "0.6.2": "check_arraylike",
        "0.7.2": "_canonicalize_axis _lax_const",
        "0.9.2": "DeprecatedArg",
    },
    "jax._src.numpy.ufuncs": {
        "0.4.31": "_arccosh",
        "0.4.34": "_logaddexp_jvp",
        "0.4.38": "_logical_and _logical_or _logical_xor _multiply _negative _wrap_between",
    },
    "jax._src.numpy.util": {
        "0.4.13":
            "_check_arraylike _promote_args _promote_args_inexact _promote_args_numeric "
            "_promote_dtypes _promote_dtypes_complex _promote_dtypes_inexact "
            "_promote_dtypes_numeric _promote_shapes",
        "0.6.2": "DTypeLike",
        "0.10.2": "SingleDeviceSharding",
    },
    "jax._src.pjit": {
        "0.4.30":
            "XLADeviceAssignment _get_op_sharding_from_executable generate_key_paths "
            "treedef_tuple",
        "0.4.31": "JAXTypeError XLACompatibleSharding flatten unflatten",
        "0.5.3": "get_abstract_mesh_from_avals shaped_abstractify",
        "0.6.2":
            "AbstractRef _device_assignment_mismatch_error _find_arg_mismatch "
            "get_op_sharding_from_executable",
        "0.7.2": "flatten_spec pjit_p split_list_checked tree_flatten_with_path tree_leaves",
        "0.8.3": "all_leaves broadcast_prefix flatten_fun flatten_fun_nokwargs",
        "0.9.2": "PytreeLeaf fun_qual_name keystr prefix_errors treedef_is_leaf",
        "0.10.2": "AutoLayout SingleDeviceSharding TransformedRefAvalError",
    },
    "jax._src.prng": {
        "0.4.30": "GSPMDSharding",
        "0.10.2":
            "Array Device KeyTy KeyTyRules NamedSharding PRNGImpl PRNGKeyArray Shape Sharding "
            "SingleDeviceSharding UINT_DTYPES _IndexUpdateHelper _array_operators "
            "_check_prng_key_data _is_threefry_prng_key _make_rotate_left _rbg_fold_in "
            "_rbg_random_bits _rbg_seed _rbg_split _set_array_base_attributes "
            "_threefry2x32_abstract_eval _threefry2x32_cpu_lowering_rule "
            "_threefry2x32_gpu_lowering_rule _threefry2x32_lowering _threefry2x32_lowering_rule "
            "_threefry_fold_in _threefry_random_bits_original _threefry_random_bits_partitionable "
            "_threefry_seed _threefry_split _threefry_split_foldlike _threefry_split_original "
            "_unsafe_rbg_fold_in _unsafe_rbg_split apply_round base_arr_shape_to_keys_shape "
            "bcast_iotas_to_reshaped_iota config float0 iota_2x32_shape "
            "iota_2x32_shape_abstract_eval iota_2x32_shape_lowering iota_2x32_shape_p "
            "iterated_vmap_binary_bcast iterated_vmap_unary jit key_array_constant_handler "
            "key_array_shard_arg_handler logical_sharding physical_sharding prngkeyarray_flatten "
            "prngkeyarray_unflatten random_bits random_bits_abstract_eval random_bits_impl "
            "random_bits_impl_base random_bits_lowering random_bits_p random_fold_in "
            "random_fold_in_abstract_eval random_fold_in_impl random_fold_in_impl_base "
            "random_fold_in_lowering random_fold_in_p random_seed random_seed_abstract_eval "
            "random_seed_impl random_seed_impl_base random_seed_lowering random_seed_p "
            "random_split random_split_abstract_eval random_split_impl random_split_impl_base "
            "random_split_lowering random_split_p random_unwrap random_unwrap_abstract_eval "
            "random_unwrap_impl random_unwrap_lowering random_unwrap_p random_wrap "
            "random_wrap_abstract_eval random_wrap_batch_rule random_wrap_impl "
            "random_wrap_lowering random_wrap_p rbg_prng_impl reduce register_prng "
            "rolled_loop_step rotate_left rotate_list safe_map safe_zip seed_with_impl "
            "squeeze_vmap threefry2x32_p threefry_2x32 threefry_fold_in threefry_prng_impl "
            "threefry_random_bits threefry_seed threefry_split unsafe_rbg_prng_impl vmap",
    },
    "jax._src.random": {
        "0.4.30": "_fold_in threefry_2x32",
        "0.4.38": "KeyArray",
        "0.6.2": "_softmax",
        "0.7.2": "_lax_const cholesky eigh softmax svd",
        "0.10.2":
            "Array ArrayLike DTypeLike NamedSharding PRNGImpl UINT_DTYPES _arraylike _bernoulli "
            "_beta _binomial _binomial_inversion _btrs _cauchy _check_prng_key _check_shape "
            "_chisquare _convert_and_clip_integer _dirichlet _double_sided_maxwell _exponential "
            "_f _gamma _gamma_batching_rule _gamma_grad _gamma_impl _gamma_one _geometric _gumbel "
            "_isnan _key _key_data _key_impl _key_spec _laplace _logistic _lognormal _maxwell "
            "_multivariate_normal _normal _normal_real _pareto _permutation _poisson "
            "_poisson_knuth _poisson_rejection _rademacher _randint _random_bits "
            "_random_gamma_abstract_eval _rayleigh _return_prng_keys _shuffle _split "
            "_stirling_approx_tail _t _triangular _truncated_normal _uniform _wald _weibull_min "
            "auto_axes canonicalize_axis canonicalize_sharding canonicalize_sharding_for_samplers "
            "check_arraylike config get_abstract_mesh jit maybe_auto_axes promote_dtypes_inexact "
            "random_insert_pvary vmap",
    },
    "jax._src.scipy.cluster.vq": {
        "0.4.30": "_no_chkfinite_doc",
    },
    "jax._src.scipy.linalg": {
        "0.4.30": "tril triu",
    },
    "jax._src.shard_map": {
        "0.7.2": "_debug_callback_eager_rule _shard_aval _unshard_aval",
    },
    "jax._src.sharding": {
        "0.4.13": "SingleDeviceSharding _hashed_index device_replica_id_map",
    },
    "jax._src.sharding_impls": {
        "0.4.38": "is_unspecified",
        "0.7.2": "PositionalSharding",
    },
    "jax._src.source_info_util": {
        "0.4.13": "_raw_frame_to_frame",
    },
    "jax._src.state.primitives": {
        "0.6.2": "_pp_slice",
    },
    "jax._src.stateful_rng": {
        "0.10.2": "StatefulPRNG _canonicalize_size stateful_rng",
    },
    "jax._src.traceback_util": {
        "0.4.13":
            "add_call_stack_frames add_tracebackhide_to_hidden_frames filtering_mode "
            "ignore_known_hidden_frame ipython_supports_tracebackhide is_reraiser_frame "
            "is_under_reraiser path_starts_with running_under_ipython",
    },
    "jax._src.tree_util": {
        "0.4.38": "BuiltInKeyEntry",
        "0.7.2": "jaxlib_extension_version",
        "0.8.3": "_replace_nones",
        "0.12.0.1": "FlatTree _ensure_inbounds",
    },
    "jax._src.util": {
        "0.4.13": "get_module_functions new_name_stack",
        "0.4.31": "_IgnoreKey",
        "0.10.2": "jaxlib_extension_version",
    },
    "jax._src.xla_bridge": {
        "0.4.30": "bool_env int_env",
        "0.6.2": "_MOCK_GPU_TOPOLOGY _MOCK_NUM_GPU_PROCESSES _get_num_nodes_from_gpu_topology",
        "0.7.2": "cuda_versions",
    },
    "jax._src.xla_metadata": {
        "0.5.3": "_XlaMetadata",
        "0.7.2": "XlaMetadata current_xla_metadata filter_nones update_metadata",
    },
    "jax.abstract_arrays": {
        "0.4.30": "ShapedArray array_types raise_to_shaped",
    },
    "jax.ad_checkpoint": {
        "0.10.2": "checkpoint remat",
    },
    "jax.api": {
        "0.4.13":
            "ShapeDtypeStruct ShapedArray _std_basis _unravel_array_into_pytree custom_jvp "
            "custom_vjp device_get device_put device_put_replicated device_put_sharded devices "
            "disable_jit eval_shape grad hessian jacfwd jacobian jacrev jit jvp linear_transpose "
            "linearize local_devices make_jaxpr named_call pmap value_and_grad vjp vmap "
            "xla_computation",
    },
    "jax.cloud_tpu_init": {
        "0.10.2": "cloud_tpu_init",
    },
    "jax.config": {
        "0.4.30": "config",
    },
    "jax.core": {
        "0.4.13":
            "ClosedCallPrimitive HashableFunction HashableWrapper aval_method aval_property bint "
            "curry extract_call_jaxpr jax_config jax_jit namedtuple prod total_ordering unit "
            "unitvar weakref_lru_cache",
        "0.4.30":
            "Shape TracerArrayConversionError TracerIntegerConversionError UnexpectedTracerError "
            "as_hashable_function canonicalize_dim concrete_dim_or_error diff_dim diff_shape "
            "dilate_dim dilate_shape divide_shape_sizes dtypes greater_equal_dim "
            "greater_equal_shape has_opaque_dtype is_dim is_empty_shape is_opaque_dtype "
            "is_special_dim_size lu map partial pp safe_map safe_zip same_referent "
            "same_shape_sizes source_info_util stride_dim stride_shape sum_dim sum_shapes "
            "symbolic_equal_one_of_dim symbolic_equal_shape token traceback_util tuple_delete "
            "tuple_insert zip",
        "0.4.31":
            "NamedShape as_named_shape canonicalize_shape definitely_equal dimension_as_value "
            "join_named_shapes symbolic_equal_dim",
        "0.4.34":
            "pp_aval pp_eqn pp_eqn_rules pp_eqns pp_jaxpr pp_jaxpr_eqn_range pp_jaxpr_skeleton "
            "pp_jaxprs pp_kv_pair pp_kv_pairs pp_var pp_vars",
        "0.4.38":
            "ConcreteArray MainTrace NameGatheringSubst Sublevel ThreadLocalState TraceStack "
            "TraceState apply_todos call_bind_with_continuation check_eqn check_type "
            "check_valid_jaxtype cur_sublevel do_subst_axis_names_jaxpr extend_axis_env "
            "jaxpr_uses_outfeed map_bind map_bind_with_continuation new_base_main new_main "
            "new_sublevel non_negative_dim outfeed_primitives primitive_uses_outfeed "
            "raise_as_much_as_possible stash_axis_env subst_axis_names subst_axis_names_eqn "
            "subst_axis_names_jaxpr subst_axis_names_var thread_local_state used_axis_names",
        "0.5.3": "JaxprDebugInfo",
        "0.6.2":
            "ClosedJaxpr EvalTrace InDBIdx InputType Jaxpr JaxprEqn Literal MapPrimitive "
            "OpaqueTraceState OutDBIdx Primitive TRACER_LEAK_DEBUGGER_WARNING Token Var "
            "concrete_aval dedup_referents escaped_tracer_error extend_axis_env_nd full_lower "
            "get_referent jaxpr_as_fun join_effects lattice_join leaked_tracer_error "
            "maybe_find_leaked_tracers raise_to_shaped raise_to_shaped_mappings reset_trace_state "
            "str_eqn_compact substitute_vars_in_output_ty typecompat used_axis_names_jaxpr",
        "0.7.2":
            "ConcretizationTypeError axis_frame call_p closed_call_p get_type trace_state_clean "
            "typecheck typematch",
        "0.8.3": "DShapedArray UnshapedArray",
        "0.10.2":
            "AbstractToken TraceTag call_impl get_aval mapped_aval set_current_trace subjaxprs "
            "take_current_trace traverse_jaxpr_params unmapped_aval",
        "0.12.0.1":
            "CallPrimitive DebugInfo DropVar Effect InconclusiveDimensionOperation JaxprPpContext "
            "JaxprPpSettings JaxprTypeError OutputType abstract_token aval_mapping_handlers call "
            "check_jaxpr concrete_or_error concretization_function_error custom_typechecks "
            "find_top_trace gensym get_opaque_trace_state is_concrete is_constant_dim "
            "is_constant_shape jaxprs_in_params literalable_types new_jaxpr_eqn no_axis_name "
            "no_effects nonempty_axis_env_DO_NOT_USE primal_dtype_to_tangent_dtype trace_ctx "
            "unsafe_am_i_under_a_jit_DO_NOT_USE unsafe_am_i_under_a_vmap_DO_NOT_USE "
            "unsafe_get_axis_names_DO_NOT_USE valid_jaxtype",
    },
    "jax.custom_derivatives": {
        "0.6.2": "custom_vjp_call_jaxpr_p",
        "0.8.3": "custom_jvp_call_jaxpr_p",
    },
    "jax.custom_transpose": {
        "0.10.2": "custom_transpose",
    },
    "jax.dlpack": {
        "0.7.2": "to_dlpack",
        "0.8.3": "SUPPORTED_DTYPES jax",
    },
    "jax.errors": {
        "0.8.3": "SimplifiedTraceback jax",
    },
    "jax.example_libraries.optimizers": {
        "0.4.34": "register_pytree_node tree_flatten tree_map tree_unflatten tree_util",
    },
    "jax.experimental": {
        "0.4.13": "PartitionSpec ann array global_device_array optimizers pjit sharding stax",
        "0.4.31": "maps",
        "0.4.38": "export",
        "0.5.3": "array_api",
        "0.7.2": "attrs multihost_utils shard",
        "0.8.3": "host_callback saved_input_vjp si_vjp",
        "0.9.2": "MutableArray disable_x64 enable_x64 mutable_array",
        "0.10.2": "custom_dce x64_context",
        "0.12.0.1": "control_deps cur_qdd shard_alike",
    },
    "jax.experimental.ann": {
        "0.4.13": "approx_max_k approx_min_k",
    },
    "jax.experimental.array": {
        "0.4.13": "Array PmapSharding Sharding SingleDeviceSharding make_array_from_callback",
    },
    "jax.experimental.array_api": {
        "0.4.31": "finfo",
        "0.4.38": "round_",
        "0.5.3":
            "abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis "
            "apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax "
            "argmin argpartition argsort argwhere around array array_equal array_equiv "
            "array_split asarray asin asinh astype atan atan2 atanh atleast_1d atleast_2d "
            "atleast_3d average bartlett bfloat16 bincount bitwise_and bitwise_count "
            "bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
            "bitwise_xor blackman block bool bool_ broadcast_arrays broadcast_shapes broadcast_to "
            "c_ can_cast cbrt cdouble ceil choose clip column_stack complex128 complex64 complex_ "
            "compress concat concatenate conj conjugate convolve copy copysign corrcoef correlate "
            "cos cosh count_nonzero cov cross csingle cumprod cumsum cumulative_prod "
            "cumulative_sum deg2rad degrees delete diag diag_indices diag_indices_from diagflat "
            "diagonal diff digitize divide divmod dot double dsplit dstack e ediff1d einsum "
            "einsum_path empty empty_like equal euler_gamma exp exp2 expand_dims expm1 extract "
            "eye fabs fft fill_diagonal fix flatnonzero flip fliplr flipud float16 float32 "
            "float64 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz "
            "float8_e5m2 float8_e5m2fnuz float_ float_power floor floor_divide fmax fmin fmod "
            "frexp from_dlpack frombuffer fromfile fromfunction fromiter frompyfunc fromstring "
            "full full_like gcd geomspace gradient greater greater_equal hamming hanning "
            "heaviside histogram histogram2d histogram_bin_edges histogramdd hsplit hstack hypot "
            "i0 identity iinfo imag index_exp indices inf inner insert int16 int2 int32 int4 "
            "int64 int8 int_ interp intersect1d invert isclose iscomplex iscomplexobj isdtype "
            "isfinite isin isinf isnan isneginf isposinf isreal isrealobj isscalar issubdtype ix_ "
            "kaiser kron lcm ldexp left_shift less less_equal lexsort linalg linspace load log "
            "log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor "
            "logspace mask_indices matmul matrix_transpose matvec max maximum mean median "
            "meshgrid mgrid min minimum mod modf moveaxis multiply nan nan_to_num nanargmax "
            "nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod "
            "nanquantile nanstd nansum nanvar ndarray negative newaxis nextafter nonzero "
            "not_equal ogrid ones ones_like outer packbits pad partition percentile permute_dims "
            "pi piecewise place poly polyadd polyder polydiv polyfit polyint polymul polysub "
            "polyval positive pow power prod promote_types ptp put put_along_axis quantile r_ "
            "rad2deg radians ravel ravel_multi_index real reciprocal remainder repeat reshape "
            "resize result_type right_shift rint roll rollaxis roots rot90 round s_ searchsorted "
            "select setdiff1d setxor1d sign signbit sin sinc single sinh sort sort_complex "
            "spacing split sqrt square squeeze stack std subtract sum swapaxes take "
            "take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril "
            "tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from "
            "true_divide trunc ufunc uint uint16 uint2 uint32 uint4 uint64 uint8 union1d unique "
            "unique_all unique_counts unique_inverse unique_values unpackbits unravel_index "
            "unstack unwrap vander var vdot vecdot vecmat vectorize vsplit vstack where zeros "
            "zeros_like",
    },
    "jax.experimental.array_api.fft": {
        "0.5.3":
            "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 "
            "irfftn rfft rfft2 rfftfreq rfftn",
    },
    "jax.experimental.array_api.linalg": {
        "0.5.3":
            "cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul "
            "matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr "
            "slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm",
    },
    "jax.experimental.array_serialization.pytree_serialization_utils": {
        "0.10.2": "jax",
    },
    "jax.experimental.attrs": {
        "0.4.38": "top_trace",
        "0.6.2":
            "JaxVal Pytree Zero ad api_util core dtype float0 jvp linearize lu map pe register "
            "safe_map safe_zip source_info_util split_list tree_flatten tree_structure "
            "tree_unflatten treedef_tuple unsafe_map unsafe_zip unzip2 vjp zip",
        "0.7.2": "Box List jax_appendattr jax_getattr jax_setattr",
    },
    "jax.experimental.checkify": {
        "0.4.13":
            "assert_func checkify_impl checkify_jaxpr checkify_while_body_jaxpr cond_error_check "
            "control_flow core div_error_check error_checks flatten_fun gather_error_check "
            "is_scalar_pred jnp lax lu nan_error_check pe register_pytree_node safe_map safe_zip "
            "scan_error_check scatter_error_check slicing source_info_util split_list "
            "traceback_util tree_flatten tree_unflatten unzip2 while_loop_error_check",
    },
    "jax.experimental.compilation_cache.compilation_cache": {
        "0.4.13": "get_cache_key pathlib xla xla_client",
        "0.8.3": "initialize_cache is_initialized",
    },
    "jax.experimental.compute_on": {
        "0.12.0.1": "compute_on2",
    },
    "jax.experimental.control_deps": {
        "0.12.0.1": "control_dep jax schedule",
    },
    "jax.experimental.custom_dce": {
        "0.10.2": "custom_dce custom_dce_p",
    },
    "jax.experimental.custom_partitioning": {
        "0.4.13": "flatten_fun_nokwargs mhlo pjit pxla xla",
        "0.4.31":
            "UnexpectedTracerError argnums_partial core custom_api_util dispatch hlo ir jax lu "
            "mesh_lib mlir pe sharding_impls tree_util xb xc",
    },
    "jax.experimental.export": {
        "0.4.38":
            "DisabledSafetyCheck Exported SymbolicScope call call_exported "
            "default_lowering_platform deserialize export is_symbolic_dim "
            "maximum_supported_serialization_version minimum_supported_serialization_version "
            "serialize symbolic_args_specs symbolic_shape",
    },
    "jax.experimental.fused": {
        "0.12.0.1": "lu",
    },
    "jax.experimental.global_device_array": {
        "0.4.13":
            "Device GlobalDeviceArray PartitionSpec Shard api_util core device_put dispatch mlir "
            "pxla xc xla",
    },
    "jax.experimental.hijax": {
        "0.12.0.1": "AvalMutableQDD AvalQDD HiPrimitive MutableHiType VJPHiPrimitive",
    },
    "jax.experimental.host_callback": {
        "0.4.13": "jaxlib mhlo",
        "0.4.30": "FLAGS id_tap_dep_p pytree",
        "0.4.38":
            "CallbackException CallbackFlavor DType TapFunctionException XlaBuilder XlaDevice "
            "XlaLocalClient XlaOp XlaShape ad ad_checkpoint api barrier_wait batching compiler "
            "config core custom_derivatives dispatch dtypes hlo id_p id_print io_callback ir jax "
            "lax mlir outside_call_p pe pjit pp pxla sharding_impls source_info_util "
            "stop_outfeed_receiver tree_util util xb xla xla_client xla_extension "
            "xla_extension_version xops",
        "0.8.3": "call id_tap",
    },
    "jax.experimental.jet": {
        "0.4.13": "custom_jvp_call_jaxpr_p pxla xla",
        "0.5.3": "shaped_abstractify",
    },
    "jax.experimental.layout": {
        "0.7.2": "DeviceLocalLayout",
    },
    "jax.experimental.maps": {
        "0.4.13":
            "Array ArrayImpl HashableFunction JAXTypeError Lowered Mesh NamedSharding "
            "_PositionalSemantics _positional_semantics ad all_leaves batching dispatch "
            "distributed_debug_log donation_vector flatten_axes flatten_fun_nokwargs jnp lax lu "
            "merge_lists mesh mlir moveaxis partition_list pe pxla safe_map show_axes split_list "
            "stages traceback_util tree_flatten tree_leaves tree_unflatten treedef_tuple "
            "tuple_insert unzip2 unzip3 wrap_name xb xc xla",
        "0.4.31":
            "EMPTY_ENV ResourceEnv SerialLoop make_xmap_callable serial_loop thread_resources "
            "xmap xmap_p",
    },
    "jax.experimental.mesh_utils": {
        "0.4.30": "jax",
        "0.4.34": "xb",
    },
    "jax.experimental.multihost_utils": {
        "0.4.13": "PyTreeDef config_internal dispatch sharding",
        "0.4.34": "pjit",
        "0.4.38": "tree_map",
        "0.7.2": "xla",
    },
    "jax.experimental.ode": {
        "0.12.0.1": "api_util lu",
    },
    "jax.experimental.optimizers": {
        "0.4.13":
            "Optimizer adagrad adam make_schedule momentum optimizer rmsprop rmsprop_momentum sgd "
            "sm3",
    },
    "jax.experimental.pallas": {
        "0.6.2": "gpu",
        "0.9.2":
            "atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg "
            "atomic_xor load max_contiguous store swap",
    },
    "jax.experimental.pallas.gpu": {
        "0.6.2": "TritonCompilerParams approx_tanh debug_barrier elementwise_inline_asm",
    },
    "jax.experimental.pallas.ops": {
        "0.4.30": "attention layer_norm",
    },
    "jax.experimental.pallas.tpu": {
        "0.4.38": "CostEstimate run_scoped",
        "0.7.2": "TPUCompilerParams TPUMemorySpace",
        "0.9.2": "ANY delay",
    },
    "jax.experimental.pallas.triton": {
        "0.7.2": "TritonCompilerParams",
    },
    "jax.experimental.pjit": {
        "0.4.13":
            "CompiledCallParams HashableFunction JAXTypeError Lowered NamedSharding PartitionSpec "
            "PmapSharding Sharding XLACompatibleSharding ad array batching core device_put "
            "dispatch distributed_debug_log donation_vector explode_superdims flatten_axes "
            "flatten_axis_resources flatten_fun_nokwargs func_dialect get_unconstrained_dims ir "
            "local_devices lu merge_lists mlir pe pjit_check_aval_sharding prefix_errors pxla "
            "rebase_donate_argnums safe_map safe_zip sharding_constraint_p source_info_util "
            "split_list stages strides_for_sizes tree_flatten tree_leaves tree_structure "
            "tree_unflatten treedef_is_leaf treedef_tuple tuple_insert unflatten_array "
            "unflatten_superdims weakref_lru_cache wrap_name wraps xb xc xla",
        "0.4.30":
            "ParsedPartitionSpec get_array_mapping hashable_pytree parse_flatten_op_sharding "
            "with_sharding_constraint",
        "0.7.2": "pjit_p",
        "0.10.2": "AUTO",
    },
    "jax.experimental.profiler": {
        "0.6.2": "xla_client",
    },
    "jax.experimental.rnn": {
        "0.7.2": "xla",
    },
    "jax.experimental.scheduling_groups": {
        "0.8.3": "api_util scheduling_group_p xla_metadata",
        "0.12.0.1":
            "FlatTree ad attr_get batching core dce_jaxpr_xla_metadata_rule debug_info dispatch "
            "func_dialect ir lu map mlir pe safe_map safe_zip split_list subs_list tree_flatten "
            "tree_unflatten unsafe_map unsafe_zip unzip2 weakref_lru_cache xla_metadata_call_p "
            "zip",
    },
    "jax.experimental.shard": {
        "0.7.2": "auto_axes explicit_axes reshard",
    },
    "jax.experimental.shard_alike": {
        "0.12.0.1": "shard_alike",
    },
    "jax.experimental.shard_map": {
        "0.4.13": "flatten_fun_nokwargs xla",
        "0.4.30": "array register_rule register_standard",
        "0.4.38": "hlo merge_lists unzip3",
        "0.5.3": "AxisTypes argnums_partial set_abstract_mesh shaped_abstractify",
        "0.6.2":
            "AxisNames AxisType HashableFunction HashablePartial JaxType KeyPath MaybeTracer "
            "NamedSharding NoFail P PartitionSpec PyTreeDef RepType RewriteTrace RewriteTracer "
            "ShardMapPrimitive ShardMapTrace ShardMapTracer SpecErrorType Tracer Val ad "
            "ad_checkpoint ad_util ann api_util as_hashable_function batching broadcast_prefix "
            "callback config control_flow convolution core custom_derivatives debugging dispatch "
            "dtypes eager_rules ffi fft foreach generate_key_paths get_abstract_mesh "
            "get_mesh_from_args get_replication global_array_to_host_local_array "
            "host_local_array_to_global_array ir jax jnp keystr lax lax_parallel linalg lu map "
            "memoize mlir no_fail o ops p partition_list pbroadcast pbroadcast_p pe pjit pmap "
            "prefix_errors prng psum2_p pxla random register_check register_norewrite "
            "register_reduction_collective register_rewrite register_standard_check "
            "register_standard_collective register_standard_rewrite sdy shard_map_p "
            "sharding_impls slicing source_info_util special split_list subs_list2 tree_flatten "
            "tree_leaves tree_map tree_structure tree_unflatten unsafe_map unsafe_zip unzip2 "
            "use_abstract_mesh util windowed_reductions zip",
        "0.8.3": "AbstractMesh AxisName Mesh Specs",
    },
    "jax.experimental.sharding": {
        "0.4.13":
            "Device MeshPspecSharding NamedSharding PmapSharding Sharding SingleDeviceSharding "
            "XLACompatibleSharding device_replica_id_map mlir pxla xc",
    },
    "jax.experimental.sparse": {
        "0.10.2": "nm",
    },
    "jax.experimental.sparse.ad": {
        "0.4.13": "BCOO",
    },
    "jax.experimental.sparse.api": {
        "0.4.13": "jnp xla",
    },
    "jax.experimental.sparse.bcoo": {
        "0.4.13": "flatten_axes mhlo xc xla",
        "0.4.38": "hlo ir",
        "0.8.3": "gpu_sparse",
    },
    "jax.experimental.sparse.bcsr": {
        "0.8.3": "gpu_sparse",
    },
    "jax.experimental.sparse.coo": {
        "0.4.13": "mhlo xla xla_client",
        "0.8.3": "gpu_sparse",
    },
    "jax.experimental.sparse.csr": {
        "0.4.13": "xla",
        "0.8.3": "gpu_sparse",
    },
    "jax.experimental.sparse.linalg": {
        "0.6.2": "gpu_solver",
        "0.7.2": "xla",
    },
    "jax.experimental.sparse.nm": {
        "0.8.3": "gpu_sparse",
        "0.10.2":
            "Array DotDimensionNumbers core dispatch jnp mhlo mlir nm_pack nm_pack_p nm_spmm "
            "nm_spmm_p",
    },
    "jax.experimental.sparse.transform": {
        "0.4.13": "canonicalize_axis pxla xla",
        "0.4.38": "popattr setnewattr",
        "0.5.3": "lax_numpy",
    },
    "jax.experimental.sparse.util": {
        "0.4.38": "dtypes stages",
    },
    "jax.experimental.stax": {
        "0.4.13":
            "AvgPool Dense Dropout Elu FanInConcat FanInSum FanOut Flatten GeneralConv "
            "GeneralConvTranspose Identity Relu SumPool _pooling_layer glorot ones parallel randn "
            "serial softmax zeros",
    },
    "jax.experimental.topologies": {
        "0.6.2": "xla_extension",
        "0.8.3": "xc",
    },
    "jax.experimental.x64_context": {
        "0.9.2": "config disable_x64 enable_x64",
    },
    "jax.extend": {
        "0.8.3": "ffi",
    },
    "jax.extend.backend": {
        "0.7.2": "add_clear_backends_callback",
    },
    "jax.extend.core": {
        "0.12.0.1": "CallPrimitive call_impl",
    },
    "jax.extend.core.primitives": {
        "0.6.2": "custom_jvp_call_jaxpr_p custom_vjp_call_jaxpr_p random_gamma_grad_p",
        "0.7.2": "infeed_p outfeed_p pjit_p zeros_like_p",
        "0.10.2": "xla_pmap_p",
    },
    "jax.extend.ffi": {
        "0.7.2": "ffi_call ffi_lowering include_dir pycapsule register_ffi_target",
    },
    "jax.extend.mlir.dialects": {
        "0.4.34": "mhlo",
    },
    "jax.extend.mlir.dialects.arith": {
        "0.10.2": "RegionIterator",
        "0.12.0.1": "MemoryEffectInstancesList",
    },
    "jax.extend.mlir.dialects.builtin": {
        "0.10.2": "RegionIterator",
        "0.12.0.1": "MemoryEffectInstancesList",
    },
    "jax.extend.mlir.dialects.func": {
        "0.10.2": "RegionIterator",
        "0.12.0.1": "MemoryEffectInstancesList",
    },
    "jax.extend.mlir.dialects.memref": {
        "0.9.2": "ConstantOp Operation",
    },
    "jax.extend.mlir.dialects.mhlo": {
        "0.4.31": "UnaryEinsumOp unary_einsum",
        "0.4.34":
            "AbsOp AddDependencyOp AddOp AfterAllOp AllGatherOp AllReduceOp AllToAllOp AndOp "
            "AsyncDoneOp AsyncStartOp AsyncUpdateOp Atan2Op BatchNormGradOp BatchNormInferenceOp "
            "BatchNormTrainingOp BitcastConvertOp BitcastOp BroadcastInDimOp BroadcastOp CaseOp "
            "CbrtOp CeilOp CholeskyOp ClampOp ClzOp CollectiveBroadcastOp CollectivePermuteOp "
            "CompareOp ComplexOp CompositeOp ConcatenateOp ConstantOp ConvertOp ConvolutionOp "
            "CopyOp CosineOp CreateTokenOp CrossReplicaSumOp CustomCallOp DivOp DomainOp "
            "DotGeneralOp DotOp DynamicBroadcastInDimOp DynamicConvOp DynamicGatherOp "
            "DynamicIotaOp DynamicPadOp DynamicReshapeOp DynamicSliceOp DynamicUpdateSliceOp "
            "EinsumOp ErfOp ExpOp Expm1Op FftOp FloorOp FusionOp GatherOp GetDimensionSizeOp "
            "GetTupleElementOp IfOp ImagOp InfeedOp IotaOp IsFiniteOp Log1pOp LogOp LogisticOp "
            "MapOp MaxOp MinOp MinimumBroadcastShapesOp MulOp NegOp NotOp OptimizationBarrierOp "
            "OrOp OutfeedOp PadOp PartitionIdOp PopulationCountOp PowOp RealDynamicSliceOp RealOp "
            "RecvOp ReduceOp ReducePrecisionOp ReduceScatterOp ReduceWindowOp RemOp ReplicaIdOp "
            "ReshapeOp ReturnOp ReverseOp RngBitGeneratorOp RngOp RoundNearestEvenOp RoundOp "
            "RsqrtOp ScatterOp SelectAndScatterOp SelectOp SendOp SetDimensionSizeOp ShiftLeftOp "
            "ShiftRightArithmeticOp ShiftRightLogicalOp SignOp SineOp SliceOp SortOp SparseDotOp "
            "SqrtOp StochasticConvertOp SubtractOp TanOp TanhOp TopKOp TorchIndexSelectOp TraceOp "
            "TransposeOp TriangularSolveOp TupleOp UniformDequantizeOp UniformQuantizeOp WhileOp "
            "XlaRngGetAndUpdateStateOp XorOp abs add add_dependency after_all all_gather "
            "all_reduce all_to_all and_ async_done async_start async_update atan2 batch_norm_grad "
            "batch_norm_inference batch_norm_training bitcast bitcast_convert broadcast "
            "broadcast_in_dim case cbrt ceil cholesky clamp collective_broadcast "
            "collective_permute compare complex composite concatenate constant convert "
            "convolution copy cosine count_leading_zeros create_token cross_replica_sum "
            "custom_call divide domain dot dot_general dynamic_broadcast_in_dim dynamic_conv "
            "dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice "
            "dynamic_update_slice einsum erf exponential exponential_minus_one fft floor fusion "
            "gather get_dimension_size get_tuple_element if_ imag infeed iota is_finite log "
            "log_plus_one logistic map maximum minimum minimum_broadcast_shapes multiply negate "
            "not_ optimization_barrier or_ outfeed pad partition_id popcnt power real "
            "real_dynamic_slice recv reduce reduce_precision reduce_scatter reduce_window "
            "register_mhlo_dialect register_mhlo_passes remainder replica_id reshape return_ "
            "reverse rng rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter "
            "select select_and_scatter send set_dimension_size shift_left shift_right_arithmetic "
            "shift_right_logical sign sine slice sort sparse_dot sqrt stochastic_convert subtract "
            "tan tanh topk torch_index_select trace transpose triangular_solve tuple "
            "uniform_dequantize uniform_quantize while_ xla_rng_get_and_update_state xor",
    },
    "jax.extend.mlir.dialects.scf": {
        "0.10.2": "RegionIterator",
        "0.12.0.1": "MemoryEffectInstancesList",
    },
    "jax.extend.mlir.dialects.vector": {
        "0.4.34": "ReshapeOp reshape",
        "0.4.38": "WarpExecuteOnLane0Op warp_execute_on_lane_0",
        "0.7.2":
            "ExtractElementOp FlatTransposeOp InsertElementOp MatmulOp extractelement "
            "flat_transpose insertelement matrix_multiply",
        "0.8.3": "SplatOp splat",
    },
    "jax.extend.mlir.ir": {
        "0.10.2": "RegionIterator",
        "0.12.0.1": "MemoryEffectInstancesList",
    },
    "jax.interpreters.ad": {
        "0.4.13":
            "Literal Partial Primitive Trace Tracer cache core dtype flatten_fun "
            "flatten_fun_nokwargs float0 get_aval lu partition_list pe raise_to_shaped "
            "register_pytree_node safe_map safe_zip split_list tree_flatten tree_unflatten unzip2 "
            "weakref_lru_cache wrap_name",
        "0.4.30": "config instantiate_zeros_aval source_info_util",
        "0.4.34": "recast_to_float0 replace_float0s",
        "0.4.38": "CustomJVPException CustomVJPException zeros_like_jaxval",
        "0.7.2": "backward_pass_internal unpair_pval",
        "0.8.3": "backward_pass closed_backward_pass vjp",
        "0.9.2":
            "bilinear_transpose call_param_updaters call_transpose call_transpose_param_updaters "
            "custom_lin_p defjvp_zero jvp_jaxpr linear_jvp linear_transpose linear_transpose2 "
            "map_transpose rearrange_binders standard_jvp standard_jvp2 zero_jvp zeros_like_p",
        "0.10.2": "reducing_transposes",
    },
    "jax.interpreters.batching": {
        "0.4.13":
            "Trace Tracer add_jaxvals add_jaxvals_p batch_custom_jvp_subtrace batch_subtrace "
            "cache canonicalize_axis core curry flatten_fun_for_vmap lu memoize pe "
            "raise_to_shaped register_pytree_node safe_map safe_zip source_info_util split_list "
            "tree_flatten tree_unflatten unzip2 unzip3 weakref_lru_cache wrap_name "
            "zeros_like_jaxval",
        "0.4.30": "Pile PileAxis PileTy add_batched pile_axis zeros_like_batched zeros_like_p",
        "0.4.38": "spmd_axis_primitive_batchers",
        "0.7.2": "Zero",
        "0.8.3": "IndexedAxisSize Jumble JumbleAxis JumbleTy RaggedAxis batch_jaxpr2 jumble_axis",
        "0.9.2":
            "Array BatchTrace BatchTracer ZeroIfMapped Zeros batch batch_custom_vjp_bwd "
            "batch_jaxpr batch_jaxpr_axes broadcast_batcher from_elt from_elt_handlers "
            "is_vmappable make_iota make_iota_handlers matchaxis moveaxis reducer_batcher "
            "spec_types to_elt to_elt_handlers vectorized_batcher vmappables vtile zero_if_mapped",
        "0.10.2": "NotMapped not_mapped",
    },
    "jax.interpreters.mlir": {
        "0.4.13":
            "ad ad_util add_jaxvals_lowering broadcast_in_dim builtin chlo core create_token "
            "delegate_lowering dtypes dynamic_slice dynamic_update_slice eval_dynamic_shape "
            "full_like_aval get_constant_handler jaxlib_version merge_mhlo_modules mhlo "
            "multi_broadcast_in_dim pe reshape set_sharding sharded_aval slice_op "
            "source_info_util util wrap_with_full_to_shard_op wrap_with_shard_to_full_op "
            "wrap_with_sharding_op xb xc xla xla_computation_to_mhlo_module",
        "0.4.31": "ir_constants token_type",
        "0.6.2": "func_dialect hlo xla_computation_to_mlir_module",
        "0.7.2": "flatten_lowering_ir_args",
        "0.8.3": "custom_call dense_bool_array",
        "0.9.2": "dense_bool_elements",
        "0.10.2": "LoweringRule ReplicaAxisContext",
    },
    "jax.interpreters.partial_eval": {
        "0.4.13":
            "AbstractValue ClosedJaxpr ConcreteArray DropVar JaxprEqn Literal OrderedSet "
            "Primitive PyTreeDef ShapedArray Trace Tracer Var Zero api_util cache core dtypes "
            "effects flatten_fun_nokwargs get_aval get_referent keystr lu mapped_aval merge_lists "
            "new_jaxpr_eqn partial_eval_wrapper_nounits partition_list profiler raise_to_shaped "
            "safe_map safe_zip source_info_util split_list toposort trace_to_subjaxpr_nounits "
            "trace_to_subjaxpr_nounits_fwd tree_leaves tree_unflatten treedef_tuple unmapped_aval "
            "unzip2 weakref_lru_cache",
        "0.4.30": "DimensionHandlerTracer",
        "0.4.38":
            "extend_jaxpr_stack trace_to_jaxpr trace_to_jaxpr_final trace_to_jaxpr_final2 "
            "trace_to_subjaxpr_dynamic trace_to_subjaxpr_dynamic2",
        "0.5.3": "DebugInfo arg_info_all debug_info debug_info_final result_info sig_info",
        "0.6.2": "trivial_ctx",
        "0.8.3":
            "BoundedAxisSize call_padding_rule def_trivial_padding infer_lambda_input_type "
            "pad_jaxpr padding_rules trace_to_jaxpr_dynamic2",
        "0.9.2":
            "ConstVar DynamicJaxprTrace FreeVar Jaxpr JaxprEqnRecipe JaxprStackFrame JaxprTrace "
            "LambdaBinding PartialEvalCustomResult TracerAsName TracerId abstract_eval_fun "
            "call_param_updaters call_partial_eval_custom_rule call_partial_eval_rules "
            "close_jaxpr closed_call_partial_eval_custom_rule config const_fold_rules "
            "convert_constvars_jaxpr convert_envvars_to_constvars convert_invars_to_constvars "
            "custom_staging_rules forwarding_rules has_effects instantiate_const_at "
            "make_jaxpr_effects move_binders_to_back move_binders_to_front new_eqn_recipe "
            "partial_eval_jaxpr_custom partial_eval_jaxpr_custom_rule_not_implemented "
            "partial_eval_jaxpr_nounits partition_pvals recipe_to_eqn tracers_to_jaxpr",
    },
    "jax.interpreters.pxla": {
        "0.4.13":
            "ConcreteArray EMPTY_ENV HashableFunction JAXTypeError NamedSharding ResourceEnv "
            "ShapedArray XLACompatibleSharding _is_unspecified abstract_arrays ad api_util "
            "basearray batching core dispatch distributed_debug_log dtypes ir lu mhlo mlir "
            "new_name_stack partition_list pe prod profiler safe_map safe_zip show_axes stages "
            "tree_flatten tree_map unzip2 unzip3 use_cpp_class use_cpp_method util xc xla xops",
        "0.4.30":
            "AUTO EmapInfo ExecuteReplicated InputsHandler MapTrace ParallelCallableInfo "
            "PmapComputation ReplicaInfo ResultsHandler SPMDBatchTrace ShardInfo "
            "ShardedDeviceArray TileManual TileVectorize UnloadedMeshExecutable "
            "UnloadedPmapExecutable WeakRefList array_types custom_resource_typing_rules "
            "device_put find_replicas full_to_shard_p local_aval_to_result_handler "
            "local_avals_to_results_handler local_result_handlers lower_mesh_computation "
            "lower_parallel_callable lower_sharding_computation make_sharded_device_array "
            "maybe_extend_axis_env mesh_sharding_specs multi_host_supported_collectives "
            "new_mesh_sharding_specs replicate resource_typecheck shard_arg shard_arg_handlers "
            "shard_aval shard_aval_handlers shard_to_full_p sharding_spec_sharding_proto "
            "spmd_primitive_batchers stage_parallel_callable tile_aval_nd untile_aval_nd "
            "vtile_by_mesh wrap_name xb xla_pmap xla_pmap_impl xla_pmap_impl_lazy",
        "0.7.2": "are_op_shardings_equal is_op_sharding_replicated",
        "0.10.2":
            "Chunked MapTracer NoSharding PmapExecutable Replicated ShardedAxis ShardingSpec "
            "Unstacked parallel_callable shard_args spec_to_indices xla_pmap_p",
        "0.12.0.1":
            "MeshExecutable are_hlo_shardings_equal array_mapping_to_axis_resources "
            "global_aval_to_result_handler global_result_handlers is_hlo_sharding_replicated "
            "op_sharding_to_indices",
    },
    "jax.interpreters.xla": {
        "0.4.13":
            "Buffer Device DeviceArray JaxprPpContext Literal XlaBuilder XlaShape _DeviceArray "
            "_translations _xla_callable abstract_token ad ad_util array_types core device_put "
            "dtypes lower_fun lu new_name_stack numpy_scalar_types partition_list pe pp prod "
            "profiler safe_map safe_zip source_info_util util wrap_name xla_call_p xops",
        "0.4.30":
            "AxisEnv ConcreteArray ShapedArray TranslationContext TranslationRule XlaOp "
            "axis_groups backend_compile backend_specific_translations check_backend_matches "
            "parameter register_collective_primitive register_initial_style_primitive "
            "register_translation sharding_to_proto translations xla_destructure "
            "xla_shape_handlers",
        "0.4.38": "xb xc xe",
        "0.7.2": "abstractify pytype_aval_mappings",
        "0.8.3": "canonicalize_dtype",
    },
    "jax.jaxpr_util": {
        "0.4.30":
            "MaybeEqn all_eqns collect_eqns core histogram map pprof_equation_profile primitives "
            "primitives_by_shape primitives_by_source print_histogram source_info_util "
            "source_locations unsafe_map unsafe_zip util var_defs_and_refs vars_by_fanout "
            "xla_client zip",
    },
    "jax.lax": {
        "0.4.13": "itertools select_p standard_unop",
        "0.4.30":
            "dtypes naryop naryop_dtype_rule standard_abstract_eval standard_naryop "
            "standard_primitive tie_in unop unop_dtype_rule",
        "0.4.31": "pdot xeinsum",
        "0.4.38": "scan_bind",
        "0.6.2": "random_gamma_grad_p",
        "0.7.2": "infeed infeed_p jax outfeed outfeed_p",
        "0.8.3": "all_gather_invariant",
        "0.9.2": "zeros_like_array",
        "0.10.2": "all_gather_done all_gather_start pvary",
        "0.12.0.1": "dce_sink_p",
    },
    "jax.lib": {
        "0.9.2": "xla_bridge xla_client xla_extension",
    },
    "jax.lib.xla_bridge": {
        "0.4.13": "get_device_backend register_backend_factory",
        "0.4.38": "_backends default_backend xla_client",
        "0.8.3": "get_backend get_compile_options",
    },
    "jax.lib.xla_client": {
        "0.4.30":
            "XLACompatibleSharding copy_array_to_devices_with_sharding make_interpreter_client "
            "register_cpu_custom_call_target",
        "0.4.34":
            "ConvolutionDimensionNumbers CurrentSourceInfoMetadata CustomCallHandler "
            "CustomCallTargetTraits DTYPE_TO_XLA_ELEMENT_TYPE DeviceList DeviceTopology "
            "DotDimensionNumbers GSPMDSharding GatherDimensionNumbers HostBufferSemantics Layout "
            "LoadedExecutable LoadedExecutable_execute LoadedExecutable_execute_with_token Memory "
            "NamedSharding OpMetadata PaddingConfig PaddingConfigDimension PjRtLayout "
            "PmapSharding PrecisionConfig ProgramShape ReplicaGroup ScatterDimensionNumbers "
            "ShapeIndex Sharding SingleDeviceSharding XLA_ELEMENT_TYPE_TO_DTYPE XlaOp "
            "array_result_handler batched_block_until_ready "
            "batched_copy_array_to_devices_with_sharding batched_device_put bfloat16 "
            "check_and_canonicalize_memory_kind custom_call_targets "
            "encode_inspect_sharding_callback execute_with_python_values "
            "execute_with_python_values_replicated float8_e4m3b11fnuz float8_e4m3fn "
            "float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz generate_pjrt_gpu_plugin_options "
            "hlo_sharding_util ifrt_programs initialize_pjrt_plugin load_pjrt_plugin_dynamically "
            "load_pjrt_plugin_with_c_api logger make_c_api_client make_c_api_device_topology "
            "make_convolution_dimension_numbers make_cpu_client make_dot_dimension_numbers "
            "make_gpu_client make_padding_config make_replica_groups make_tfrt_tpu_c_api_client "
            "make_tfrt_tpu_c_api_device_topology make_tpu_client pjrt_plugin_initialized "
            "pjrt_plugin_loaded profiler register_custom_call_handler "
            "register_custom_call_partitioner tracebacks weakref_lru_cache "
            "window_padding_type_to_pad_values xla_platform_names",
        "0.5.3": "Device XlaRuntimeError",
        "0.6.2":
            "ArrayImpl FftType PaddingType PrimitiveType ResultAccuracy ResultAccuracyMode Shape "
            "XlaBuilder XlaComputation dtype_to_etype heap_profile mlir_api_version ops "
            "register_custom_call_target shape_from_pyval",
        "0.7.2": "DeviceAssignment get_topology_for_devices",
        "0.8.3":
            "Client CompileOptions Frame HloSharding OpSharding Traceback register_custom_type_id "
            "register_custom_type_id_handler",
        "0.10.2": "HloShardingV3 HloShardingV3Mesh",
    },
    "jax.lib.xla_extension": {
        "0.4.13": "Buffer DeviceArray DeviceArrayBase",
        "0.4.30":
            "CompiledFunction XLACompatibleSharding copy_array_to_devices_with_sharding "
            "get_interpreter_client get_tpu_client",
        "0.4.34":
            "CallInliner Client CompileOnlyPyClient CompileOptions CompiledMemoryStats "
            "CpuCollectives DebugOptions DeviceAssignment DeviceList DeviceTopology "
            "DistributedRuntimeService Executable ExecutableBuildOptions ExecuteResults FftType "
            "FlattenCallGraph Frame FrontendAttributes GSPMDSharding HloComputation HloDCE "
            "HloModuleGroup HloPassInterface HloSharding HostBufferSemantics Layout Literal "
            "LoadedExecutable Memory MpiCollectives NamedSharding OpSharding_ShardGroupType "
            "OpSharding_Type PjRtLayout PjRtXlaLayout PmapSharding PrecisionConfig_Precision "
            "PreemptionSyncManager PrimitiveType ProgramShape PyTreeRegistry ResultHandler Shape "
            "ShapeIndex ShardedToken Sharding SingleDeviceSharding Token Traceback "
            "TupleSimplifier WeakrefLRUCache XlaBuilder XlaComputation XlaOp array_result_handler "
            "batched_block_until_ready batched_copy_array_to_devices_with_sharding "
            "batched_device_put buffer_to_dlpack_managed_tensor "
            "check_and_canonicalize_memory_kind collect_garbage create_preemption_sync_manager "
            "cuda_array_interface_to_buffer custom_call_targets dlpack_managed_tensor_to_buffer "
            "encode_inspect_sharding_callback get_c_api_client get_c_api_topology "
            "get_default_c_api_topology get_tfrt_cpu_client get_topology_for_devices "
            "hlo_module_from_text hlo_sharding_util ifrt_programs initialize_pjrt_plugin is_asan "
            "is_msan is_optimized_build is_sanitized is_tsan json_to_pprof_profile "
            "load_pjrt_plugin make_gloo_tcp_collectives make_mpi_collectives ops outfeed_receiver "
            "pjit pjrt_plugin_initialized pjrt_plugin_loaded pprof_profile_to_json "
            "register_custom_call_partitioner register_custom_call_target transfer_guard_lib "
            "weakref_lru_cache",
        "0.6.2":
            "ArrayCopySemantics ArrayImpl AutotuneCacheMode Device DistributedRuntimeClient "
            "HloModule HloPrintOptions OpSharding PjitFunction PjitFunctionCache PmapFunction "
            "ResultAccuracy_Mode TransferConnection TransferServer XlaRuntimeError config "
            "get_distributed_runtime_client get_distributed_runtime_service guard_lib "
            "hlo_module_cost_analysis hlo_module_to_dot_graph ifrt_proxy jax_jit mlir pmap_lib "
            "profiler pytree register_custom_call_as_batch_partitionable register_custom_type_id "
            "reorder_shards sdy start_transfer_server",
        "0.8.3": "jax",
    },
    "jax.linear_util": {
        "0.4.13":
            "EmptyStoreValue Store annotate core curry fun_name hashable_partial traceback_util "
            "tree_map",
        "0.4.30": "StoreException WrappedFun cache merge_linear_aux wrap_init",
    },
    "jax.nn": {
        "0.4.30": "normalize",
    },
    "jax.numpy": {
        "0.4.13": "lax_numpy msort",
        "0.4.30":
            "DeviceArray NINF NZERO PZERO alltrue cumproduct in1d issubsctype jax product "
            "row_stack sometrue trapz",
        "0.4.38": "round_",
        "0.10.2": "fix",
    },
    "jax.ops": {
        "0.4.13": "index index_add index_max index_min index_mul index_update",
    },
    "jax.prng": {
        "0.4.30":
            "PRNGImpl rbg_prng_impl seed_with_impl threefry2x32_p threefry_2x32 "
            "threefry_prng_impl unsafe_rbg_prng_impl",
    },
    "jax.profiler": {
        "0.4.13": "StepTraceContext TraceContext trace_function",
    },
    "jax.random": {
        "0.4.30":
            "KeyArray PRNGKeyArray default_prng_impl rbg_key threefry2x32_key threefry2x32_p "
            "threefry_2x32 unsafe_rbg_key",
        "0.4.31": "shuffle",
    },
    "jax.ref": {
        "0.9.2": "ArrayRef array_ref",
    },
    "jax.scipy.linalg": {
        "0.4.30": "tril triu",
    },
    "jax.scipy.special": {
        "0.10.2": "sph_harm",
    },
    "jax.scipy.stats.norm": {
        "0.4.13": "osp_stats",
    },
    "jax.scipy.stats.poisson": {
        "0.4.13": "osp_stats",
    },
    "jax.sharding": {
        "0.4.13": "OpShardingSharding",
        "0.4.34": "XLACompatibleSharding",
        "0.7.2": "GSPMDSharding PositionalSharding use_mesh",
        "0.10.2": "PmapSharding",
    },
    "jax.stages": {
        "0.7.2": "OutInfo",
    },
    "jax.tree_util": {
        "0.4.13": "tree_multimap",
        "0.4.30": "AttributeKeyPathEntry GetitemKeyPathEntry register_keypaths",
        "0.7.2": "build_tree",
    },
    "jax.util": {
        "0.4.13": "partial",
        "0.5.3": "toposort",
        "0.7.2":
            "HashableFunction as_hashable_function cache safe_map safe_zip split_dict split_list "
            "split_list_checked split_merge subvals to_dlpack unzip2 wrap_name wraps",
        "0.8.3": "jax",
    },
    "jaxlib": {
        "0.4.30": "ducc_fft",
        "0.6.2": "xla_extension",
        "0.8.3": "hlo_helpers",
    },
    "jaxlib.ducc_fft": {
        "0.4.30": "FftType custom_call dynamic_ducc_fft_hlo hlo ir xla_client",
    },
    "jaxlib.gpu_linalg": {
        "0.4.34":
            "GpuLibNotLinkedError cuda_cholesky_update cuda_lu_pivots_to_permutation custom_call "
            "hip_lu_pivots_to_permutation ir",
        "0.5.3": "cuda_module_name rocm_module_name xla_client",
    },
    "jaxlib.gpu_prng": {
        "0.4.34": "GpuLibNotLinkedError",
        "0.5.3": "cuda_module_name rocm_module_name",
        "0.6.2": "cuda_threefry2x32 custom_call ir rocm_threefry2x32 xla_client",
    },
    "jaxlib.gpu_rnn": {
        "0.5.3": "cuda_module_name",
    },
    "jaxlib.gpu_solver": {
        "0.4.34": "cuda_getrf rocm_getrf",
        "0.4.38":
            "GpuLibNotLinkedError ShapeTypePair cuda_geqrf cuda_geqrf_batched cuda_gesvd "
            "cuda_orgqr cuda_syevd ensure_hlo_s32 hlo_s32 mk_result_types_and_shapes rocm_geqrf "
            "rocm_geqrf_batched rocm_gesvd rocm_orgqr rocm_syevd",
        "0.5.3":
            "cuda_csrlsvqr cuda_module_name cuda_sytrd custom_call dense_int_array hlo ir "
            "rocm_module_name rocm_sytrd xla_client",
    },
    "jaxlib.gpu_sparse": {
        "0.4.30": "cuda_is_supported rocm_is_supported",
        "0.5.3": "cuda_module_name rocm_module_name xla_client",
        "0.6.2":
            "cuda_coo_fromdense cuda_coo_matmat cuda_coo_matvec cuda_coo_todense "
            "cuda_csr_fromdense cuda_csr_matmat cuda_csr_matvec cuda_csr_todense cuda_gtsv2 "
            "custom_call ir mk_result_types_and_shapes rocm_coo_fromdense rocm_coo_matmat "
            "rocm_coo_matvec rocm_coo_todense rocm_csr_fromdense rocm_csr_matmat rocm_csr_matvec "
            "rocm_csr_todense rocm_gtsv2",
    },
    "jaxlib.gpu_triton": {
        "0.5.3": "cuda_module_name rocm_module_name",
    },
    "jaxlib.hlo_helpers": {
        "0.4.30": "ir_constant ir_constant_i32 ir_constant_u8",
        "0.8.3":
            "DimensionSize ShapeTypePair custom_call dense_int_array dtype_to_ir_type "
            "ensure_hlo_s32 hlo hlo_add hlo_const hlo_min hlo_s32 hlo_u8 ir "
            "mk_result_types_and_shapes shape_dtype_to_ir_type shape_tensor",
    },
    "jaxlib.lapack": {
        "0.4.30": "DimensionSize ir_constant_i32 ir_constant_u8 shape_tensor",
        "0.4.34": "getrf_hlo hlo_min",
        "0.4.38": "geqrf_hlo gesdd_hlo orgqr_hlo syevd_hlo",
        "0.5.3":
            "ShapeTypePair custom_call ensure_hlo_s32 gees_hlo geev_hlo gehrd_hlo hlo hlo_add "
            "hlo_s32 hlo_u8 ir mk_result_types_and_shapes potrf_hlo sytrd_hlo trsm_hlo xla_client",
    },
}
# What a program can get for longer by one path, as from one of the two of LIKE.
LATER = {
    "jax.experimental": {
        "never": "multihost_utils pjit",
    },
    "jax.interpreters.mlir": {
        "never": "LoweringRule",
    },
    "jax.lib.xla_client": {
        "0.7.2": "heap_profile mlir_api_version",
    },
    "jax.lib.xla_extension": {
        "0.7.2":
            "Device DistributedRuntimeClient HloModule OpSharding PjitFunctionCache "
            "get_distributed_runtime_client get_distributed_runtime_service jax_jit pmap_lib "
            "pytree",
        "0.8.3":
            "HloPrintOptions PjitFunction PmapFunction hlo_module_cost_analysis "
            "hlo_module_to_dot_graph ifrt_proxy mlir profiler",
    },
    "jaxlib.xla_client": {
        "never":
            "ArrayImpl Client CompileOptions CustomCallHandler CustomCallTargetTraits Device "
            "DeviceAssignment DeviceList DeviceTopology Frame GSPMDSharding HloSharding "
            "HostBufferSemantics Layout LoadedExecutable LoadedExecutable_execute "
            "LoadedExecutable_execute_with_token Memory NamedSharding OpSharding PjRtLayout "
            "PrimitiveType ProgramShape Shape Sharding SingleDeviceSharding Traceback "
            "XlaComputation XlaRuntimeError array_result_handler batched_block_until_ready "
            "batched_copy_array_to_devices_with_sharding batched_device_put "
            "check_and_canonicalize_memory_kind custom_call_targets "
            "encode_inspect_sharding_callback generate_pjrt_gpu_plugin_options "
            "get_topology_for_devices hlo_sharding_util ifrt_programs initialize_pjrt_plugin "
            "load_pjrt_plugin_dynamically load_pjrt_plugin_with_c_api make_c_api_client "
            "make_c_api_device_topology make_cpu_client make_tfrt_tpu_c_api_device_topology "
            "pjrt_plugin_initialized pjrt_plugin_loaded register_custom_call_handler "
            "register_custom_call_partitioner register_custom_call_target xla_platform_names",
        "0.6.2":
            "ConvolutionDimensionNumbers CurrentSourceInfoMetadata DTYPE_TO_XLA_ELEMENT_TYPE "
            "DotDimensionNumbers GatherDimensionNumbers OpMetadata PaddingConfig "
            "PaddingConfigDimension PrecisionConfig ReplicaGroup ScatterDimensionNumbers "
            "ShapeIndex XLA_ELEMENT_TYPE_TO_DTYPE XlaOp bfloat16 float8_e4m3b11fnuz float8_e4m3fn "
            "float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz make_convolution_dimension_numbers "
            "make_dot_dimension_numbers make_gpu_client make_padding_config make_replica_groups "
            "make_tfrt_tpu_c_api_client make_tpu_client profiler weakref_lru_cache "
            "window_padding_type_to_pad_values",
        "0.7.2": "tracebacks",
        "0.10.2": "PmapSharding",
    },
    "jaxlib.xla_extension": {
        "0.4.38": "outfeed_receiver transfer_guard_lib",
        "0.5.3": "PjRtXlaLayout",
        "0.6.2":
            "CallInliner Client CompileOnlyPyClient CompileOptions CompiledMemoryStats "
            "CpuCollectives DebugOptions DeviceAssignment DeviceList DeviceTopology "
            "DistributedRuntimeService Executable ExecutableBuildOptions ExecuteResults FftType "
            "FlattenCallGraph Frame FrontendAttributes GSPMDSharding HloComputation HloDCE "
            "HloModuleGroup HloPassInterface HloSharding HostBufferSemantics Layout Literal "
            "LoadedExecutable Memory MpiCollectives NamedSharding OpSharding_ShardGroupType "
            "OpSharding_Type PjRtLayout PmapSharding PrecisionConfig_Precision "
            "PreemptionSyncManager PrimitiveType ProgramShape PyTreeRegistry ResultHandler Shape "
            "ShapeIndex ShardedToken Sharding SingleDeviceSharding Token Traceback "
            "TupleSimplifier WeakrefLRUCache XlaBuilder XlaComputation XlaOp array_result_handler "
            "batched_block_until_ready batched_copy_array_to_devices_with_sharding "
            "batched_device_put buffer_to_dlpack_managed_tensor "
            "check_and_canonicalize_memory_kind collect_garbage create_preemption_sync_manager "
            "cuda_array_interface_to_buffer custom_call_targets dlpack_managed_tensor_to_buffer "
            "encode_inspect_sharding_callback get_c_api_client get_c_api_topology "
            "get_default_c_api_topology get_tfrt_cpu_client get_topology_for_devices "
            "hlo_module_from_text hlo_sharding_util ifrt_programs initialize_pjrt_plugin is_asan "
            "is_msan is_optimized_build is_sanitized is_tsan json_to_pprof_profile "
            "load_pjrt_plugin make_gloo_tcp_collectives make_mpi_collectives ops pjit "
            "pjrt_plugin_initialized pjrt_plugin_loaded pprof_profile_to_json "
            "register_custom_call_partitioner register_custom_call_target weakref_lru_cache",
    },
}
# Of these, what is there again, by the first release that has it again.
BACK = {
    "jax": {
        "0.10.2": "ad",
    },
    "jax.experimental.shard_map": {
        "0.5.3": "merge_lists",
    },
    "jax.interpreters.ad": {
        "0.12.0.1": "backward_pass jvp_jaxpr",
    },
    "jax.interpreters.batching": {
        "0.12.0.1": "batch_jaxpr_axes zero_if_mapped",
    },
    "jax.interpreters.mlir": {
        "0.5.3": "token_type",
        "0.10.2": "ir_constants",
    },
    "jax.interpreters.partial_eval": {
        "0.12.0.1":
            "abstract_eval_fun close_jaxpr convert_constvars_jaxpr move_binders_to_back "
            "new_eqn_recipe partial_eval_jaxpr_nounits",
    },
}
# What the oldest release lacks, by the first that has it, of public modules.
CAME = {
    "jax": {
        "0.4.30":
            "NamedSharding debug_key_reuse export legacy_prng_key "
            "make_array_from_process_local_data threefry_partitionable tree",
        "0.4.31": "explain_cache_misses",
        "0.4.34": "make_mesh no_tracing process_indices",
        "0.5.3": "copy_to_host_async ffi typeof",
        "0.6.2": "fwd_and_bwd shard_map",
        "0.7.2":
            "ArrayRef P Ref array_ref make_user_context memory new_ref no_execution ref "
            "remove_size_one_mesh_axis_from_type set_mesh smap",
        "0.8.3": "enable_x64 freeze reshard",
        "0.9.2":
            "allow_f16_reductions array_garbage_collection_guard ds empty_ref free_ref "
            "thread_guard",
        "0.10.2": "auto_pcast",
        "0.12.0.1": "CompilerEffortLevel Inline get_abstract_mesh get_mesh use_abstract_mesh",
    },
    "jax.custom_derivatives": {
        "0.4.34": "remat_opt_p zero_from_primal",
    },
    "jax.errors": {
        "0.4.30": "KeyReuseError SimplifiedTraceback TracerBoolConversionError",
        "0.4.34": "JaxRuntimeError",
        "0.7.2": "jax",
        "0.10.2": "InconclusiveDimensionOperation JaxprTypeError",
    },
    "jax.experimental": {
        "0.4.30": "EArray array_api attrs compute_on export key_reuse layout profiler shard_alike",
        "0.4.34": "primal_tangent_dtype xla_metadata",
        "0.5.3": "custom_dce shard transfer",
        "0.6.2": "MutableArray buffer_callback mutable_array saved_input_vjp si_vjp",
        "0.7.2": "fused scheduling_groups",
        "0.8.3": "cur_qdd hijax",
        "0.9.2": "random",
        "0.10.2": "control_deps",
        "0.12.0.1": "overlap thunky",
    },
    "jax.export": {
        "0.4.30":
            "DisabledSafetyCheck Exported SymbolicScope default_export_platform deserialize "
            "export is_symbolic_dim maximum_supported_calling_convention_version "
            "minimum_supported_calling_convention_version symbolic_args_specs symbolic_shape",
        "0.4.38": "register_namedtuple_serialization register_pytree_node_serialization",
        "0.12.0.1": "symbolic_dim_bounds",
    },
    "jax.extend": {
        "0.4.30": "backend core ffi linear_util mlir random source_info_util",
        "0.4.34": "ifrt_programs",
        "0.7.2": "sharding",
        "0.10.2": "lowering pallas xla",
    },
    "jax.extend.ffi": {
        "0.4.30": "ffi_lowering include_dir pycapsule",
        "0.4.31": "ffi_call register_ffi_target",
    },
    "jax.ffi": {
        "0.5.3":
            "ffi_call ffi_lowering include_dir pycapsule register_ffi_target "
            "register_ffi_target_as_batch_partitionable register_ffi_type_id",
        "0.7.2": "build_ffi_lowering_function",
        "0.8.3": "register_ffi_type",
        "0.12.0.1": "abstract_token",
    },
    "jax.nn": {
        "0.4.30": "mish sparse_plus sparse_sigmoid squareplus",
        "0.4.31": "dot_product_attention",
        "0.5.3": "scaled_dot_general scaled_matmul",
        "0.6.2": "get_scaled_dot_general_config identity",
        "0.7.2": "log1mexp logmeanexp",
    },
    "jax.random": {
        "0.4.30": "binomial clone key_impl lognormal triangular wrap_key_data",
        "0.5.3": "multinomial",
        "0.10.2": "key_dtype",
        "0.12.0.1": "Key",
    },
    "jax.sharding": {
        "0.4.34": "AbstractMesh",
        "0.5.3": "AxisType get_abstract_mesh set_mesh use_mesh",
        "0.7.2": "AbstractDevice auto_axes explicit_axes reshard use_abstract_mesh",
        "0.8.3": "get_mesh",
        "0.10.2": "ManualAxisType make_single_device_sharding",
        "0.12.0.1": "UnreducedKind no_collectives",
    },
    "jax.tree": {
        "0.4.30": "all flatten leaves map reduce structure transpose unflatten",
        "0.4.38": "flatten_with_path leaves_with_path map_with_path",
        "0.6.2": "broadcast",
        "0.7.2": "reduce_associative",
        "0.9.2": "static",
    },
    "jax.tree_util": {
        "0.4.30": "default_registry register_dataclass register_static",
        "0.4.34": "KeyPath",
        "0.6.2": "tree_broadcast",
        "0.7.2": "tree_reduce_associative",
        "0.10.2": "flatten_one_level flatten_one_level_with_keys is_tree_node",
    },
}
# fmt: on
