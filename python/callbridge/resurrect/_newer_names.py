"""The names that an older JAX has not got yet, and where each is had from.

A name is looked for where programs of today look for it. Where this JAX has it, nothing is done;
where it has not got the origin either, the name stays absent, with JAX's own error. Published
packages with custom calls need these names in order to be imported and run.
"""

# Module, origin, names, as in _names.py. Of several origins the first that has the name counts.
LENT = [
    # ---- Custom calls ----------------------------------------------------------------------------
    ("jax.ffi", "callbridge.resurrect._ffi_call", "ffi_call"),
    ("jax.ffi", "jax._src.ffi", "build_ffi_lowering_function"),
    (
        "jax.ffi",
        "callbridge.resurrect._ffi_lowering",
        "build_ffi_lowering_function ffi_lowering",
    ),
    (
        "jax.ffi",
        "callbridge.resurrect._ffi_registration",
        "register_ffi_target register_ffi_target_as_batch_partitionable pycapsule include_dir",
    ),
    ("jax.ffi", "callbridge.resurrect._types", "register_ffi_type register_ffi_type_id"),
    (
        "jax.extend.ffi",
        "jax.ffi",
        "ffi_call ffi_lowering include_dir pycapsule register_ffi_target",
    ),
    # ---- Primitives and their rules --------------------------------------------------------------
    (
        "jax.extend.core",
        "jax.core",
        "ClosedJaxpr Jaxpr JaxprEqn Literal Primitive Token Var jaxpr_as_fun",
    ),
    ("jax.extend.core", "jax._src.abstract_arrays", "array_types"),
    ("jax.extend.linear_util", "jax.linear_util", "StoreException WrappedFun cache wrap_init"),
    (
        "jax.extend.linear_util",
        "jax.linear_util",
        "merge_linear_aux transformation transformation_with_aux",
    ),
    ("jax.extend.backend", "jax.lib.xla_bridge", "backends get_backend"),
    ("jax.interpreters.ad.Zero", "callbridge.resurrect._newer_jax", "from_primal_value"),
    ("jax._src.ad_util", "callbridge.resurrect._newer_jax", "p2tz"),
    (
        "jax.interpreters.mlir.ModuleContext",
        "callbridge.resurrect._newer_jax",
        "platforms",
    ),
    ("jax._src.core", "callbridge.resurrect._newer_effect", "GenericEffect"),
    # ---- jax -------------------------------------------------------------------------------------
    ("jax", "callbridge.resurrect._newer_jax", "shard_map typeof"),
    ("jax", "jax.experimental", "enable_x64"),
    ("jax", "jax.sharding", "NamedSharding P=PartitionSpec"),
    (
        "jax.tree",
        "jax.tree_util",
        "all=tree_all flatten=tree_flatten flatten_with_path=tree_flatten_with_path "
        "leaves=tree_leaves leaves_with_path=tree_leaves_with_path map=tree_map "
        "map_with_path=tree_map_with_path reduce=tree_reduce structure=tree_structure "
        "transpose=tree_transpose unflatten=tree_unflatten",
    ),
    ("jax.tree", "callbridge.resurrect._newer_trees", "broadcast reduce_associative"),
    (
        "jax.tree_util",
        "callbridge.resurrect._newer_trees",
        "KeyPath register_dataclass register_static",
    ),
    ("jax.errors", "jaxlib.xla_client", "JaxRuntimeError=XlaRuntimeError"),
    ("jax.typing", "jax._src.typing", "DTypeLike"),
    # ---- jax.lax and jax.numpy -------------------------------------------------------------------
    ("jax.lax", "callbridge.resurrect._newer_jax", "axis_size platform_dependent"),
    ("jax.lax", "jax._src.ad_checkpoint", "optimization_barrier=_optimization_barrier"),
    ("jax.lax", "jax._src.lax.lax", "PrecisionLike"),
    ("jax.lax", "jaxlib.xla_client", "FftType"),
    (
        "jax.numpy",
        "jax.numpy",
        "acos=arccos acosh=arccosh asin=arcsin asinh=arcsinh atan=arctan atan2=arctan2 "
        "atanh=arctanh bitwise_invert=invert bitwise_left_shift=left_shift "
        "bitwise_right_shift=right_shift bool=bool_ permute_dims=transpose pow=power",
    ),
    ("jax.numpy", "callbridge.resurrect._newer_arrays", "astype concat matvec vecdot vecmat"),
    ("jax.numpy.linalg", "callbridge.resurrect._newer_arrays", "vecdot"),
]

# Names that JAX has, which do not take yet what programs of today pass: as _names.WRAPPED.
WRAPPED = [
    ("jax.custom_vjp", "callbridge.resurrect._newer_jax", "__init__=nondiff_argnames"),
    ("jax.custom_jvp", "callbridge.resurrect._newer_jax", "__init__=nondiff_argnames"),
    ("jax.extend.ffi", "callbridge.resurrect._newer_ffi_call", "ffi_call"),
]
