"""Parameters that functions of JAX lost: a call that passes one does the same as before, if it can.

A parameter that says what JAX does now anyway is dropped; one that was renamed is renamed; any
other value is refused by an error that names it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from callbridge.resurrect import _not_had
from callbridge.resurrect._avals import manual_axis_type

# Changes the keywords of a call of the function that is named.
Adapter = Callable[[str, dict], None]


def only(parameter: str, *values: Any, instead: str = "") -> Adapter:
    """Drops the parameter where it has one of these values."""

    def adapt(function: str, keywords: dict) -> None:
        if parameter in keywords:
            value = keywords.pop(parameter)
            if not any(value is v or (type(value) is type(v) and value == v) for v in values):
                raise NotImplementedError(
                    f"{function}: callbridge.resurrect cannot restore {parameter}={value!r}; "
                    + (instead or "JAX removed the parameter without another")
                )

    return adapt


def dropped(*parameters: str) -> Adapter:
    """Of parameters whose values changed nothing but how JAX did it."""

    def adapt(function: str, keywords: dict) -> None:
        for parameter in parameters:
            keywords.pop(parameter, None)

    return adapt


def renamed(parameter: str, to: str) -> Adapter:
    def adapt(function: str, keywords: dict) -> None:
        if parameter in keywords:
            keywords[to] = keywords.pop(parameter)

    return adapt


def _vectorized(function: str, keywords: dict) -> None:
    """One call for all of a batch where true, and one after another where false."""
    if (value := keywords.pop("vectorized", None)) is not None:
        keywords["vmap_method"] = "legacy_vectorized" if value else "sequential"


def _precision(function: str, keywords: dict) -> None:
    """An algorithm is a precision now."""
    if (algorithm := keywords.pop("algorithm", None)) is not None:
        keywords["precision"] = algorithm


def _varying_axes(function: str, keywords: dict) -> None:
    """The axes over which values vary are a part of the manual axis type now."""
    if (axes := keywords.pop("vma", None)) is not None:
        if keywords.get("manual_axis_type") is not None:
            raise TypeError(f"{function}: expected vma or manual_axis_type, got both")
        if not isinstance(axes, (set, frozenset)):
            raise TypeError(
                f"{function}: expected a set or frozenset as vma, got {type(axes).__name__}"
            )
        keywords["manual_axis_type"] = manual_axis_type(axes)


_NO_NAMES = only("named_shape", None, {}, instead="JAX removed named axes with xmap")
_NO_DYNAMIC = only("abstracted_axes", None, instead="use jax.export.symbolic_shape")

# Module or class, the first release without them, its functions, and what to do.
ROWS: list[tuple[str, str, str, tuple[Adapter, ...]]] = [
    ("jax.core.ShapedArray", "0.4.34", "__init__ __new__", (_NO_NAMES,)),
    (
        "jax.core.ShapedArray",
        "0.6.2",
        "__init__ __new__",
        (renamed("varying_manual_axes", "vma"),),
    ),
    ("jax.ShapeDtypeStruct", "0.4.34", "__init__", (_NO_NAMES,)),
    ("jax.ShapeDtypeStruct", "0.10.2", "__init__ update", (_varying_axes,)),
    ("jax.core.ShapedArray", "0.10.2", "__init__ __new__ update", (_varying_axes,)),
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
    ("jax.extend.core.Var", "0.6.2", "__init__", (dropped("suffix", "count"),)),
    (
        "jax.extend.core.Var",
        "0.12.0.1",
        "__init__",
        (only("initial_qdd", None), only("final_qdd", None)),
    ),
    ("jax.extend.linear_util", "0.4.38", "transformation_with_aux", (only("use_eq_store", False),)),
    ("jax.extend.source_info_util", "0.5.3", "user_context", (renamed("c", "traceback"),)),
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
            only("replace_tokens_with_dummy", True),
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
    ("jax.lax", "0.4.38", "dot dot_general", (_precision, only("transpose_algorithm", None))),
    ("jax.lax", "0.5.3", "dot_general", (renamed("out_type", "out_sharding"),)),
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
    "jax.interpreters.batching.batch_jaxpr_axes": "axis_size axis_name spmd_axis_name main_type",
}


def wrapper_of(original: Any, name: str, adapters: Sequence[Adapter]) -> Any:
    """What takes the place of a function of that name, or of the method, as its class has it."""
    is_static = isinstance(original, staticmethod)  # __new__
    function = original.__func__ if is_static else original

    @functools.wraps(function)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        if keywords:
            for adapt in adapters:
                adapt(name, keywords)
        return function(*args, **keywords)

    return staticmethod(wrapper) if is_static else wrapper


def refusing(original: Any, name: str, reason: str, parameters: Sequence[str]) -> Any:
    """Names the parameters that cannot be restored where JAX says only that it does not take what
    it is given. None where this JAX has them all."""
    signature = inspect.signature(original)
    lost = [parameter for parameter in parameters if parameter not in signature.parameters]
    if not lost:
        return None

    @functools.wraps(original)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        try:
            return original(*args, **keywords)
        except TypeError:
            passed = [parameter for parameter in lost if parameter in keywords]
            if not passed and not _are_too_many(signature, args):
                raise
            raise NotImplementedError(
                f"{name}: callbridge.resurrect cannot restore {', '.join(passed or lost)}: "
                f"{_not_had.REASONS[reason]}"
            ) from None

    return wrapper


def _are_too_many(signature: inspect.Signature, args: Sequence[Any]) -> bool:
    try:
        signature.bind_partial(*args)
    except TypeError:
        return True
    return False


def batch_jaxpr_axes(original: Callable) -> Callable:
    """Takes the axis in parts, as until 0.4.36: (jaxpr, size, in_axes, out_axes, name, spmd name,
    class of traces)."""

    @functools.wraps(original)
    def wrapper(closed_jaxpr: Any, axis: Any, in_axes: Any, out_axes: Any, *parts: Any) -> Any:
        if not parts:
            return original(closed_jaxpr, axis, in_axes, out_axes)
        from jax._src.interpreters.batching import AxisData

        fields = len(AxisData.__dataclass_fields__)
        name, spmd_name = parts[0], parts[1]
        data = AxisData(name, axis, spmd_name, *[None] * (fields - 3))
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


# Functions that took others by position: module, release, name, what makes the wrapper.
BY_POSITION = [
    ("jax.ffi", "0.6.2", "ffi_call", inline_operands),
    ("jax.extend.ffi", "0.6.2", "ffi_call", inline_operands),
    ("jax.interpreters.ad", "0.8.3", "backward_pass", backward_pass),
    ("jax.interpreters.batching", "0.9.2", "defreducer", defreducer),
    ("jax.interpreters.batching", "0.4.38", "batch_jaxpr_axes", batch_jaxpr_axes),
    ("jax.interpreters.batching", "0.8.3", "broadcast_batcher", without_axis(1, 3)),
    ("jax.interpreters.batching", "0.8.3", "reducer_batcher", without_axis(2, 5)),
    ("jax.interpreters.batching", "0.8.3", "vectorized_batcher", without_axis(1, 3)),
]
