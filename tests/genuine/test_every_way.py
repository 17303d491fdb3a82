"""One source of targets, linked in every way in which people linked theirs, run in every way.

Each binary is opened by callbridge and runs on the embedded runtime and in jax.jit by both paths;
those that genuine TensorFlow 2.13.1 can load give the same bits, and the same failure, there.
"""

import ctypes
import os
import pathlib
import subprocess

import callbridge.jax
import callbridge.library
import jax
import numpy as np
import pytest
from scenarios import read_outcome

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
BINARIES = sorted((BUILD / "tests/targets").glob("every_way_*.so"))
S32 = jax.ShapeDtypeStruct((), np.int32)
ABIS = {1: "original", 2: "status_returning"}
LONG_NAME = "a_name_that_no_string_holds_without_allocation"

# Target, API version, operands, and what comes of them: a result, or a message.
CALLS = [
    ("add", 1, (40, 2), 42),
    (LONG_NAME, 1, (), 1),
    ("divide", 2, (42, -5), -8),
    ("divide", 2, (42, 0), "CustomCall failed: division of 42"),
    ("fail_then_succeed", 2, (), 7),
]


def calls_of(binary):
    return [c for c in CALLS if c[1] == 1 or not binary.stem.endswith("_none")]


def outcome(call, *operands):
    try:
        return int(call(*operands))
    except (callbridge.library.CallbridgeError, jax.errors.JaxRuntimeError, ValueError) as error:
        return str(error).removeprefix("INTERNAL: ")


def test_there_are_all_of_them():
    # Linked to libtensorflow_cc, to it and the framework, to neither; new and old strings; without
    # status functions, with imported ones, with a private copy.
    assert len(BINARIES) == 3 * 2 * 3


each_binary = pytest.mark.parametrize("binary", BINARIES, ids=lambda path: path.stem)


@each_binary
def test_runs_embedded_and_in_jit(binary):
    library = callbridge.library.load(binary)
    for target, version, values, expected in calls_of(binary):
        operands = [np.int32(value) for value in values]

        def embedded(*operands, target=target):
            return library.run(target, operands, S32)

        assert outcome(embedded, *operands) == expected

        # All binaries have the same names, and XLA keeps one function a name.
        name = f"{binary.stem} {target}"
        function = ctypes.CFUNCTYPE(None)(library.target(target).address)
        callbridge.jax.register(name, function, abi=ABIS[version])
        for path in ("version_3", "typed"):
            call = jax.jit(callbridge.jax.custom_call(name, S32, prefer=path))
            assert outcome(call, *operands) == expected


# Of the old string ABI TensorFlow itself has no registry.
@pytest.mark.parametrize(
    "binary", [b for b in BINARIES if "_new_" in b.stem], ids=lambda path: path.stem
)
def test_genuine_tensorflow_does_the_same(binary, tmp_path):
    lines = []
    for i, (target, version, values, _) in enumerate(calls_of(binary)):
        shapes = ",".join(["s32[]"] * len(values))
        lines.append(f"call{i}\t{target}\t{version}\t({shapes})\ts32[]\t\n")
        (tmp_path / f"call{i}.in").write_bytes(np.array(values, np.int32).tobytes())
    (tmp_path / "scenarios.tsv").write_text("".join(lines))
    oracle = BUILD / "tests/genuine/tensorflow_oracle"
    done = subprocess.run(
        [oracle, binary, tmp_path, tmp_path], capture_output=True, text=True, errors="replace"
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for i, (*_, expected) in enumerate(calls_of(binary)):
        status, result = read_outcome(tmp_path, f"call{i}")
        if isinstance(expected, str):
            assert status == f"INTERNAL: {expected}"
        else:
            assert status == "OK"
            assert result == np.int32(expected).tobytes()
