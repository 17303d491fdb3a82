"""Calls functions that JAX lost, and prints "NAME: RESULT" for each that is there.

Without argument: as JAX has them. With "restored": of callbridge.resurrect, then "restored NAME"
for each that is not JAX's own, "untested NAME" for each that is ours and has no call, and
"default NAME(PARAMETER)" for each parameter of ours that no call passes another value.
"""

import contextlib
import importlib
import inspect
import os
import sys
import warnings

warnings.simplefilter("ignore")
RESTORED = sys.argv[1:] == ["restored"]
if RESTORED:
    import callbridge.resurrect

import expected_values  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import lowering_values  # noqa: E402
import more_values  # noqa: E402
import numpy as np  # noqa: E402
import private_values  # noqa: E402
import public_values  # noqa: E402
from jax import core, lax  # noqa: E402
from jax.interpreters import ad, mlir  # noqa: E402

f32 = np.float32
x = np.arange(6, dtype=f32).reshape(2, 3)
# Of three dimensions, no two of a size: what takes a dimension for another shows.
cube = np.arange(24, dtype=f32).reshape(2, 3, 4)
aval = core.ShapedArray((2, 3), np.dtype(f32))
JAXPR = jax.make_jaxpr(lambda a: jnp.sin(a) * 2)(1.0)
NESTED = jax.make_jaxpr(lambda a: lax.cond(True, jnp.sin, jnp.cos, a))(1.0)


def fields(message):
    """What is in one of XLA's messages."""
    names = [n for n in dir(message) if n[0] != "_" and not callable(getattr(message, n))]
    return {n: getattr(message, n) for n in names}


def shown(jaxpr):
    """Without the types of literals, which JAX shows now."""
    return [(e.primitive.name, len(e.invars)) for e in jaxpr.eqns], len(jaxpr.invars)


def wrapped(f):
    try:
        from jax import linear_util as lu

        return lu.wrap_init(f)
    except ImportError:
        from jax.extend import linear_util as lu

        return lu.wrap_init(f)


def text_of_attribute(make):
    with mlir.make_ir_context():
        return str(make())


def evaluated_at_once():
    seen = []

    def f(a):
        with core.new_main(core.EvalTrace, dynamic=True):
            seen.append(isinstance(jnp.ones(2) + 1, core.Tracer))
        seen.append(isinstance(a + 1, core.Tracer))
        return a

    jax.jit(f)(1.0)
    return seen


def sublevels():
    seen = [core.cur_sublevel().level]
    jax.jit(lambda a: (seen.append(core.cur_sublevel().level), a)[1])(1.0)
    return [level > 0 for level in seen]


def levels():
    """How many traces are entered: haiku's test of being in the same one."""
    stack = lambda: core.thread_local_state.trace_state.trace_stack  # noqa: E731
    seen = [len(stack().stack), stack().dynamic.level]
    same = [stack().stack[-1] == stack().stack[-1]]

    def f(a):
        seen.append(len(stack().stack) > 1)
        same.append(stack().stack[-1] == stack().stack[-1])
        seen.append(stack().dynamic.trace_type.__name__)
        return a

    def inside(a):
        same.append(stack().dynamic == stack().stack[-1])
        return a

    jax.jit(f)(1.0)
    # The innermost program that is traced, and no derivative.
    jax.jit(lambda a: jax.jit(inside)(a) + a)(1.0)
    jax.jit(jax.grad(inside))(1.0)
    return seen, same


