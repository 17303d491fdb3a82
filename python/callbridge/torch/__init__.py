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

import copy
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from callbridge._core import _mindspore, _options, _target
from callbridge._core._call_site import Attributes
from callbridge._core._error import HOST, CallbridgeError
from callbridge._core._target import Target
from callbridge._targets import _libraries
from callbridge._targets._libraries import libraries_of
from callbridge._targets._registry import Entry, embedded_registry
from callbridge.library import Library
from callbridge.torch import (
    _forms,
    _functions,
    _kernels,  # noqa: F401  registers kernels
    _modules,
    _operators,
    _vmap,
)
from callbridge.torch._forms import InferredResult
from callbridge.torch._functions import TorchFunction
from callbridge.torch._operators import Site
from callbridge.typing import Bytes, TorchCallOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "CallbridgeError",
    "Library",
    "Target",
    "custom_call",
    "hlo_module",
    "load",
    "register",
    "register_type",
]

_registry = embedded_registry("callbridge.torch")
_targets = libraries_of(_registry)


load = _libraries.public(_libraries.load, __name__, _targets)
register = _libraries.public(
    _libraries.register,
    __name__,
    _targets,
    more="""A function that is registered for a GPU is called on tensors there; on the CPU only if
    custom_call() has a `platform`, with pointers to host memory and a null stream.""",
)
register_type = _libraries.public(_libraries.register_type, __name__, _targets)


