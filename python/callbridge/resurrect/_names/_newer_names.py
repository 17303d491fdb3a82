"""The names that an older JAX lacks, and where each comes from.

A name is looked for where programs of today look for it. Where this JAX has it, nothing is done;
where it lacks the origin either, the name stays absent, with JAX's own error. Published
packages with custom calls need these names in order to be imported and run.
"""

from callbridge.jax._runtimes import is_since

# Those of jax.extend.core.primitives that older ones have, and the modules that they are in.
PRIMITIVES = (
    "abs_p acos_p acosh_p add_jaxvals_p add_p after_all_p all_gather_p all_to_all_p and_p "
    "approx_top_k_p argmax_p argmin_p asin_p asinh_p atan2_p atan_p atanh_p axis_index_p "
    "bessel_i0e_p bessel_i1e_p bitcast_convert_type_p broadcast_in_dim_p call_p cbrt_p ceil_p "
    "cholesky_p clamp_p closed_call_p clz_p complex_p concatenate_p cond_p conj_p "
    "conv_general_dilated_p convert_element_type_p copy_p cos_p cosh_p create_token_p "
    "cumlogsumexp_p cummax_p cummin_p cumprod_p cumsum_p custom_jvp_call_p custom_lin_p "
    "custom_vjp_call_p device_put_p digamma_p div_p dot_general_p dynamic_slice_p "
    "dynamic_update_slice_p eig_p eigh_p eq_p erf_inv_p erf_p erfc_p exp2_p exp_p expm1_p fft_p "
    "floor_p gather_p ge_p gt_p hessenberg_p householder_product_p igamma_grad_a_p igamma_p "
    "igammac_p imag_p integer_pow_p iota_p is_finite_p le_p lgamma_p linear_solve_p log1p_p log_p "
    "logistic_p lt_p lu_p max_p min_p mul_p ne_p neg_p nextafter_p not_p or_p pad_p pmax_p pmin_p "
    "polygamma_p population_count_p pow_p ppermute_p psum_p qr_p random_gamma_p real_p "
    "reduce_and_p reduce_max_p reduce_min_p reduce_or_p reduce_p reduce_precision_p reduce_prod_p "
    "reduce_sum_p reduce_window_max_p reduce_window_min_p reduce_window_p reduce_window_sum_p "
    "reduce_xor_p regularized_incomplete_beta_p rem_p reshape_p rev_p rng_bit_generator_p "
    "rng_uniform_p round_p rsqrt_p scan_p scatter_add_p scatter_max_p scatter_min_p scatter_mul_p "
    "scatter_p schur_p select_and_gather_add_p select_and_scatter_add_p select_and_scatter_p "
    "select_n_p sharding_constraint_p shift_left_p shift_right_arithmetic_p shift_right_logical_p "
    "sign_p sin_p sinh_p slice_p sort_p sqrt_p squeeze_p sub_p svd_p tan_p tanh_p threefry2x32_p "
    "top_k_p transpose_p triangular_solve_p tridiagonal_solve_p while_p xor_p zeta_p "
    "random_bits_p random_fold_in_p random_seed_p random_split_p "
)
PRIMITIVES_OF = (
    "jax.lax",
    "jax.lax.linalg",
    "jax._src.lax.special",
    "jax._src.ad_util",
    "jax._src.core",
    "jax._src.custom_derivatives",
    "jax._src.interpreters.ad",
    "jax._src.prng",
    "jax._src.random",
    "jax._src.dispatch",
    "jax._src.pjit",
)

