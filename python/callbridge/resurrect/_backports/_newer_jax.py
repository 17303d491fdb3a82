"""Functions of jax and jax.lax that an older JAX lacks."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax._src import ad_util, effects
from jax.errors import ConcretizationTypeError
from jax.interpreters import mlir

from callbridge._core._error import CallbridgeError
from callbridge._core._platform import find_platform
from callbridge.jax._runtimes import EFFECT_LISTS
from callbridge.resurrect._backports import _avals
from callbridge.resurrect._backports._newer_sharding import current_mesh

_Zero: Any = ad_util.Zero  # releases differ in its functions


def typeof(x: Any, /) -> Any:
    """Returns the shape and dtype of an array or a tracer."""
    return _avals.abstractify(x)


def _from_primal_value(value: Any) -> Any:
    """Returns the zero tangent of a value: of integers and of bools, one of float0."""
    return _Zero(_avals.abstractify(value).at_least_vspace())


from_primal_value = staticmethod(_from_primal_value)  # of the class


# Of mlir.ModuleContext, where JAX lowers for one platform alone.
if "platforms" not in mlir.ModuleContext.__annotations__:
    platforms = property(lambda context: (context.platform,))


def p2tz(primal_value: Any) -> Any:
    """Returns the zero tangent of a value."""
    make = getattr(_Zero, "from_primal_value", _from_primal_value)
    return make(primal_value)


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


def axis_size(axis_name: Any) -> int:
    """Returns the size of a named axis, or the product of those of several."""
    return jax.lax.psum(1, axis_name)


def platform_dependent(
    *args: Any, default: Callable | None = None, **per_platform: Callable
) -> Any:
    """Returns what the function for the default backend's platform returns.

    Where JAX has no programs for several platforms, the platform is known when the program is
    traced.

    Raises:
      NotImplementedError: without a function for that platform and a default.
    """
    backend = jax.default_backend()
    for name, function in per_platform.items():
        if name == backend or find_platform(name) == find_platform(backend) is not None:
            return function(*args)
    if default is None:
        raise NotImplementedError(
            f"translation rule not found for platform {backend}, platform_dependent() has "
            f"{', '.join(sorted(per_platform)) or 'none'}"
        )
    return default(*args)


def shard_map(
    f: Callable | None = None,
    /,
    *,
    out_specs: Any,
    in_specs: Any = None,
    mesh: Any = None,
    axis_names: Any = frozenset(),
    check_vma: bool = True,
) -> Any:
    """jax.experimental.shard_map.shard_map by its name and parameters of today.

    Args:
      f: what each device computes; without it a decorator is returned.
      out_specs: how the results are put together.
      in_specs: how the operands are split.
      mesh: the devices.
      axis_names: the axes that are split by hand; none: all.
      check_vma: JAX's check of what is replicated, once check_rep.

    Raises:
      CallbridgeError: UNIMPLEMENTED without a mesh or in_specs, or for some of the axes where this
        JAX splits all or none.
    """
    if f is None:
        return functools.partial(
            shard_map,
            out_specs=out_specs,
            in_specs=in_specs,
            mesh=mesh,
            axis_names=axis_names,
            check_vma=check_vma,
        )
    mesh = current_mesh() if mesh is None else mesh
    if mesh is None or in_specs is None:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"jax.shard_map without mesh or in_specs; jax {jax.__version__} has no current mesh "
            "but in jax.set_mesh, so pass both",
        )
    from jax.experimental.shard_map import shard_map as original

    others = {}
    automatic = frozenset(mesh.axis_names) - frozenset(axis_names) if axis_names else frozenset()
    if automatic:
        if "auto" not in inspect.signature(original).parameters:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"jax.shard_map over some of the mesh's axes; jax {jax.__version__} has it over "
                "all of them alone",
            )
        others["auto"] = automatic
    return original(
        f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_rep=check_vma, **others
    )


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


# ---- The effect of a primitive that XLA must keep, which an older JAX lacks ------------


@dataclasses.dataclass(frozen=True)
class GenericEffect(effects.Effect):
    """That of the calls of one primitive.

    Attributes:
      prim: the primitive.
    """

    prim: Any


for _name in EFFECT_LISTS:
    getattr(effects, _name).add_type(GenericEffect)


# ---- The error of bool() of a tracer, which an older JAX has no class of its own for -------------


class TracerBoolConversionError(ConcretizationTypeError):
    __module__ = "jax.errors"


def raises_error_of_bool(original: Callable) -> Callable:
    """Of the method of abstract values that raises where bool() is asked of their tracers."""

    @functools.wraps(original)
    def wrapper(self: Any, arg: Any) -> Any:
        try:
            return original(self, arg)
        except ConcretizationTypeError as error:
            # With JAX's text, which the constructor would make of the tracer.
            kind = TracerBoolConversionError
            raise kind.__new__(kind, *error.args) from None

    return wrapper
