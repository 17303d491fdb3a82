"""stablehlo.CustomCallOp, and JAX's functions that build one, as programs call them.

What has a name in JAX's own is given that, and returns what takes its place; None where that needs
none.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxlib.mlir import ir

from callbridge.jax._custom_call_op import TYPED_BACKEND_CONFIG, layouts_attribute
from callbridge.jax._runtimes import RUNTIME
from callbridge.resurrect._lowering import _custom_call, _mlir, _typed_calls
from callbridge.resurrect._lowering._custom_call import merged_frontend_attributes
from callbridge.resurrect._registration import _typed, _untyped

# ---- The operation, which programs build by themselves -------------------------------------------


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


# ---- mlir.custom_call and hlo_helpers.custom_call ------------------------------------------------


def custom_call(original: Callable) -> Callable | None:
    """Takes out_types, as until JAX 0.4.13, and what else that function took."""
    return _or_else(original, _mlir.custom_call)


def hlo_custom_call(original: Callable) -> Callable | None:
    return _or_else(original, _mlir.hlo_custom_call)


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


def jax_custom_call(original: Callable) -> Callable | None:
    """Lets custom_call_op_build_generic() know which calls are typed."""
    if not _rewrites_calls():
        return None

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        if _xla_refuses(**keywords):
            return _mlir.custom_call(*arguments, **keywords)
        if not _rewrites_calls() and _is_ours(*arguments[:1], **keywords):
            # Bound before the names went again, with custom_call_op_build_generic().
            return _mlir.custom_call(*arguments, **keywords)
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


def _check_is_typed(call_target_name: str | bytes, **_: Any) -> None:
    _typed.check_is_typed(_untyped.text(call_target_name))


def _is_ours(call_target_name: str | bytes, **_: Any) -> bool:
    return _untyped.text(call_target_name) in _untyped.names


# ---- What a call becomes -------------------------------------------------------------------------


def _lacks_tokens(operands: Sequence[Any], result_types: Sequence[ir.Type]) -> bool:
    operand_types = [_custom_call.value(operand).type for operand in operands]
    return _typed_calls.lacks_tokens((*operand_types, *result_types))


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
