"""The kernels of callbridge.torch's operators, except those of transforms.

On a device a kernel binds the target once for each form of the tensors, and calls it on their
memory, on a GPU on torch's current stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from callbridge._calls import _bound_calls
from callbridge._calls._bound_calls import BoundCall, Caller
from callbridge._core import _c_api, _call_site, _shapes
from callbridge._core._error import CallbridgeError
from callbridge._targets._registry import Entry
from callbridge.torch import _devices, _forms, _operators, _tensors
from callbridge.torch._devices import Torch
from callbridge.torch._forms import TensorForm
from callbridge.torch._modules import Program
from callbridge.torch._operators import Operator

Tensors = tuple[torch.Tensor, ...]


# ---- Shapes alone: torch.compile, torch.export, the device "meta" -------------------------------


def _register_fake(operator: Operator) -> None:
    def fake(*tensors: torch.Tensor) -> Any:
        _tensors.check(operator, tensors)
        if operator.site.program is not None:
            operator.site.program.check(tensors)
        device = tensors[0].device if tensors else _device_without_tensors(operator)
        entry = _operators.entry_for(operator.site.entries, device.type)
        forms = operator.result_forms(tensors, entry)
        _tensors.check_gradients(operator, tensors, forms)
        _check_aliases(operator, tensors, forms)
        made = [
            torch.empty(forms[i].shape, dtype=forms[i].dtype, device=device)
            for i in operator.returned
        ]
        if len(made) == 1:
            return made[0]
        return tuple(made) if made else None

    name = f"callbridge::{operator.name}"
    torch.library.register_fake(name, fake, lib=_operators.LIBRARY)


def _device_without_tensors(operator: Operator) -> torch.device:
    """Torch's current GPU if there is one and the target is for GPUs, else the CPU."""
    if operator.site.entry.platform == _devices.GPU and torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


# ---- Devices ------------------------------------------------------------------------------------


def _cpu_kernel(operator: Operator) -> Callable[..., Any] | None:
    if operator.site.program is not None:
        return _module_kernel(operator, operator.site.program)
    entry = operator.site.entries.get("cpu")
    if not isinstance(entry, Entry):
        return None
    return _kernel_on(_devices.TORCH, operator, entry, None)


def _module_kernel(operator: Operator, program: Program) -> Callable[..., Any]:
    def call(*tensors: torch.Tensor) -> Any:
        _tensors.check(operator, tensors)
        program.check(tensors)
        _tensors.check_gradients(operator, tensors, program.result_forms)
        plain = list(map(_tensors.plain, tensors))  # kept until the end of the call
        results = program.execute(plain)
        if len(results) == 1:
            return results[0]
        return tuple(results) if results else None

    return call


def _gpu_kernel(operator: Operator) -> Callable[..., Any] | None:
    entry = operator.site.entries.get("cuda")
    if not isinstance(entry, Entry):
        return None
    by_device: dict[int, Callable[..., Any]] = {}

    def kernel(*tensors: torch.Tensor) -> Any:
        device = tensors[0].device if tensors else _device_without_tensors(operator)
        if device.type != "cuda":
            _tensors.refuse(operator, tensors)
        index = device.index
        found = by_device.get(index)
        if found is None:
            torch_there, context = _devices.open_gpu(index)
            made = _kernel_on(torch_there, operator, entry, context)
            found = by_device.setdefault(index, _devices.guarded(index, made))
        return found(*tensors)

    return kernel


def _kernel_on(
    torch_there: Torch,
    operator: Operator,
    entry: Entry,
    context: _c_api.ExecutionContext | None,
) -> Callable[..., Any]:
    """The kernel for the device of `torch_there`, where it binds with `context`."""
    site = operator.site

    def bind(tensors: Tensors) -> BoundCall:
        tree = operator.result_tree(tuple([_meta(tensor) for tensor in tensors]), entry)
        results = _shapes.leaves(tree, "result")
        _check_aliases(operator, tensors, results)
        operands = _shapes.rebuild(operator.operand_tree, map(_form, tensors))
        c_site = _call_site.site(
            operands,
            tree,
            site.tuple_layout,
            site.opaque,
            _forms.text,
            site.attributes.handle,
        )
        operand_of = {result: operand for operand, result in site.aliases.items()}
        count = len(operator.returned)
        return BoundCall(
            _c_api.bind(entry.c_target, c_site, context),
            (None,) * len(tensors),
            tuple([(form.shape, _strides(form.shape), form.dtype) for form in results]),
            tuple([operand_of.get(i, -1) for i in range(len(results))]),
            (None,) * count if count > 1 else None,
            torch_there,
            entry.abi == "typed_ffi",
        )

    def prepare(tensors: Tensors) -> Tensors:
        _tensors.check(operator, tensors)
        if site.backward is None and _tensors.has_gradient(tensors):
            metas = tuple([_meta(tensor) for tensor in tensors])
            _tensors.check_gradients(operator, tensors, operator.result_forms(metas, entry))
        if site.mutated:
            return _prepare_mutated(operator, tensors)
        return tuple(map(_tensors.plain, tensors))

    def finish(tensors: Tensors, prepared: Tensors) -> None:
        for i in site.mutated:
            if prepared[i] is not tensors[i]:
                with torch.no_grad():
                    tensors[i].copy_(prepared[i])
            elif not tensors[i].is_inference():
                torch.autograd.graph.increment_version(tensors[i])

    by_form, bind_new = _bound_calls.forms(bind)
    return Caller(
        by_form,
        prepare,
        bind_new,
        torch_there,
        finish if site.mutated else None,
        site.backward is None,
    )