# The release that has all of them, module, origin, names; the last three as in _restored.py. Of
# several origins the first that has the name counts.
LENT = [
    # ---- Custom calls ----------------------------------------------------------------------------
    (
        "0.4.30",
        "jaxlib.hlo_helpers",
        "callbridge.resurrect._lowering._mlir",
        "DimensionSize ShapeTypePair dense_int_array ensure_hlo_s32 hlo_add hlo_const "
        "hlo_min hlo_s32 hlo_u8 mk_result_types_and_shapes",
    ),
    ("0.5.0", "jax.ffi", "callbridge.resurrect._lowering._ffi_call", "ffi_call"),
    ("0.7.2", "jax.ffi", "jax._src.ffi", "build_ffi_lowering_function"),
    (
        "0.5.0",
        "jax.ffi",
        "callbridge.resurrect._lowering._ffi_lowering",
        "build_ffi_lowering_function ffi_lowering",
    ),
    (
        "0.5.3",
        "jax.ffi",
        "callbridge.resurrect._registration._ffi",
        "register_ffi_target register_ffi_target_as_batch_partitionable pycapsule include_dir",
    ),
    (
        "0.5.3",
        "jax.ffi",
        "callbridge.resurrect._registration._ffi",
        "register_ffi_type_id",
    ),
    (
        "0.4.31",
        "jax.extend.ffi",
        "jax.ffi",
        "ffi_call ffi_lowering include_dir pycapsule register_ffi_target",
    ),
    # ---- Primitives and their rules --------------------------------------------------------------
    (
        "0.4.30",
        "jax.extend.core",
        "jax.core",
        "ClosedJaxpr Jaxpr JaxprEqn Literal Primitive Token Var jaxpr_as_fun",
    ),
    ("0.4.30", "jax.extend.core", "jax._src.abstract_arrays", "array_types"),
    (
        "0.4.30",
        "jax.extend.linear_util",
        "jax.linear_util",
        "StoreException WrappedFun cache wrap_init merge_linear_aux transformation "
        "transformation_with_aux",
    ),
    (
        "0.4.38",
        "jax.interpreters.ad.Zero",
        "callbridge.resurrect._backports._interpreters",
        "from_primal_value",
    ),
    ("0.9.2", "jax._src.ad_util", "callbridge.resurrect._backports._interpreters", "p2tz"),
    (
        "0.4.30",
        "jax.interpreters.mlir.ModuleContext",
        "callbridge.resurrect._backports._interpreters",
        "platforms",
    ),
    ("0.7.2", "jax._src.core", "callbridge.resurrect._backports._lax", "GenericEffect"),
    # ---- jax -------------------------------------------------------------------------------------
    ("0.6.2", "jax", "callbridge.resurrect._backports._sharding", "shard_map"),
    ("0.5.3", "jax", "callbridge.resurrect._backports._jax", "typeof"),
    ("0.8.0", "jax", "jax.experimental", "enable_x64"),
    ("0.7.2", "jax", "jax.sharding", "NamedSharding P=PartitionSpec"),
    (
        "0.4.38",
        "jax.tree",
        "jax.tree_util",
        "all=tree_all flatten=tree_flatten flatten_with_path=tree_flatten_with_path "
        "leaves=tree_leaves leaves_with_path=tree_leaves_with_path map=tree_map "
        "map_with_path=tree_map_with_path reduce=tree_reduce structure=tree_structure "
        "transpose=tree_transpose unflatten=tree_unflatten",
    ),
    (
        "0.7.2",
        "jax.tree",
        "callbridge.resurrect._backports._trees",
        "broadcast reduce_associative",
    ),
    (
        "0.4.34",
        "jax.tree_util",
        "callbridge.resurrect._backports._trees",
        "KeyPath register_dataclass register_static",
    ),
    ("0.4.34", "jax.errors", "jaxlib.xla_client", "JaxRuntimeError=XlaRuntimeError"),
    ("0.4.30", "jax.typing", "jax._src.typing", "DTypeLike"),
    # ---- jax.lax and jax.numpy -------------------------------------------------------------------
    (
        "0.6.2",
        "jax.lax",
        "callbridge.resurrect._backports._lax",
        "axis_size platform_dependent",
    ),
    (
        "0.4.34",
        "jax.lax",
        "jax._src.ad_checkpoint",
        "optimization_barrier=_optimization_barrier",
    ),
    ("0.4.30", "jax.lax", "jax._src.lax.lax", "PrecisionLike"),
    ("0.4.38", "jax.lax", "jaxlib.xla_client", "FftType"),
    (
        "0.4.30",
        "jax.numpy",
        "jax.numpy",
        "acos=arccos acosh=arccosh asin=arcsin asinh=arcsinh atan=arctan atan2=arctan2 "
        "atanh=arctanh bitwise_invert=invert bitwise_left_shift=left_shift "
        "bitwise_right_shift=right_shift bool=bool_ permute_dims=transpose pow=power",
    ),
    (
        "0.4.38",
        "jax.numpy",
        "callbridge.resurrect._backports._numpy",
        "astype concat matvec vecdot vecmat",
    ),
    ("0.4.30", "jax.numpy.linalg", "callbridge.resurrect._backports._numpy", "vecdot"),
    (
        "0.4.30",
        "jax.numpy",
        "callbridge.resurrect._backports._numpy",
        "bitwise_count cumulative_sum fill_diagonal isdtype trapezoid unique_all "
        "unique_counts unique_inverse unique_values unstack",
    ),
    (
        "0.4.38",
        "jax.numpy",
        "callbridge.resurrect._backports._numpy",
        "cumulative_prod put_along_axis spacing",
    ),
    ("0.5.3", "jax.numpy", "callbridge.resurrect._backports._numpy", "ndim shape size"),
    ("0.5.3", "jax.numpy", "numpy", "get_printoptions printoptions set_printoptions"),
    ("0.4.31", "jax.numpy", "ml_dtypes", "int2 uint2"),
    (
        "0.4.30",
        "jax.numpy.linalg",
        "callbridge.resurrect._backports._numpy",
        "cross diagonal matmul matrix_norm matrix_transpose outer svdvals tensordot trace "
        "vector_norm",
    ),
    (
        "0.4.30",
        "jax.nn",
        "callbridge.resurrect._backports._lax",
        "mish sparse_plus sparse_sigmoid squareplus",
    ),
    ("0.6.2", "jax.nn", "callbridge.resurrect._backports._lax", "identity"),
    ("0.7.2", "jax.nn", "callbridge.resurrect._backports._lax", "log1mexp logmeanexp"),
    ("0.4.30", "jax.lax", "jax.scipy.special", "zeta"),
    ("0.4.30", "jax.lax", "callbridge.resurrect._backports._lax", "polygamma"),
    ("0.4.30", "jax.lax", "jax.numpy", "exp2"),
    ("0.4.30", "jax.lax", "jax._src.lax.lax", "DotDimensionNumbers"),
    ("0.4.38", "jax.lax", "callbridge.resurrect._backports._lax", "scatter_sub split"),
    (
        "0.5.3",
        "jax.lax",
        "callbridge.resurrect._backports._lax",
        "reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_xor",
    ),
    ("0.7.2", "jax.lax", "callbridge.resurrect._backports._lax", "empty pvary"),
    ("0.7.2", "jax.lax", "jax.numpy", "dtype=result_type"),
    ("0.8.3", "jax.lax", "callbridge.resurrect._backports._lax", "pcast"),
    ("0.9.2", "jax.lax", "callbridge.resurrect._backports._lax", "tile"),
    ("0.10.2", "jax.lax", "callbridge.resurrect._backports._lax", "stack unstack"),
    (
        "0.4.30",
        "jax.random",
        "callbridge.resurrect._backports._random",
        "clone lognormal triangular",
    ),
    # ---- Meshes and layouts ----------------------------------------------------------------------
    (
        "0.5.3",
        "jax.sharding",
        "callbridge.resurrect._backports._sharding",
        "AxisType use_mesh",
    ),
    ("0.4.34", "jax", "callbridge.resurrect._backports._sharding", "make_mesh"),
    ("0.7.2", "jax", "callbridge.resurrect._backports._sharding", "set_mesh"),
    ("0.7.2", "jax.sharding", "jax._src.mesh", "use_abstract_mesh"),
    ("0.7.2", "jax.sharding", "jax.experimental.shard", "reshard"),
    ("0.12.0.1", "jax", "jax.sharding", "get_abstract_mesh get_mesh use_abstract_mesh"),
    ("0.8.3", "jax", "jax.sharding", "reshard"),
    (
        "0.6.2",
        "jax.experimental.layout",
        "callbridge.resurrect._backports._sharding",
        "Format",
    ),
    # ---- Others ----------------------------------------------------------------------------------
    *(
        ("0.8.3", "jax.extend.core.primitives", origin, "jit_p=pjit_p name_p remat_p")
        for origin in ("jax._src.pjit", "jax._src.ad_checkpoint")
    ),
    *(("0.4.31", "jax.extend.core.primitives", origin, PRIMITIVES) for origin in PRIMITIVES_OF),
    ("0.4.30", "jax.extend.core.primitives", "jax._src.ad_util", "stop_gradient_p"),
    ("0.4.30", "jax.extend.core.primitives", "jax._src.lax.linalg", "tridiagonal_p"),
    ("0.10.2", "jax.extend.core.primitives", "jax._src.state.primitives", "get_p swap_p"),
    (
        "0.7.2",
        "jax.tree_util",
        "callbridge.resurrect._backports._trees",
        "tree_reduce_associative=reduce_associative",
    ),
    (
        "0.6.2",
        "jax.tree_util",
        "callbridge.resurrect._backports._trees",
        "tree_broadcast=broadcast",
    ),
    ("0.9.2", "jax.tree", "callbridge.resurrect._backports._trees", "static"),
    ("0.8.3", "jax.dtypes", "callbridge.resurrect._backports._jax", "itemsize_bits"),
    ("0.7.2", "jax.dlpack", "callbridge.resurrect._backports._jax", "is_supported_dtype"),
    (
        "0.4.30",
        "jax.errors",
        "callbridge.resurrect._backports._avals",
        "TracerBoolConversionError",
    ),
    ("0.5.3", "jax.distributed", "callbridge.resurrect._backports._jax", "is_initialized"),
    (
        "0.4.34",
        "jax.extend.backend",
        "jax._src.xla_bridge",
        "backend_xla_version backends get_backend register_backend_factory",
    ),
    ("0.7.2", "jax.extend.backend", "jax._src.compiler", "get_compile_options"),
    ("0.7.2", "jax.extend.backend", "jaxlib._jax", "ifrt_proxy"),
    (
        "0.10.2",
        "jax.extend.lowering",
        "jax._src.interpreters.mlir",
        "JaxIrContext LoweringRuleContext upstream_dialects",
    ),
    ("0.4.30", "jax.extend.mlir", "jax._src.lib.mlir", "ir passmanager"),
    (
        "0.4.30",
        "jax.extend.mlir.dialects",
        "jax._src.lib.mlir.dialects",
        "builtin chlo func mhlo sparse_tensor stablehlo=hlo",
    ),
    *(
        (
            "0.7.2",
            "jax.extend.mlir",
            origin,
            "deserialize_portable_artifact hlo_to_stablehlo refine_polymorphic_shapes "
            "serialize_portable_artifact",
        )
        for origin in ("jaxlib._jax.mlir", "jaxlib.xla_extension.mlir")
    ),
    (
        "0.9.2",
        "jax.extend.mlir",
        "jax._src.interpreters.mlir",
        "lower_with_sharding_in_types",
    ),
    ("0.7.2", "jax.extend.sharding", "jax._src.sharding_impls", "GSPMDSharding"),
    (
        "0.7.2",
        "jax.extend.sharding",
        "callbridge.resurrect._backports._sharding",
        "get_hlo_sharding_from_serialized_proto get_op_sharding_from_serialized_proto "
        "get_serialized_proto_from_hlo_sharding",
    ),
    ("0.12.0.1", "jax.ad_checkpoint", "jax._src.ad_checkpoint", "name_p"),
    ("0.9.2", "jax.debug", "jax._src.debugging", "OrderedDebugEffect"),
    ("0.10.2", "jax.dtypes", "jax._src.dtypes", "TypePromotionError"),
    ("0.12.0.1", "jax.ffi", "jax._src.core", "abstract_token"),
    ("0.4.34", "jax.lax", "jax._src.ad_checkpoint", "optimization_barrier_p"),
    ("0.6.2", "jax.lax", "jax._src.lax.lax", "shape_as_value"),
    ("0.7.2", "jax.lax", "jax._src.lax.lax", "AccuracyMode Tolerance"),
    (
        "0.5.3",
        "jax.lax.linalg",
        "jax._src.lax.linalg",
        "cholesky_update cholesky_update_p lu_pivots_to_permutation_p symmetric_product "
        "symmetric_product_p",
    ),
    ("0.12.0.1", "jax.profiler", "jaxlib._profile_data", "ProfileLine"),
    (
        "0.10.2",
        "jax.tree_util",
        "jax._src.tree_util",
        "flatten_one_level flatten_one_level_with_keys",
    ),
    (
        "0.10.2",
        "jax.extend.core",
        "jax._src.core",
        "AbstractToken DropVar TraceTag check_jaxpr concrete_or_error find_top_trace gensym "
        "get_opaque_trace_state jaxprs_in_params mapped_aval new_jaxpr_eqn no_effects "
        "primal_dtype_to_tangent_dtype set_current_trace subjaxprs take_current_trace "
        "unmapped_aval valid_jaxtype InconclusiveDimensionOperation JaxprTypeError "
        "nonempty_axis_env_DO_NOT_USE=nonempty_axis_env "
        "unsafe_am_i_under_a_jit_DO_NOT_USE=unsafe_am_i_under_a_jit "
        "unsafe_am_i_under_a_vmap_DO_NOT_USE=unsafe_am_i_under_a_vmap "
        "unsafe_get_axis_names_DO_NOT_USE=unsafe_get_axis_names",
    ),
    ("0.10.2", "jax.extend.core", "jax._src.effects", "Effect"),
    ("0.10.2", "jax.extend.core", "jax._src.linear_util", "DebugInfo"),
    ("0.10.2", "jax.errors", "jax._src.core", "InconclusiveDimensionOperation JaxprTypeError"),
    (
        "0.4.30",
        "jax.extend.random",
        "jax._src.prng",
        "random_seed rbg_prng_impl seed_with_impl threefry2x32_p threefry_2x32 "
        "threefry_prng_impl unsafe_rbg_prng_impl",
    ),
    (
        "0.4.30",
        "jax.extend.source_info_util",
        "jax._src.source_info_util",
        "NameStack SourceInfo current current_name_stack extend_name_stack new_name_stack "
        "new_source_info register_exclusion reset_name_stack set_name_stack summarize "
        "transform_name_stack user_context",
    ),
    ("0.4.30", "jax", "jax._src.config", "threefry_partitionable"),
    ("0.4.31", "jax", "jax._src.config", "explain_cache_misses"),
    ("0.9.2", "jax", "jax._src.config", "array_garbage_collection_guard"),
    ("0.9.2", "jax", "jax._src.state.indexing", "ds"),
    ("0.4.34", "jax", "callbridge.resurrect._backports._jax", "process_indices"),
    ("0.12.0.1", "jax.lax", "jax.numpy", "log2"),
    (
        "0.4.30",
        "jax.nn.initializers",
        "callbridge.resurrect._backports._lax",
        "truncated_normal",
    ),
    ("0.4.30", "jax.extend.backend", "jax._src.api", "clear_backends"),
]

