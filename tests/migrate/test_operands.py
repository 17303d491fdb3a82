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
SIZE = "jax.core.ShapedArray(np.shape(size), np.result_type(size))"
AVALS = {
    "[x, y, *rest]": "ctx",
    "(x, y) + rest": "ctx",
    "[y, x]": "ctx.replace(avals_in=[ctx.avals_in[1], ctx.avals_in[0]])",
    "[first, x, *rest[::-1]]": f"ctx.replace(avals_in=[{SIZE}, ctx.avals_in[0], "
    "*ctx.avals_in[2:][::-1]])",
    "(hlo_const(size),) + rest": f"ctx.replace(avals_in=[{SIZE}, *ctx.avals_in[2:]])",
    "[x, rest[0]]": "ctx.replace(avals_in=[ctx.avals_in[0], ctx.avals_in[2:][0]])",
    "tuple(mlir.ir_constant(np.int32(k)) for k in x.type.shape) + rest": "ctx.replace(avals_in="
    "[*(jax.core.ShapedArray(np.shape(np.int32(k)), np.result_type(np.int32(k))) "
    "for k in x.type.shape), *ctx.avals_in[2:]])",
}


def the_call(text):
    """What the rule returns, on a line."""
    return re.sub(r"\s+", " ", text.rpartition("return")[2])


@pytest.mark.parametrize("operands, context", AVALS.items())
def test_the_context_has_the_operands(tmp_path, operands, context):
    text, decisions = migrated(tmp_path, HEAD + CALL.replace("OPERANDS", operands), None)
    assert decisions == []
    assert f"({context}, " in the_call(text).replace("( ", "(")
    assert "hlo_helpers" not in text


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
        ('b"scale=2"', 'opaque=b"scale=2"'),
        ("size", "opaque=size"),
    ],
)
def test_a_configuration_is_a_text_or_bytes(tmp_path, config, opaque):
    call = CALL.replace("OPERANDS", "[x, y, *rest]").replace(
        '"f",', f'"f", backend_config={config},'
    )
    text, decisions = migrated(tmp_path, HEAD + call, None)
    assert f"*rest, {opaque}" in the_call(text).replace(", )", ")") and decisions == []


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
    assert "result_types" not in the_call(text) and decisions == []
    # By what each release has: mlir.aval_to_ir_type takes more in some.
    text, decisions = migrated(
        tmp_path, HEAD + call.replace("x.type", "mlir.aval_to_ir_type(ctx.avals_in[0])"), None
    )
    type_ = "ctx.avals_in[0].shape, mlir.dtype_to_ir_type(ctx.avals_in[0].dtype)"
    assert f"result_types=[ir.RankedTensorType.get({type_})]" in the_call(text)
    assert "\nfrom jaxlib.mlir import ir\n" in text and decisions == []
    text, decisions = migrated(
        tmp_path, HEAD + call.replace("x.type", "mlir.aval_to_ir_type(make())"), None
    )
    assert "result_types=[mlir.aval_to_ir_type(make())]" in the_call(text)
    assert [one.partition(" ")[0] for one in decisions] == ["9:"]
    assert "ctx.module_context" in decisions[0]


def test_a_context_behind_other_parameters(tmp_path):
    program = HEAD.replace("(ctx, x", "(name, ctx, x") + CALL.replace("OPERANDS", "[x, y, *rest]")
    text, decisions = migrated(tmp_path, program.replace('"f"', "name"), None)
    assert "build_ffi_lowering_function(name" in text and decisions == []


def test_the_older_form_of_positional_arguments(tmp_path):
    call = '    return custom_call(b"f", [x.type], [x, y], ((0,), (0,)), ((0,),), api_version=1)\n'
    text, decisions = migrated(tmp_path, HEAD + call)
    call = the_call(text)
    assert 'function( "f", result_types=[x.type], api_version=1, ' in call
    assert "operand_layouts=((0,), (0,)), result_layouts=((0,),)" in call
    assert call.endswith(").results ") and decisions == []


@pytest.mark.parametrize(
    "use, written",
    [
        ("return CALL", ").results"),
        ("return CALL[0]", ").results[0]"),
        ("return (*CALL,)", ").results,)"),
        ("return [CALL]", ").result]"),
        ("z = CALL\n    return z", ").results return z"),
        ("z = CALL\n    return [z[0]]", ").results return [z[0]]"),
        ("z = CALL\n    return [z]", ").result return [z]"),
        ("z, = CALL\n    return [z]", ").results return [z]"),
        ("return [reshaped(CALL, 3)]", ").result, 3)]"),
    ],
)
def test_the_older_form_of_results(tmp_path, use, written):
    """Those of jaxlib 0.4.13, a list; before, the value of a call with one."""
    call = 'custom_call(b"f", [x.type], [x, y], ((0,), (0,)), ((0,),))'
    program = HEAD + f"    {use.replace('CALL', call)}\n"
    text, decisions = migrated(tmp_path, program, None)
    assert written in re.sub(r"\s+", " ", text.replace(",)", ", )")).replace(", )", ",)")
    assert decisions == []


def test_a_context_that_is_deleted_is_kept(tmp_path):
    program = HEAD.replace("    size =", "    del ctx\n    size =")
    text, decisions = migrated(tmp_path, program + CALL.replace("OPERANDS", "[x, y, *rest]"), None)
    assert "del ctx" not in text and "(ctx, x, y, *rest)" in text and decisions == []
