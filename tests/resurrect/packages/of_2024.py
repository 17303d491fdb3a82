"""A program as packages of 2022 to 2024 were: dimensions that are known only at run time, by the
functions of jaxlib.hlo_helpers, and small functions of JAX's on abstract values and shapes."""

import functools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from compiled import PLATFORM, capsule
from jax import core, export, linear_util
from jax._src.interpreters.mlir import eval_dynamic_shape
from jax.abstract_arrays import make_shaped_array, raise_to_shaped
from jax.interpreters import ad, batching, mlir, xla
from jax.lib import xla_client
from jaxlib import hlo_helpers
from jaxlib import xla_client as jaxlib_client
from jaxlib.mlir import ir

ops = xla_client.ops
Shape = xla_client.Shape
for name in ("add", "doubled_in_place", "opaque_of"):
    xla_client.register_custom_call_target(f"late_{name}", capsule(name), platform=PLATFORM)
    # What the builder of translation rules below is given, so that names are no str.
    xla_client.register_custom_call_target(f"late_{name} 2".encode(), capsule(name), PLATFORM)


def primitive(name, lowering, abstract_eval):
    made = core.Primitive(name)
    made.def_impl(functools.partial(xla.apply_primitive, made))
    made.def_abstract_eval(abstract_eval)
    mlir.register_lowering(made, lowering)
    return made


def like(a, *_):
    return core.ShapedArray(a.shape, a.dtype)


def s32(*shape):
    return lambda *_: core.ShapedArray(shape, np.dtype(np.int32))


def exported(made, count, names=()):
    """A function of `count` arrays whose dimension the program knows only when it runs."""
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in names]
    array = jax.ShapeDtypeStruct(export.symbolic_shape("n"), np.float32)
    return export.export(jax.jit(made.bind), disabled_checks=checks)(*[array] * count).call


x = np.array([1, -2, 3], np.float32)
y = np.array([5, 6, 7], np.float32)

# ---- hlo_helpers ---------------------------------------------------------------------------------


def doubled_lowering(context, a, b):
    """Twice `b`, where the result has the memory of `b`."""
    shape = eval_dynamic_shape(context, context.avals_out[0].shape)
    types, shapes = hlo_helpers.mk_result_types_and_shapes([(shape, b.type.element_type)])
    assert shapes is not None and len(shapes) == 1
    return hlo_helpers.custom_call(
        "late_doubled_in_place",
        result_types=types,
        operands=[a, b],
        operand_layouts=[[0], [0]],
        result_layouts=[[0]],
        operand_output_aliases={1: 0},
        result_shapes=shapes,
    ).results


doubled = primitive("doubled", doubled_lowering, lambda a, b: like(b))
call = exported(doubled, 2, names=["late_doubled_in_place"])
np.testing.assert_array_equal(call(x, y), 2 * y)


def opaque_lowering(context):
    types, shapes = hlo_helpers.mk_result_types_and_shapes(
        [((8,), hlo_helpers.dtype_to_ir_type(np.dtype(np.uint8)))]
    )
    assert shapes is None
    operation = mlir.custom_call(
        "late_opaque_of",
        result_types=types,
        operands=[],
        backend_config="späť",
        api_version=3,
        has_side_effect=True,
        extra_attributes={"a.note": ir.StringAttr.get("of 2024")},
    )
    assert operation.attributes["has_side_effect"].value is True
    assert operation.attributes["a.note"].value == "of 2024"
    return operation.results


opaque_of = primitive("opaque_of", opaque_lowering, lambda: core.ShapedArray((8,), np.uint8))
assert bytes(np.asarray(jax.jit(lambda: opaque_of.bind())())) == "späť".encode().ljust(8, b"\0")


def sizes_lowering(make):
    def lowering(context, a):
        (n, *_) = eval_dynamic_shape(context, context.avals_in[0].shape)
        return [make(n)]

    return lowering


