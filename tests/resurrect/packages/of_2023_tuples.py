"""A program of 2023 with tuples in StableHLO, which JAX's own lowering rules never had."""

import functools

import jax
import numpy as np
from compiled import PLATFORM, capsule
from jax import core
from jax.interpreters import mlir, xla
from jax.lib import xla_client

hlo = mlir.hlo
ir = mlir.ir

for name in ("nested_sum", "tuple_of_one"):
    xla_client.register_custom_call_target(f"old_{name}", capsule(name), platform=PLATFORM)


def primitive(name, lowering):
    made = core.Primitive(name)
    made.def_impl(functools.partial(xla.apply_primitive, made))
    made.def_abstract_eval(lambda a, *_: core.ShapedArray(a.shape, a.dtype))
    mlir.register_lowering(made, lowering, platform=PLATFORM)
    return made


x = np.array([1, -2, 3], np.float32)
y = np.array([5, 6, 7], np.float32)


def nested_sum_lowering(context, a, b, c):
    inner = hlo.tuple([b])
    first = hlo.tuple([a, inner])
    return mlir.custom_call("old_nested_sum", result_types=[a.type], operands=[first, c]).results


nested_sum = primitive("nested_sum", nested_sum_lowering)
np.testing.assert_array_equal(jax.jit(nested_sum.bind)(x, y, x), x + 10 * y + 100 * x)


def tuple_of_one_lowering(context, a):
    call = hlo.CustomCallOp(
        [ir.TupleType.get_tuple([a.type])],
        [a],
        call_target_name="old_tuple_of_one",
        api_version=ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 2),
    )
    return [hlo.get_tuple_element(call.result, 0)]


tuple_of_one = primitive("tuple_of_one", tuple_of_one_lowering)
np.testing.assert_array_equal(jax.jit(tuple_of_one.bind)(x), x + 1)
print("of 2023, tuples: ok")
