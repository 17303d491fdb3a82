"""Calls that functions of JAX took, or take in newer releases, made into calls that they take here.

A parameter that says what JAX does now anyway is dropped; one that was renamed is renamed; any
other value is refused by an error that names it. The adapters are those of _adapters.py; what else
is here is given a function and returns what takes its place. _members_table.py says of which.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from callbridge.resurrect._backports import _interpreters
from callbridge.resurrect._backports._avals import manual_axis_type
from callbridge.resurrect._names import _explanation
from callbridge.resurrect._names._adapters import Adapted, only


def vectorized(function: str, args: tuple, keywords: dict) -> tuple:
    """One call for all of a batch where true, and one after another where false."""
    if (value := keywords.pop("vectorized", None)) is not None:
        keywords["vmap_method"] = "legacy_vectorized" if value else "sequential"
    return args


vectorized.shown = ("vectorized",)  # type: ignore[attr-defined]


def precision(function: str, args: tuple, keywords: dict) -> tuple:
    """An algorithm is a precision now."""
    if (algorithm := keywords.pop("algorithm", None)) is not None:
        keywords["precision"] = algorithm
    return args


precision.shown = ("algorithm",)  # type: ignore[attr-defined]


def varying_axes(function: str, args: tuple, keywords: dict) -> tuple:
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


varying_axes.shown = ("vma",)  # type: ignore[attr-defined]

NO_NAMES = only("named_shape", None, {}, instead="JAX removed named axes with xmap")
NO_DYNAMIC = only("abstracted_axes", None, instead="use jax.export.symbolic_shape")

OF_DOT = (precision, only("transpose_algorithm", None))


def newshape(function: str, args: tuple, keywords: dict) -> tuple:
    """reshape's shape, by the name that NumPy had for it."""
    if "newshape" in keywords:
        keywords["shape"] = keywords.pop("newshape")
    return args


newshape.shown = ("newshape",)  # type: ignore[attr-defined]


def shape_tuple(function: str, args: tuple, keywords: dict) -> tuple:
    """AbstractMesh of pairs of names and sizes, as until 0.5."""
    made, *rest = args
    pairs = keywords.pop("shape_tuple", rest[0] if len(rest) == 1 else None)
    if isinstance(pairs, tuple) and all(isinstance(pair, tuple) for pair in pairs):
        if not keywords.keys() & {"axis_sizes", "axis_names"}:
            return made, tuple(size for _, size in pairs), tuple(name for name, _ in pairs)
    return args


shape_tuple.shown = ("shape_tuple",)  # type: ignore[attr-defined]
shape_tuple.of_position = True  # type: ignore[attr-defined]


def no_dtype(function: str, args: tuple, keywords: dict) -> tuple:
    """None is NumPy's default, as for numpy.dtype()."""
    if len(args) > 2 and args[2] is None:
        args = (*args[:2], np.dtype(None), *args[3:])
    elif keywords.get("dtype", args) is None:
        keywords["dtype"] = np.dtype(None)
    return args


no_dtype.of_position = True  # type: ignore[attr-defined]


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


def on_device(original: Callable) -> Callable | None:
    """Takes the device, or the sharding, that the array is made on."""
    if "device" in inspect.signature(original).parameters:
        return None

    @functools.wraps(original)
    def wrapper(*args: Any, device: Any = None, **keywords: Any) -> Any:
        made = original(*args, **keywords)
        return made if device is None else jax.device_put(made, device)

    return wrapper


def in_batches(original: Callable) -> Callable | None:
    """lax.map, of as many elements at a time as batch_size says."""
    if "batch_size" in inspect.signature(original).parameters:
        return None

    @functools.wraps(original)
    def wrapper(f: Callable, xs: Any, *, batch_size: int | None = None) -> Any:
        if batch_size is None:
            return original(f, xs)
        count = len(jax.tree_util.tree_leaves(xs)[0])
        whole = count // batch_size * batch_size
        parts = []
        if whole:
            batches = _each(xs, lambda x: x[:whole].reshape(-1, batch_size, *x.shape[1:]))
            mapped = original(jax.vmap(f), batches)
            parts.append(_each(mapped, lambda y: y.reshape(whole, *y.shape[2:])))
        if whole < count:
            parts.append(jax.vmap(f)(_each(xs, lambda x: x[whole:])))
        return jax.tree_util.tree_map(lambda *ys: jnp.concatenate(ys), *parts)

    return wrapper


def _each(tree: Any, function: Callable) -> Any:
    return jax.tree_util.tree_map(lambda leaf: function(jnp.asarray(leaf)), tree)


