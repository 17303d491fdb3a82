"""Parameters that functions of JAX lost: a call that passes one does the same as before, if it can.

A parameter that says what JAX does now anyway is dropped; one that was renamed is renamed; any
other value is refused by an error that names it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from callbridge.resurrect._backports import _interpreters
from callbridge.resurrect._backports._avals import manual_axis_type
from callbridge.resurrect._lowering import _private_calls
from callbridge.resurrect._names import _lists, _refused_forms
from callbridge.resurrect._names._adapters import (
    Adapter,
    becomes,
    by_name,
    by_position,
    dropped,
    only,
    renamed,
)


def _vectorized(function: str, args: tuple, keywords: dict) -> tuple:
    """One call for all of a batch where true, and one after another where false."""
    if (value := keywords.pop("vectorized", None)) is not None:
        keywords["vmap_method"] = "legacy_vectorized" if value else "sequential"
    return args


_vectorized.shown = ("vectorized",)  # type: ignore[attr-defined]


def _precision(function: str, args: tuple, keywords: dict) -> tuple:
    """An algorithm is a precision now."""
    if (algorithm := keywords.pop("algorithm", None)) is not None:
        keywords["precision"] = algorithm
    return args


_precision.shown = ("algorithm",)  # type: ignore[attr-defined]


def _varying_axes(function: str, args: tuple, keywords: dict) -> tuple:
    """The axes over which values vary are a part of the manual axis type now."""
    if (axes := keywords.pop("vma", None)) is not None:
        if keywords.get("manual_axis_type") is not None:
            raise TypeError(f"{function}: expected vma or manual_axis_type, got both")
        if not isinstance(axes, (set, frozenset)):
            raise TypeError(
                f"{function}: expected a set or frozenset as vma, got {type(axes).__name__}"
            )
        keywords["manual_axis_type"] = manual_axis_type(axes)
    return args


_varying_axes.shown = ("vma",)  # type: ignore[attr-defined]

_NO_NAMES = only("named_shape", None, {}, instead="JAX removed named axes with xmap")
_NO_DYNAMIC = only("abstracted_axes", None, instead="use jax.export.symbolic_shape")

_OF_DOT = (_precision, only("transpose_algorithm", None))


def _newshape(function: str, args: tuple, keywords: dict) -> tuple:
    """reshape's shape, by the name that NumPy had for it."""
    if "newshape" in keywords:
        keywords["shape"] = keywords.pop("newshape")
    return args


_newshape.shown = ("newshape",)  # type: ignore[attr-defined]


def _shape_tuple(function: str, args: tuple, keywords: dict) -> tuple:
    """AbstractMesh of pairs of names and sizes, as until 0.5."""
    made, *rest = args
    pairs = keywords.pop("shape_tuple", rest[0] if len(rest) == 1 else None)
    if isinstance(pairs, tuple) and all(isinstance(pair, tuple) for pair in pairs):
        if not keywords.keys() & {"axis_sizes", "axis_names"}:
            return made, tuple(size for _, size in pairs), tuple(name for name, _ in pairs)
    return args


_shape_tuple.shown = ("shape_tuple",)  # type: ignore[attr-defined]
_shape_tuple.of_position = True  # type: ignore[attr-defined]


def _no_dtype(function: str, args: tuple, keywords: dict) -> tuple:
    """None is NumPy's default, as for numpy.dtype()."""
    if len(args) > 2 and args[2] is None:
        args = (*args[:2], np.dtype(None), *args[3:])
    elif keywords.get("dtype", args) is None:
        keywords["dtype"] = np.dtype(None)
    return args


_no_dtype.of_position = True  # type: ignore[attr-defined]

