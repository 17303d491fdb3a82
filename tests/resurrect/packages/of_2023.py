"""A program as packages of 2023 were: JAX 0.4, lowering rules that emit StableHLO."""

import functools

import jax
import numpy as np
from compiled import PLATFORM, capsule
from jax import core
from jax.interpreters import mlir, xla
from jax.lib import xla_client
from jaxlib.hlo_helpers import custom_call as hlo_custom_call
from jaxlib.hlo_helpers import hlo_s32, ir_constant_i32
from jaxlib.mhlo_helpers import custom_call as mhlo_custom_call  # its name of 2022

hlo = mlir.hlo
ir = mlir.ir

for name in ("halve_positive", "opaque_of", "add"):
    xla_client.register_custom_call_target(f"old_{name}", capsule(name), platform=PLATFORM)


def primitive(name, lowering, abstract_eval, multiple_results=False):
    made = core.Primitive(name)
    made.multiple_results = multiple_results
    made.def_impl(functools.partial(xla.apply_primitive, made))
    made.def_abstract_eval(abstract_eval)
    mlir.register_lowering(made, lowering, platform=PLATFORM)
    return made


def like(a, *_, **__):
    return core.ShapedArray(a.shape, a.dtype)


def aval(*shape, dtype=np.float32):
    return core.ShapedArray(shape, np.dtype(dtype))


x = np.array([1, -2, 3], np.float32)
y = np.array([5, 6, 7], np.float32)


# ---- mlir.custom_call, by the names of its arguments of two years --------------------------------


def add_by_result_types(context, a, b):
    return mlir.custom_call(
        "old_add",
        result_types=[mlir.aval_to_ir_type(a) for a in context.avals_out],
        operands=(a, b),
        operand_layouts=[range(0, -1, -1)] * 2,
        result_layouts=[range(0, -1, -1)],
    ).results


def add_by_out_types(context, a, b):
    return mlir.custom_call("old_add", [a.type], (a, b), backend_config=None).results


def add_by_hlo_helpers(context, a, b):
    return hlo_custom_call(
        b"old_add", out_types=[a.type], operands=[a, b], operand_layouts=[[0], [0]],
        result_layouts=[[0]],
    )  # fmt: skip


def add_by_mhlo_helpers(context, a, b):
    return [mhlo_custom_call("old_add", [a.type], [a, b], [[0], [0]], [[0]])]


def add_by_class(context, a, b):
    return hlo.CustomCallOp(
        [a.type],
        [a, b],
        call_target_name=ir.StringAttr.get("old_add"),
        has_side_effect=ir.BoolAttr.get(False),
        backend_config=ir.StringAttr.get(""),
        api_version=ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 1),
        called_computations=ir.ArrayAttr.get([]),
    ).results


for lowering in (
    add_by_result_types,
    add_by_out_types,
    add_by_hlo_helpers,
    add_by_mhlo_helpers,
    add_by_class,
):
    add = primitive(lowering.__name__, lowering, like)
    np.testing.assert_array_equal(jax.jit(add.bind)(x, y), x + y)


# ---- Constants, the opaque, failures -------------------------------------------------------------


def halve_lowering(context, a):
    return mlir.custom_call("old_halve_positive", result_types=[a.type], operands=[a]).results


halve = primitive("halve", halve_lowering, like)
assert jax.jit(halve.bind)(np.float32(5)) == 2.5
try:
    jax.block_until_ready(jax.jit(halve.bind)(np.float32(-1)))
except Exception as error:
    assert "it is negative" in str(error), error
else:
    raise AssertionError("a negative number was halved")


def opaque_lowering(context, *, opaque):
    return mlir.custom_call(
        "old_opaque_of",
        result_types=[mlir.aval_to_ir_type(a) for a in context.avals_out],
        operands=[],
        backend_config=opaque,
        api_version=3,
    ).results


opaque_of = primitive("opaque_of", opaque_lowering, lambda opaque: aval(8, dtype=np.uint8))
opaque = b"\0\xff\"'\0\\\x80"
given = jax.jit(lambda: opaque_of.bind(opaque=opaque))()
assert bytes(np.asarray(given)) == opaque + b"\0"


def constant_lowering(context):
    constant = mlir.ir_constant(np.int64(7), canonicalize_types=True)
    assert constant.type == hlo_s32(0).type == ir_constant_i32(0).type
    return [constant]


constant = primitive("constant", constant_lowering, lambda: aval(dtype=np.int32))
assert jax.jit(lambda: constant.bind())() == 7
print("of 2023: ok")
