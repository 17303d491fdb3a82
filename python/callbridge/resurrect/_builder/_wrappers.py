"""What takes the place of names that JAX has. Each call that JAX takes does the same as before.

Each function here is given JAX's own and returns what takes its place, None where that needs none.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from jax import core
from jax.interpreters import ad, mlir, xla
from jaxlib import xla_client

from callbridge._core._error import HOST, find_platform
from callbridge.jax._runtimes import RUNTIME
from callbridge.resurrect._backports import _avals
from callbridge.resurrect._builder import _ops, _translations
from callbridge.resurrect._builder._computation import XlaBuilder, XlaOp
from callbridge.resurrect._registration import _ffi, _typed, _untyped


def aval_to_ir_type(original: Callable) -> Callable | None:
    """Takes one argument, as until JAX 0.9; now it has a context before it."""
    if len(inspect.signature(original).parameters) == 1:
        return None

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        if len(arguments) != 1 or keywords or not isinstance(arguments[0], core.AbstractValue):
            return original(*arguments, **keywords)
        aval = arguments[0]
        if type(aval) not in mlir.ir_type_handlers:
            raise TypeError(f"No ir_type_handler for aval type: {type(aval)}")
        return mlir.ir_type_handlers[type(aval)](aval)

    return wrapper


def unshaped_array_init(original: Callable) -> Callable | None:
    """Returns, as until JAX 0.4.35; later ones set the same fields, and raise."""
    try:
        original(types.SimpleNamespace(), np.float32)
    except Exception:
        return _avals.UnshapedArray.__init__
    return None


def lattice_join(original: Callable) -> Callable | None:
    """Returns a weak type only of two, as until JAX 0.4.35; later ones return the first value."""
    aval = core.ShapedArray((), np.dtype(np.float32))
    return _avals.lattice_join if original(aval.update(weak_type=True), aval).weak_type else None


class _NamespaceOfAd(types.SimpleNamespace):
    """What JAX has by the name jax.ad, and what jax.interpreters.ad has, which it was."""

    def __getattr__(self, name: str) -> Any:
        return getattr(ad, name)


def namespace_of_ad(original: Any) -> Any:
    if isinstance(original, types.ModuleType):
        return None
    return _NamespaceOfAd(**vars(original))


def is_array_class(original: Callable) -> Callable | None:
    """Lets the classes of tracers be subclasses of jax.Array, as until JAX 0.8. Python asks for it
    at isinstance(tracer, ArrayLike), and at other unions with jax.Array."""
    if issubclass(core.Tracer, jax.Array):
        return None

    @functools.wraps(original)
    def wrapper(array: type, subclass: type) -> bool:
        return original(array, subclass) or (
            array is jax.Array and type.__subclasscheck__(core.Tracer, subclass)
        )

    return wrapper


def ir_constant(original: Callable) -> Callable | None:
    """Takes canonicalize_types, as until JAX 0.4.24: 32 bits for 64 where x64 is disabled; and
    Python's numbers, as until JAX 0.9: of 64 bits."""
    if "canonicalize_types" in inspect.signature(original).parameters:
        return None

    @functools.wraps(original)
    def wrapper(value: Any, *arguments: Any, **keywords: Any) -> Any:
        # JAX's own literals are subclasses with a type of their own; NumPy's numbers have one too.
        if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
            value = np.asarray(value)
        if "canonicalize_types" in keywords and keywords.pop("canonicalize_types"):
            value = np.asarray(value)
            value = value.astype(jax.dtypes.canonicalize_dtype(value.dtype))
        return original(value, *arguments, **keywords)

    return wrapper


def maybe_jvp_tracer(original: Callable) -> Callable | None:
    """Accepts None as the tangent of an operand without one, if JAX's own does not."""
    if RUNTIME.jvp_takes_none:
        return None

    @functools.wraps(original)
    def wrapper(trace: Any, primal: Any, tangent: Any) -> Any:
        if tangent is None:
            return ad.JVPTracer(trace, primal, tangent)
        return original(trace, primal, tangent)

    return wrapper


