"""What torch.vmap does with callbridge.torch's operators: jax.ffi.ffi_call's methods, or a rule of
the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError, check_choice
from callbridge.torch import _operators, _tensors
from callbridge.torch._forms import TensorForm
from callbridge.torch._operators import Operator

METHODS = ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all")

_BATCHED = torch._C.DispatchKeySet(torch._C.DispatchKey.FuncTorchBatched)

Tensors = tuple[torch.Tensor, ...]
Batched = tuple[bool, ...]


# Of an HLO module, whose parameters have fixed shapes.
METHODS_OF_MODULES = METHODS[:2]


def check_method(vmap_method: Any, methods: tuple[str, ...] = METHODS) -> None:
    if vmap_method is not None and not callable(vmap_method):
        check_choice(vmap_method, "vmap_method", methods)


def _batched_kernel(operator: Operator) -> Callable[..., Any]:
    call_once_for: dict[Batched, Operator] = {}

    def kernel(*tensors: torch.Tensor) -> Any:
        # Imported only here, since they import much.
        from torch._functorch.autograd_function import unwrap_batched, wrap_batched
        from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

        interpreter = retrieve_current_functorch_interpreter()
        level = interpreter.level()
        unwrapped, dimensions = unwrap_batched(tensors, level)
        # What torch.library.register_vmap() does; torch 2.4 has no such function.
        with torch._C._ExcludeDispatchKeyGuard(_BATCHED):
            if all(dimension is None for dimension in dimensions):
                return operator.overload(*unwrapped)
            result, out_dimensions = rule(interpreter, dimensions, unwrapped)
        return wrap_batched(result, out_dimensions, level)

    def rule(interpreter: Any, dimensions: tuple[int | None, ...], tensors: Tensors) -> Any:
        method = operator.site.vmap
        if callable(method):
            from torch._functorch.autograd_function import VmapInfo

            info = VmapInfo(interpreter.batch_size(), interpreter.randomness())
            return method(info, dimensions, *tensors)
        _check(operator, dimensions)
        _tensors.check_transformed(operator, tensors)
        batched = tuple([dimension is not None for dimension in dimensions])
        moved = tuple(
            [
                tensor if dimension is None else tensor.movedim(dimension, 0)
                for tensor, dimension in zip(tensors, dimensions)
            ]
        )
        size = interpreter.batch_size()
        if method.startswith("sequential") or _needs_gradients(operator, tensors):
            result = _sequential(operator, moved, batched, size)
        else:
            whole = call_once_for.get(batched)
            if whole is None:
                whole = call_once_for[batched] = _whole(operator, batched)
            result = whole.overload(*_with_batches(method, moved, batched, size))
        return result, _like(result, 0)

    return kernel


def _check(operator: Operator, dimensions: tuple[int | None, ...]) -> None:
    target = operator.site.entry.target.name
    if operator.site.vmap is None:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"the call of target {target!r} has no rule for torch.vmap: custom_call() got no "
            f"vmap_method=; pass one of {', '.join(map(repr, METHODS))}, or a rule as "
            "torch.library.register_vmap() takes it",
        )
    names = list(_shapes.leaf_names(operator.operand_tree))
    for i in sorted(operator.site.mutated):
        if dimensions[i] is None:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"{names[i]} is written to, and torch.vmap does not map over it, so that all calls "
                "would write to the same memory; map over it too",
            )


def _needs_gradients(operator: Operator, tensors: Tensors) -> bool:
    """The user's rule for gradients is one for a call without the new dimension."""
    return (
        operator.site.backward is not None
        and torch.is_grad_enabled()
        and any(tensor.requires_grad for tensor in tensors)
    )


def _like(result: Any, value: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return tuple([value] * len(result))
    return None if result is None else value


# ---- One call for each -------------------------------------------------------------------------


def _sequential(operator: Operator, tensors: Tensors, batched: Batched, size: int) -> Any:
    if size == 0:
        return _empty(operator, tensors, batched)
    results = [
        operator.overload(*[t[i] if is_batched else t for t, is_batched in zip(tensors, batched)])
        for i in range(size)
    ]
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results)
    return None if results[0] is None else tuple([torch.stack(each) for each in zip(*results)])


def _empty(operator: Operator, tensors: Tensors, batched: Batched) -> Any:
    forms = operator.result_forms(_each(tensors, batched))
    made = [
        torch.empty((0, *forms[i].shape), dtype=forms[i].dtype, device=tensors[0].device)
        for i in operator.returned
    ]
    if len(made) == 1:
        return made[0]
    return tuple(made) if made else None


# ---- One call for all --------------------------------------------------------------------------


def _with_batches(method: str, tensors: Tensors, batched: Batched, size: int) -> list[torch.Tensor]:
    """All with a dimension in front, of the size 1 or, for "broadcast_all", `size` where they have
    none."""
    in_front = size if method == "broadcast_all" else 1
    return [
        tensor if is_batched else tensor.expand(in_front, *tensor.shape)
        for tensor, is_batched in zip(tensors, batched)
    ]


def _whole(operator: Operator, batched: Batched) -> Operator:
    """The operator that calls the target on all at once."""
    site = operator.site
    first = batched.index(True)

    def result(*operands: Any) -> Any:
        tensors = _shapes.leaves(operands, "operands")
        size = tensors[first].shape[0]
        tree = operator.result_tree(_each(tuple(tensors), tuple([True] * len(tensors))))
        forms = [TensorForm((size, *f.shape), f.dtype) for f in _shapes.leaves(tree, "result")]
        return _shapes.rebuild(tree, iter(forms))

    return _operators.make(
        site._replace(
            result=result,
            backward=None,
            setup_context=None,
            key=f"{operator.name} {site.vmap} {batched}",
        ),
        operator.operand_tree,
        operator.result_skeleton,
    )


def _each(tensors: Tensors, batched: Batched) -> Tensors:
    """Tensors without memory, of the form that one call alone gets."""
    return tuple(
        [
            torch.empty(t.shape[1:] if is_batched else t.shape, dtype=t.dtype, device="meta")
            for t, is_batched in zip(tensors, batched)
        ]
    )


_operators.implement("FuncTorchBatched", _batched_kernel)