@_options.describe(TorchCallOptions, others=True)
def custom_call(
    target: str, result: Any = None, **options: Unpack[TorchCallOptions]
) -> TorchFunction:
    """Returns a function of tensors and tuples of tensors that calls a registered target.

    The function calls an operator in torch.ops.callbridge, which torch.compile and torch.export
    take without a graph break, with symbolic sizes too. Make the function outside of what is
    compiled. On each device, the first call with tensors of new shapes or types binds the target,
    as by callbridge.numpy.custom_call(): a typed handler has one state for each binding, and the
    256 that were called last are kept.

    The target gets the memory of the operands, without a copy, and must write to none that is not
    in `input_output_aliases` or `mutated_operands`. Operands that are not row-major, or not aligned
    to 64 bytes as XLA:CPU's are (on a GPU to 16, as XLA:GPU's), are copied first. Results are new,
    row-major tensors on the operands' device. The target runs on the calling thread without the
    GIL, in the thread's own floating-point mode: subnormal numbers stay, as in PyTorch, where
    callbridge.jax and callbridge.numpy flush them to zero. (A typed handler's stage "instantiate"
    runs in XLA:CPU's mode.) A typed handler gets threads, on which its tasks run in that mode too,
    a run id and device ordinal 0; a future that it returns is waited for.

    On a GPU the target gets torch's current stream of the tensors' device, which is not waited for,
    and null for tensors without elements. A typed handler gets that stream, the device ordinal, a
    run id, and scratch memory of torch's allocator. As with any operator of torch, tensors that
    another stream made or uses must be ordered by the caller: Stream.wait_stream(), and
    Tensor.record_stream(). Where PyTorch is built for ROCm, GPUs' targets are those for ROCM, and
    a typed handler gets the stream and scratch memory.

    Args:
      target: The name by which load() or register() registered it, or "PATH:FUNCTION" of an AOT
        operator of MindSpore.
      result: The result's shape: a text such as "(f32[8],s32[])"; a tensor, on any device, or
        another object with `shape` and `dtype`; a plain tuple of tensors and such, nested too, for
        a tuple result; or a function of the operands that returns one of these. The function gets
        tensors of the operands' shapes and types without memory, in the operands' nesting; their
        sizes may be torch.SymInt. It must depend on the shapes and types alone, and must return the
        same nesting for operands of one nesting. For an AOT operator of MindSpore that has an
        FInferShape: its torch.dtype alone, or a plain tuple of the results' dtypes. None: one
        result of the operands' dtype. Sizes that torch.compile keeps symbolic become constants of
        a program whose result depends on them.
      platform: None: that of the tensors' device; without tensors the one that has the target, and
        the CPU if several have it. "cpu": tensors on the CPU alone. A GPU's: tensors on the CPU
        too, for which the target gets host memory and a null stream. MindSpore's operators have
        both platforms, since nothing says which one is meant.
      has_side_effect: Keep calls in compiled programs if their results are not used, and their
        order.
      vmap_method: What torch.vmap does, as for callbridge.jax.custom_call(): "sequential" and
        "sequential_unrolled" call the target once for each, "expand_dims" and "broadcast_all" once
        for all, with a dimension in front of each array, also of the result; of size 1, or of the
        size of the others, in operands that are not mapped over. (If gradients are wanted by
        `backward`, each calls once for each.) Or a rule as torch.library.register_vmap() takes it,
        of the tensors in preorder. None: torch.vmap raises an error.
      input_output_aliases: From operands to results, both counted as the tensors in preorder and of
        one shape and type. Unlike in callbridge.jax, the operand itself is changed: its memory is
        the result's, and the function returns that tensor.
      mutated_operands: The operands that the target writes to, counted likewise.
      backward: A rule for gradients as torch.library.register_autograd() takes it: of a context and
        a gradient for each tensor of the result, in preorder; it returns one for each tensor of the
        operands, in preorder, or None. torch.func.grad() and its like do not use such rules.
      setup_context: Likewise: of a context, the tensors of the operands and the tensors of the
        result: a tensor, or a tuple.
      others: The other options of callbridge.jax.custom_call() mean nothing without XLA; each
        raises a TypeError that says why.

    Returns:
      The function. Its operands are tensors on one device, or plain tuples of operands; on the
      device "meta" it returns shapes alone. Its result is a tensor, or tuples of them. Its method
      operator() returns the operator itself. It can be copied and not pickled; programs that
      torch.export saved run in another process that made the same custom_call().

      It raises CallbridgeError: INTERNAL with the target's message if it fails or throws; a typed
      handler's own error, of any code; UNIMPLEMENTED for tensors on devices for which the target is
      not registered, for sparse, quantized and nested ones, and by torch.vmap without
      `vmap_method`; FAILED_PRECONDITION, which is a RuntimeError too, for a tensor that requires
      grad, or is differentiated forward, in a call whose result is differentiable and that has no
      `backward`; INVALID_ARGUMENT for tensors on several devices, and if torch's current stream is
      another device's; for element types that XLA has not, for what `operator_info` does not allow,
      for aliases of tensors that do not exist or differ in form, and for tensors that the target
      writes to and that share memory with each other or with themselves. It raises TypeError for
      operands that are neither tensors nor plain tuples. What `result`, `backward` and
      `vmap_method` raise is raised.

    Raises:
      CallbridgeError: NOT_FOUND if the target is not registered for the platform. INVALID_ARGUMENT
        if its ABI is neither known nor declared, or differs from the declared one; for an unknown
        tuple layout or method; for attributes of an untyped target, and for an opaque of a typed
        handler; for results of types that torch has not; for `backward` of a call that writes to
        operands. As register() if a typed handler is checked only now.
      TypeError: if the result is none of the above; if `opaque` is not bytes; if a value of
        `attributes` is not an attribute; and if a rule is not a function.
    """
    given = _options.completed(TorchCallOptions, options, "tensors")
    is_left_out = _forms.are_left_out(result)
    is_function = is_left_out or _is_function(result)
    result_tree = result if is_function else _forms.parse_result(result)
    checked = _options.Checked(target, given)
    attributes = given["attributes"]
    values = checked.declared.with_defaults({} if attributes is None else attributes)
    frozen_attributes = Attributes(values)
    vmap_method, backward = given["vmap_method"], given["backward"]
    setup_context = given["setup_context"]
    _vmap.check_method(vmap_method)
    mutated = _functions.mutated(given["mutated_operands"], checked.aliases)
    _functions.check(backward, setup_context, mutated)
    name = _targets.registered_name(target)

    def check(entry: Entry) -> None:
        _target.check_fits(entry.target, entry.abi, checked.opaque, attributes)

    entry, entries = _operators.find_entries(
        _registry, name, given["platform"], given["abi"], check
    )
    if is_left_out:
        result_tree = InferredResult(entry.c_target, result, checked.declared, attributes)
    site = Site(
        name=target,
        entry=entry,
        entries=entries,
        result=result_tree,
        opaque=checked.opaque,
        attributes=frozen_attributes,
        attribute_values=copy.deepcopy(dict(values)),
        operator_info=checked.declared,
        tuple_layout=checked.tuple_layout,
        aliases=checked.aliases,
        mutated=mutated,
        backward=backward,
        setup_context=setup_context,
        vmap=vmap_method,
        has_side_effect=bool(given["has_side_effect"]),
        key="",
    )
    return _functions.function(site)