# Module or class, the first release without them, its functions, and what to do.
ROWS: list[tuple[str, str, str, tuple[Adapter, ...]]] = [
    ("jax.core.ShapedArray", "0.4.34", "__init__ __new__", (_NO_NAMES,)),
    (
        "jax.core.ShapedArray",
        "0.6.2",
        "__init__ __new__",
        (renamed("varying_manual_axes", "vma"),),
    ),
    (
        "jax.ShapeDtypeStruct",
        "0.4.34",
        "__init__",
        (by_position(3, "named_shape", "sharding"), _NO_NAMES),
    ),
    ("jax.ShapeDtypeStruct", "0.4.13", "__init__", (_no_dtype,)),
    ("jax.ShapeDtypeStruct", "0.10.2", "__init__ update", (_varying_axes,)),
    ("jax.core.ShapedArray", "0.10.2", "__init__ __new__ update", (_varying_axes,)),
    # By position first, then what is made of each by its name.
    (
        "jax",
        "0.6.2",
        "jit",
        (
            by_position(
                1,
                "in_shardings",
                "out_shardings",
                "static_argnums",
                "static_argnames",
                "donate_argnums",
                "donate_argnames",
                "keep_unused",
                "device",
                "backend",
                "inline",
                "abstracted_axes",
                "compiler_options",
            ),
        ),
    ),
    ("jax", "0.8.3", "jit make_jaxpr", (_NO_DYNAMIC,)),
    (
        "jax",
        "0.10.2",
        "checkpoint remat",
        (only("concrete", False, instead="use static_argnums"),),
    ),
    ("jax", "0.12.0.1", "make_mesh", (renamed("axis_shapes", "axis_sizes"),)),
    ("jax", "0.10.2", "pmap", (only("global_arg_shapes", None),)),
    ("jax", "0.6.2", "pure_callback", (_vectorized,)),
    ("jax.ffi", "0.6.2", "ffi_call", (_vectorized,)),
    (
        "jax.extend.backend",
        "0.10.2",
        "get_compile_options",
        (
            dropped("use_spmd_partitioning", "use_auto_spmd_partitioning"),
            dropped("auto_spmd_partitioning_mesh_shape", "auto_spmd_partitioning_mesh_ids"),
        ),
    ),
    ("jax.extend.core.ClosedJaxpr", "0.12.0.1", "__init__", (renamed("jaxpr", "constvars"),)),
    ("jax.extend.core.JaxprEqn", "0.8.3", "__init__", (renamed("effects", "effs"),)),
    ("jaxlib.xla_client", "0.4.30", "make_cpu_client", (dropped("use_tfrt"),)),
    ("jax.extend.core.Var", "0.6.2", "__init__", (dropped("suffix", "count"),)),
    (
        "jax.extend.core.Var",
        "0.12.0.1",
        "__init__",
        (only("initial_qdd", None), only("final_qdd", None)),
    ),
    ("jax.extend.linear_util", "0.4.38", "transformation_with_aux", (only("use_eq_store", False),)),
    ("jax.extend.source_info_util.user_context", "0.5.3", "__init__", (renamed("c", "traceback"),)),
    (
        "jax.interpreters.mlir",
        "0.6.2",
        "emit_python_callback",
        (only("operand_layouts", None), only("result_layouts", None)),
    ),
    (
        "jax.interpreters.mlir",
        "0.4.30",
        "lower_jaxpr_to_fun",
        (
            only("create_tokens", False),
            only("replace_tokens_with_dummy", False),
            only("num_output_tokens", 0),
        ),
    ),
    (
        "jax.interpreters.mlir",
        "0.7.2",
        "lower_jaxpr_to_fun",
        (dropped("public", "api_name"), only("name_stack", None)),
    ),
    (
        "jax.interpreters.pxla",
        "0.4.30",
        "global_avals_to_results_handler",
        (dropped("are_out_shardings_from_xla"),),
    ),
    ("jax.interpreters.partial_eval", "0.5.3", "trace_to_jaxpr_dynamic", (dropped("debug_info"),)),
    (
        "jax.lax",
        "0.5.3",
        "broadcast broadcast_in_dim reshape",
        (renamed("sharding", "out_sharding"),),
    ),
    ("jax.lax", "0.5.3", "broadcasted_iota", (renamed("_sharding", "out_sharding"),)),
    ("jax.lax", "0.4.31", "cond", (dropped("linear"),)),
    ("jax.lax", "0.4.38", "dot dot_general", _OF_DOT),
    ("jax.lax", "0.5.3", "dot_general", (renamed("out_type", "out_sharding"),)),
    (
        "jax.lax",
        "0.9.2",
        "cbrt cos exp exp2 expm1 log log1p logistic rsqrt sin sqrt tan tanh",
        (by_position(1, "accuracy"),),
    ),
    ("jax.core.ShapedArray", "0.5.3", "__init__ __new__", (by_position(4, "sharding"),)),
    ("jax.dlpack", "0.4.30", "from_dlpack", (renamed("dlpack", "external_array"),)),
    (
        "jax.dtypes",
        "0.4.30",
        "canonicalize_dtype",
        (renamed("allow_opaque_dtype", "allow_extended_dtype"),),
    ),
    # ---- jax.numpy, jax.scipy and jax.nn ---------------------------------------------------------
    (
        "jax.numpy",
        "0.4.30",
        "clip",
        (by_position(3, "out"), only("out", None)),
    ),
    (
        "jax.numpy",
        "0.10.2",
        "clip",
        (by_name("a"), renamed("a_min", "min"), renamed("a_max", "max")),
    ),
    ("jax.numpy", "0.4.30", "compress", (by_position(3, "out"),)),
    ("jax.numpy", "0.4.30", "where", (by_name("condition", "x", "y"),)),
    ("jax.numpy", "0.4.30", "einsum", (only("_use_xeinsum", False),)),
    ("jax.numpy", "0.5.3", "einsum", (renamed("out_type", "out_sharding"),)),
    ("jax.numpy", "0.4.30", "einsum_path", (by_name("subscripts"),)),
    ("jax.numpy", "0.4.30", "from_dlpack", (by_name("x"),)),
    ("jax.numpy", "0.4.30", "sort argsort", (by_position(2, "kind", "order"),)),
    ("jax.numpy", "0.4.36", "reshape", (_newshape,)),
    (
        "jax.numpy",
        "0.8.0",
        "nanpercentile nanquantile percentile quantile",
        (by_position(7, "interpolation"), renamed("interpolation", "method")),
    ),
    ("jax.numpy.linalg", "0.4.30", "matrix_rank", (by_position(1, "tol"),)),
    ("jax.numpy.linalg", "0.4.30", "pinv", (by_position(1, "rcond"),)),
    ("jax.nn", "0.4.36", "log_softmax softmax", (dropped("initial"),)),
    (
        "jax.example_libraries.stax",
        "0.4.36",
        "log_softmax logsoftmax softmax",
        (dropped("initial"),),
    ),
    (
        "jax.scipy.linalg",
        "0.4.30",
        "solve",
        (becomes("sym_pos", "assume_a", lambda is_so: "pos" if is_so else "gen"),),
    ),
    ("jax.scipy.special", "0.4.30", "exp1", (dropped("module"),)),
    ("jax.scipy.stats.gennorm", "0.4.30", "cdf logpdf pdf", (renamed("p", "beta"),)),
    # ---- jax.experimental, jax.export and jax.sharding -------------------------------------------
    (
        "jax.experimental.pjit",
        "0.4.30",
        "pjit",
        (
            renamed("in_axis_resources", "in_shardings"),
            renamed("out_axis_resources", "out_shardings"),
        ),
    ),
    ("jax.experimental.pjit", "0.8.3", "pjit", (_NO_DYNAMIC,)),
    (
        "jax.experimental.layout.Format",
        "0.7.2",
        "__init__",
        (renamed("device_local_layout", "layout"),),
    ),
    ("jax.experimental.sparse", "0.4.38", "bcoo_dot_general bcsr_dot_general", _OF_DOT),
    ("jax.experimental.sparse.bcoo", "0.4.38", "bcoo_dot_general", _OF_DOT),
    ("jax.experimental.sparse.bcsr", "0.4.38", "bcsr_dot_general", _OF_DOT),
    (
        "jax.experimental.sparse",
        "0.5.3",
        "bcoo_dot_general bcsr_dot_general",
        (renamed("out_type", "out_sharding"),),
    ),
    (
        "jax.experimental.sparse.bcoo",
        "0.5.3",
        "bcoo_dot_general",
        (renamed("out_type", "out_sharding"),),
    ),
    (
        "jax.experimental.sparse.bcsr",
        "0.5.3",
        "bcsr_dot_general",
        (renamed("out_type", "out_sharding"),),
    ),
    ("jax.export", "0.4.38", "export", (renamed("lowering_platforms", "platforms"),)),
    (
        "jax.export",
        "0.4.38",
        "symbolic_args_specs",
        (renamed("symbolic_constraints", "constraints"), renamed("symbolic_scope", "scope")),
    ),
    ("jax.sharding.AbstractMesh", "0.5.3", "__new__ __init__", (_shape_tuple,)),
    ("jax.stages.ArgInfo", "0.4.30", "__new__ __init__", (renamed("aval", "_aval"),)),
]

