"""callbridge against genuine XLA: the same binary, operands and bits, and the same failures.

Two genuine runtimes run every scenario once, each in a process of its own: TensorFlow 2.13.1's XLA
from C++, and jaxlib 0.4.30's.
"""

import os
import pathlib
import re
import subprocess

import callbridge.jax
import callbridge.library
import jax
import pytest
import scenarios

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/genuine"
JAX_PYTHON = "CALLBRIDGE_JAX_0_4_30_PYTHON"
GOLDEN = BUILD / "golden_targets.so"
ABIS = {1: "original", 2: "status_returning", 3: "status_returning_unified"}


def run_oracle(command, inputs, outputs, **environment):
    assert GOLDEN.is_file(), f"{GOLDEN}: built where CALLBRIDGE_TENSORFLOW is set; `make test` does"
    done = subprocess.run(
        [*command, GOLDEN, inputs, outputs],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, f"{command} returned {done.returncode}:\n{done.stdout[-4000:]}"
    return outputs


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    scenarios.write_inputs(folder)
    return folder


@pytest.fixture(scope="session")
def tensorflow(inputs, tmp_path_factory):
    return run_oracle([BUILD / "tensorflow_oracle"], inputs, tmp_path_factory.mktemp("tensorflow"))


@pytest.fixture(scope="session")
def jaxlib(inputs, tmp_path_factory):
    python = os.environ.get(JAX_PYTHON)
    assert python, f"{JAX_PYTHON} is not set to a Python with jaxlib 0.4.30; `make test` sets it"
    return run_oracle(
        [python, HERE / "jaxlib_oracle.py"],
        inputs,
        tmp_path_factory.mktemp("jaxlib"),
        PYTHONPATH=str(pathlib.Path(callbridge.library.__file__).parents[1]),
        CALLBRIDGE_LIBRARY=str(LIBRARY),
    )


@pytest.fixture(scope="session")
def library():
    return callbridge.jax.load(GOLDEN)


def call_embedded(library, scenario, operands):
    return library.run(
        scenario.target,
        operands,
        scenario.result,
        abi=ABIS[scenario.api_version],
        opaque=scenario.opaque,
    )


def call_jitted(prefer):
    def call(library, scenario, operands):
        function = callbridge.jax.custom_call(
            scenario.target,
            scenarios.parse_shape(scenario.result),
            abi=ABIS[scenario.api_version],
            opaque=scenario.opaque,
            prefer=prefer,
        )
        with jax.enable_x64(True):
            return jax.block_until_ready(jax.jit(function)(*operands))

    return call


CALLERS = {
    "embedded": call_embedded,
    "jit-version_3": call_jitted("version_3"),
    "jit-typed": call_jitted("typed"),
}


def form(arrays):
    """Dtype and dimensions of each array, of shapes too, in their tuples."""
    if type(arrays) is tuple:
        return tuple(map(form, arrays))
    return arrays.dtype, arrays.shape


def outcome(call, library, scenario, operands):
    """What scenarios.read_outcome gives for a genuine runtime."""
    try:
        result = call(library, scenario, operands)
    except (callbridge.library.CallbridgeError, jax.errors.JaxRuntimeError) as error:
        return str(error), None
    assert form(result) == form(scenarios.parse_shape(scenario.result))
    return "OK", scenarios.to_bytes(result)


def in_tensorflow_words(status):
    """jaxlib 0.4.30 puts words of its own before the target's message."""
    return re.sub("^INTERNAL: Generated function failed: ", "INTERNAL: CustomCall failed: ", status)


each_scenario = pytest.mark.parametrize("scenario", scenarios.SCENARIOS, ids=lambda s: s.name)


@each_scenario
def test_genuine_runtimes_agree(scenario, tensorflow, jaxlib):
    status, result = scenarios.read_outcome(tensorflow, scenario.name)
    assert status.startswith({"ok": "OK", "failure": "INTERNAL: CustomCall"}[scenario.expect])
    jaxlib_status, jaxlib_result = scenarios.read_outcome(jaxlib, scenario.name)
    assert in_tensorflow_words(jaxlib_status) == status
    assert jaxlib_result == result


@pytest.mark.parametrize("caller", CALLERS)
@each_scenario
def test_callbridge_does_as_genuine_xla(scenario, caller, library, inputs, tensorflow):
    data = (inputs / f"{scenario.name}.in").read_bytes()
    operands = scenarios.from_bytes(scenarios.parse_shape(scenario.operands), data)
    assert outcome(CALLERS[caller], library, scenario, operands) == scenarios.read_outcome(
        tensorflow, scenario.name
    )


def test_every_golden_target_is_called(library):
    called = {scenario.target for scenario in scenarios.SCENARIOS}
    assert called == {target.name for target in library.targets}