def is_known_platform(original: Callable) -> Callable | None:
    """True of every name: until JAX 0.4.31 register_lowering() took a rule for any platform, and
    kept it for the day when somebody has that. JAX asks this nowhere else."""

    @functools.wraps(original)
    def wrapper(platform: str) -> bool:
        return True

    return wrapper


def register_custom_call_target(original: Callable) -> Callable | None:
    """Takes names that are bytes, as until 2023, and on GPUs traits, which plugins refuse."""
    signature = inspect.signature(original)
    if "api_version" not in signature.parameters:
        return _with_api_version(original)
    if not _has_our_translations():
        return None

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        given = signature.bind(*arguments, **keywords)
        given.apply_defaults()
        name, is_untyped = given.arguments["name"], not given.arguments.get("api_version", 0)
        traits = given.arguments.get("traits", 0)
        platform = given.arguments["platform"]
        known_platform = find_platform(platform)
        # The traits of typed handlers are _typed's.
        on_gpu = is_untyped and known_platform != HOST
        has_traits = on_gpu and _typed.are_compatible(traits)
        if known_platform is not None and (isinstance(name, bytes) or has_traits):
            if _untyped.is_there():
                return _untyped.register_custom_call_target(*arguments, **keywords)
        if isinstance(name, bytes):
            name = given.arguments["name"] = name.decode()
        result = original(*given.args, **given.kwargs)
        if is_untyped and known_platform is not None:
            by_platform = _untyped.known_to_xla.setdefault(name, {})
            by_platform[known_platform] = given.arguments["fn"], traits
        return result

    return wrapper


def _with_api_version(original: Callable) -> Callable:
    """Takes typed handlers, which JAX has no name for before XLA's FFI."""

    @functools.wraps(original)
    def wrapper(
        name: Any, fn: Any, platform: str = "cpu", api_version: int = 0, traits: Any = 0
    ) -> Any:
        if api_version == 0:
            return original(name, fn, platform)
        return _untyped.register_custom_call_target(name, fn, platform, api_version, traits)

    return wrapper


def register_ffi_type_id(original: Callable) -> Callable | None:
    """Registers types of handlers built for JAX up to 0.7; since 0.8 it only raises."""
    if not _ffi.is_here(xla_client, "register_custom_type_id"):
        return None
    return functools.wraps(original)(_ffi.register_ffi_type_id)


# ---- xla_client.ops, where JAX has them but not the rules that they were for ---------------------


def _operation(name: str) -> Callable:
    """What takes the place of an operation of xla_client.ops: ours where a builder of ours is."""

    def wrap(original: Callable) -> Callable | None:
        if not _has_our_translations() or original is vars(_ops.ops).get(name):
            return None

        @functools.wraps(original)
        def wrapper(*arguments: Any, **keywords: Any) -> Any:
            given = [*arguments, *keywords.values()]
            given += [part for value in given if isinstance(value, (list, tuple)) for part in value]
            is_ours = any(isinstance(value, (XlaBuilder, XlaOp)) for value in given)
            return (getattr(_ops.ops, name) if is_ours else original)(*arguments, **keywords)

        return wrapper

    return wrap


globals().update({name: _operation(name) for name in _ops.OPERATIONS})


# ---- Whether the restored names are this package's -----------------------------------------------


def private_translations(original: Mapping) -> Mapping | None:
    """Rules that programs put there get our builder, where our operations take JAX's place."""
    if not _has_our_translations():
        return None
    return _translations.ContextRules(None, original)


def private_translations_by_platform(original: Mapping) -> Mapping | None:
    """Likewise by platform."""
    if not _has_our_translations():
        return None
    return _translations.RulesByPlatform(_translations.ContextRules, original)


def _has_our_translations() -> bool:
    return getattr(xla, "translations", None) is _translations.translations