def _form(tensor: torch.Tensor) -> TensorForm:
    return TensorForm(tuple(tensor.shape), tensor.dtype)


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """In elements, of a row-major tensor as torch.empty() makes it."""
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * max(shape[i + 1], 1)
    return tuple(strides)


def _meta(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty(tensor.shape, dtype=tensor.dtype, device="meta")


def _check_aliases(operator: Operator, tensors: Tensors, results: list[TensorForm]) -> None:
    """Raises INVALID_ARGUMENT unless aliased operands and results are alike."""
    for operand, result in operator.site.aliases.items():
        forms = _form(tensors[operand]), results[result]
        if forms[0] != forms[1]:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"input_output_aliases: {operand} to {result}: the operand is "
                f"{forms[0].dtype} {list(forms[0].shape)}, the result {forms[1].dtype} "
                f"{list(forms[1].shape)}; tensors that share memory must be alike",
            )


def _prepare_mutated(operator: Operator, tensors: Tensors) -> Tensors:
    """Returns plain tensors, those that the target writes to apart from all others.

    So that the result does not depend on the order in which a target reads and writes, as in
    torch.compile, which has no tensors that overlap.
    """
    mutated = operator.site.mutated
    names = list(_shapes.leaf_names(operator.operand_tree))
    prepared = list(map(_tensors.plain, tensors))
    for i in mutated:
        if any(
            stride == 0 and size > 1 for stride, size in zip(tensors[i].stride(), tensors[i].shape)
        ):
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"{names[i]} is written to, and several of its elements are one in memory, as "
                "expand() makes them; pass its clone()",
            )
        for j, other in enumerate(tensors):
            if i == j or not _overlap(tensors[i], other):
                continue
            if j in mutated:
                raise CallbridgeError(
                    "INVALID_ARGUMENT",
                    f"{names[i]} and {names[j]} share memory, and the target writes to both; pass "
                    "clone() of one",
                )
            if prepared[j] is other:
                prepared[j] = _tensors.plain(other.clone())
    return tuple(prepared)


def _overlap(one: torch.Tensor, other: torch.Tensor) -> bool:
    def extent(tensor: torch.Tensor) -> tuple[int, int]:
        if tensor.numel() == 0:
            return (0, 0)
        last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
        begin = tensor.data_ptr()
        return begin, begin + (last + 1) * tensor.element_size()

    (begin, end), (other_begin, other_end) = extent(one), extent(other)
    return begin < other_end and other_begin < end


# ---- Other devices and kinds of tensors ---------------------------------------------------------


def _other_kernel(operator: Operator) -> Callable[..., Any]:
    by_device: dict[str, Callable[..., Any] | None] = {}
    make = {"cpu": _cpu_kernel, "cuda": _gpu_kernel}

    def kernel(*tensors: torch.Tensor) -> Any:
        if tensors:
            _tensors.refuse(operator, tensors)
        device = _device_without_tensors(operator).type
        found = by_device.get(device) or by_device.setdefault(device, make[device](operator))
        if found is None:
            reason = _operators.refusal(operator.site, torch.device(device))
            raise CallbridgeError("UNIMPLEMENTED", f"the call has no operands, and {reason}")
        return found()

    return kernel


# ---- Conjugate and negative views ---------------------------------------------------------------


def _lazy_kernel(operator: Operator) -> Callable[..., Any] | None:
    """torch computes their values for operators; if those write to them, only if they return them
    too, which these do not."""
    if not operator.site.mutated:
        return None

    def kernel(*tensors: torch.Tensor) -> Any:
        resolved = [tensor.resolve_conj().resolve_neg() for tensor in tensors]
        result = operator.overload(*resolved)
        for i in operator.site.mutated:
            if resolved[i] is not tensors[i]:
                tensors[i].copy_(resolved[i])
        return result

    return kernel


# ---- Effects ------------------------------------------------------------------------------------


def _register_effect(operator: Operator) -> None:
    """So that compiled programs keep calls whose results are not used, and their order."""
    if operator.site.has_side_effect:
        # Imported only here, since it imports much.
        from torch._higher_order_ops.effects import _EffectType, _register_effectful_op

        _register_effectful_op(operator.overload, _EffectType.ORDERED)


_operators.implement("CPU", _cpu_kernel)
_operators.implement("CUDA", _gpu_kernel)
# The second is not among the first.
for dispatch_key in ("CompositeExplicitAutograd", "AutogradNestedTensor"):
    _operators.implement(dispatch_key, _other_kernel)
for dispatch_key in ("Conjugate", "Negative"):
    _operators.implement(dispatch_key, _lazy_kernel)
_operators.finish_with(_register_fake)
_operators.finish_with(_register_effect)