for shape, make, expected in [
    ((), lambda n: hlo_helpers.hlo_add(hlo_helpers.hlo_min(n, 5), 40), [43, 45]),
    ((), lambda n: hlo_helpers.hlo_add(2, hlo_helpers.hlo_min(6, n)), [5, 8]),
    ((), hlo_helpers.ensure_hlo_s32, [3, 7]),
    ((2,), lambda n: hlo_helpers.shape_tensor([n, 2]), [[3, 2], [7, 2]]),
    ((3,), lambda n: hlo_helpers.shape_tensor([9, n, n]), [[9, 3, 3], [9, 7, 7]]),
    ((1,), lambda n: hlo_helpers.shape_tensor([n]), [[3], [7]]),
    ((2,), lambda n: hlo_helpers.shape_tensor([4, 5]), [[4, 5], [4, 5]]),
    ((), lambda n: hlo_helpers.ensure_hlo_s32(-4), [-4, -4]),
]:
    call = exported(primitive("sizes", sizes_lowering(make), s32(*shape)), 1)
    given = [np.asarray(call(np.zeros(n, np.float32))).tolist() for n in (3, 7)]
    assert given == expected, (given, expected)
assert hlo_helpers.hlo_min(2, 3) == hlo_helpers.hlo_min(3, 2) == 2
assert hlo_helpers.hlo_add(2, 3) == 5


def constants_lowering(context):
    assert str(hlo_helpers.hlo_u8(200).type) == "tensor<ui8>"
    assert str(hlo_helpers.hlo_s32(3).type) == "tensor<i32>"
    assert str(hlo_helpers.dense_int_array([1, 2])) == "array<i64: 1, 2>"
    assert str(hlo_helpers.shape_dtype_to_ir_type((2, 3), np.float16)) == "tensor<2x3xf16>"
    return [hlo_helpers.hlo_const(np.array([[1, 2, 3], [4, 5, 6]], np.int32))]


constants = primitive("constants", constants_lowering, s32(2, 3))
assert np.asarray(jax.jit(lambda: constants.bind())()).tolist() == [[1, 2, 3], [4, 5, 6]]

# ---- Batching ------------------------------------------------------------------------------------


def add_lowering(context, a, b):
    return mlir.custom_call("late_add", result_types=[a.type], operands=[a, b]).results


for batcher in (batching.broadcast_batcher, batching.vectorized_batcher):
    add = primitive("add", add_lowering, like)
    batching.primitive_batchers[add] = functools.partial(batcher, add)
    np.testing.assert_array_equal(jax.jit(jax.vmap(add.bind))(x, y), x + y)  # one call of f32[3]
assert batching.not_mapped is None

# ---- Small functions -----------------------------------------------------------------------------


def form(aval):
    return type(aval), aval.shape, aval.dtype, aval.weak_type


scalar = core.ShapedArray((), np.dtype(np.float32))
array = core.ShapedArray((2, 3), np.dtype(np.int32))
assert form(raise_to_shaped(core.concrete_aval(np.float32(1)))) == form(scalar)
assert raise_to_shaped(scalar, weak_type=True).weak_type
assert not raise_to_shaped(raise_to_shaped(scalar, weak_type=True), weak_type=False).weak_type
assert form(make_shaped_array(np.zeros((2, 3), np.int32))) == form(array)
assert form(raise_to_shaped(xla.abstractify(np.zeros((2, 3), np.int32)))) == form(array)
assert xla.canonicalize_dtype(np.float64(1.5)).dtype == np.float32
assert xla.canonicalize_dtype(np.float64(1.5)) == 1.5
zeros = ad.instantiate_zeros_aval(core.ShapedArray((3,), np.float32), ad.Zero(scalar))
assert zeros.shape == (3,) and not np.asarray(zeros).any()
assert ad.instantiate_zeros_aval(scalar, y) is y
assert linear_util.wrap_init(lambda x: x + 1).call_wrapped(1) == 2
assert linear_util.wrap_init(lambda x, k: x + k, {"k": 5}).call_wrapped(1) == 6

