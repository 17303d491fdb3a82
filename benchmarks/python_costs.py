"""What calls from Python cost, beside those by hand."""

import json
import statistics
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

SCRIPT = Path(__file__).with_name("python_calls.py")

# What is measured, what it is compared with, and the most that it may take of that.
CASES = {
    "eager": ("an eager call by custom_call", "jax.ffi.ffi_call", 1.2),
    "eager, typed": ("an eager call of a typed handler", "jax.ffi.ffi_call", 1.2),
    "traced": ("a call traced and lowered", "jax.ffi.ffi_call", 2.0),
    "traced, new": ("a function made, called, traced and lowered", "jax.ffi.ffi_call", 2.0),
    "traced, typed": ("a call of a typed handler, traced and lowered", "jax.ffi.ffi_call", 2.0),
    "traced, tuples": ("a call on tuples, traced and lowered", "jax.ffi.ffi_call, flat", 2.0),
    "numpy": ("callbridge.numpy, two arrays", "ctypes by hand", 1.0),
}

# Microseconds: the minimum and the median of several rounds, callbridge's and the other's.
Cost = namedtuple("Cost", "minimum median other_minimum other_median")


def measure(folder):
    measured = subprocess.run(
        [sys.executable, SCRIPT, folder], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return {
        case: Cost(min(ours), statistics.median(ours), min(other), statistics.median(other))
        for case, (ours, other) in json.loads(measured).items()
    }


def budgets(costs):
    """What is promised, what is measured: (what, limit, measured)."""
    for case, (what, other, limit) in CASES.items():
        cost = costs[case]
        ratios = cost.minimum / cost.other_minimum, cost.median / cost.other_median
        for name, ratio in zip(("minimum", "median"), ratios):
            yield f"{what}, against {other}: ratio of times, {name}", limit, ratio
