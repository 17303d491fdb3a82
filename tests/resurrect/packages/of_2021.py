"""A program as packages of 2021 were: JAX 0.2 and 0.3, rules by register_translation too."""

import jax
import jax.numpy as jnp
import numpy as np
from compiled import PLATFORM, capsule
from jax import lax
from jax.core import Primitive, ShapedArray
from jax.interpreters import ad, xla
from jax.lib import xla_client

xops = xla_client.ops
Version = xops.CustomCallApiVersion

for name in ("as_it_lies", "doubled_behind_pair", "halve_positive", "opaque_of", "add"):
    xla_client.register_custom_call_target(f"old_{name}".encode(), capsule(name), platform=PLATFORM)


def primitive(name, rule, abstract_eval):
    made = Primitive(name)
    made.def_impl(lambda *args, **params: xla.apply_primitive(made, *args, **params))
    made.def_abstract_eval(abstract_eval)
    xla.register_translation(made, rule, platform=PLATFORM)
    return made


# ---- A column-major operand ----------------------------------------------------------------------


def as_it_lies_rule(ctx, avals_in, avals_out, a, *, order):
    (shape,) = xla.aval_to_xla_shapes(avals_in[0])
    (out,) = xla.aval_to_xla_shapes(avals_out[0])
    dtype, dimensions = shape.numpy_dtype(), shape.dimensions()
    return [
        xops.CustomCallWithLayout(
            ctx.builder,
            b"old_as_it_lies",
            operands=[a],
            shape_with_layout=out,
            operand_shapes_with_layout=[
                xla_client.Shape.array_shape(dtype, dimensions, order),
            ],
        )
    ]


as_it_lies = primitive("as_it_lies", as_it_lies_rule, lambda a, order: ShapedArray((6,), a.dtype))
jax.config.update("jax_enable_x64", True)
matrix = np.arange(6).reshape(2, 3)
for order, expected in (((1, 0), matrix.ravel()), ((0, 1), matrix.T.ravel())):
    lies = jax.jit(lambda a, order=order: as_it_lies.bind(a, order=order))(matrix)
    np.testing.assert_array_equal(lies, expected)
    # Also where the operand is computed, and XLA could choose its layout.
    lies = jax.jit(lambda a, order=order: as_it_lies.bind(a.T + 0, order=order))(matrix.T)
    np.testing.assert_array_equal(lies, expected)


# ---- A result in an operand's memory; a tuple operand before it ----------------------------------


def doubled_rule(ctx, avals_in, avals_out, a):
    c = ctx.builder
    shape = c.get_shape(a)
    pair = xops.Tuple(c, [a, a])
    return [
        xops.CustomCallWithAliasing(
            c,
            b"old_doubled_behind_pair",
            operands=[pair, a],
            shape_with_layout=shape,
            operand_shapes_with_layout=[c.get_shape(pair), shape],
            output_operand_aliasing=[((), (1, ()))],
        )
    ]


doubled = primitive("doubled", doubled_rule, lambda a: a)
x = np.array([1, -2, 3], np.float32)
np.testing.assert_array_equal(jax.jit(doubled.bind)(x), 2 * x)
np.testing.assert_array_equal(jax.jit(lambda x: doubled.bind(x + 1) + x)(x), 3 * x + 2)


# ---- Versions 2 and 3 ----------------------------------------------------------------------------


def halve_rule(c, a):
    return xops.CustomCall(
        c,
        b"old_halve_positive",
        operands=[a],
        shape=c.get_shape(a),
        api_version=Version.API_VERSION_STATUS_RETURNING,
    )


halve = Primitive("halve")
halve.def_impl(lambda a: xla.apply_primitive(halve, a))
halve.def_abstract_eval(lambda a: a)
xla.translations[halve] = halve_rule
ad.deflinear(halve, lambda t: [halve.bind(t)])
assert jax.jit(halve.bind)(np.float32(5)) == 2.5
assert jax.grad(lambda x: halve.bind(x))(jnp.float32(3)) == 0.5
try:
    jax.block_until_ready(jax.jit(halve.bind)(np.float32(-1)))
except Exception as error:
    assert "it is negative" in str(error), error
else:
    raise AssertionError("a negative number was halved")
assert jax.jit(halve.bind)(np.float32(7)) == 3.5


def opaque_rule(ctx, avals_in, avals_out, *, opaque):
    (shape,) = xla.aval_to_xla_shapes(avals_out[0])
    return [
        xops.CustomCall(
            ctx.builder,
            b"old_opaque_of",
            operands=[],
            shape=shape,
            opaque=opaque,
            api_version=Version.API_VERSION_STATUS_RETURNING_UNIFIED,
        )
    ]


opaque_of = primitive("opaque_of", opaque_rule, lambda opaque: ShapedArray((8,), jnp.uint8))
opaque = b"\0\xff\"'\0\\\x80"
given = jax.jit(lambda: opaque_of.bind(opaque=opaque))()
assert bytes(np.asarray(given)) == opaque + b"\0"


# ---- Control flow and derivatives around a translation rule --------------------------------------


def add_rule(ctx, avals_in, avals_out, a, b):
    (shape,) = xla.aval_to_xla_shapes(avals_out[0])
    return [xops.CustomCall(ctx.builder, b"old_add", [a, b], shape)]


add = primitive("add", add_rule, lambda a, b: a)


def add_jvp(primals, tangents):
    tangents = [
        lax.zeros_like_array(p) if type(t) is ad.Zero else t
        for p, t in zip(primals, tangents, strict=True)
    ]
    return add.bind(*primals), tangents[0] + tangents[1]


ad.primitive_jvps[add] = add_jvp
ones = np.ones(3, np.float32)
total, _ = lax.scan(lambda carry, _: (add.bind(carry, ones), None), ones, None, length=4)
np.testing.assert_array_equal(total, 5 * ones)
gradient = jax.grad(lambda a: add.bind(a, 2 * a).sum())(ones)
np.testing.assert_array_equal(gradient, 3 * ones)
print("of 2021: ok")
