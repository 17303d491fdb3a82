"""The names that JAX removed, and where each comes from.

A name is looked for where programs look for it. Where this JAX has it, nothing is done; where this
JAX lacks its origin either, it stays gone, with JAX's own error.
"""

# Module, origin, names. A name that has another name there: "name=other". What lives on elsewhere
# in JAX is restored as it is there; the rest is made anew in this package.
RESTORED = [
    # ---- Registration, and translation rules, up to 2022 --------------------------------
    (
        "jax.lib.xla_client",
        "callbridge.resurrect._registration._untyped",
        "register_custom_call_target register_cpu_custom_call_target",
    ),
    (
        "jaxlib.xla_client",
        "callbridge.resurrect._registration._untyped",
        "register_cpu_custom_call_target",
    ),
    (
        "jaxlib.xla_client",
        "callbridge.resurrect._registration._ffi",
        "register_custom_type register_custom_type_id",
    ),
    (
        "jax.lib.xla_client",
        "jaxlib.xla_client",
        "register_custom_type register_custom_type_id",
    ),
    ("jax.ffi", "callbridge.resurrect._registration._ffi", "register_ffi_type"),
    ("jaxlib.xla_client", "callbridge.resurrect._builder._ops", "ops XlaOp XlaBuilder"),
    ("jax.lib.xla_client", "jaxlib.xla_client", "ops XlaOp XlaBuilder"),
    (
        "jax.lib.xla_client",
        "callbridge.resurrect._lowering._xla_shapes",
        "dtype_to_etype shape_from_pyval",
    ),
    (
        "jaxlib.xla_client",
        "callbridge.resurrect._lowering._xla_shapes",
        "dtype_to_etype shape_from_pyval",
    ),
    (
        "jax.lib.xla_client",
        "jaxlib.xla_client",
        "Shape ProgramShape PrimitiveType XlaComputation XlaRuntimeError Client CompileOptions "
        "Device DeviceAssignment Frame HloSharding OpSharding Traceback Layout ArrayImpl "
        "CustomCallTargetTraits get_topology_for_devices register_custom_call_partitioner "
        "xla_platform_names _version _xla",
    ),
    ("jax.lib.xla_client", "ml_dtypes", "bfloat16"),
    (
        "jax.lib.xla_client",
        "jaxlib.xla_client callbridge.resurrect._builder._client",
        "ShapeIndex",
    ),
    ("jax.lib.xla_client", "jaxlib.xla_client jax.lax", "FftType"),
    ("jax.lib.xla_extension", "jaxlib._jax", "Client CompileOptions Device Memory Traceback"),
    (
        "jax.lib.xla_extension",
        "jaxlib.xla_client",
        "Shape PrimitiveType XlaRuntimeError ops XlaOp XlaBuilder",
    ),
    ("jaxlib.xla_extension", "jaxlib._jax", "Client CompileOptions Device Memory Traceback"),
    (
        "jaxlib.xla_extension",
        "jaxlib.xla_client",
        "Shape PrimitiveType XlaRuntimeError ops XlaOp XlaBuilder",
    ),
    (
        "jax.interpreters.xla",
        "callbridge.resurrect._builder._translations",
        "backend_specific_translations translations register_translation TranslationContext "
        "TranslationRule aval_to_xla_shapes xla_destructure",
    ),
    ("jax.interpreters.xla", "jaxlib.xla_client", "XlaOp"),
    # ---- Lowering rules of 2022 to 2024 ----------------------------------------------------------
    ("jax.interpreters.mlir", "callbridge.resurrect._lowering._mlir", "custom_call"),
    ("jax.interpreters.mlir", "jax._src.interpreters.mlir", "func_dialect hlo ReplicaAxisContext"),
    (
        "jax.interpreters.mlir",
        "jax._src.interpreters.mlir",
        "flatten_lowering_ir_args=flatten_ir_values dense_bool_array",
    ),
    # Its name until jaxlib 0.4.1.
    (
        "jaxlib.mhlo_helpers",
        "callbridge.resurrect._lowering._mlir",
        "custom_call=hlo_custom_call dtype_to_ir_type shape_dtype_to_ir_type",
    ),
    # ---- Modules of one name ---------------------------------------------------------------------
    ("jax.config", "jax", "config"),
    ("jax.abstract_arrays", "jax.core", "ShapedArray"),
    (
        "jax.abstract_arrays",
        "callbridge.resurrect._backports._avals",
        "raise_to_shaped make_shaped_array",
    ),
    (
        "jax.abstract_arrays",
        "callbridge.resurrect._backports._avals",
        "array_types zeros_like_array",
    ),
    (
        "jax.ad_util",
        "jax._src.ad_util",
        "Zero SymbolicZero add_jaxvals add_jaxvals_p add_any_p instantiate stop_gradient_p "
        "zeros_like_aval zeros_like_p raw_jaxval_adders aval_zeros_likers",
    ),
    ("jax.linear_util", "callbridge.resurrect._backports._avals", "wrap_init"),
    (
        "jax.linear_util",
        "jax._src.linear_util",
        "StoreException WrappedFun cache merge_linear_aux transformation transformation_with_aux",
    ),
    (
        "jax.util",
        "jax._src.util",
        "HashableFunction cache safe_map safe_zip split_list split_list_checked subvals unzip2 "
        "unzip3 wraps partition_list merge_lists",
    ),
    ("jax.lib.xla_bridge", "jax._src.xla_bridge", "get_backend backends"),
    (
        "jax.lib.xla_bridge",
        "jax",
        "default_backend devices local_devices device_count local_device_count process_index "
        "process_count host_count=process_count host_id=process_index",
    ),
    ("jax.lib.xla_bridge", "jax.lib", "xla_client"),
    # ---- jax -------------------------------------------------------------------------------------
    (
        "jax",
        "jax.tree_util",
        "tree_flatten tree_leaves tree_map tree_structure tree_transpose tree_unflatten "
        "tree_multimap=tree_map treedef_is_leaf tree_reduce tree_all",
    ),
    ("jax.tree_util", "jax.tree_util", "tree_multimap=tree_map"),
    ("jax.lax", "callbridge.resurrect._backports._avals", "zeros_like_array"),
    ("jax.experimental", "jax", "enable_x64"),
    (
        "jax._src.config.Config",
        "callbridge.resurrect._backports._jax",
        "DEFINE_bool DEFINE_enum DEFINE_float DEFINE_integer DEFINE_string FLAGS "
        "check_exists define_bool_state define_enum_state define_float_state "
        "define_int_state define_string_or_object_state define_string_state",
    ),
    ("jax._src.config.Config", "callbridge.resurrect._names._options", "__getattr__=attribute"),
    # ---- jax.core --------------------------------------------------------------------------------
    (
        "jax.core",
        "callbridge.resurrect._backports._avals",
        "raise_to_shaped concrete_aval get_aval",
    ),
    (
        "jax.core",
        "jax._src.core",
        "Primitive Jaxpr ClosedJaxpr JaxprEqn Literal Var Token AbstractToken CallPrimitive "
        "DebugInfo DropVar Effect Effects array_types call_impl check_jaxpr jaxpr_as_fun "
        "jaxprs_in_params mapped_aval new_jaxpr_eqn no_effects primal_dtype_to_tangent_dtype "
        "subjaxprs valid_jaxtype set_current_trace take_current_trace",
    ),
    ("jax.core", "jax.extend.core", "ClosedJaxpr"),  # one class with Jaxpr since 0.12
    (
        "jax.core",
        "jax._src.core",
        "AxisName AxisSize JaxprPpContext JaxprPpSettings abstract_token aval_mapping_handlers "
        "call_p canonicalize_shape check_eqn check_type closed_call_p custom_typechecks "
        "dedup_referents definitely_equal dimension_as_value eval_jaxpr full_lower get_aval "
        "get_referent is_concrete is_constant_dim is_constant_shape is_empty_shape join_effects "
        "literalable_types pp_aval pp_eqn pp_eqns pp_jaxpr pp_jaxprs pp_var pp_vars same_referent "
        "stride_dim trace_state_clean traverse_jaxpr_params typecheck typecompat typematch",
    ),
    ("jax.core", "jax._src.util", "safe_map safe_zip tuple_insert tuple_delete unzip2"),
    (
        "jax.core",
        "jax.errors",
        "ConcretizationTypeError InconclusiveDimensionOperation JaxprTypeError "
        "TracerArrayConversionError TracerIntegerConversionError UnexpectedTracerError",
    ),
    # ---- jax.interpreters ------------------------------------------------------------------------
    ("jax.interpreters.xla", "jax._src.dispatch", "apply_primitive"),
    (
        "jax.interpreters.xla",
        "callbridge.resurrect._backports._avals",
        "abstractify canonicalize_dtype",
    ),
    ("jax.interpreters.xla", "jax._src.core", "pytype_aval_mappings"),
    ("jax.interpreters.xla", "jax.core", "ShapedArray"),
    ("jax.interpreters.xla", "jax.lib", "xb=xla_bridge xc=xla_client xe=xla_extension"),
    (
        "jax.interpreters.ad",
        "jax._src.interpreters.ad",
        "CustomVJPException bilinear_transpose custom_lin_p defjvp_zero linear_jvp "
        "linear_transpose reducing_transposes standard_jvp standard_jvp2 zero_jvp",
    ),
    ("jax.interpreters.ad", "jax._src.ad_util", "zeros_like_p zeros_like_jaxval"),
    ("jax.interpreters.ad", "callbridge.resurrect._backports._avals", "instantiate_zeros_aval"),
    (
        "jax.interpreters.batching",
        "jax._src.interpreters.batching",
        "BatchTracer NotMapped is_vmappable moveaxis",
    ),
    ("jax.interpreters.batching", "callbridge.resurrect._backports._avals", "not_mapped"),
    (
        "jax.interpreters.batching",
        "callbridge.resurrect._backports._interpreters",
        "broadcast_batcher vectorized_batcher",
    ),
    ("jax.interpreters.pxla", "jax._src.interpreters.pxla", "xla_pmap_p"),
    ("jax.interpreters.pxla", "jax.sharding", "Mesh PartitionSpec"),
    (
        "jax.interpreters.partial_eval",
        "jax._src.interpreters.partial_eval",
        "close_jaxpr convert_constvars_jaxpr convert_invars_to_constvars make_jaxpr_effects "
        "move_binders_to_back move_binders_to_front partial_eval_jaxpr_custom "
        "partial_eval_jaxpr_nounits partition_pvals",
    ),
    ("jax.interpreters.partial_eval", "jax._src.core", "Jaxpr"),
]

