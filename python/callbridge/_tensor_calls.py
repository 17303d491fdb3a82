"""Calls on tensors that are bound once for each form, and made often."""

from __future__ import annotations

from callbridge._python_tensor_calls import BoundTensorCall, TensorCaller

__all__ = ["BoundTensorCall", "TensorCaller"]
