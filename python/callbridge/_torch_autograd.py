"""Rules for gradients of callbridge.torch's operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from callbridge import _torch_operators
from callbridge._error import CallbridgeError
from callbridge._torch_operators import Operator


def check(
    backward: Callable[..., Any] | None,
    setup_context: Callable[..., Any] | None,
    mutated: frozenset[int],
) -> None:
    """Raises TypeError or INVALID_ARGUMENT for what is no rule."""
    for name, function in (("backward", backward), ("setup_context", setup_context)):
        if function is not None and not callable(function):
            raise TypeError(f"{name}: expected a function, got {type(function).__name__}")
    if setup_context is not None and backward is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT", "setup_context= is for backward=, which is missing; pass both"
        )
    if backward is not None and mutated:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            "backward= is for calls that write to none of their operands, as torch has it; leave "
            "out input_output_aliases= and mutated_operands=",
        )


def _register(operator: Operator) -> None:
    if operator.site.backward is not None:
        torch.library.register_autograd(
            f"callbridge::{operator.name}",
            operator.site.backward,
            setup_context=operator.site.setup_context,
            lib=_torch_operators.LIBRARY,
        )


_torch_operators.finish_with(_register)
