"""Custom calls of any ABI version as PyTorch operators.

    library = callbridge.torch.load("old.so")
    call = callbridge.torch.custom_call("do_custom_call", lambda b, c: c)
    a = call(b, c)
    a = torch.compile(call, fullgraph=True)(b, c)

It has the functions of callbridge.jax, so that the same calls run in PyTorch. Needs torch 2.4 or
newer.

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from callbridge import (
    _aliases,
    _call_site,
    _target,
    _torch_autograd,
    _torch_forms,
    _torch_functions,
    _torch_kernels,  # noqa: F401  registers kernels
    _torch_vmap,
    _typed_handlers,
)
from callbridge._attributes import Attributes
from callbridge._error import CallbridgeError
from callbridge._libraries import Libraries
from callbridge._platform import HOST
from callbridge._registry import Entry, Registry
from callbridge._target import Target
from callbridge._torch_functions import TorchFunction
from callbridge._torch_operators import Site
from callbridge.library import Library
from callbridge.typing import Abi, Bytes, Handlers, Platform, Pointer, TupleLayout, VmapMethod
from callbridge.typing import Attributes as AttributeValues

__all__ = [
    "CallbridgeError",
    "Library",
    "Target",
    "custom_call",
    "load",
    "register",
    "register_type",
]

# Keywords of callbridge.jax.custom_call that concern only XLA or JAX.
_OF_JAX = {
    "prefer": "there is one way to a target here, and no XLA on it",
    "input_layouts": "tensors are row-major here",
    "output_layouts": "tensors are row-major here",
}


def _serve(entry: Entry, abi: Abi | None) -> tuple[str, ...]:
    """Refuses typed handlers that are none, and those that are declared untyped."""
    if "typed_ffi" in (entry.target.abi, abi):
        _typed_handlers.adapt(entry.target.name, entry.platform, entry.handlers, None)
    else:
        _typed_handlers.refuse_as_untyped(entry.target, entry.platform, abi)
    return ("embedded",)


_registry = Registry(
    "callbridge.torch", "callbridge.torch", _serve, lambda entry: None, lambda: HOST
)
_libraries = Libraries(_registry)


def load(path: str | os.PathLike[str], *, isolate: bool = False) -> Library:
    """Opens the library at `path`, so that custom_call() finds its targets by their names.

    As callbridge.jax.load(): the library stays open until the process ends, loading a file of the
    same content again returns the same Library, and custom_call() declares the ABI of a target
    whose Target.abi is None. The library is another copy than callbridge.jax's, with static
    variables of its own.

    Raises:
      CallbridgeError: as callbridge.library.load(). ALREADY_EXISTS if one of its names is
        registered with another function; nothing is registered then.
    """
    return _libraries.load(path, isolate)


def register(
    name: str,
    function_or_capsule: Handlers,
    platform: Platform = "cpu",
    abi: Abi | None = None,
) -> None:
    """Registers one function; arguments and errors are those of callbridge.jax.register().

    A function that is registered for a GPU is called with pointers to host memory and a null
    stream.
    """
    _registry.add_function(name, function_or_capsule, platform, abi)


def register_type(name: str, type_id: Pointer, type_info: Pointer | None = None) -> None:
    """Registers a type of state or of user data, as callbridge.jax.register_type() does."""
    _typed_handlers.register_type(name, type_id, type_info)


def custom_call(
    target: str,
    result: Any,
    *,
    abi: Abi | None = None,
    platform: Platform | None = None,
    opaque: Bytes = b"",
    attributes: AttributeValues | None = None,
    tuple_layout: TupleLayout = "nested",
    has_side_effect: bool = False,
    vmap_method: VmapMethod | Callable[..., Any] | None = None,
    input_output_aliases: Mapping[int, int] | None = None,
    mutated_operands: Iterable[int] = (),
    backward: Callable[..., Any] | None = None,
    setup_context: Callable[..., Any] | None = None,
    **others: Any,
) -> TorchFunction:
    _refuse(others)
    result_tree = result if _is_function(result) else _torch_forms.parse_result(result)
    opaque_bytes = _call_site.opaque_bytes(opaque)
    values = {} if attributes is None else attributes
    frozen_attributes = Attributes(values)
    aliases = _aliases.copied(input_output_aliases)
    _call_site.check_tuple_layout(tuple_layout)
    _torch_vmap.check_method(vmap_method)
    mutated = _torch_functions.mutated(mutated_operands, aliases)
    _torch_autograd.check(backward, setup_context, mutated)
    _target.check_name(target)
    _libraries.load_operator(target)
    entry = _registry.find(target, platform, abi)
    _target.check_fits(entry.target, entry.abi, opaque_bytes, attributes)
    site = Site(
        entry=entry,
        result=result_tree,
        opaque=opaque_bytes,
        attributes=frozen_attributes,
        attribute_values=dict(values),
        tuple_layout=tuple_layout,
        aliases=aliases,
        mutated=mutated,
        backward=backward,
        setup_context=setup_context,
        vmap=vmap_method,
        has_side_effect=bool(has_side_effect),
        key="",
    )
    return _torch_functions.function(site)


def _is_function(result: Any) -> bool:
    return callable(result) and not hasattr(result, "shape")


def _refuse(others: dict[str, Any]) -> None:
    for name in others:
        if name in _OF_JAX:
            raise TypeError(f"{name}= is for callbridge.jax: {_OF_JAX[name]}; leave it out")
        raise TypeError(f"custom_call() got an unexpected keyword argument {name!r}")