def hlo_module(
    module: str | Bytes | os.PathLike[str],
    *,
    libraries: Iterable[Library] = (),
    threads: int = 1,
    has_side_effect: bool = False,
    vmap_method: Literal["sequential", "sequential_unrolled"] | Callable[..., Any] | None = None,
    backward: Callable[..., Any] | None = None,
    setup_context: Callable[..., Any] | None = None,
) -> TorchFunction:
    """Returns a function of tensors that runs an HLO module with custom calls, without XLA.

    It is an operator as those of custom_call(). The module is compiled once, for the embedded
    runtime, and kept until the process ends; its custom calls are bound then. It runs on the
    calling thread without the GIL and, unlike the targets of custom_call(), in XLA:CPU's
    floating-point mode, which flushes subnormal numbers to zero: so do all its instructions in XLA.

    Args:
      module: HLO text, as XLA prints it; the bytes of a serialized HloModuleProto or HloProto; or a
        pathlib.Path of a file that holds one of these.
      libraries: What load() returned. The module's custom calls find their targets there, in a
        later one before an earlier one, and then in any library that this process has opened; not
        among what register() was given.
      threads: Independent calls run on so many threads.
      has_side_effect, vmap_method, backward, setup_context: As for custom_call(), but of the
        methods only those that run the module once for each, since its shapes are fixed.

    Returns:
      The function. Its operands are the module's parameters: tensors on the CPU, or plain tuples of
      them; they are not changed. Its result is the module's. It raises what the function that
      custom_call() returns raises, and INVALID_ARGUMENT for operands of other shapes or types than
      the parameters'.

    Raises:
      CallbridgeError: INVALID_ARGUMENT if it is no HLO module, or inconsistent. NOT_FOUND if there
        is no such file, or if a target is missing. UNIMPLEMENTED, which names it, for an
        instruction, a layout or an element type that cannot be run here, and if
        libcallbridge_client.so is not there.
      TypeError: if an argument is of none of these types.
    """
    content = _modules.read(module)
    _vmap.check_method(vmap_method, _vmap.METHODS_OF_MODULES)
    _functions.check(backward, setup_context, frozenset())
    if not isinstance(threads, int) or threads < 1:
        raise TypeError(f"threads: expected a positive int, got {threads!r}")
    program = _modules.Program(content, _modules.libraries_of(libraries), threads)
    target = Target("hlo_module", HOST, "typed_ffi", "an HLO module", 0)
    entry = Entry(target, "callbridge.torch.hlo_module()", program, HOST, {})
    site = Site(
        name=target.name,
        entry=entry,
        entries={"cpu": entry},
        result=program.result,
        opaque=b"",
        attributes=Attributes({}),
        attribute_values={},
        operator_info=_mindspore.OperatorInfo(None),
        tuple_layout="nested",
        aliases={},
        mutated=frozenset(),
        backward=backward,
        setup_context=setup_context,
        vmap=vmap_method,
        has_side_effect=bool(has_side_effect),
        key="",
        program=program,
    )
    return _functions.function(site)


def _is_function(result: Any) -> bool:
    return callable(result) and not hasattr(result, "shape")