# ---- Forms of arguments that functions took, and refuse now: lists for arrays, and others --------

# Found by 15,334 calls that jax 0.4.13 takes: each public function with each form of an argument.
# A call that JAX takes does the same as before: what it refuses is made what it meant.


def sort(original: Callable, a: Any, axis: int = -1, kind: Any = None, **keywords: Any) -> Any:
    """All kinds are stable."""
    return original(a, axis, **keywords)


def where(original: Callable, *args: Any, **keywords: Any) -> Any:
    """Numbers are true where they are not 0. (Of 0.4.13, mean() divided by their sum.)"""
    import jax.numpy as jnp

    keywords["where"] = jnp.asarray(keywords["where"]) != 0
    return original(*args, **keywords)


def at_least_1d(original: Callable, *args: Any, **keywords: Any) -> Any:
    import jax.numpy as jnp

    bound = inspect.signature(original).bind(*args, **keywords)
    first = next(iter(bound.arguments))
    bound.arguments[first] = jnp.atleast_1d(bound.arguments[first])
    return original(*bound.args, **bound.kwargs)


def dot(original: Callable, *args: Any, **keywords: Any) -> Any:
    names = ("precision", "preferred_element_type")
    keywords.update(zip(names, args[2:]))
    return original(*args[:2], **keywords)


def type_of_array(original: Callable, operand: Any, new_dtype: Any, **keywords: Any) -> Any:
    return original(operand, new_dtype.dtype, **keywords)


def fold_in(original: Callable, key: Any, data: int) -> Any:
    return original(key, np.uint32(data % 2**32))


def scalar(original: Callable, self: Any, x: Any) -> Any:
    """Bits beyond the type's are lost."""
    return original(self, np.asarray(x).astype(self.dtype))


def array(original: Callable, *args: Any, **keywords: Any) -> Any:
    """None is not a number; bits beyond the type's are lost."""
    bound = inspect.signature(original).bind(*args, **keywords)
    first = next(iter(bound.arguments))
    of_numbers = np.asarray(bound.arguments[first])
    if of_numbers.dtype == object:
        of_numbers = of_numbers.astype(float)
    if (dtype := bound.arguments.get("dtype")) is not None:
        of_numbers = of_numbers.astype(dtype)
    bound.arguments[first] = of_numbers
    return original(*bound.args, **bound.kwargs)


def false(original: Callable, self: Any) -> bool:
    return False


def _asking_first(
    is_refusal: Callable[[Exception], bool], meaning: Callable[..., Any]
) -> Callable[[Any], Any]:
    """Of a function whose own is called first; where it refuses the call, `meaning` of it is."""

    def make(original: Any) -> Any:
        def call(*args: Any, **keywords: Any) -> Any:
            try:
                return original(*args, **keywords)
            except Exception as error:
                if not is_refusal(error):
                    raise
            _explanation.took_form(original)
            return meaning(original, *args, **keywords)

        if isinstance(original, types.FunctionType):
            return functools.wraps(original)(call)
        return Adapted(original, call, ())

    return make


def takes_form(refusal: str, meaning: Callable[..., Any]) -> Callable[[Any], Any]:
    """`refusal` is in what JAX says of the form."""
    kinds = (TypeError, ValueError, OverflowError)
    return _asking_first(lambda error: isinstance(error, kinds) and refusal in str(error), meaning)


# What JAX says of one, after the function's name.
_REFUSALS = tuple(
    f"requires ndarray or scalar arguments, got <class '{kind}'>" for kind in ("list", "tuple")
)


def takes_lists(arrays: int) -> Callable[[Any], Any]:
    """`arrays` is how many of the first parameters are arrays; 0: the first is a sequence of them.
    The functions of before 0.4.13 made arrays of their arguments until 0.3.5: their source says so,
    no such release runs here."""

    def with_arrays(original: Any, *args: Any, **keywords: Any) -> Any:
        bound = inspect.signature(original).bind(*args, **keywords)
        for name, parameter in [*bound.signature.parameters.items()][: arrays or 1]:
            value = bound.arguments[name]
            several = arrays == 0 or parameter.kind == parameter.VAR_POSITIONAL
            bound.arguments[name] = [*map(_array_of, value)] if several else _array_of(value)
        return original(*bound.args, **bound.kwargs)

    def is_refusal(error: Exception) -> bool:
        return isinstance(error, TypeError) and any(text in str(error) for text in _REFUSALS)

    make: Any = _asking_first(is_refusal, with_arrays)
    make.arrays = arrays
    return make


def _array_of(value: Any) -> Any:
    import jax.numpy as jnp

    return jnp.array(value) if isinstance(value, (list, tuple)) else value
