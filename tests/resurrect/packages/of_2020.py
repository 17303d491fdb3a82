"""A program as packages of 2020 were: JAX 0.1 and 0.2, names as bytes, translation rules."""

import jax
import numpy as np
from compiled import PLATFORM, capsule
from jax import core
from jax.abstract_arrays import ShapedArray
from jax.config import config
from jax.interpreters import ad, batching, xla
from jax.lib import xla_bridge, xla_client

config.update("jax_enable_x64", True)
ops = xla_client.ops
Shape = xla_client.Shape


def primitive(name, rule, abstract_eval, multiple_results=False):
    made = core.Primitive(name)
    made.multiple_results = multiple_results
    made.def_impl(lambda *args, **params: xla.apply_primitive(made, *args, **params))
    made.def_abstract_eval(abstract_eval)
    xla.backend_specific_translations[PLATFORM][made] = rule
    return made


def register(name, function):
    """The name of 2019 is for CPU alone."""
    if PLATFORM == "cpu":
        xla_client.register_cpu_custom_call_target(name, function)
    else:
        xla_client.register_custom_call_target(name, function, PLATFORM)


def f32(*dimensions):
    return Shape.array_shape(np.dtype(np.float32), dimensions)


# ---- ((a, (b,)), c): nested tuples among the operands --------------------------------------------

register(b"old_nested_sum", capsule("nested_sum"))


def nested_sum_rule(c, a, b, d):
    shape = c.GetShape(a)
    assert shape.dimensions() == (3,) and shape.element_type() == np.float32
    assert not shape.is_tuple()
    nested = ops.Tuple(c, (a, ops.Tuple(c, (b,))))
    assert [s.is_tuple() for s in c.get_shape(nested).tuple_shapes()] == [False, True]
    return ops.CustomCall(c, b"old_nested_sum", operands=(nested, d), shape=shape)


nested_sum = primitive("nested_sum", nested_sum_rule, lambda a, b, c: ShapedArray(a.shape, a.dtype))
ad.defjvp(
    nested_sum,
    lambda t, a, b, c: t,
    lambda t, a, b, c: 10 * t,
    lambda t, a, b, c: 100 * t,
)

a, b, c = (np.arange(3, dtype=np.float32) + k for k in (1, 2, 3))
expected = a + 10 * b + 100 * c
for run in (nested_sum.bind, jax.jit(nested_sum.bind)):
    np.testing.assert_array_equal(run(a, b, c), expected)
gradient = jax.grad(lambda b: nested_sum.bind(a, b, c).sum())(b)
np.testing.assert_array_equal(gradient, np.full(3, 10, np.float32))

# ---- (a + 1,): a tuple of one as the result ------------------------------------------------------

xla_client.register_custom_call_target(b"old_tuple_of_one", capsule("tuple_of_one"), PLATFORM)


def tuple_of_one_rule(c, a):
    return ops.CustomCallWithLayout(
        c,
        b"old_tuple_of_one",
        operands=(a,),
        shape_with_layout=Shape.tuple_shape((Shape.array_shape(np.dtype("float32"), (3,), (0,)),)),
        operand_shapes_with_layout=(Shape.array_shape(np.dtype("float32"), (3,), (0,)),),
    )


tuple_of_one = primitive(
    "tuple_of_one", tuple_of_one_rule, lambda a: (core.raise_to_shaped(a),), multiple_results=True
)
(one,) = jax.jit(tuple_of_one.bind)(a)
np.testing.assert_array_equal(one, a + 1)

# ---- a scalar operand, a nested result, 64-bit constants -----------------------------------------

register(b"old_nested_result", capsule("nested_result"))


def nested_result_rule(c, a):
    (n,) = c.get_shape(a).dimensions()
    array = Shape.array_shape(np.dtype(np.float64), (n,), (0,))
    results = ops.CustomCall(
        c,
        b"old_nested_result",
        operands=(ops.ConstantLiteral(c, np.int32(n)), a),
        shape=Shape.tuple_shape((array, Shape.tuple_shape((array, array)))),
    )
    inner = ops.GetTupleElement(results, 1)
    elements = [ops.GetTupleElement(inner, i) for i in range(2)]
    big = ops.Constant(c, np.int64(2**40))
    return ops.Tuple(c, [ops.GetTupleElement(results, 0), *elements, big])


nested_result = primitive(
    "nested_result",
    nested_result_rule,
    lambda a: (a, a, a, ShapedArray((), np.dtype(np.int64))),
    multiple_results=True,
)


def nested_result_batcher(args, dims):
    raise NotImplementedError


batching.primitive_batchers[nested_result] = nested_result_batcher
x = np.array([1.5, -2.5])
times, same, negative, big = jax.jit(nested_result.bind)(x)
np.testing.assert_array_equal(times, 2 * x)
np.testing.assert_array_equal(same, x)
np.testing.assert_array_equal(negative, -x)
assert big.dtype == np.int64 and big == 2**40

# ---- booleans, as operands and as constants ------------------------------------------------------

register(b"old_number_of", capsule("number_of"))


def number_of_rule(c):
    flags = ops.ConstantLiteral(c, np.array([True, False]))
    shape = xla_client.shape_from_pyval(np.zeros(2, np.int32))
    return ops.CustomCall(c, b"old_number_of", (flags,), shape)


number_of = primitive("number_of", number_of_rule, lambda: ShapedArray((2,), np.dtype(np.int32)))
np.testing.assert_array_equal(jax.jit(lambda: number_of.bind())(), [7, 3])

assert xla_bridge.get_backend().platform == PLATFORM
assert jax.tree_map(lambda x: x + 1, (1, [2])) == (2, [3])
print("of 2020: ok")
