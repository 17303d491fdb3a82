"""What takes the place of names that JAX has. Each call that JAX takes does the same as before.

Each function here is given JAX's own and returns what takes its place, None where that needs none.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import core
from jax.interpreters import ad, mlir, xla
from jaxlib import xla_client
from jaxlib.mlir import ir

from callbridge._core._platform import HOST, find_platform
from callbridge.jax._custom_call_op import TYPED_BACKEND_CONFIG, layouts_attribute
from callbridge.jax._runtimes import RUNTIME
from callbridge.resurrect._backports import _old_core
from callbridge.resurrect._builder import _ops, _translations
from callbridge.resurrect._builder._computation import XlaBuilder
from callbridge.resurrect._builder._op import XlaOp
from callbridge.resurrect._lowering import _custom_call, _mlir_custom_call, _typed_calls
from callbridge.resurrect._lowering._custom_call import merged_frontend_attributes
from callbridge.resurrect._registration import _type_functions, _typed, _untyped


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
        return _old_core.UnshapedArray.__init__
    return None


def lattice_join(original: Callable) -> Callable | None:
    """Returns a weak type only of two, as until JAX 0.4.35; later ones return the first value."""
    aval = core.ShapedArray((), np.dtype(np.float32))
    return _old_core.lattice_join if original(aval.update(weak_type=True), aval).weak_type else None


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
    if not _type_functions.is_here(xla_client, "register_custom_type_id"):
        return None
    return functools.wraps(original)(_type_functions.register_ffi_type_id)


def custom_call(original: Callable) -> Callable | None:
    """Takes out_types, as until JAX 0.4.13, and what else that function took."""
    return _or_else(original, _mlir_custom_call.custom_call)


def hlo_custom_call(original: Callable) -> Callable | None:
    return _or_else(original, _mlir_custom_call.hlo_custom_call)


def _or_else(original: Callable, ours: Callable) -> Callable | None:
    signature = inspect.signature(original)
    if original is ours or ("out_types" in signature.parameters and RUNTIME.reads_typed_calls):
        return None
    known = jax_custom_call(original) or original

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        try:
            signature.bind(*arguments, **keywords)
        except TypeError:
            return ours(*arguments, **keywords)
        if _xla_refuses(**keywords):
            return ours(*arguments, **keywords)
        return known(*arguments, **keywords)

    return wrapper


# ---- xla_client.ops, where JAX has them but not the rules that they were for ---------------------


def __getattr__(name: str) -> Callable:
    """What takes the place of an operation of xla_client.ops: ours where a builder of ours is."""
    if not name[0].isupper():
        raise AttributeError(name)

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


# ---- stablehlo.CustomCallOp, which programs build by themselves ----------------------------------


def _rewrites_calls() -> bool:
    return _untyped.is_there() or not RUNTIME.has_typed_ffi


def custom_call_op_init(original: Callable) -> Callable | None:
    if not _rewrites_calls():
        return None

    @functools.wraps(original)
    def wrapper(self, *arguments: Any, **keywords: Any) -> None:
        given = inspect.signature(original).bind(self, *arguments, **keywords).arguments
        changed = _rewritten(given["inputs"], given["result"], given)
        if changed is None:
            return original(self, *arguments, **keywords)
        attributes = _changes(changed)
        own = {name: value for name, value in attributes.items() if "." not in name}
        given.update(own, inputs=changed.operands)
        with _unfinished():
            original(**given)
        for name in attributes.keys() - own.keys():
            self.operation.attributes[name] = attributes[name]

    return wrapper


def custom_call_op_build_generic(original: Callable) -> Any:
    if not _rewrites_calls():
        return None

    def wrapper(cls, *arguments: Any, **keywords: Any) -> Any:
        given = {**dict(zip(_GENERIC, arguments)), **keywords}  # noqa: B905, for Python 3.9
        attributes = given.get("attributes") or {}
        changed = None
        if "call_target_name" in attributes and not _built.is_unfinished:
            changed = _rewritten(given.get("operands") or [], given["results"], attributes)
        if changed is None:
            return original(*arguments, **keywords)
        given["operands"] = changed.operands
        changes = merged_frontend_attributes(_changes(changed), attributes)
        given["attributes"] = {**attributes, **changes}
        return original(**given)

    return classmethod(wrapper)


class _Built(threading.local):
    """Typed calls get their attributes after they are built, by JAX and here; until then they look
    like calls of version 1."""

    is_unfinished = False


_built = _Built()


@contextlib.contextmanager
def _unfinished() -> Iterator[None]:
    """Within it, custom_call_op_build_generic() leaves calls as they are."""
    was, _built.is_unfinished = _built.is_unfinished, True
    try:
        yield
    finally:
        _built.is_unfinished = was


def jax_custom_call(original: Callable) -> Callable | None:
    """Lets custom_call_op_build_generic() know which calls are typed."""
    if not _rewrites_calls():
        return None

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        if _xla_refuses(**keywords):
            return _mlir_custom_call.custom_call(*arguments, **keywords)
        if not _rewrites_calls() and _is_ours(*arguments[:1], **keywords):
            # Bound before the names went again, with custom_call_op_build_generic().
            return _mlir_custom_call.custom_call(*arguments, **keywords)
        is_typed = isinstance(keywords.get("backend_config"), dict)
        if is_typed:
            _check_is_typed(*arguments[:1], **keywords)
        with _unfinished() if is_typed else contextlib.nullcontext():
            return original(*arguments, **keywords)

    return wrapper


def _xla_refuses(
    backend_config: Any = None,
    operands: Sequence[Any] = (),
    result_types: Sequence[ir.Type] = (),
    **_: Any,
) -> bool:
    """Whether it is a typed call that this JAX cannot build, or that its XLA does not survive."""
    if not isinstance(backend_config, dict):
        return False
    return not RUNTIME.reads_typed_calls or _lacks_tokens(operands, result_types)


def _lacks_tokens(operands: Sequence[Any], result_types: Sequence[ir.Type]) -> bool:
    operand_types = [_custom_call.value(operand).type for operand in operands]
    return _typed_calls.lacks_tokens((*operand_types, *result_types))


def _check_is_typed(call_target_name: str | bytes, **_: Any) -> None:
    _typed.check_is_typed(_untyped.text(call_target_name))


def _is_ours(call_target_name: str | bytes, **_: Any) -> bool:
    return _untyped.text(call_target_name) in _untyped.names


# The first parameters of build_generic(), which has no signature.
_GENERIC = ("results", "operands", "attributes", "successors", "regions", "loc", "ip")


def _rewritten(operands, result_types, attributes) -> _custom_call.Rewritten | None:
    sizes = attributes.get("indices_of_shape_operands")
    opaque = _plain(attributes.get("backend_config", b""))
    target = _untyped.text(_plain(attributes["call_target_name"]))
    version = _plain(attributes.get("api_version", 1))
    if version == _typed_calls.TYPED or TYPED_BACKEND_CONFIG in attributes:
        _typed.check_is_typed(target)
        if RUNTIME.reads_typed_calls and not _lacks_tokens(operands, result_types):
            return None
        return _custom_call.rewritten_typed(
            target,
            operands,
            list(result_types),
            _typed_attributes(attributes),
            has_layouts=attributes.get("operand_layouts") is not None,
        )
    return _custom_call.rewritten(
        target,
        version,
        operands,
        list(result_types),
        opaque if isinstance(opaque, bytes) else b"",
        has_layouts=attributes.get("operand_layouts") is not None,
        shape_operands=0 if sizes is None else len(sizes),
    )


def _typed_attributes(attributes: Any) -> dict[str, ir.Attribute]:
    for name in (TYPED_BACKEND_CONFIG, "backend_config"):
        config = attributes.get(name)
        if isinstance(config, ir.Attribute) and ir.DictAttr.isinstance(config):
            entries = ir.DictAttr(config)
            return {entries[i].name: entries[i].attr for i in range(len(entries))}
    return {}


def _changes(call: _custom_call.Rewritten) -> dict[str, ir.Attribute]:
    changes = call.form.attributes()
    if call.layouts is not None:
        operand_layouts, result_layouts = map(layouts_attribute, call.layouts)
        changes.update(operand_layouts=operand_layouts, result_layouts=result_layouts)
    return changes


def _plain(attribute: Any) -> Any:
    """bytes of strings, int of numbers; other attributes are themselves."""
    if isinstance(attribute, str):
        return attribute.encode()
    if isinstance(attribute, ir.StringAttr):
        return attribute.value_bytes
    if isinstance(attribute, ir.IntegerAttr):
        return attribute.value
    return attribute


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
