"""Each operand of a rewritten call has its layout, or the line says why not."""

import re

import pytest
from migrated_program import migrated

HEAD = """\
import numpy as np
from jax.interpreters import mlir
from jaxlib.hlo_helpers import custom_call, hlo_const


def rule(ctx, x, y, *rest, n):
    size = np.int32(n)
    first = hlo_const(size)
"""
CALL = """\
    return custom_call("f", result_types=[x.type], operands=OPERANDS).results
"""
AVALS = {
    "[x, y, *rest]": "ctx",
    "(x, y) + rest": "ctx",
    "[y, x]": "ctx.replace(avals_in=[ctx.avals_in[1], ctx.avals_in[0]])",
    "[first, x, *rest[::-1]]": "ctx.replace(avals_in=[jax.typeof(size), ctx.avals_in[0], "
    "*ctx.avals_in[2:][::-1]])",
    "(hlo_const(size),) + rest": "ctx.replace(avals_in=[jax.typeof(size), *ctx.avals_in[2:]])",
    "[x, rest[0]]": "ctx.replace(avals_in=[ctx.avals_in[0], ctx.avals_in[2:][0]])",
    "tuple(mlir.ir_constant(np.int32(k)) for k in x.type.shape) + rest": "ctx.replace(avals_in="
    "[*(jax.typeof(np.int32(k)) for k in x.type.shape), *ctx.avals_in[2:]])",
}


@pytest.mark.parametrize("operands, context", AVALS.items())
def test_the_context_has_the_operands(tmp_path, operands, context):
    text, decisions = migrated(tmp_path, HEAD + CALL.replace("OPERANDS", operands), None)
    assert decisions == []
    assert context in re.sub(r"\s+", " ", text.partition("return")[2])
    assert "jaxlib" not in text


@pytest.mark.parametrize(
    "before, operands, named",
    [
        ("    z = mlir.something(x)\n", "[x, z]", "z"),
        ("    x = mlir.something(x)\n", "[x]", "x"),
        ("    for z in rest: pass\n", "[z]", "z"),
        ("    z = x\n    for z in rest: pass\n", "[z]", "z"),
        ("    z = x\n    with made() as z: pass\n", "[z]", "z"),
        ("    z = x\n    print(z := y)\n", "[z]", "z"),
        ("    z = x\n    z += y\n", "[z]", "z"),
        ("    z = x\n    z, w = y, x\n", "[z]", "z"),
        ("    z = make()\n", "z", "*z"),
        ("    rest += (x,)\n", "rest", "*rest"),
    ],
)
def test_an_operand_that_is_not_seen_is_said(tmp_path, before, operands, named):
    program = HEAD + before + CALL.replace("OPERANDS", operands)
    text, decisions = migrated(tmp_path, program, None)
    line = program.count("\n")
    assert [one.partition(" is, ")[0] for one in decisions] == [f"{line}: what the operand {named}"]
    assert 'custom_call("f"' in text


def test_an_operand_is_followed_through_an_annotation(tmp_path):
    program = HEAD + "    z: object = y\n" + CALL.replace("OPERANDS", "[z, x]")
    text, decisions = migrated(tmp_path, program, None)
    assert "avals_in=[ctx.avals_in[1], ctx.avals_in[0]]" in re.sub(r"\s+", " ", text)
    assert decisions == []


@pytest.mark.parametrize(
    "config, opaque",
    [
        ('"scale=2"', 'opaque="scale=2"'),
        ('b"scale=2"', 'opaque=np.frombuffer(b"scale=2", np.uint8)'),
        ("size", "opaque=np.frombuffer(size, np.uint8)"),
    ],
)
def test_a_configuration_is_a_text_or_bytes(tmp_path, config, opaque):
    call = CALL.replace("OPERANDS", "[x, y, *rest]").replace(
        '"f",', f'"f", backend_config={config},'
    )
    text, decisions = migrated(tmp_path, HEAD + call, None)
    assert opaque in re.sub(r"\s+", " ", text) and decisions == []


def test_constants_are_numpys(tmp_path):
    program = HEAD + CALL.replace("OPERANDS", "[x, hlo_const(n), hlo_const(len(rest)), first]")
    text, _ = migrated(tmp_path, program, None)
    assert "mlir.ir_constant(np.asarray(n))" in text
    assert "mlir.ir_constant(np.asarray(len(rest)))" in text
    assert "first = mlir.ir_constant(size)" in text


def test_types_of_the_results(tmp_path):
    types = "[mlir.aval_to_ir_type(one) for one in ctx.avals_out]"
    call = CALL.replace("OPERANDS", "[x, y, *rest]")
    text, decisions = migrated(tmp_path, HEAD + call.replace("[x.type]", types), None)
    assert "result_types" not in text and decisions == []
    text, decisions = migrated(
        tmp_path, HEAD + call.replace("x.type", "mlir.aval_to_ir_type(ctx.avals_in[0])"), None
    )
    assert "result_types=[mlir.aval_to_ir_type(ctx.avals_in[0])]" in text
    assert [one.partition(" ")[0] for one in decisions] == ["9:"]
    assert "ctx.module_context" in decisions[0]


def test_a_context_behind_other_parameters(tmp_path):
    program = HEAD.replace("(ctx, x", "(name, ctx, x") + CALL.replace("OPERANDS", "[x, y, *rest]")
    text, decisions = migrated(tmp_path, program.replace('"f"', "name"), None)
    assert "build_ffi_lowering_function(name" in text and decisions == []


def test_the_older_form_of_positional_arguments(tmp_path):
    call = '    return custom_call(b"f", [x.type], [x, y], ((0,), (0,)), ((0,),), api_version=1)\n'
    text, decisions = migrated(tmp_path, HEAD + call)
    call = re.sub(r"\s+", " ", text.partition("return")[2])
    assert 'function( "f", result_types=[x.type], api_version=1, ' in call
    assert "operand_layouts=((0,), (0,)), result_layouts=((0,),)" in call
    assert call.endswith(").result ") and decisions == []


def test_a_context_that_is_deleted_is_kept(tmp_path):
    program = HEAD.replace("    size =", "    del ctx\n    size =")
    text, decisions = migrated(tmp_path, program + CALL.replace("OPERANDS", "[x, y, *rest]"), None)
    assert "del ctx" not in text and "(ctx, x, y, *rest)" in text and decisions == []
