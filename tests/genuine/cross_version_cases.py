"""What the handlers of cross_version_handlers.cc are called with, and what must come of it."""

import ctypes
import dataclasses
from typing import Any

import numpy as np
from callbridge._core import _c_api

# Every operand and the result are f32[8]; operands are 0, 1, ..., 7.
OPERAND = np.arange(8, dtype=np.float32)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    handler: str
    operands: int
    expected: Any  # the result, or a part of the error
    attributes: dict = dataclasses.field(default_factory=dict)


CASES = [
    Case("add", "add", 2, 2 * OPERAND),
    Case("any_buffer", "any_buffer", 1, OPERAND),
    Case("variadic", "variadic", 3, 3 * OPERAND),
    Case(
        "attribute",
        "attribute",
        1,
        2 * OPERAND + 10,
        {"factor": np.float32(2), "shifts": np.array([1, 2, 3], np.int32), "text": "four"},
    ),
    Case("dictionary", "dictionary", 0, np.full(8, 5), {"x": np.float32(2), "y": np.int32(3)}),
    Case("error", "error", 1, "told to fail"),
    Case("no_argument", "no_argument", 0, np.full(8, 42)),
    # XLA:CPU provides no scratch memory, and jaxlib 0.4.30's crashes natively.
    Case("scratch", "scratch", 1, "no scratch"),
    # Nobody puts any in.
    Case("user_data", "user_data", 0, "Failed to decode"),
    Case("future", "future", 1, OPERAND, {"mode": np.int32(0)}),
    Case("future_fails", "future", 1, "told to fail later", {"mode": np.int32(1)}),
    Case("future_later", "future", 1, OPERAND, {"mode": np.int32(2)}),
    Case("future_fails_later", "future", 1, "told to fail later", {"mode": np.int32(3)}),
    Case("thread_pool", "thread_pool", 1, OPERAND),
    Case("thread_pool_later", "thread_pool_later", 1, OPERAND),
    Case("run_id", "run_id", 0, np.ones(8)),
    Case("device_ordinal", "device_ordinal", 0, np.zeros(8)),
]

STATE_ATTRIBUTES = {"start": np.int32(10)}


def register_types(library: ctypes.CDLL, path: str) -> None:
    """Makes the library's types known to callbridge."""
    ids = {"weight": None, "counter": "counter_info"}
    for name, info in ids.items():
        get_id = getattr(library, f"{name}_id", None)
        if get_id is None:
            continue
        get_id.restype = ctypes.c_void_p
        deleter = None
        get_info = getattr(library, info, None) if info else None
        if get_info is not None:
            get_info.restype = ctypes.c_void_p
            # XLA_FFI_TypeInfo is a size, an extension pointer and the deleter.
            deleter = ctypes.cast(get_info(), ctypes.POINTER(ctypes.c_void_p))[2]
        type_name = f"{name} of {path}".encode()
        _c_api.ffi_register_type(type_name, get_id(), deleter)


def check(case: Case, outcome: Any) -> str:
    """Empty where the outcome is the expected one."""
    if isinstance(case.expected, str):
        fails = isinstance(outcome, str) and case.expected in outcome
        return "" if fails else f"{case.name}: expected an error, got {outcome}"
    if isinstance(outcome, str) or not np.array_equal(outcome, case.expected):
        return f"{case.name}: expected {case.expected}, got {outcome}"
    return ""