# Likewise of modules that take long to import, as SciPy's do: added when they are asked for.
LENT_WHEN_ASKED = [
    ("0.4.30", "jax.scipy", "import", "integrate=jax.scipy.integrate"),
    ("0.4.30", "jax.scipy.integrate", "callbridge.resurrect._backports._numpy", "trapezoid"),
    (
        "0.4.30",
        "jax.scipy.special",
        "callbridge.resurrect._backports._scipy",
        "beta factorial gammasgn kl_div rel_entr",
    ),
    (
        "0.4.31",
        "jax.scipy.special",
        "callbridge.resurrect._backports._scipy",
        "log_softmax softmax",
    ),
    (
        "0.10.2",
        "jax.scipy.special",
        "callbridge.resurrect._backports._scipy",
        "boxcox boxcox1p",
    ),
    ("0.4.30", "jax.scipy.linalg", "callbridge.resurrect._backports._scipy", "hilbert"),
    ("0.9.2", "jax.scipy.linalg", "callbridge.resurrect._backports._scipy", "hankel"),
    ("0.10.2", "jax.scipy.linalg", "callbridge.resurrect._backports._scipy", "circulant"),
    ("0.4.30", "jax.scipy.stats", "callbridge.resurrect._backports._scipy", "sem"),
    (
        "0.4.30",
        "jax.scipy.stats.norm",
        "callbridge.resurrect._backports._scipy",
        "logsf=norm_logsf",
    ),
    (
        "0.4.30",
        "jax.scipy.stats.uniform",
        "callbridge.resurrect._backports._scipy",
        "cdf=uniform_cdf ppf=uniform_ppf",
    ),
    (
        "0.5.3",
        "jax.scipy.stats.expon",
        "callbridge.resurrect._backports._scipy",
        "cdf=expon_cdf logcdf=expon_logcdf logsf=expon_logsf ppf=expon_ppf sf=expon_sf",
    ),
]