# ---- Shapes, and what translation rules make of them ---------------------------------------------

assert xla_client.dtype_to_etype(np.dtype(np.float32)) == xla_client.PrimitiveType.F32
assert xla_client.dtype_to_etype(np.dtype(np.int8)) == xla_client.PrimitiveType.S8
shape = xla_client.shape_from_pyval((np.zeros((2, 3), np.float32), (np.int32(1),)))
first, second = shape.tuple_shapes()
assert first.dimensions() == (2, 3) and first.numpy_dtype() == np.float32
assert second.is_tuple() and second.tuple_shapes()[0].dimensions() == ()
(token,) = xla.aval_to_xla_shapes(core.abstract_token)
assert not token.is_array()
bfloats = np.array([[1, -2, 0.5]], ml_dtypes.bfloat16)


def translated(rule, abstract_eval, *operands):
    made = core.Primitive("translated")
    made.def_abstract_eval(abstract_eval)
    xla.translations[made] = rule
    return jax.jit(made.bind), operands


run, _ = translated(
    lambda c: ops.Constant(c, bfloats), lambda: core.ShapedArray((1, 3), jnp.bfloat16)
)
np.testing.assert_array_equal(run(), bfloats)


def aliased_rule(c, a, b):
    """Twice `b`, beside others: counted in preorder it is operand 2, and result 1."""
    array = c.get_shape(a)
    pair = ops.Tuple(c, [a, a])
    operand = ops.Tuple(c, [pair, ops.Tuple(c, [b])])
    result = Shape.tuple_shape([array, Shape.tuple_shape([array, array])])
    made = ops.CustomCallWithAliasing(
        c,
        b"late_doubled_in_place 2",
        [operand, a],
        result,
        [c.get_shape(operand), array],
        output_operand_aliasing=[((1, 0), (0, (1, 0))), ((0,), (1, ()))],
    )
    return ops.GetTupleElement(ops.GetTupleElement(made, 1), 0)


# One that XLA has, by the function that is JAX's still, is called through callbridge.
jaxlib_client.register_custom_call_target("late_sum", capsule("add"), platform=PLATFORM)
for _ in range(2):
    run, operands = translated(
        lambda c, a, b: ops.CustomCall(c, b"late_sum", [a, b], c.GetShape(a)),
        like,
        x,
        y,
    )
    np.testing.assert_array_equal(run(*operands), x + y)
    assert "@late_sum by callbridge" in run.lower(*operands).as_text().replace('"', "")


run, operands = translated(aliased_rule, lambda a, b: like(b), x, y)
text = run.lower(*operands).as_text()
assert "output_tuple_indices = [1], operand_index = 2" in text, text
assert "output_tuple_indices = [0], operand_index = 3" in text, text


def unserved_rule(c, a):
    """What nobody registered is called as it is, in the layouts that the rule says."""
    columns = Shape.array_shape(np.dtype(np.float32), (2, 3), (0, 1))
    return ops.CustomCallWithLayout(
        c, b"late_nobodys", [a], columns, [columns], opaque=b"\0\xff", has_side_effect=True
    )


run, operands = translated(unserved_rule, like, np.zeros((2, 3), np.float32))
text = run.lower(*operands).as_text()
columns = "[dense<[0, 1]> : tensor<2xindex>]"
for part in (
    f"operand_layouts = {columns}",
    f"result_layouts = {columns}",
    "has_side_effect = true",
):
    assert part in text, text
assert 'backend_config = "\\00\\FF"' in text and "@late_nobodys" in text, text


def without_layouts_rule(c, a):
    return ops.CustomCall(c, b"late_nobodys", [a], c.get_shape(a), has_side_effect=True)


run, operands = translated(without_layouts_rule, like, x)
assert "has_side_effect = true" in run.lower(*operands).as_text()
print("of 2024: ok")
