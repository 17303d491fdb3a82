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
from typing import TYPE_CHECKING, Any, overload

from callbridge._calls import _bound_calls, _devices, _python_calls
from callbridge._calls._devices import DeviceArray as DeviceArray  # that others may name it
from callbridge._calls._devices import open_device
from callbridge._core import _c_api, _call_site, _options, _shapes, _target
from callbridge._core._buffers import Form
from callbridge._core._call_site import Attributes
from callbridge._core._error import CallbridgeError, parse_platform
from callbridge._core._mindspore import InferredResults, are_left_out
from callbridge._core._target import BoundFunction, Target
from callbridge._targets import _libraries
from callbridge._targets._libraries import libraries_of
from callbridge._targets._registry import embedded_registry
from callbridge.library import Library
from callbridge.typing import (
    DtypeTree,
    DuckTypedArray,
    NumpyArray,
    NumpyCallOptions,
    NumpyTree,
    Platform,
    ShapeTree,
)

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

_registry = embedded_registry("callbridge.numpy")
_targets = libraries_of(_registry)


load = _libraries.public(_libraries.load, __name__, _targets)
register = _libraries.public(
    _libraries.register,
    __name__,
    _targets,
    more="""A function that is registered for a GPU is called with pointers to host memory and a
    null stream, unless custom_call() has a device.""",
)
register_type = _libraries.public(_libraries.register_type, __name__, _targets)


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
@_options.describe(NumpyCallOptions, others=True)
def custom_call(
    target: str,
    result: str | ShapeTree | DtypeTree | None = None,
    **options: Unpack[NumpyCallOptions],
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
      platform: None: the platform that has the target; if several have it, the CPU.
      operator_info: ... The function checks operands of new shapes or types.
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
    given = _options.completed(NumpyCallOptions, options)
    known = None if are_left_out(result) else _Result(_shapes.parse_fixed_result(result))
    checked = _options.Checked(target, given)
    attributes = given["attributes"]
    frozen_attributes = Attributes({} if attributes is None else attributes)
    name = _targets.registered_name(target)
    device, sync, platform = given["device"], given["sync"], given["platform"]
    if device is None:
        if sync:
            raise TypeError("sync: expected a device too, since only devices are waited for")
        on_device = None
    else:
        platform = _on_cuda(platform)
        on_device = _devices.DeviceArrays(open_device(device), sync)
    entry = _registry.find(name, platform, given["abi"])
    _target.check_fits(entry.target, entry.abi, checked.opaque, attributes)

    inferred = None
    if known is None:
        inferred = InferredResults(entry.c_target, result, checked.declared, attributes)

    def bind(operands: tuple[Any, ...]) -> Any:
        leaves = _shapes.leaves(operands, "operands")
        returned = _Result(inferred.tree(leaves)) if inferred is not None else known
        assert returned is not None
        _call_site.check_aliases(checked.aliases, leaves, None, returned.leaves, None)
        site = _call_site.site(
            operands,
            returned.tree,
            checked.tuple_layout,
            checked.opaque,
            _shapes.array_text,
            frozen_attributes.handle,
            checked.declared.handle,
        )
        operand_of = {result: operand for operand, result in checked.aliases.items()}
        forms = tuple(map(Form, leaves))
        operands_of_results = tuple(operand_of.get(i, -1) for i in range(len(returned.leaves)))
        tree = returned.without_leaves
        context = None if on_device is None else on_device.context()
        handle = _c_api.bind(entry.c_target, site, context)
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