# Names that JAX has, which do not take yet what programs of today pass: the release that does, and
# the rest as in _restored.WRAPPED.
WRAPPED = [
    (
        "0.7.2",
        "jax.custom_vjp",
        "callbridge.resurrect._backports._jax",
        "__init__=nondiff_argnames",
    ),
    (
        "0.7.2",
        "jax.custom_jvp",
        "callbridge.resurrect._backports._jax",
        "__init__=nondiff_argnames",
    ),
    (
        "0.4.38",
        "jax.extend.ffi",
        "callbridge.resurrect._lowering._ffi_call",
        "ffi_call=returns_a_function",
    ),
    (
        "0.5.3",
        "jax.sharding.Mesh",
        "callbridge.resurrect._backports._sharding",
        "__init__=takes_types __new__=takes_types",
    ),
    (
        "0.5.3",
        "jax",
        "callbridge.resurrect._backports._sharding",
        "make_mesh=make_mesh_takes_types",
    ),
    (
        "0.6.2",
        "jax.experimental.layout",
        "callbridge.resurrect._backports._sharding",
        "Layout=layout",
    ),
    (
        "0.6.2",
        "jax._src.layout.Layout",
        "callbridge.resurrect._backports._sharding",
        "__init__=takes_layout",
    ),
    (
        "0.4.30",
        "jax.core.UnshapedArray",
        "callbridge.resurrect._backports._avals",
        "_bool=raises_error_of_bool",
    ),
    ("0.10.2", "jax", "callbridge.resurrect._backports._jax", "jit"),
    ("0.4.31", "jax.lax", "callbridge.resurrect._names._newer_parameters", "map=in_batches"),
    (
        "0.4.34",
        "jax.numpy",
        "callbridge.resurrect._names._newer_parameters",
        "arange=on_device array=on_device asarray=on_device empty=on_device empty_like=on_device "
        "eye=on_device full=on_device full_like=on_device linspace=on_device ones=on_device "
        "ones_like=on_device zeros=on_device zeros_like=on_device",
    ),
    (
        "0.4.34",
        "jax.numpy.fft",
        "callbridge.resurrect._names._newer_parameters",
        "fftfreq=on_device rfftfreq=on_device",
    ),
    (
        "0.8.3",
        "jax.tree_util",
        "callbridge.resurrect._backports._trees",
        "register_dataclass=decorates",
    ),
]


def rows(table: list[tuple[str, str, str, str]]) -> list[tuple[str, str, str]]:
    """Returns the rows for a release before that in their first column, without it."""
    return [
        (module, origin, names) for first, module, origin, names in table if not is_since(first)
    ]
