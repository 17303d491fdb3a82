"""Which tensors targets can be given, and the errors of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import torch
from torch.autograd import forward_ad

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError
from callbridge.torch import _devices, _forms, _operators
from callbridge.torch._operators import Operator, Site

# Device types whose tensors any call may have: those that only have shapes.
devices = {"meta"}

_INSTEAD = {
    torch.sparse_coo: "to_dense()",
    torch.sparse_csr: "to_dense()",
    torch.sparse_csc: "to_dense()",
    torch.sparse_bsr: "to_dense()",
    torch.sparse_bsc: "to_dense()",
    torch._mkldnn: "to_dense()",
    torch.jagged: "to_padded_tensor(), or its values()",
}


def check(operator: Operator, tensors: Sequence[torch.Tensor]) -> None:
    """check_tensors(), of an operator's."""
    check_tensors(operator.site, operator.operand_tree, tensors)


def check_tensors(site: Site, tree: tuple, tensors: Sequence[torch.Tensor]) -> None:
    """Raises an error unless all tensors, in preorder in `tree`, are dense, of one device for which
    the site has a target, and of types that XLA has. Their sizes may be symbols."""
    device = None
    for tensor, what in zip(tensors, _shapes.leaf_names(tree)):
        _check_kind(tensor, what)
        _forms.element_type(tensor.dtype, what)
        if tensor.device.type not in devices and (
            _operators.entry_for(site.entries, tensor.device.type) is None
        ):
            reason = _operators.refusal(site, tensor.device)
            raise CallbridgeError(
                "UNIMPLEMENTED", f"{what} is on the device {tensor.device}, and {reason}"
            )
        device = device or tensor.device
        if tensor.device != device:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"{what} is on the device {tensor.device}, operands before it on {device}; move "
                "all to one device with to()",
            )


def _check_kind(tensor: torch.Tensor, what: str) -> None:
    if tensor.is_nested:
        kind, instead = "a nested tensor", _INSTEAD[torch.jagged]
    elif tensor.layout != torch.strided:
        kind = f"of layout {tensor.layout}"
        instead = _INSTEAD.get(tensor.layout, "to_dense()")
    elif tensor.is_quantized:
        kind, instead = "quantized", "dequantize(), or int_repr()"
    else:
        return
    raise CallbridgeError(
        "UNIMPLEMENTED", f"{what} is {kind}, and targets get dense arrays; pass its {instead}"
    )


def check_gradients(operator: Operator, tensors: tuple[torch.Tensor, ...], forms: Any) -> None:
    """Raises an error if a result would have to be differentiated, and there is no rule for it.

    `forms` are the result's.
    """
    if operator.site.backward is not None or not has_gradient(tensors):
        return
    if operator.site.mutated or any(_forms.is_differentiable(f.dtype) for f in forms):
        for tensor, what in zip(tensors, _shapes.leaf_names(operator.operand_tree)):
            if has_gradient((tensor,)):
                raise_gradient(operator, what)


def has_gradient(tensors: tuple[torch.Tensor, ...]) -> bool:
    """True if one is differentiated now, backward or forward."""
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return True
    return forward_ad._current_level >= 0 and any(
        forward_ad.unpack_dual(tensor).tangent is not None
        for tensor in tensors
        if _forms.is_differentiable(tensor.dtype)
    )


def check_transformed(operator: Operator, tensors: tuple[torch.Tensor, ...]) -> None:
    """check_gradients(), in torch.func's transforms, which a kernel does not see."""
    if operator.site.backward is None and has_gradient(tensors):
        metas = [torch.empty(t.shape, dtype=t.dtype, device="meta") for t in tensors]
        check_gradients(operator, tensors, operator.result_forms(tuple(metas)))


class GradientError(CallbridgeError, RuntimeError):
    """A CallbridgeError, and what torch raises where it cannot differentiate."""


def raise_gradient(operator: Operator, what: str) -> NoReturn:
    raise GradientError(
        "FAILED_PRECONDITION",
        f"{what} requires grad, and the call of target {operator.site.entry.target.name!r} has no "
        "rule for gradients: custom_call() got no backward=. Pass one, or pass detach() of the "
        "tensor, or call it under torch.no_grad()",
    )


def refuse(operator: Operator, tensors: tuple[torch.Tensor, ...]) -> NoReturn:
    """Raises the error for tensors of kinds and devices for which the operator has no kernel."""
    check(operator, tensors)
    what = ", ".join(f"{tensor.device} {tensor.layout}" for tensor in tensors)
    raise CallbridgeError(
        "UNIMPLEMENTED",
        f"operator callbridge::{operator.name} has no kernel for tensors on {what}; pass dense "
        "tensors on the CPU or a GPU",
    )


# ---- Tensors in memory --------------------------------------------------------------------------


def alignment(tensor: torch.Tensor) -> int:
    return _devices.GPU_ALIGNMENT if tensor.is_cuda else _devices.ALIGNMENT


def is_plain(tensor: torch.Tensor) -> bool:
    """True if a target can be given the tensor's memory."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.is_contiguous()
        and tensor.data_ptr() % alignment(tensor) == 0
        and not tensor.is_conj()
        and not tensor.is_neg()
    )


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """Returns a tensor of the same values that is so: itself, a view or a copy."""
    if is_plain(tensor):
        return tensor
    with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
        view = tensor.as_subclass(torch.Tensor)
        view = view.resolve_conj().resolve_neg().contiguous()
        if not is_plain(view):
            view = view.clone(memory_format=torch.contiguous_format)
    if not is_plain(view):  # of an allocator that aligns less
        raise CallbridgeError(
            "INTERNAL", f"torch allocated memory that is not aligned to {alignment(view)} bytes"
        )
    return view
