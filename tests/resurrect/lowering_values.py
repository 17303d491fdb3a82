"""More calls for values_program.py: of lowering, translation rules and callbacks on the host."""

import io

import jax
import numpy as np
from jax import core
from jax.interpreters import xla
from more_values import f32, text, x

aval = core.ShapedArray((), np.dtype(f32))


def types(values):
    return [str(value.type) for value in values]


def translated(rule, multiple_results=False, **options):
    """What a translation rule of one operand, 2, gives."""
    primitive = core.Primitive("translated")
    primitive.multiple_results = multiple_results
    primitive.def_abstract_eval(lambda a: (a, a) if multiple_results else a)
    xla.register_translation(primitive, rule, **options)
    return jax.jit(primitive.bind)(f32(2))


def of_the_builder(rule, multiple_results=False):
    """Likewise of a rule of 2021, which is given the builder."""

    def translate(context, _, __, operand):
        result = rule(context.builder, operand)
        return xla.xla_destructure(context.builder, result) if multiple_results else [result]

    return translated(translate, multiple_results)


def named(context, _, __, operand):
    assert (context.platform, context.replace(platform="x").platform) in [(None, "x"), ("cpu", "x")]
    assert isinstance(context, xla.TranslationContext)
    return [operand]


def destructured(context, _, __, operand):
    from jax.lib import xla_client

    made = xla_client.ops.Tuple(context.builder, [operand, operand])
    return xla.xla_destructure(context.builder, made)


def tapped(m):
    seen = []
    tap = lambda value, _: seen.append(np.asarray(value).tolist())  # noqa: E731
    out = jax.jit(lambda a: m.id_tap(tap, a, result=a + 1))(f32(2))
    m.barrier_wait()
    return [out, seen]


def printed(m):
    stream = io.StringIO()
    out = jax.jit(lambda a: m.id_print(a, output_stream=stream, what="x", by=1))(f32(2))
    m.barrier_wait()
    show = lambda a: m.id_print(a, result=a[0], output_stream=stream, threshold=3)  # noqa: E731
    other = jax.jit(show)(np.arange(9, dtype=f32))
    m.barrier_wait()
    return [out, other, stream.getvalue()]


def called_on_host(m):
    out = jax.jit(lambda a: m.call(lambda v: np.asarray(v) * 3, a, result_shape=a))(x)
    m.barrier_wait()
    return out


HELPERS = {
    "dtype_to_ir_type": lambda m: text(lambda: m.dtype_to_ir_type(np.dtype(f32))),
    "shape_dtype_to_ir_type": lambda m: text(lambda: m.shape_dtype_to_ir_type((2, 3), np.float64)),
    "hlo_const": lambda m: text(lambda: types([m.hlo_const(x)])),
    "ir_constant": lambda m: text(lambda: types([m.ir_constant(x)])),
    "hlo_u8": lambda m: text(lambda: types([m.hlo_u8(3)])),
    "ir_constant_u8": lambda m: text(lambda: types([m.ir_constant_u8(3)])),
    "hlo_s32": lambda m: text(lambda: types([m.hlo_s32(3)])),
    "ir_constant_i32": lambda m: text(lambda: types([m.ir_constant_i32(3)])),
    "ensure_hlo_s32": lambda m: text(lambda: types([m.ensure_hlo_s32(3)])),
    "hlo_min": lambda m: text(
        lambda: [m.hlo_min(2, 3), m.hlo_min(2, m.hlo_s32(3)).owner.name]
    ),
    "hlo_add": lambda m: text(
        lambda: [m.hlo_add(2, 3), m.hlo_add(2, m.hlo_s32(3)).owner.name]
    ),
    "dense_int_array": lambda m: text(lambda: m.dense_int_array([1, 2])),
    "shape_tensor": lambda m: text(
        lambda: types([m.shape_tensor([2, 3]), m.shape_tensor([2, m.hlo_s32(3)])])
    ),
    "mk_result_types_and_shapes": lambda m: text(
        lambda: [
            [str(part) for part in parts or ["none"]]
            for parts in m.mk_result_types_and_shapes(
                [((2,), m.dtype_to_ir_type(np.dtype(f32)))]
            )
        ]
    ),
}  # fmt: skip
CALLS = {f"jaxlib.hlo_helpers.{name}": call for name, call in HELPERS.items()}
CALLS.update(
    {
        "jax.experimental.host_callback.call": called_on_host,
        "jax.experimental.host_callback.id_tap": tapped,
        "jax.experimental.host_callback.id_print": printed,
        "jax.experimental.host_callback.barrier_wait": lambda m: m.barrier_wait(),
    }
)
EXPECTED = {
    "jax.interpreters.xla.lower_fun": (
        lambda m: [
            translated(m.lower_fun(lambda a: a * 3, False, new_style=True)),
            translated(m.lower_fun(lambda a: (a, a * 3), True, new_style=True), True),
            of_the_builder(m.lower_fun(lambda a: a * 3, multiple_results=False)),
            of_the_builder(m.lower_fun(lambda a: [a, a * 3], multiple_results=True), True),
        ],
        [np.array(6, f32), [np.array(2, f32), np.array(6, f32)]] * 2,
    ),
    "jax.interpreters.xla.TranslationContext": (lambda m: translated(named), np.array(2, f32)),
    "jax.interpreters.xla.XlaOp": (
        lambda m: translated(lambda _, __, ___, operand: [operand] * isinstance(operand, m.XlaOp)),
        np.array(2, f32),
    ),
    "jax.interpreters.xla.xla_destructure": (
        lambda m: translated(destructured, multiple_results=True),
        [np.array(2, f32)] * 2,
    ),
    "jax.interpreters.xla.register_translation": (
        lambda m: [
            translated(lambda _, __, ___, operand: [operand]),
            translated(lambda _, __, ___, operand: [operand], platform="cpu"),
        ],
        [np.array(2, f32)] * 2,
    ),
}
