"""What calls of PyTorch operators cost, on the oldest and the newest torch, beside an empty
operator of the same kind and one in C++."""

import json
import os
import statistics
import subprocess
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(os.environ["CALLBRIDGE_CACHE"])
VERSIONS = ("2.4.0", "2.15.0")
# What is measured against the empty operator, and the most that it may take of that.
CASES = {
    "operator": ("an operator of callbridge.torch, two tensors", 1.3),
    "function": ("the function that custom_call() returns", 1.3),
    "in C++": ("an operator in C++, by hand", None),
}

# Microseconds: the minimum and the median of several rounds.
Cost = namedtuple("Cost", "minimum median")


def measure(folder, out):
    """By version and case."""
    return {version: measure_version(version, folder, out) for version in VERSIONS}


def measure_version(version, folder, out):
    python = CACHE / f"venv-torch-{version}/bin/python"
    library = out / f"torch_operator-{version}.so"
    compile_operator(python, library)
    measured = subprocess.run(
        [python, HERE / "torch_calls.py", folder, library],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    return {
        case: Cost(min(rounds), statistics.median(rounds))
        for case, rounds in json.loads(measured).items()
    }


def compile_operator(python, library):
    told = "import torch; print(torch.__path__[0], int(torch.compiled_with_cxx11_abi()))"
    torch, strings = subprocess.check_output([python, "-c", told], text=True).split()
    subprocess.run(
        [
            "g++",
            "-std=c++20",
            "-O2",
            "-shared",
            "-fPIC",
            "-w",
            f"-D_GLIBCXX_USE_CXX11_ABI={strings}",
        ]
        + [f"-isystem{torch}/include", f"-isystem{torch}/include/torch/csrc/api/include"]
        + [HERE / "torch_operator.cc", "-o", library]
        + [f"-L{torch}/lib", "-lc10", "-ltorch_cpu"],
        check=True,
    )


def budgets(costs):
    """What is promised, what is measured: (what, limit, measured)."""
    for version, by_case in costs.items():
        empty = by_case["empty"]
        for case, (what, limit) in CASES.items():
            if limit is None:
                continue
            cost = by_case[case]
            ratios = cost.minimum / empty.minimum, cost.median / empty.median
            for name, ratio in zip(("minimum", "median"), ratios):
                yield f"torch {version}: {what}, against an empty one, {name}", limit, ratio
