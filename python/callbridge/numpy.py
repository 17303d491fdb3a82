"""Custom calls of any ABI version on NumPy arrays, through the embedded runtime, without XLA.

    library = callbridge.numpy.load("old.so")
    call = callbridge.numpy.custom_call("do_custom_call", "f32[2048]")
    a = call(b, c)

It has the functions of callbridge.jax, so that the same calls run without JAX. callbridge.library
calls a target once; what is made here is bound once and called often.

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from callbridge._calls import _bound_calls, _devices, _python_calls
from callbridge._calls._bound_function import BoundFunction
from callbridge._calls._devices import DeviceArray as DeviceArray  # that others may name it
from callbridge._calls._devices import open_device
from callbridge._core import _aliases, _call_site, _handles, _operator_info, _shapes, _target
from callbridge._core._arguments import OF_XLA, refuse_others
from callbridge._core._attributes import Attributes
from callbridge._core._buffers import Form
from callbridge._core._error import CallbridgeError
from callbridge._core._inferred_results import InferredResults, are_left_out
from callbridge._core._platform import parse_platform
from callbridge._core._target import Target
from callbridge._targets import _typed_handlers
from callbridge._targets._libraries import libraries_of
from callbridge._targets._registry import embedded_registry
from callbridge.library import Library
from callbridge.typing import (
    Abi,
    Bytes,
    DtypeTree,
    DuckTypedArray,
    Handlers,
    NumpyArray,
    NumpyCallOptions,
    NumpyTree,
    OperatorInfo,
    Platform,
    Pointer,
    ShapeTree,
    TupleLayout,
)
from callbridge.typing import Attributes as AttributeValues

if TYPE_CHECKING:
    from typing_extensions import Unpack

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
    **OF_XLA,
    "has_side_effect": "every call takes place here, whether its result is used or not",
    "vmap_method": "nothing is mapped here",
    "input_layouts": "arrays are row-major here",
    "output_layouts": "arrays are row-major here",
}

_registry = embedded_registry("callbridge.numpy")
_libraries = libraries_of(_registry)


def load(path: str | os.PathLike[str], *, isolate: bool = False) -> Library:
    """Opens the library at `path`, so that custom_call() finds its targets by their names.

    As callbridge.jax.load(): the library stays open until the process ends, loading a file of the
    same content again returns the same Library, and custom_call() declares the ABI of a target
    whose Target.abi is None. The library is another copy than callbridge.jax's, with static
    variables of its own, unless it is that of an AOT operator.

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
    stream, unless custom_call() has a device.
    """
    _registry.add_function(name, function_or_capsule, platform, abi)


def register_type(name: str, type_id: Pointer, type_info: Pointer | None = None) -> None:
    """Registers a type of state or of user data, as callbridge.jax.register_type() does."""
    _typed_handlers.register_type(name, type_id, type_info)


@overload
def custom_call(
    target: str, result: None = None, **options: Unpack[NumpyCallOptions]
) -> BoundFunction[NumpyArray]: ...
@overload
def custom_call(
    target: str, result: str | DtypeTree, **options: Unpack[NumpyCallOptions]
) -> BoundFunction[NumpyTree]: ...
@overload
def custom_call(
    target: str, result: tuple[ShapeTree, ...], **options: Unpack[NumpyCallOptions]
) -> BoundFunction[tuple[NumpyTree, ...]]: ...
@overload
def custom_call(
    target: str, result: DuckTypedArray, **options: Unpack[NumpyCallOptions]
) -> BoundFunction[NumpyArray]: ...
def custom_call(
    target: str,
    result: str | ShapeTree | DtypeTree | None = None,
    *,
    abi: Abi | None = None,
    platform: Platform | None = None,
    opaque: Bytes = b"",
    attributes: AttributeValues | None = None,
    tuple_layout: TupleLayout = "nested",
    operator_info: OperatorInfo | None = None,
    input_output_aliases: Mapping[int, int] | None = None,
    device: int | None = None,
    sync: bool = False,
    **others: Any,
) -> BoundFunction[Any]:
    """Returns a function of arrays and tuples of arrays that calls a registered target.

    The first call with operands of new shapes or types binds the target; later ones only call it. A
    typed handler has one state for each such binding. The 256 bindings that were called last are
    kept. Older ones are dropped, with their states, as soon as no call uses them, and are made
    again, with new states, when such operands come again. The target runs on the calling thread, in
    XLA:CPU's floating-point mode, which flushes subnormal numbers to zero. A typed handler gets
    threads, a run id and device ordinal 0; a future that it returns is waited for.

    Args:
      target: The name by which load() or register() registered it.
      result: The result's shape: a text such as "(f32[8],s32[])", any object with `shape` and
        `dtype`, or a plain tuple of these, nested too, for a tuple result.
        For an AOT operator of MindSpore that has an FInferShape: its dtype alone, or a plain tuple
        of the results' dtypes. None: one result of the operands' dtype.
      abi: The target's ABI, if Target.abi is None and register() had none.
      platform: None: the platform that has the target; if several have it, the CPU.
      opaque: Any bytes, for untyped targets that take them.
      attributes: For typed handlers, by name, as for callbridge.library.Library.run(). They are
        copied.
      tuple_layout: How untyped targets expect tuple operands: "nested" or "flat".
      operator_info: What the target's author declares of its calls, of any ABI: the dict that
        MindSpore's CustomRegOp(...).get_op_info() returns, or its JSON text. The function checks
        operands of new shapes or types. Attributes that have a default may be left out.
      input_output_aliases: From operands to results, both counted as the arrays in preorder and of
        one shape and type. The target gets one buffer for both, which begins as a copy of the
        operand.
      device: A CUDA device, by its number among those that the process sees. The target, of the
        platform "CUDA", runs there: it gets the device's memory and a stream, and a typed handler
        also the device ordinal, a run id and scratch memory, as from XLA:GPU. The function waits
        for it. NumPy arrays are copied; arrays on the device, of any library, that have
        `__cuda_array_interface__` or DLPack's methods are taken as they are, and if an operand is
        one, the results are DeviceArrays. None: the host's memory.
      sync: With a device: check that each pointer is of its memory, and wait for it before and
        after the target, so that an asynchronous error comes with the call that caused it.
      others: The other options of callbridge.jax.custom_call() mean nothing without JAX; each
        raises a TypeError that says why.

    Returns:
      The function. Its operands are NumPy arrays or scalars, or objects with `shape` and `dtype`
      that numpy.asarray() converts, or plain tuples of operands. They are copied, so the target
      cannot change them. Its result is a new NumPy array, or tuples of them, in the form of
      `result`.

      It raises CallbridgeError: INTERNAL with the target's message if it fails or throws; a typed
      handler's own error, of any code; INVALID_ARGUMENT for aliases of arrays that do not exist or
      differ in form, for what `operator_info` does not allow, and for dtypes that are not element
      types. It raises TypeError for operands that are neither arrays nor plain tuples, for masked
      arrays, and for objects whose shape or dtype differs from that of the array that
      numpy.asarray() makes. On a device also RESOURCE_EXHAUSTED if its memory runs out, and
      INTERNAL for errors of CUDA's driver; the message says if the context is lost.

    Raises:
      CallbridgeError: NOT_FOUND if the target is not registered for the platform. UNAVAILABLE,
        which says what was looked for, if there is no such device. INVALID_ARGUMENT if the target's
        ABI is neither known nor declared, or differs from the declared one; for an unknown tuple
        layout; for attributes of an untyped target, and for an opaque of a typed handler; for an
        invalid `operator_info`. As register() if a typed handler is checked only now.
      TypeError: if the result is neither an array nor a plain tuple; if `opaque` is not bytes; and
        if a value of `attributes` is not an attribute.
    """
    refuse_others(others, _OF_JAX)
    known = None if are_left_out(result) else _Result(_shapes.parse_fixed_result(result))
    opaque_bytes = _call_site.opaque_bytes(opaque)
    frozen_attributes = Attributes({} if attributes is None else attributes)
    declared = _operator_info.OperatorInfo(operator_info)
    aliases = _aliases.copied(input_output_aliases)
    _call_site.check_tuple_layout(tuple_layout)
    _target.check_name(target)
    name = _libraries.registered_name(target)
    if device is None:
        if sync:
            raise TypeError("sync: expected a device too, since only devices are waited for")
        on_device = None
    else:
        platform = _on_cuda(platform)
        on_device = _devices.DeviceArrays(open_device(device), sync)
    entry = _registry.find(name, platform, abi)
    _target.check_fits(entry.target, entry.abi, opaque_bytes, attributes)

    inferred = None
    if known is None:
        inferred = InferredResults(entry.c_target, result, declared, attributes)

    def bind(operands: tuple[Any, ...]) -> Any:
        leaves = _shapes.leaves(operands, "operands")
        returned = _Result(inferred.tree(leaves)) if inferred is not None else known
        assert returned is not None
        _aliases.check(aliases, leaves, None, returned.leaves, None)
        site = _call_site.site(
            operands,
            returned.tree,
            tuple_layout,
            opaque_bytes,
            _shapes.array_text,
            frozen_attributes.handle,
            declared.handle,
        )
        operand_of = {result: operand for operand, result in aliases.items()}
        forms = tuple(map(Form, leaves))
        operands_of_results = tuple(operand_of.get(i, -1) for i in range(len(returned.leaves)))
        tree = returned.without_leaves
        context = None if on_device is None else on_device.context()
        handle = _handles.bind(entry.c_target, site, context)
        bound_as = handle, forms, returned.forms, operands_of_results, tree
        if on_device is not None:
            return _python_calls.BoundCall(*bound_as, on_device)
        return _bound_calls.BoundCall(*bound_as)

    call_on = _bound_calls.caller(bind, on_device)

    def call(*operands: Any) -> Any:
        return call_on(operands)

    return BoundFunction(call, "callbridge.numpy", target)


def _on_cuda(platform: Platform | None) -> Platform:
    if platform is None or parse_platform(platform) == "CUDA":
        return "CUDA"
    raise CallbridgeError(
        "INVALID_ARGUMENT", f"device is a CUDA device, but platform is {platform!r}: leave it out"
    )


class _Result:
    def __init__(self, tree: Any):
        """`tree` has leaves that later changes do not affect."""
        self.tree = tree
        self.leaves = _shapes.leaves(tree, "result")
        self.forms = tuple(map(Form, self.leaves))
        self.without_leaves = _shapes.rebuild(tree, itertools.repeat(None))