CALLS = {
    "core.diff_dim": lambda m: m.diff_dim(7, 3),
    "core.diff_shape": lambda m: m.diff_shape((7, 5), (3, 5)),
    "core.sum_dim": lambda m: m.sum_dim(1, 2, 3),
    "core.sum_shapes": lambda m: m.sum_shapes((1, 2), (3, 4)),
    "core.dilate_dim": lambda m: [m.dilate_dim(5, 2), m.dilate_dim(0, 2)],
    "core.dilate_shape": lambda m: m.dilate_shape((5, 0), (2, 3)),
    "core.stride_dim": lambda m: m.stride_dim(10, 3, 2),
    "core.stride_shape": lambda m: m.stride_shape((10, 2), (3, 4), (2, 1)),
    "core.greater_equal_dim": lambda m: [m.greater_equal_dim(3, 3), m.greater_equal_dim(2, 3)],
    "core.greater_equal_shape": lambda m: m.greater_equal_shape((3, 4), (3, 5)),
    "core.same_shape_sizes": lambda m: [
        m.same_shape_sizes((2, 3), (6,)),
        m.same_shape_sizes((0, 3), (0,)),
        m.same_shape_sizes((2,), (3,)),
    ],
    "core.divide_shape_sizes": lambda m: m.divide_shape_sizes((4, 3), (6,)),
    "core.symbolic_equal_dim": lambda m: [m.symbolic_equal_dim(1, 1), m.symbolic_equal_dim(1, 2)],
    "core.symbolic_equal_one_of_dim": lambda m: m.symbolic_equal_one_of_dim(2, [1, 2]),
    "core.symbolic_equal_shape": lambda m: [
        m.symbolic_equal_shape((1, 2), (1, 2)),
        m.symbolic_equal_shape((1,), (1, 2)),
    ],
    "core.definitely_equal": lambda m: m.definitely_equal(2, 2),
    "core.is_special_dim_size": lambda m: m.is_special_dim_size(3),
    "core.is_constant_dim": lambda m: m.is_constant_dim(3),
    "core.is_empty_shape": lambda m: [m.is_empty_shape((0, 3)), m.is_empty_shape((2,))],
    "core.non_negative_dim": lambda m: [m.non_negative_dim(-2), m.non_negative_dim(2)],
    "core.canonicalize_shape": lambda m: m.canonicalize_shape((np.int64(2), 3)),
    "core.as_named_shape": lambda m: (
        lambda s: [str(s), s.rank, s.total, s.positional, dict(s.named_items), s == (2, 3), s[1]]
    )(m.as_named_shape((2, 3))),
    "core.NamedShape": lambda m: (
        lambda s: [
            str(s),
            s.rank,
            s.named_rank,
            s.total,
            sorted(s.names),
            s == m.NamedShape(2, i=4),
        ]
    )(m.NamedShape(2, i=4)),
    "core.join_named_shapes": lambda m: m.join_named_shapes({"i": 2}, {"j": 3}, {"i": 2}),
    "core.is_opaque_dtype": lambda m: m.is_opaque_dtype(np.dtype(f32)),
    "core.has_opaque_dtype": lambda m: m.has_opaque_dtype(x),
    "core.raise_to_shaped": lambda m: (
        (lambda a: [a.shape, a.dtype, a.weak_type])(m.raise_to_shaped(m.get_aval(x)))
        + [
            m.raise_to_shaped(m.get_aval(x), weak).weak_type
            for weak in (True, False)
            if len(inspect.signature(m.raise_to_shaped).parameters)
            > 1  # JAX's own had one for a while
        ]
    ),
    "core.concrete_aval": lambda m: (m.concrete_aval(x).shape, m.concrete_aval(x).dtype),
    "core.ConcreteArray": lambda m: (
        lambda a: [a.shape, a.dtype, a.val.tolist(), a == m.ConcreteArray(x.dtype, x)]
    )(m.ConcreteArray(x.dtype, x)),
    "core.UnshapedArray": lambda m: (
        lambda a: [a.dtype, a.weak_type, a == m.UnshapedArray(x.dtype)]
    )(m.UnshapedArray(x.dtype)),
    "core.lattice_join": lambda m: [
        m.lattice_join(aval, aval) == aval,
        m.lattice_join(aval.update(weak_type=True), aval).weak_type,
    ],
    "core.jaxpr_uses_outfeed": lambda m: [
        m.jaxpr_uses_outfeed(JAXPR.jaxpr),
        m.jaxpr_uses_outfeed(NESTED.jaxpr),
    ],
    "core.primitive_uses_outfeed": lambda m: m.primitive_uses_outfeed(lax.add_p, {}),
    "core.traverse_jaxpr_params": lambda m: {
        k: type(v).__name__
        for k, v in m.traverse_jaxpr_params(lambda j: len(j.eqns), NESTED.eqns[-1].params).items()
    },
    "core.used_axis_names_jaxpr": lambda m: sorted(m.used_axis_names_jaxpr(JAXPR.jaxpr)),
    "core.check_valid_jaxtype": lambda m: m.check_valid_jaxtype(x),
    "core.InDBIdx": lambda m: m.InDBIdx(2),
    "core.OutDBIdx": lambda m: m.OutDBIdx(2) == m.OutDBIdx(2),
    "core.as_hashable_function": lambda m: (
        lambda d: [d(len)([1]), d(sublevels) == d(sublevels), hash(d(sublevels)) != 0]
    )(m.as_hashable_function(closure=(1,))),
    "core.apply_todos": lambda m: m.apply_todos(
        [lambda o: [v + 1 for v in o], lambda o: [v * 2 for v in o]], [1, 2]
    ),
    "core.new_main": lambda m: evaluated_at_once(),
    "core.cur_sublevel": lambda m: sublevels(),
    "core.thread_local_state": lambda m: levels(),
    "core.Sublevel": lambda m: [m.Sublevel(1) < m.Sublevel(2), m.Sublevel(1) == m.Sublevel(1)],
    "core.extend_axis_env": lambda m: axis_size(m),
    "core.safe_map": lambda m: m.safe_map(lambda a, b: a + b, [1, 2], [3, 4]),
    "core.tuple_insert": lambda m: m.tuple_insert((1, 3), 1, 2),
    "core.tuple_delete": lambda m: m.tuple_delete((1, 2, 3), 1),
    "core.eval_jaxpr": lambda m: m.eval_jaxpr(JAXPR.jaxpr, JAXPR.consts, f32(0.5)),
    "core.jaxpr_as_fun": lambda m: m.jaxpr_as_fun(JAXPR)(f32(0.5)),
    "core.typecheck": lambda m: m.typecheck(aval, x),
    "core.typematch": lambda m: m.typematch(aval, aval.update(weak_type=True)),
    "core.typecompat": lambda m: m.typecompat(aval, aval),
    "core.subjaxprs": lambda m: len(list(m.subjaxprs(NESTED.jaxpr))),
    "core.primal_dtype_to_tangent_dtype": lambda m: m.primal_dtype_to_tangent_dtype(np.dtype("i4")),
    "core.mapped_aval": lambda m: m.mapped_aval(2, 0, aval).shape,
    "core.unmapped_aval": lambda m: m.mapped_aval(3, 1, aval).shape,
    "core.trace_state_clean": lambda m: m.trace_state_clean(),
    "core.valid_jaxtype": lambda m: [m.valid_jaxtype(x), m.valid_jaxtype("x")],
    "ad.recast_to_float0": lambda m: [
        type(m.recast_to_float0(np.int32(1), np.int32(2))).__name__,
        m.recast_to_float0(f32(1), f32(2)),
    ],
    "ad.replace_float0s": lambda m: [
        int(m.replace_float0s(np.int32(3), np.zeros((), jax.dtypes.float0))),
        m.replace_float0s(f32(1), f32(2)),
    ],
    "ad.unpair_pval": lambda m: [m.unpair_pval((None, (1, 2))), m.unpair_pval(((3, 4), (1, 2)))],
    "ad.instantiate_zeros_aval": lambda m: m.instantiate_zeros_aval(aval, ad.Zero(aval)),
    "ad.zeros_like_jaxval": lambda m: m.zeros_like_jaxval(x),
    "ad.vjp": lambda m: (
        (lambda out, pull: [out, pull(f32(2))])(*m.vjp(wrapped(lambda a: [a * a]), (f32(3),)))
        + (lambda out, pull, aux: [out, pull(f32(2)), aux])(
            *m.vjp(wrapped(lambda a: ([a * a], [a + 1])), (f32(3),), has_aux=True)
        )
    ),
    "batching.moveaxis": lambda m: m.moveaxis(cube, 0, 2),
    "batching.zeros_like_batched": lambda m: m.zeros_like_batched((x,), (1,)),
    "batching.add_batched": lambda m: [
        m.add_batched((x, f32(1) + np.zeros(3, f32)), (0, None)),
        m.add_batched((np.zeros(3, f32), x), (None, 0)),
        m.add_batched((cube, np.moveaxis(cube, 0, 2)), (0, 2)),
        m.add_batched((cube, np.moveaxis(cube, 1, 0)), (1, 0)),
    ],
    "batching.not_mapped": lambda m: m.not_mapped,
    "batching.is_vmappable": lambda m: m.is_vmappable(int),
    "mlir.dense_bool_array": lambda m: text_of_attribute(lambda: m.dense_bool_array([True, False])),
    "mlir.dense_bool_elements": lambda m: [
        text_of_attribute(lambda: m.dense_bool_elements([True, False, True])),
        text_of_attribute(lambda: m.dense_bool_elements([True, True])),
    ],
    "partial_eval.trace_to_jaxpr_final": lambda m: shown(
        m.trace_to_jaxpr_final(wrapped(lambda a: [a * a]), [aval])[0]
    ),
    "partial_eval.convert_constvars_jaxpr": lambda m: shown(m.convert_constvars_jaxpr(JAXPR.jaxpr)),
    "partial_eval.close_jaxpr": lambda m: shown(m.close_jaxpr(JAXPR.jaxpr).jaxpr),
    "pxla.WeakRefList": lambda m: m.WeakRefList([1, 2]),
    "pxla.wrap_name": lambda m: m.wrap_name("f", "jvp"),
    "pxla.device_put": lambda m: m.device_put(x, jax.devices("cpu")[:1], True),
    "xla.abstractify": lambda m: (lambda a: [a.shape, a.dtype, a.weak_type])(m.abstractify(x)),
    "xla.canonicalize_dtype": lambda m: m.canonicalize_dtype(np.float64(1)).dtype,
    "xla.AxisEnv": lambda m: m.AxisEnv(2, ("i",), (2,)),
    "xla.sharding_to_proto": lambda m: str(m.sharding_to_proto(None).type),
    "lax.tie_in": lambda m: m.tie_in(1, 2),
    "lax.zeros_like_array": lambda m: m.zeros_like_array(x),
    "lax.naryop": lambda m: m.naryop(lambda *_, **__: np.dtype(f32), [{np.floating}] * 2, "a").name,
    "jax.tree_map": lambda m: m.tree_map(lambda a: a + 1, {"a": (1, 2)}),
    "jax.curry": lambda m: m.curry(lambda a, b: a + b)(1)(2),
    "jax.xla_computation": lambda m: [
        m.xla_computation(lambda a: a + 1)(1.0).as_hlo_text().count("add("),
        [
            str(part) if i else part.as_hlo_text().count("f32[4]") > 0
            for i, part in enumerate(
                m.xla_computation(
                    lambda a, n: (jnp.ones(n) + a, a), static_argnums=(1,), return_shape=True
                )(1.0, 4)
            )
        ],
        m.xla_computation(lambda a: a + 1, donate_argnums=(0,), backend="cpu")(x)
        .as_hlo_text()
        .count("input_output_alias"),
    ],
    "jax.spmd_mode": lambda m: m.spmd_mode("allow_all").__enter__() or 1,
    "xla_client.make_padding_config": lambda m: [
        fields(d) for d in m.make_padding_config([(1, 2, 3)]).dimensions
    ],
    "xla_client.make_dot_dimension_numbers": lambda m: {
        k: list(v)
        for k, v in fields(m.make_dot_dimension_numbers((([1], [0]), ([2], [3])))).items()
        if k.endswith("dimensions")
    },
    "xla_client.make_convolution_dimension_numbers": lambda m: [
        {k: v if isinstance(v, int) else list(v) for k, v in fields(numbers).items()}
        for numbers in (
            m.make_convolution_dimension_numbers(("NHWC", "HWIO", "NHWC"), 2),
            m.make_convolution_dimension_numbers(("NWHC", "HWIO", "CHWN"), 2),
            m.make_convolution_dimension_numbers(None, 2),
        )
    ],
    "xla_client.make_replica_groups": lambda m: [
        list(g.replica_ids) for g in m.make_replica_groups([[0, 1], [2]])
    ],
    "xla_client.window_padding_type_to_pad_values": lambda m: [
        [
            tuple(map(int, p))
            for p in m.window_padding_type_to_pad_values(*a, (5, 6), (3, 2), (2, 1))
        ]
        for a in (("SAME",), ("valid",), (m.PaddingType.SAME,))
    ],
    "xla_client.dtype_to_etype": lambda m: m.dtype_to_etype(np.dtype(f32)),
    "xla_client.DTYPE_TO_XLA_ELEMENT_TYPE": lambda m: m.DTYPE_TO_XLA_ELEMENT_TYPE["float32"],
    "xla_client.shape_from_pyval": lambda m: [
        [s.dimensions(), s.numpy_dtype()] for s in m.shape_from_pyval((x, x[0])).tuple_shapes()
    ],
    "xla_client.OpMetadata": lambda m: fields(m.OpMetadata("t", "n", "f", 3)),
    "xla_bridge.get_compile_options": lambda m: (
        m.get_compile_options(1, 1, use_spmd_partitioning=False).num_replicas
    ),
}
PATHS = {
    **{name: f"jax.{name}" for name in ("core", "lax")},
    **{name: f"jax.interpreters.{name}" for name in ("ad", "batching", "mlir", "pxla", "xla")},
    **{name: f"jax.lib.{name}" for name in ("xla_client", "xla_bridge")},
    "partial_eval": "jax.interpreters.partial_eval",
    "jax": "jax",
}


