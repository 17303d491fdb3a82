"""Untyped calls, upgraded, on today's jaxlib: what callbridge's own runtime gives for them.

Each scenario is HLO text as XLA wrote it in its day, with tuples that no XLA of today hands to an
untyped target. Upgraded, written as StableHLO, it is compiled and run by the genuine XLA; the
targets are the golden library's, registered by callbridge.jax.load().
"""

import os
import pathlib
import subprocess

import callbridge.jax
import callbridge.library
import jax
import jaxlib
import numpy as np
import pytest
import scenarios
from jax._src.interpreters import mlir
from jax_releases import TODAY
from jaxlib import _jax
from jaxlib.mlir import ir

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
TOOL = BUILD / "tests/hlo_module_tool"
GOLDEN = BUILD / "tests/genuine/golden_targets.so"
ABIS = {1: "original", 2: "status_returning", 3: "status_returning_unified"}
API_VERSIONS = {
    1: "API_VERSION_ORIGINAL",
    2: "API_VERSION_STATUS_RETURNING",
    3: "API_VERSION_STATUS_RETURNING_UNIFIED",
}


def tool(form, module):
    done = subprocess.run([TOOL, form], input=module, capture_output=True)
    assert done.returncode == 0, done.stderr.decode() + str(module)
    return done.stdout


def shape_text(shape):
    if type(shape) is tuple:
        return f"({','.join(map(shape_text, shape))})"
    return f"{shape.element_type}[{','.join(map(str, shape.shape))}]"


def hlo_text(scenario):
    """A module of one call, whose operands are parameters."""
    operands = scenarios.parse_shape(scenario.operands)
    lines = [f"  p{i} = {shape_text(shape)} parameter({i})" for i, shape in enumerate(operands)]
    opaque = "".join(f"\\{byte:03o}" for byte in scenario.opaque)
    names = ", ".join(f"p{i}" for i in range(len(operands)))
    lines.append(
        f"  ROOT call = {scenario.result} custom-call({names}), "
        f'custom_call_target="{scenario.target}", custom_call_has_side_effect=true, '
        f'api_version={API_VERSIONS[scenario.api_version]}, backend_config="{opaque}"'
    )
    return "HloModule m\n\nENTRY e {\n" + "\n".join(lines) + "\n}\n"


def run_on_jaxlib(stablehlo, arrays):
    """The leaves of the result."""
    devices = jax.devices("cpu")[:1]
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(stablehlo)
        loaded = devices[0].client.compile_and_load(
            module, _jax.DeviceList(tuple(devices)), _jax.CompileOptions()
        )
    with jax.enable_x64(True):
        arrays = [jax.device_put(array, devices[0]) for array in arrays]
        return [np.asarray(result) for result in loaded.execute(arrays)]


def outcome(call, *arguments):
    try:
        return "OK", scenarios.to_bytes(tuple(call(*arguments)))
    except (callbridge.library.CallbridgeError, jax.errors.JaxRuntimeError) as error:
        return str(error).removeprefix("INTERNAL: "), None


def embedded(library, scenario, operands):
    result = library.run(
        scenario.target,
        operands,
        scenario.result,
        abi=ABIS[scenario.api_version],
        opaque=scenario.opaque,
    )
    return result if type(result) is tuple else (result,)


@pytest.fixture(scope="session")
def library():
    assert jaxlib.__version__ == TODAY
    return callbridge.jax.load(GOLDEN)


@pytest.mark.parametrize("scenario", scenarios.SCENARIOS, ids=lambda s: s.name)
def test_upgraded_calls_do_as_the_embedded_runtime(scenario, library):
    upgraded = tool("upgrade", hlo_text(scenario).encode())
    text = tool("text", upgraded).decode()
    assert text.count("api_version=API_VERSION_TYPED_FFI") == 1
    assert text.count(f'custom_call_target="{scenario.target}"') == 1
    stablehlo = tool("stablehlo", upgraded).decode()
    operands = scenarios.from_bytes(
        scenarios.parse_shape(scenario.operands), scenario.input_bytes()
    )
    expected = outcome(embedded, library, scenario, operands)
    assert expected[0].startswith({"ok": "OK", "failure": "CustomCall failed"}[scenario.expect])
    assert outcome(run_on_jaxlib, stablehlo, scenarios.leaves(operands)) == expected


def test_tuples_go_from_call_to_call(library):
    module = """
HloModule chain, is_scheduled=true

ENTRY e {
  p = f32[16] parameter(0)
  a = (f32[16]) custom-call(p), custom_call_target="one_tuple_result"
  b = f32[16] custom-call(a), custom_call_target="one_tuple_operand"
  c = (f32[16], (f32[16])) tuple(b, a)
  d = (f32[16]) get-tuple-element(c), index=1
  e = f32[16] custom-call(d), custom_call_target="one_tuple_operand"
  ROOT f = (f32[16], f32[16]) tuple(b, e)
}
"""
    stablehlo = tool("stablehlo", tool("upgrade", module.encode())).decode()
    operand = np.arange(16, dtype=np.float32) - 3
    (first,) = library.run("one_tuple_result", (operand,), "(f32[16])", abi="original")
    second = library.run("one_tuple_operand", ((first,),), "f32[16]", abi="original")
    assert outcome(run_on_jaxlib, stablehlo, [operand]) == (
        "OK",
        scenarios.to_bytes((second, second)),
    )