# Parameters that cannot be restored, of what is part of JAX's own machinery: by function, the key
# of the reason in _not_had.py, and the parameters.
NOT_HAD = {
    "jax.core.Trace": ("main-traces", "main sublevel"),
    "jax.interpreters.ad.JVPTrace": ("main-traces", "main sublevel"),
    "jax.interpreters.mlir.LoweringRuleContext": ("lowering", "compute_type"),
    "jax.interpreters.mlir.ModuleContext": (
        "lowering",
        "platform name_stack cached_call_jaxpr_lowerings backend_or_name",
    ),
    "jax.interpreters.mlir.ShardingContext": ("lowering", "mesh_shape"),
    "jax.experimental.jet.JetTrace": ("main-traces", "main sublevel"),
    "jax.experimental.sparse.transform.SparseTrace": ("main-traces", "main sublevel"),
    "jax.experimental.sparse.transform.lift_jvp": ("lowering", "jvp_jaxpr_thunk"),
    "jax.experimental.multihost_utils.ltg_batcher": (
        "lowering",
        "spmd_axis_name axis_size axis_name main_type",
    ),
    "jax.experimental.ode.ravel_first_arg": ("lowering", "debug_info"),
    "jax.api_util.donation_vector": ("compiled-functions", "args kwargs"),
    "jax.stages.Traced": (
        "compiled-functions",
        "abstract_mesh jaxpr args_info fun_name lower_callable args_flat arg_names lfg num_consts",
    ),
    "jax.export.Exported": ("compiled-functions", "_has_named_shardings"),
    "jax.extend.mlir.lower_with_sharding_in_types": ("lowering", "sharding_proto"),
    "jax.interpreters.mlir.jaxpr_subcomp": ("lowering", "consts"),
    "jax.interpreters.mlir.lower_jaxpr_to_module": (
        "lowering",
        "platform name_stack mesh_shape_tuple backend_or_name num_replicas",
    ),
}
# Those that other modules see to: _wrappers.py, and the functions below.
ELSEWHERE = {
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


def batch_jaxpr_axes(original: Callable) -> Callable:
    """Takes the axis in parts, as until 0.4.36: (jaxpr, size, in_axes, out_axes, name, spmd name,
    class of traces)."""

    @functools.wraps(original)
    def wrapper(closed_jaxpr: Any, axis: Any, in_axes: Any, out_axes: Any, *parts: Any) -> Any:
        if not parts:
            return original(closed_jaxpr, axis, in_axes, out_axes)
        name, spmd_name = parts[0], parts[1]
        data = _interpreters.axis_data(name, axis, spmd_name)
        return original(closed_jaxpr, data, in_axes, out_axes)

    return wrapper


def without_axis(at: int, others: int) -> Callable[[Callable], Callable]:
    """Takes `others` arguments without the axis of the batch, as until 0.7; JAX's own rules, which
    do not look at it, have it at position `at`."""

    def make(original: Callable) -> Callable:
        @functools.wraps(original)
        def wrapper(*args: Any, **keywords: Any) -> Any:
            if len(args) == others:
                args = (*args[:at], None, *args[at:])
            return original(*args, **keywords)

        return wrapper

    return make


def shard_map(original: Callable) -> Callable:
    """Takes the axes that are not split by hand, as until 0.7."""

    def wrapper(
        f: Callable,
        mesh: Any,
        in_specs: Any,
        out_specs: Any,
        check_rep: bool = True,
        auto: frozenset = frozenset(),
    ) -> Any:
        if not auto:
            return original(f, mesh, in_specs, out_specs, check_rep)
        import jax

        return jax.shard_map(
            f,
            mesh=mesh,
            in_specs=in_specs,
            out_specs=out_specs,
            axis_names=frozenset(mesh.axis_names) - frozenset(auto),
            check_vma=check_rep,
        )

    shown = inspect.signature(wrapper)
    functools.update_wrapper(wrapper, original)
    wrapper.__signature__ = shown  # type: ignore[attr-defined]
    return wrapper


def layout(original: Any) -> Any:
    """The class by whose name layouts with a sharding were made, as until 0.6."""
    from callbridge.resurrect._backports._sharding import Layout

    return Layout


def backward_pass(original: Callable) -> Callable:
    """Takes reduce_axes after the jaxpr, as until 0.7, which were xmap's."""

    @functools.wraps(original)
    def wrapper(jaxpr: Any, *args: Any, **keywords: Any) -> Any:
        if len(args) == 5:
            if args[0]:
                raise NotImplementedError(f"backward_pass: JAX has no reduce_axes: {args[0]}")
            args = args[1:]
        return original(jaxpr, *args, **keywords)

    return wrapper


def defreducer(original: Callable) -> Callable:
    """Takes the value of no elements after the primitive, as until 0.8, which JAX asks no more."""

    @functools.wraps(original)
    def wrapper(prim: Any, ident: Any = None) -> None:
        original(prim)

    return wrapper


def inline_operands(original: Callable) -> Callable:
    """Takes operands and attributes beside the target, as until 0.5, and calls it at once."""

    @functools.wraps(original)
    def wrapper(target_name: Any, result_shape_dtypes: Any, *operands: Any, **options: Any) -> Any:
        if not operands:
            return original(target_name, result_shape_dtypes, **options)
        attributes = {name: options.pop(name) for name in [*options] if name not in FFI_OPTIONS}
        if options.get("vectorized") is None and options.get("vmap_method") is None:
            options["vmap_method"] = "sequential"
        return original(target_name, result_shape_dtypes, **options)(*operands, **attributes)

    return wrapper


FFI_OPTIONS = {
    "has_side_effect",
    "vmap_method",
    "vectorized",
    "input_layouts",
    "output_layouts",
    "input_output_aliases",
    "custom_call_api_version",
    "legacy_backend_config",
}


# What calls JAX's own first, and does something only where that refuses the call.
ASKING_FIRST = [*_lists.rows(), *_refused_forms.rows()]

# Functions that took others by position: module, release, name, what makes the wrapper.
BY_POSITION = [
    ("jax.experimental.shard_map", "0.8.3", "shard_map", shard_map),
    ("jax.experimental.layout", "0.7.2", "Layout", layout),
    ("jax.ffi", "0.6.2", "ffi_call", inline_operands),
    ("jax.extend.ffi", "0.6.2", "ffi_call", inline_operands),
    ("jax._src.core.Var", "0.4.13", "__init__", _private_calls.var),
    ("jax._src.core.JaxprEqn", "0.4.30", "__init__", _private_calls.jaxpr_eqn),
    ("jax._src.core.JaxprEqn", "0.4.30", "__new__", _private_calls.jaxpr_eqn),
    ("jax.core", "0.4.38", "find_top_trace", _private_calls.find_top_trace),
    ("jax._src.core.Tracer", "0.4.38", "__hash__", _private_calls.hash_of_tracer),
    ("jax._src.core", "0.4.30", "gensym", _private_calls.gensym),
    ("jax.core", "0.4.30", "gensym", _private_calls.gensym),
    ("jax._src.core", "0.4.13", "new_jaxpr_eqn", _private_calls.new_jaxpr_eqn),
    ("jax.core", "0.4.13", "new_jaxpr_eqn", _private_calls.new_jaxpr_eqn),
    ("jax._src.dtypes", "0.7.2", "dtype", _private_calls.dtype),
    ("jax._src.random", "0.4.30", "_check_prng_key", _private_calls.check_prng_key),
    ("jax._src.random.core", "0.4.30", "_check_prng_key", _private_calls.check_prng_key),
    *(
        (primitive, "0.9.2", "get_bind_params", _private_calls.get_bind_params)
        for primitive in (
            "jax._src.core.Primitive",
            "jax._src.core.CallPrimitive",
            "jax._src.core.ClosedCallPrimitive",
            "jax._src.custom_derivatives.CustomJVPCallPrimitive",
            "jax._src.custom_derivatives.CustomVJPCallPrimitive",
            "jax._src.shard_map.ShardMapPrimitive",
        )
    ),
    ("jax.interpreters.ad", "0.8.3", "backward_pass", backward_pass),
    ("jax.interpreters.batching", "0.9.2", "defreducer", defreducer),
    ("jax.interpreters.batching", "0.4.38", "batch_jaxpr_axes", batch_jaxpr_axes),
    ("jax.interpreters.batching", "0.8.3", "broadcast_batcher", without_axis(1, 3)),
    ("jax.interpreters.batching", "0.8.3", "reducer_batcher", without_axis(2, 5)),
    ("jax.interpreters.batching", "0.8.3", "vectorized_batcher", without_axis(1, 3)),
    *ASKING_FIRST,
]
