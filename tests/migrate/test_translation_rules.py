"""Translation rules of XLA's builder, in the shapes that packages have them in."""

import re

from migrated_program import migrated

HEAD = """\
from functools import partial

import numpy as np
from jax.interpreters import xla
from jax.lib import xla_client

ops = xla_client.ops
array = xla_client.Shape.array_shape

"""


def aval(constant):
    """Its shape and type, as each release says them."""
    return f"jax.core.ShapedArray(np.shape({constant}), np.result_type({constant}))"


def one_line(text):
    return re.sub(r"\s+", " ", text)


def test_a_partial_with_arguments_before_the_builder(tmp_path):
    text, decisions = migrated(
        tmp_path,
        HEAD
        + """
def rule(name, n, c, *args):
    shapes = tuple(c.get_shape(one) for one in args)
    dims = shapes[0].dimensions()
    return ops.CustomCallWithLayout(
        c, name,
        operands=tuple(ops.ConstantLiteral(c, np.int32(v)) for v in dims) + args,
        shape_with_layout=xla_client.Shape.tuple_shape(tuple(array(n, d, (0,)) for d in dims)),
        operand_shapes_with_layout=tuple(array(np.int32, (), ()) for _ in dims)
        + tuple(c.get_shape(one) for one in args),
    )


def reverse(name, n, c, *args):
    return rule(name + "_rev", n, c, *args)


xla.backend_specific_translations["cpu"][p] = partial(rule, b"f", 3)
xla.backend_specific_translations["cpu"][q] = partial(reverse, b"f", 3)
""",
        None,
    )
    assert decisions == [] and "xla" not in text
    assert "def rule(name, n, ctx, *args):\n    shapes = tuple(one for one in ctx.avals_in)" in text
    code = one_line(text)
    assert f"ctx.replace(avals_in=[*({aval('np.int32(v)')} for v in dims), *ctx.avals_in])" in code
    assert "*tuple(mlir.ir_constant(np.int32(v)) for v in dims), *args," in code
    assert "result_layouts=tuple((0,) for d in dims)" in code
    assert "+ tuple(None for one in args)" in code
    assert 'return rule(name + "_rev", n, ctx, *args)' in code
    assert 'mlir.register_lowering(q, partial(reverse, "f", 3), platform="cpu")' in code


def test_shapes_that_the_program_asks_for_are_default_layouts(tmp_path):
    text, decisions = migrated(
        tmp_path,
        HEAD
        + """
def rule(c, x, y, *, n):
    x_shape = c.get_shape(x)
    out = array(x_shape.element_type(), (n,), (0,))
    return ops.CustomCallWithLayout(
        c, b"f", operands=(y, ops.ConstantLiteral(c, n)),
        shape_with_layout=x_shape,
        operand_shapes_with_layout=(c.get_shape(y), array(np.int32, (), ())),
    )


xla.backend_specific_translations["cpu"][p] = rule
""",
        None,
    )
    assert decisions == []
    code = one_line(text)
    assert 'return build_ffi_lowering_function("f", operand_layouts=(None, ()))(' in code
    assert f"avals_in=[ctx.avals_in[1], {aval('np.asarray(n)')}]" in code
    assert "y, mlir.ir_constant(np.asarray(n)), ).results" in code
    assert "x_shape = ctx.avals_in[0]" in code


def test_arguments_by_position(tmp_path):
    text, decisions = migrated(
        tmp_path,
        HEAD
        + """
def rule(c, x):
    return ops.CustomCallWithLayout(
        c, b"f", (x,), c.get_shape(x), (c.get_shape(x),), b"opaque", True)


def other(c, x):
    return ops.CustomCall(c, b"g", (x,), c.get_shape(x), b"opaque")


xla.backend_specific_translations["cpu"][p] = rule
xla.backend_specific_translations["cpu"][q] = other
""",
        None,
    )
    assert decisions == []
    code = one_line(text)
    call = 'build_ffi_lowering_function("f", operand_layouts=(None,), has_side_effect=True)'
    assert f'return {call}( ctx, x, opaque=b"opaque", ).results' in code.replace(
        '(ctx, x, opaque=b"opaque")', '( ctx, x, opaque=b"opaque", )'
    )
    assert 'return build_ffi_lowering_function("g")(ctx, x, opaque=b"opaque").results' in code


def test_a_constant_that_has_a_name_is_its_value(tmp_path):
    text, decisions = migrated(
        tmp_path,
        HEAD
        + """
def rule(c, x, *, n):
    size = ops.ConstantLiteral(c, np.int32(n))
    return ops.CustomCallWithLayout(
        c, b"f", operands=(size, x), shape_with_layout=c.get_shape(x),
        operand_shapes_with_layout=(array(np.int32, (), ()), c.get_shape(x)),
    )


xla.backend_specific_translations["cpu"][p] = rule
""",
        None,
    )
    assert decisions == []
    assert f"avals_in=[{aval('np.int32(n)')}, ctx.avals_in[0]]" in one_line(text)
    assert "size = mlir.ir_constant(np.int32(n))" in text


def test_what_a_lowering_has_otherwise(tmp_path):
    program = (
        HEAD
        + """
def rule(c, x):
    return ops.CustomCall(c, b"f", (x,), array(np.int32, ()), schedule=1)


def other(c, x):
    y = make(x)
    n = c.get_shape(y).dimensions()
    return ops.CustomCall(c, b"g", (x,), array(np.int32, n))


xla.backend_specific_translations["cpu"][p] = rule
xla.backend_specific_translations["cpu"][q] = other
"""
    )
    text, decisions = migrated(tmp_path, program)
    assert "def rule(c, x):" in text and "def other(c, x):" in text
    assert "11: this CustomCall has options that a lowering has otherwise" in decisions
    assert "15: get_shape() of what is no operand; write its lowering by hand" in decisions


def test_what_stays_says_why_at_its_line(tmp_path):
    program = (
        HEAD
        + """
def rule(c, x):
    return ops.Reshape(ops.CustomCallWithLayout(
        c, b"f", operands=(ops.Neg(x),), shape_with_layout=array(np.int32, (), ())), (3,))


def wrapped(rule):
    return rule


xla.backend_specific_translations["cpu"][p] = rule
xla.backend_specific_translations["cpu"][q] = wrapped(rule)
xla.translations[r] = rule
ops.Reshape(ops)
"""
    )
    text, decisions = migrated(tmp_path, program)
    lines = {int(one.partition(":")[0]): one for one in decisions}
    assert any(one.startswith("11: what the operand ops.Neg(x) is") for one in decisions)
    assert "this translation rule is no function" in lines[21]
    assert "def rule(c, x):" in text and '["cpu"][p] = rule' in text


def test_names_that_are_left_are_said_once(tmp_path):
    text, decisions = migrated(
        tmp_path,
        "from jax._src.interpreters.xla import _backend_specific_translations\n"
        "from jaxlib import xla_client\n\n"
        'ours = _backend_specific_translations["cpu"]\n\n\n'
        "def rule(c, x):\n    return xla_client.ops.Reshape(xla_client.ops.Reshape(x, ()), ())\n",
    )
    by_hand = "write it by hand, or import callbridge.resurrect before"
    ours = "jax._src.interpreters.xla._backend_specific_translations"
    assert decisions == [
        f"1: JAX has no {ours} since 0.4.38; {by_hand}",
        f"8: JAX has no jaxlib.xla_client.ops since 0.6.2; {by_hand}",
    ]
