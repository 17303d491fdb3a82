"""Times calls of PyTorch operators, callbridge's and what they are compared with, in turns.

    torch_calls.py FOLDER LIBRARY

FOLDER has measured_targets.so; LIBRARY is torch_operator.cc, compiled. Prints a JSON object: by
case the microseconds of each round. They are CPU time of the thread that calls, which other
processes disturb less than the clock.
"""

import json
import sys
import time

import callbridge.torch
import torch

ROUNDS = 25
CALLS = 2000


def seconds(function):
    begin = time.thread_time()
    for _ in range(CALLS):
        function()
    return (time.thread_time() - begin) / CALLS


def empty_operator():
    """An operator of the same kind: its kernel, in Python, only makes the result."""
    library = torch.library.Library("callbridge_benchmark", "FRAGMENT")
    library.define("empty(Tensor a, Tensor b) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,))
    library.impl("empty", lambda a, b: torch.empty_like(a), "CPU")
    return library, torch.ops.callbridge_benchmark.empty.default


def main():
    folder, compiled = sys.argv[1:]
    callbridge.torch.load(f"{folder}/measured_targets.so")
    torch.ops.load_library(compiled)
    library, empty = empty_operator()
    in_cc = torch.ops.callbridge_benchmark_cc.measured.default
    function = callbridge.torch.custom_call("measured_target", lambda a, b: a)
    a, b = torch.ones(8), torch.ones(8)
    operator = function.operator(a, b)
    cases = {
        "empty": lambda: empty(a, b),
        "operator": lambda: operator(a, b),
        "function": lambda: function(a, b),
        "in C++": lambda: in_cc(a, b),
    }
    for call in cases.values():
        seconds(call)
    rounds = [[1e6 * seconds(call) for call in cases.values()] for _ in range(ROUNDS)]
    json.dump(dict(zip(cases, zip(*rounds))), sys.stdout)


if __name__ == "__main__":
    main()