def full(name):
    module, _, attribute = name.partition(".")
    return f"{PATHS[module]}.{attribute}"


def find(path):
    """The module or class, None where there is none."""
    try:
        return importlib.import_module(path)
    except ImportError:
        pass
    parent, _, name = path.rpartition(".")
    return getattr(find(parent), name, None) if parent else None


def axis_size(m):
    with m.extend_axis_env("i", 3, None):
        return int(lax.psum(1, "i"))


def plain(value):
    """The same text in all releases."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return [plain(part) for part in value]
    if isinstance(value, (jax.Array, np.ndarray)) and not isinstance(value, core.Tracer):
        return np.asarray(value).tolist()
    if isinstance(value, np.generic):
        return str(value.item())
    return str(value).replace("jaxlib.xla_extension.", "")


CALLS = {full(name): call for name, call in CALLS.items()}
for _values in (more_values, lowering_values, public_values, private_values):
    CALLS.update(_values.CALLS)
EXPECTED = {}
for _values in (expected_values, lowering_values, private_values) if RESTORED else ():
    EXPECTED.update(_values.EXPECTED)
if RESTORED:
    import wrappers

    passed = wrappers.Passed()
    noting = passed.noting
else:
    noting = contextlib.nullcontext
for name, call in {**CALLS, **EXPECTED}.items():
    path, _, attribute = name.rpartition(".")
    owner = find(path)
    is_class = isinstance(owner, type)  # which does not have what instances are given
    if owner is None or not (hasattr(owner, attribute) or (is_class and not RESTORED)):
        continue
    call, *expected = call if name in EXPECTED else [call]
    try:
        with noting():
            value = plain(call(owner))
    except Exception as error:
        if os.environ.get("RAISE") == name:
            raise
        if is_class and not RESTORED:
            continue
        value = type(error).__name__
    if expected:
        value = "as expected" if value == plain(expected[0]) else f"{value}, not {expected[0]}"
    print(f"{name}: {value}")
if RESTORED:
    for name in callbridge.resurrect.names():
        print(f"restored {name.module}.{name.name}")
    print(*[f"untested {name}" for name in wrappers.untested({*CALLS, *EXPECTED})], sep="\n")
    for function, parameter in sorted(passed.left_to_defaults()):
        if parameter not in wrappers.LEFT_TO_DEFAULTS.get(function, ()):
            print(f"default {function}({parameter})")
