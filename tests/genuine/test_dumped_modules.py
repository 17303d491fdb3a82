"""Modules that genuine XLA dumped of JAX programs with untyped custom calls, in `callbridge run`.

dumped_programs.py has the programs. What JAX itself returned for them is what callbridge must
return for their dumps, bit for bit.
"""

import os
import pathlib
import subprocess
import sys

import jaxlib
import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/targets/described_calls.so"
FLAGS = "--xla_dump_hlo_as_proto --xla_dump_hlo_as_text --xla_dump_large_constants"
PROGRAMS = {
    f"jaxlib-{jaxlib.__version__}": (
        sys.executable,
        ["arithmetic_between", "of_many_types", "of_packed_elements"],
    ),
    "jaxlib-0.4.30": (
        os.environ.get("CALLBRIDGE_JAX_0_4_30_PYTHON"),
        ["arithmetic_between", "of_many_types", "tuples"],
    ),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def dumps(request, tmp_path_factory):
    """The folder, and the programs in it."""
    python, programs = PROGRAMS[request.param]
    assert python, "CALLBRIDGE_JAX_0_4_30_PYTHON is not set; `make test` sets it"
    folder = tmp_path_factory.mktemp(request.param)
    done = subprocess.run(
        [python, HERE / "dumped_programs.py", TARGETS, folder],
        env={
            **os.environ,
            "XLA_FLAGS": f"--xla_dump_to={folder} {FLAGS}",
            # A result that depends on what malloc had there is seen here, and not once a month.
            "MALLOC_PERTURB_": "85",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return folder, programs


def numbered(folder, name):
    return sorted(folder.glob(f"{name}[0-9]*.npy"))


def operand(path):
    """Of x.operand0.s4.npy, s4:x.operand0.s4.npy."""
    types = path.suffixes[-2]
    return path if types.startswith(".operand") else f"{types[1:]}:{path}"


def run(folder, module, program):
    """What the module returns, and what JAX returned."""
    expected = numbered(folder, f"{program}.result")
    outputs = [folder / f"found.{path.name}" for path in expected]
    command = [COMMAND, "run", module, *map(operand, numbered(folder, f"{program}.operand"))]
    command += ["--library", TARGETS]
    for output in outputs:
        output.unlink(missing_ok=True)
        command += ["--output", output]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{module}: {done.stderr}"
    return [np.load(output) for output in outputs], [np.load(path) for path in expected]


@pytest.mark.parametrize("form", ["hlo.pb", "txt"])
def test_dumps_run_and_give_what_jax_gave(dumps, form):
    folder, programs = dumps
    for program in programs:
        (module,) = folder.glob(f"module_*.jit_{program}.before_optimizations.{form}")
        found, expected = run(folder, module, program)
        assert found
        for one, other in zip(found, expected, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), module
            assert one.tobytes() == other.tobytes(), module
