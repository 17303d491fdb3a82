"""Names of jax itself and of jax.config, gone and newer, made of those that this JAX has."""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax._src import config as _config

from callbridge.resurrect._backports import _avals

partial = functools.partial


# ---- Functions that are gone ---------------------------------------------------------------------


def xla_computation(
    fun: Callable,
    static_argnums: Any = (),
    axis_env: Any = None,
    in_parts: Any = None,
    out_parts: Any = None,
    backend: str | None = None,
    tuple_args: bool = False,
    instantiate_const_outputs: bool | None = None,
    return_shape: bool = False,
    donate_argnums: Any = (),
) -> Callable:
    """Returns a function of `fun`'s arguments that returns the XlaComputation.

    `instantiate_const_outputs` did nothing for long. Named axes, parts and tuple arguments are
    refused: jax.jit has none.
    """
    for name, value in (
        ("axis_env", axis_env),
        ("in_parts", in_parts),
        ("out_parts", out_parts),
        ("tuple_args", tuple_args),
    ):
        if value:
            raise NotImplementedError(
                f"callbridge.resurrect restores jax.xla_computation without {name}; "
                "jax.jit(f).lower() with in_shardings says it otherwise"
            )
    jitted = jax.jit(
        fun, static_argnums=static_argnums, donate_argnums=donate_argnums, backend=backend
    )

    def computation(*args: Any, **kwargs: Any) -> Any:
        lowered: Any = jitted.lower(*args, **kwargs)
        found = lowered.compiler_ir("hlo")
        if not return_shape:
            return found
        shape_of = lambda out: jax.ShapeDtypeStruct(out.shape, out.dtype)  # noqa: E731
        return found, jax.tree_util.tree_map(shape_of, lowered.out_info)

    return computation


@contextlib.contextmanager
def spmd_mode(new_val: Any) -> Iterator[None]:
    """Allowed jax.jit without shardings to run on several devices, which it always may now."""
    yield


def clear_backends() -> None:
    """Lets go of what is compiled, and of the backends: arrays must not be used any more."""
    from jax.extend.backend import clear_backends

    clear_backends()


def device_put_replicated(x: Any, devices: Sequence[Any]) -> Any:
    """A copy on each device, along a new first axis that is sharded over them."""
    return jax.tree_util.tree_map(
        lambda leaf: device_put_sharded([leaf] * len(devices), devices), x
    )


