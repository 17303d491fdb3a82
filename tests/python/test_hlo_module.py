"""callbridge._calls._hlo_module, without PyTorch/XLA: callbridge's own reader of HLO reads it."""

import os
import pathlib
import subprocess

import pytest
from callbridge._calls import _hlo_module
from callbridge._calls._hlo_module import Array

LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
COMMAND = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "callbridge"
F32, S32 = 11, 4


def shown(tmp_path, *arguments, **options):
    module = tmp_path / "module.pb"
    options = {
        **dict(path="version_3", backend_config=b"", has_side_effect=False, aliases={}),
        **options,
    }
    module.write_bytes(_hlo_module.custom_call("call", "target", *arguments, **options))
    done = subprocess.run([COMMAND, "show", module], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_result(tmp_path):
    text = shown(tmp_path, [Array(F32, (3, 5)), Array(S32, ())], [Array(F32, (3, 5))])
    assert "HloModule call.1" in text
    assert "p0.0 = f32[3,5]{1,0} parameter(0)" in text
    assert "p1.1 = s32[] parameter(1)" in text
    assert "custom-call.2 = f32[3,5]{1,0} custom-call(" in text
    assert 'custom_call_target="target"' in text
    assert "operand_layout_constraints={f32[3,5]{1,0}, s32[]}" in text
    assert "api_version=API_VERSION_STATUS_RETURNING_UNIFIED" in text


def test_results_and_aliases(tmp_path):
    arrays = [Array(F32, (2,)), Array(S32, (300, 2))]
    text = shown(tmp_path, arrays, arrays, has_side_effect=True, aliases={0: 0, 1: 1})
    assert "(f32[2]{0}, s32[300,2]{1,0}) custom-call(" in text
    assert "output_to_operand_aliasing={{0}: (0, {}), {1}: (1, {})}" in text
    assert "custom_call_has_side_effect=true" in text
    text = shown(tmp_path, arrays, arrays[:1], aliases={0: 0})
    assert "output_to_operand_aliasing={{}: (0, {})}" in text


def test_many_operands(tmp_path):
    text = shown(tmp_path, [Array(F32, (i,)) for i in range(300)], [Array(F32, ())])
    assert "p299.299 = f32[299]{0} parameter(299)" in text


@pytest.mark.parametrize("opaque", [b"abc", b'\0\xff"\\\n'])
def test_the_opaque_is_bytes(tmp_path, opaque):
    module = _hlo_module.custom_call(
        "call",
        "target",
        [],
        [Array(F32, ())],
        path="version_3",
        backend_config=opaque,
        has_side_effect=False,
        aliases={},
    )
    assert opaque in module


def test_typed_calls(tmp_path):
    text = shown(tmp_path, [], [Array(F32, ())], path="typed", backend_config=b'{"n" = 1 : i64}')
    assert "api_version=API_VERSION_TYPED_FFI" in text
    assert "backend_config={" in text
