"""The names that an older JAX has not got yet, and where each is had from.

A name is looked for where programs of today look for it. Where this JAX has it, nothing is done;
where it has not got the origin either, the name stays absent, with JAX's own error. Published
packages with custom calls need these names in order to be imported and run.
"""

from callbridge._jax_runtimes import is_since

# The release that has all of them, module, origin, names; the last three as in _names.py. Of
# several origins the first that has the name counts.
LENT = [
    # ---- Custom calls ----------------------------------------------------------------------------
    ("0.5.0", "jax.ffi", "callbridge.resurrect._ffi_call", "ffi_call"),
    ("0.8.0", "jax.ffi", "jax._src.ffi", "build_ffi_lowering_function"),
    (
        "0.5.0",
        "jax.ffi",
        "callbridge.resurrect._ffi_lowering",
        "build_ffi_lowering_function ffi_lowering",
    ),
    (
        "0.5.3",
        "jax.ffi",
        "callbridge.resurrect._ffi_registration",
        "register_ffi_target register_ffi_target_as_batch_partitionable pycapsule include_dir",
    ),
    ("0.5.3", "jax.ffi", "callbridge.resurrect._type_functions", "register_ffi_type_id"),
    (
        "0.5.0",
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
    ("0.4.30", "jax.extend.backend", "jax.lib.xla_bridge", "backends get_backend"),
    ("0.4.38", "jax.interpreters.ad.Zero", "callbridge.resurrect._newer_jax", "from_primal_value"),
    ("0.9.2", "jax._src.ad_util", "callbridge.resurrect._newer_jax", "p2tz"),
    (
        "0.4.30",
        "jax.interpreters.mlir.ModuleContext",
        "callbridge.resurrect._newer_jax",
        "platforms",
    ),
    ("0.7.2", "jax._src.core", "callbridge.resurrect._newer_effect", "GenericEffect"),
    # ---- jax -------------------------------------------------------------------------------------
    ("0.6.2", "jax", "callbridge.resurrect._newer_jax", "shard_map typeof"),
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
    ("0.7.2", "jax.tree", "callbridge.resurrect._newer_trees", "broadcast reduce_associative"),
    (
        "0.4.38",
        "jax.tree_util",
        "callbridge.resurrect._newer_trees",
        "KeyPath register_dataclass register_static",
    ),
    ("0.4.38", "jax.errors", "jaxlib.xla_client", "JaxRuntimeError=XlaRuntimeError"),
    ("0.4.30", "jax.typing", "jax._src.typing", "DTypeLike"),
    # ---- jax.lax and jax.numpy -------------------------------------------------------------------
    ("0.6.2", "jax.lax", "callbridge.resurrect._newer_jax", "axis_size platform_dependent"),
    (
        "0.4.38",
        "jax.lax",
        "jax._src.ad_checkpoint",
        "optimization_barrier=_optimization_barrier",
    ),
    ("0.4.30", "jax.lax", "jax._src.lax.lax", "PrecisionLike"),
    ("0.4.38", "jax.lax", "jaxlib.xla_client", "FftType"),
    (
        "0.4.38",
        "jax.numpy",
        "jax.numpy",
        "acos=arccos acosh=arccosh asin=arcsin asinh=arcsinh atan=arctan atan2=arctan2 "
        "atanh=arctanh bitwise_invert=invert bitwise_left_shift=left_shift "
        "bitwise_right_shift=right_shift bool=bool_ permute_dims=transpose pow=power",
    ),
    (
        "0.4.38",
        "jax.numpy",
        "callbridge.resurrect._newer_arrays",
        "astype concat matvec vecdot vecmat",
    ),
    ("0.4.30", "jax.numpy.linalg", "callbridge.resurrect._newer_arrays", "vecdot"),
]

# Names that JAX has, which do not take yet what programs of today pass: the release that does, and
# the rest as in _names.WRAPPED.
WRAPPED = [
    ("0.7.2", "jax.custom_vjp", "callbridge.resurrect._newer_jax", "__init__=nondiff_argnames"),
    ("0.7.2", "jax.custom_jvp", "callbridge.resurrect._newer_jax", "__init__=nondiff_argnames"),
    ("0.4.38", "jax.extend.ffi", "callbridge.resurrect._newer_ffi_call", "ffi_call"),
]


def rows(table: list[tuple[str, str, str, str]]) -> list[tuple[str, str, str]]:
    """Returns the rows for a release before that in their first column, without it."""
    return [
        (module, origin, names) for first, module, origin, names in table if not is_since(first)
    ]