def device_put_sharded(shards: Sequence[Any], devices: Sequence[Any]) -> Any:
    """The shards stacked along a new first axis, each on its device."""
    shards, devices = list(shards), list(devices)
    if not shards or len(shards) != len(devices):
        raise ValueError(
            f"device_put_sharded: expected as many shards as devices, and one at least; got "
            f"{len(shards)} and {len(devices)}"
        )
    mesh = jax.sharding.Mesh(np.array(devices), ("_device_put_sharded",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("_device_put_sharded"))

    def stack(*leaves: Any) -> jax.Array:
        parts = [
            jax.device_put(jax.numpy.asarray(leaf)[None], device)
            for leaf, device in zip(leaves, devices)
        ]
        shape = (len(parts), *parts[0].shape[1:])
        return jax.make_array_from_single_device_arrays(shape, sharding, parts)

    return jax.tree_util.tree_map(stack, *shards)


def check_callable(fun: Any) -> None:
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")


def vjp(fun: Any, *primals: Any, has_aux: bool = False) -> tuple:
    """jax.vjp of a WrappedFun."""
    return jax.vjp(fun.call_wrapped, *primals, has_aux=has_aux)  # type: ignore[call-overload]


def is_python_scalar(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic)


def to_dlpack(x: Any, *_: Any, **__: Any) -> Any:
    return x.__dlpack__()


_clearings: weakref.WeakKeyDictionary[Callable, _Clearing] = weakref.WeakKeyDictionary()


class _Clearing:
    """To JAX a cache; a callback to whoever asked for it."""

    def __init__(self, callback: Callable[[], Any]):
        self._callback = weakref.ref(callback)

    def cache_clear(self) -> None:
        callback = self._callback()
        if callback is not None:
            callback()


def add_clear_backends_callback(callback: Callable[[], Any]) -> None:
    """Has it called when backends or caches are cleared, while somebody else holds it."""
    from jax._src.util import register_cache

    clearing = _clearings.setdefault(callback, _Clearing(callback))
    register_cache(clearing, "a callback")


# ---- Functions that an older JAX lacks -----------------------------------------------------------


def typeof(x: Any, /) -> Any:
    """Returns the shape and dtype of an array or a tracer."""
    return _avals.abstractify(x)


def nondiff_argnames(original: Callable) -> Callable | None:
    """Lets custom_vjp() and custom_jvp() take names of arguments beside their positions."""
    if "nondiff_argnames" in inspect.signature(original).parameters:
        return None

    @functools.wraps(original)
    def wrapper(
        self: Any,
        fun: Callable,
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        positions = list(inspect.signature(fun).parameters) if nondiff_argnames else []
        named = tuple(positions.index(name) for name in nondiff_argnames)
        original(self, fun, tuple(sorted({*nondiff_argnums, *named})))

    return wrapper


def jit(original: Callable) -> Callable | None:
    """Lets jax.jit() be given its options first, as jax.jit(static_argnames="n")(function)."""
    parameters = inspect.signature(original).parameters
    if next(iter(parameters.values())).default is not inspect.Parameter.empty:
        return None

    @functools.wraps(original)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        if not args and "fun" not in keywords:
            return functools.partial(wrapper, **keywords)
        if "donate_argnames" in keywords and "donate_argnames" not in parameters:
            names = keywords.pop("donate_argnames") or ()
            known = list(inspect.signature(args[0] if args else keywords["fun"]).parameters)
            positions = [known.index(n) for n in ([names] if isinstance(names, str) else names)]
            keywords.setdefault("donate_argnums", tuple(positions))
        return original(*args, **keywords)

    return wrapper


def itemsize_bits(dtype: Any) -> int:
    """Returns how many bits an element of the dtype has."""
    dtype = jax.numpy.dtype(dtype)
    if (narrow := {"int1": 1, "uint1": 1, "int2": 2, "uint2": 2, "int4": 4, "uint4": 4}) and (
        dtype.name in narrow
    ):
        return narrow[dtype.name]
    return dtype.itemsize * 8


def is_supported_dtype(dtype: Any) -> bool:
    """Returns whether arrays of the dtype can be exchanged by DLPack."""
    from jax._src import dlpack

    return jax.numpy.dtype(dtype) in {jax.numpy.dtype(d) for d in dlpack.SUPPORTED_DTYPES}


def is_initialized() -> bool:
    """Returns whether jax.distributed.initialize() has been called."""
    from jax._src import distributed

    return distributed.global_state.client is not None


def process_indices(backend: Any = None) -> list[int]:
    """Returns the indices of all processes that have devices."""
    return sorted({device.process_index for device in jax.devices(backend)})


# ---- Methods of jax.config by which packages made options of their own ---------------------------

Config: Any = _config.Config


def _maker(name: str) -> Callable:
    """JAX's function, by its name now, or by the one before it."""
    return getattr(_config, name, None) or getattr(_config, f"define_{name}")


def _state(kind: str) -> Callable:
    def define(self: Any, name: str, *args: Any, **keywords: Any) -> Any:
        # Read by its name, as a property of the class, and entered: `with state(value):`.
        return _maker(f"{kind}_state")(name, *args, **keywords)

    return define


define_bool_state = _state("bool")


define_enum_state = _state("enum")


define_int_state = _state("int")


define_float_state = _state("float")


define_string_state = _state("string")


define_string_or_object_state = _state("string_or_object")


def _flag(kind: str, before: str) -> Callable:
    def define(
        self: Any, name: str, default: Any, *args: Any, update_hook: Any = None, **keywords: Any
    ) -> None:
        make = getattr(_config, f"{kind}_flag", None) or getattr(_config, before)
        make(name, default, *args, update_hook=update_hook, **keywords)

    return define


DEFINE_bool = _flag("bool", "DEFINE_bool")
DEFINE_integer = _flag("int", "DEFINE_integer")
DEFINE_float = _flag("float", "DEFINE_float")
DEFINE_string = _flag("string", "DEFINE_string")
DEFINE_enum = _flag("enum", "DEFINE_enum")


def check_exists(self: Any, name: str) -> None:
    """Raises AttributeError unless there is an option of that name."""
    if name not in self.values:
        raise AttributeError(f"Unrecognized config option: {name}")


class _Flags:
    """The options as attributes, which may be set."""

    def __getattr__(self, name: str) -> Any:
        return jax.config.read(name)

    def __setattr__(self, name: str, value: Any) -> None:
        jax.config.update(name, value)


FLAGS = _Flags()


# ---- jax.__version__ -----------------------------------------------------------------------------

# Packages compare it as text, by which 0.10.2 is older than 0.4.1: they refuse a JAX that is new
# enough, or do what an older one needs.

_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


class Release(str):
    """A text that is what it was, but for <, <=, > and >= with another release."""

    def __lt__(self, other: Any) -> bool:
        return self._compared(operator.lt, other)

    def __le__(self, other: Any) -> bool:
        return self._compared(operator.le, other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Any) -> bool:
        return self._compared(operator.ge, other)

    def __reduce__(self) -> tuple:
        return str, (str(self),)

    def _compared(self, compare: Callable, other: Any) -> Any:
        if not isinstance(other, str):
            return NotImplemented
        own, others = _numbers(self), _numbers(other)
        # What stands behind the numbers, as in 0.4.1.dev3, JAX's users compare as text.
        if own and others and own != others:
            return compare(own, others)
        return compare(str(self), str(other))


def _numbers(text: str) -> list[int]:
    found = _NUMBERS.match(text)
    return [] if found is None else [int(number) for number in found.group().split(".")]


def release(original: str) -> Release:
    """What takes the place of __version__."""
    return Release(original)