# Names that JAX has, where calls of old programs are errors now: the function in `wrappers` is
# given JAX's own and returns what takes its place, or None where this JAX needs none.
# Module, wrappers, names.
WRAPPED = [
    (
        "jax.interpreters.mlir",
        "callbridge.resurrect._builder._wrappers",
        "aval_to_ir_type ir_constant ir_constants=ir_constant",
    ),
    (
        "jax.interpreters.mlir",
        "callbridge.resurrect._lowering._stablehlo",
        "custom_call",
    ),
    (
        "jax._src.interpreters.mlir",
        "callbridge.resurrect._lowering._stablehlo",
        "custom_call=jax_custom_call",
    ),
    (
        "jax._src.interpreters.mlir",
        "callbridge.resurrect._registration._untyped_of_xla",
        "lower_jaxpr_to_module",
    ),
    (
        "jax._src.interpreters.mlir.LoweringCacheKey",
        "callbridge.resurrect._lowering._private_calls",
        "__new__=new_lowering_key __init__=init_lowering_key",
    ),
    (
        "jax._src.interpreters.partial_eval.DynamicJaxprTrace",
        "callbridge.resurrect._lowering._private_calls",
        "default_process_primitive",
    ),
    (
        "jaxlib.hlo_helpers",
        "callbridge.resurrect._lowering._stablehlo",
        "custom_call=hlo_custom_call",
    ),
    (
        "jax._src.interpreters.xla",
        "callbridge.resurrect._builder._wrappers",
        "_translations=private_translations "
        "_backend_specific_translations=private_translations_by_platform",
    ),
    ("jax._src.interpreters.ad", "callbridge.resurrect._builder._wrappers", "maybe_jvp_tracer"),
    *(
        (
            module,
            "callbridge.resurrect._backports._interpreters",
            "primitive_batchers axis_primitive_batchers",
        )
        for module in ("jax.interpreters.batching", "jax._src.interpreters.batching")
    ),
    (
        "jax.interpreters.xla",
        "callbridge.resurrect._backports._interpreters",
        "canonicalize_dtype_handlers",
    ),
    ("jax._src.xla_bridge", "callbridge.resurrect._builder._wrappers", "is_known_platform"),
    *(
        (module, "callbridge.resurrect._backports._jax", "__version__=release")
        for module in ("jax", "jax.version", "jaxlib", "jaxlib.version")
    ),
    ("jax._src.config.Config", "callbridge.resurrect._names._options", "read update"),
    ("jax._src.array.ArrayImpl", "callbridge.resurrect._names._newer_attributes", "device"),
    *(
        (
            f"{module}.PRNGKeyArray",
            "callbridge.resurrect._names._newer_attributes",
            "device=device_of_keys",
        )
        for module in ("jax._src.prng", "jax._src.random.prng")
    ),
    ("jax.core", "callbridge.resurrect._builder._wrappers", "lattice_join"),
    ("jax", "callbridge.resurrect._builder._wrappers", "ad=namespace_of_ad"),
    (
        "jaxlib._jax.ArrayMeta",
        "callbridge.resurrect._builder._wrappers",
        "__subclasscheck__=is_array_class",
    ),
    (
        "jax._src.core.UnshapedArray",
        "callbridge.resurrect._builder._wrappers",
        "__init__=unshaped_array_init",
    ),
    (
        "jaxlib.xla_client",
        "callbridge.resurrect._registration._registries",
        "_custom_callback=target_lists _custom_callback_handler=target_functions "
        "_custom_type_id=type_lists _custom_type_id_handler=type_functions",
    ),
    (
        "jaxlib.xla_client._xla",
        "callbridge.resurrect._registration._registries",
        "register_custom_call_target=xlas_function",
    ),
    ("jax.ffi", "callbridge.resurrect._builder._wrappers", "register_ffi_type_id"),
    ("jaxlib.xla_client", "callbridge.resurrect._builder._wrappers", "register_custom_call_target"),
    (
        "jax.lib.xla_client",
        "callbridge.resurrect._builder._wrappers",
        "register_custom_call_target",
    ),
    (
        "jaxlib.mlir.dialects.stablehlo.CustomCallOp",
        "callbridge.resurrect._lowering._stablehlo",
        "__init__=custom_call_op_init build_generic=custom_call_op_build_generic",
    ),
    (
        "jaxlib.xla_extension.ops",
        "callbridge.resurrect._builder._wrappers",
        "Abs Acos Acosh Add AfterAll AllGather AllReduce AllToAll And ApproxTopK "
        "ApproxTopKFallback Asin Asinh Atan Atan2 Atanh BesselI0e BesselI1e BitcastConvertType "
        "Broadcast BroadcastInDim Call Cbrt Ceil Cholesky Clamp Clz Collapse CollectivePermute "
        "Complex ConcatInDim Conditional Conj Constant ConstantLiteral ConvGeneralDilated "
        "ConvertElementType Cos Cosh CreateToken CrossReplicaSum CustomCall "
        "CustomCallWithAliasing CustomCallWithComputation CustomCallWithLayout Digamma Div Dot "
        "DotGeneral DynamicReshape DynamicSlice DynamicUpdateSlice Eigh Eq Erf ErfInv Erfc Exp "
        "Expm1 Fft Floor Gather Ge GetDimensionSize GetTupleElement Gt Igamma IgammaGradA "
        "Igammac Imag InfeedWithToken Iota IsFinite LU Le Lgamma Log Log1p Logistic Lt Map Max Min "
        "Mul MultiCollectivePermute Ne Neg NextAfter Not OptimizationBarrier Or OutfeedWithToken "
        "Pad Parameter PopulationCount Pow ProductOfElementaryHouseholderReflectors QR "
        "QrDecomposition RandomGammaGrad Real Reciprocal RecvFromHost Reduce ReducePrecision "
        "ReduceScatter ReduceWindowWithGeneralPadding RegularizedIncompleteBeta Rem "
        "RemoveDynamicDimension ReplicaId Reshape Rev RngBitGenerator RngNormal RngUniform "
        "Round Rsqrt SVD Scatter Select SelectAndScatterWithGeneralPadding SendToHost "
        "SetDimensionSize ShiftLeft ShiftRightArithmetic ShiftRightLogical Sign Sin Sinh Slice "
        "SliceInDim Sort Sqrt Square Sub Tan Tanh TopK Transpose TriangularSolve Tuple While "
        "Xor Zeta",
    ),
]
