"""Calls parts of stand-ins that values_program.py does not: those that this release has no need of,
and what they do with operands of other kinds; run in a process of its own."""

import copy
import ctypes
import gc
import importlib
import inspect
import io
import os
import pickle
import types
import warnings

warnings.simplefilter("ignore")
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
)

import callbridge.resurrect  # noqa: F401, E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from callbridge._core._native_functions import capsule_pointer  # noqa: E402
from callbridge.resurrect._backports import (  # noqa: E402
    _avals,
    _core,
    _experimental,
    _interpreters,
    _jax,
    _lax,
    _random,
    _sharding,
    _trees,
)
from callbridge.resurrect._builder import _client, _collectives, _math, _translations, _wrappers  # noqa: E402
from callbridge.resurrect._lowering import (  # noqa: E402
    _ffi_call,
    _ffi_lowering,
    _mlir,
    _private_calls,
    _typed_calls,
    _xla_shapes,
)
from callbridge.resurrect._names import _adapters, _calls, _old_signatures, _options, _row  # noqa: E402
from callbridge.resurrect._registration import _ffi  # noqa: E402
from jax._src import core, xla_bridge  # noqa: E402
from jax.interpreters import ad, mlir  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.xla_client import OpSharding, Shape  # noqa: E402

checked = 0
x = np.arange(6, dtype=np.float32).reshape(2, 3)


def equal(ours, expected):
    global checked
    checked += 1
    assert type(ours) is type(expected) and ours == expected, (ours, expected)


def same(ours, expected):
    global checked
    checked += 1
    ours, expected = map(jax.tree_util.tree_leaves, (ours, expected))
    assert len(ours) == len(expected), (ours, expected)
    for a, b in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def refused(error, *parts):
    """Returns a function that asserts that a call raises the error, with these in its text."""

    def call(function, *arguments, **keywords):
        global checked
        checked += 1
        try:
            function(*arguments, **keywords)
        except error as raised:
            assert all(part in str(raised) for part in parts), raised  # noqa: PT017
        else:
            raise AssertionError((function, arguments, keywords))

    return call


def given(*arguments, **keywords):
    return arguments, keywords


# ---- _old_core: abstract values that JAX makes none of -------------------------------------------
known = _avals.ConcreteArray(np.float32, x, weak_type=True)
equal((known.shape, str(known.dtype), known.weak_type), ((2, 3), "float32", True))
assert isinstance(known, core.ShapedArray) and known.val is x
equal(repr(known), f"ConcreteArray({x}, dtype=float32, weak_type=True)")
equal(str(_avals.ConcreteArray(np.int32, 3)), "ConcreteArray(3, dtype=int32)")
equal(hash(known), id(x))
equal(pickle.loads(pickle.dumps(_avals.ConcreteArray(np.int32, 3))).val, 3)
assert known == _avals.ConcreteArray(np.float32, x.copy())
for other in (
    _avals.ConcreteArray(np.float32, x + 1),
    _avals.ConcreteArray(np.int32, x),
    _avals.ConcreteArray(np.float32, x.T),
    core.ShapedArray((2, 3), np.dtype(np.float32)),
):
    assert known != other, other
open_shape = _avals.UnshapedArray(np.float32)
shaped = core.ShapedArray((2,), np.dtype(np.float32))
assert isinstance(shaped, _avals.UnshapedArray) and isinstance(open_shape, core.AbstractValue)
assert issubclass(core.ShapedArray, _avals.UnshapedArray)
assert not isinstance(core.abstract_token, _avals.UnshapedArray)
assert not isinstance(3, _avals.UnshapedArray)
assert not issubclass(core.ShapedArray, type("Below", (_avals.UnshapedArray,), {}))
weak = open_shape.update(weak_type=True)
equal(
    [repr(open_shape), str(weak)],
    ["UnshapedArray(float32)", "UnshapedArray(float32, weak_type=True)"],
)
equal(open_shape.update(dtype=np.int8).dtype, np.dtype(np.int8))
assert open_shape == _avals.UnshapedArray("float32") and open_shape != weak
assert open_shape != _avals.UnshapedArray(np.int8) and open_shape != shaped
equal(hash(weak), hash((np.dtype(np.float32), True)))
equal(weak.str_short(), "float32")
equal(_avals.UnshapedArray(jax.random.key(0).dtype).dtype, jax.random.key(0).dtype)
join = _avals.lattice_join
assert join(None, shaped) is shaped and join(shaped, None) is shaped and join(None, None) is None
joined = join(shaped, core.ShapedArray((3,), np.dtype(np.float32), weak_type=True))
assert joined == open_shape
assert join(shaped.update(weak_type=True), shaped.update(weak_type=True)).weak_type
refused(TypeError, "no common abstract value")(join, shaped, shaped.update(dtype=np.dtype("int8")))
refused(TypeError, "no common abstract value")(join, core.abstract_token, shaped)
refused(TypeError, "'x' of type", "not a JAX type")(_core.check_valid_jaxtype, "x")
refused(AttributeError, "no_such_name")(getattr, _core, "no_such_name")
hashable = _trees.as_hashable_function((1,))
assert (
    hashable(len) != hashable
    and len({hashable(inspect.signature), hashable(inspect.signature)}) == 1
)
assert hashable(inspect.signature) != _trees.as_hashable_function((2,))(inspect.signature)
assert hashable(inspect.signature) != hashable(inspect.unwrap)
equal(_core.used_axis_names(jax.lax.psum_p, {"axes": ("i", 0)}), frozenset({"i"}))
equal(_core.used_axis_names(jax.lax.axis_index_p, {"axis_name": "j"}), frozenset({"j"}))
equal(_core.used_axis_names(jax.lax.sin_p, {}), frozenset())
nested = jax.make_jaxpr(lambda a: jax.lax.fori_loop(0, 2, lambda _, b: b + 1, a))(1.0)
equal(
    _core.str_eqn_compact("f", {"a": 1, "b": 2, "of": nested, "call": len}),
    "f[a=1 b=2 call=<built-in function len>]",
)
equal(_core.str_eqn_compact(jax.lax.sin_p, {"jaxpr": nested.jaxpr}), "sin")
assert not _core.jaxpr_uses_outfeed(nested.jaxpr)
_core.outfeed_primitives.add(jax.lax.add_p)
assert _core.jaxpr_uses_outfeed(nested.jaxpr)  # in the jaxpr inside
_core.outfeed_primitives.discard(jax.lax.add_p)
equal(_interpreters.AxisEnv(2), _interpreters.AxisEnv(2, (), ()))

# ---- Dimensions ----------------------------------------------------------------------------------
named = _core.NamedShape(2, 3, i=4)
equal((named.rank, named.named_rank, named.positional_rank, named.total), (3, 1, 2, 24))
equal(
    (named["i"], named[1], str(named), str(_core.NamedShape(2))),
    (4, 3, "(2, 3, i=4)", "(2,)"),
)
equal([*named.names, *named.named_sizes, *named.named_items], ["i", 4, ("i", 4)])
assert named == _core.NamedShape(2, 3, i=4) and named != _core.NamedShape(2, 3, i=5)
assert named != 3 and _core.NamedShape(2, 3) == (2, 3) and named != (2, 3)
equal(len({named, _core.NamedShape(2, 3, i=4), _core.NamedShape(2, 3)}), 2)
assert _core.as_named_shape(named) is named
refused(TypeError, "axis i has two sizes: 2 and 3")(_core.join_named_shapes, {"i": 2}, {"i": 3})
assert _core.is_special_dim_size(jax.export.symbolic_shape("a")[0])
assert _core.has_opaque_dtype(jax.random.key(0)) and not _core.has_opaque_dtype(1.0)
equal(_core.symbolic_equal_one_of_dim(3, [1, 2]), False)
equal(_core.greater_equal_shape((3, 4), (3, 4)), True)

# ---- jax, by jax.experimental.export's and others' stand-ins -------------------------------------
for name in ("axis_env", "in_parts", "out_parts", "tuple_args"):
    refused(NotImplementedError, f"without {name};")(_jax.xla_computation, len, **{name: 1})
devices = jax.devices()[:2]
for tree in (x[0], {"a": x[0], "b": np.int32(3)}):
    copies = _jax.device_put_replicated(tree, devices)
    same(copies, jax.tree_util.tree_map(lambda leaf: np.stack([leaf, leaf]), tree))
    for leaf in jax.tree_util.tree_leaves(copies):
        assert [s.device for s in leaf.addressable_shards] == devices and len(
            leaf.sharding.device_set
        ) == 2
sharded = _jax.device_put_sharded([{"a": x}, {"a": x + 1}], devices[::-1])
same(sharded["a"], np.stack([x, x + 1]))
assert [
    s.device for s in sharded["a"].addressable_shards if s.index[0].start in (None, 0)
] == devices[1:]
for shards, count in (([], 0), ([x], 2), ([x, x, x], 2)):
    refused(ValueError, f"{len(shards)} and {count}")(
        _jax.device_put_sharded, shards, devices[:count]
    )
cleared = []


class Callback:
    def __call__(self):
        cleared.append(1)


callback = Callback()
_jax.add_clear_backends_callback(callback)
jax.clear_caches()
assert cleared == [1]
del callback
gc.collect()
jax.clear_caches()
assert cleared == [1]
array = jnp.ones(2)

# ---- jax.core: traces, and jaxprs' parts ---------------------------------------------------------
mains = [_core.MainTrace(level, kind) for level in (0, 1) for kind in (core.EvalTrace, int)]
equal(len({*mains, *map(copy.copy, mains)}), 4)
equal(repr(mains[0]), "MainTrace(0,EvalTrace)")
assert mains[0] != _core.MainTrace(0, core.EvalTrace, more=1) and mains[0] != 3
levels = [_core.Sublevel(level) for level in (1, 2)]
equal([*map(repr, levels), len({*levels, _core.Sublevel(2)})], ["1", "2", 2])
assert levels[0] < levels[1] and levels[1] >= levels[0] and levels[0] != 1
state = _core.thread_local_state.trace_state
with _core.new_sublevel(), _core.new_sublevel():
    equal([level.level for level in state.substack], [0, 1, 2])
equal([level.level for level in state.substack], [0])
with _core.extend_axis_env("i", 3, None):
    equal(state.axis_env, [("i", 3)])
equal(state.axis_env, [])
with _core.new_main(core.EvalTrace, more=2) as main:
    equal((main.level, main.trace_type, main.payload), (0, core.EvalTrace, {"more": 2}))


def original_var(self, aval):
    self.given = aval


def original_var_of_13(self, count, suffix, aval):
    self.given = count, suffix, aval


def original_var_of_5(self, suffix, aval, more=None):
    self.given = suffix, aval, more


for original, calls in (
    (
        original_var,
        {("a",): None, (shaped,): shaped, (3, "s", shaped): shaped, ("s", shaped): shaped},
    ),
    (
        original_var_of_5,
        {
            ("s", shaped): ("s", shaped, None),
            (shaped,): ("", shaped, None),
            (3, "s", shaped): ("s", shaped, None),
        },
    ),
    (original_var_of_13, {(3, "s", shaped): (3, "s", shaped)}),
):
    var = _private_calls.var(original)
    for arguments, made in calls.items():
        if made is not None:
            holder = types.SimpleNamespace()
            var(holder, *arguments)
            equal(holder.given, made)
holder = types.SimpleNamespace()
_private_calls.var(original_var)(holder, aval=shaped)
equal(holder.given, shaped)
_private_calls.var(original_var_of_13)(holder, shaped)
equal((holder.given[0] >= 1 << 40, *holder.given[1:]), (True, "", shaped))
counts = []
for _ in range(2):
    _private_calls.var(original_var_of_13)(holder, "t", shaped)
    equal(holder.given[1:], ("t", shaped))
    counts.append(holder.given[0])
assert counts[0] < counts[1]
assert _private_calls.jaxpr_eqn(lambda self, invars: None) is None
eqn = nested.eqns[-1]
as_was = (eqn.invars, eqn.outvars, eqn.primitive, eqn.params, eqn.effects, eqn.source_info)
made = _private_calls.jaxpr_eqn(staticmethod(lambda self, *six, ctx=None: (self, six, ctx)))
self_, six, context = made(3, *as_was)
assert self_ == 3 and six == as_was and type(context) is type(eqn.ctx)
equal(made(3, *as_was, ctx=7)[2], 7)
equal(made(3, *as_was[:5])[2], None)

# ---- Keys and layouts ----------------------------------------------------------------------------
Keys = _random.PRNGKeyArray
typed, raw = jax.random.key(0), jax.random.PRNGKey(0)
assert isinstance(typed, Keys) and not isinstance(raw, Keys) and not isinstance(3, Keys)
seen = []
jax.jit(lambda a, b: seen.extend([isinstance(a, Keys), isinstance(b, Keys)]))(typed, raw)
equal(seen, [True, False])
assert issubclass(type(typed), Keys) and not issubclass(int, Keys) and issubclass(Keys, Keys)
refused(TypeError, "jax.random.key")(Keys)
OwnKeys = type("OwnKeys", (Keys,), {})
assert isinstance(OwnKeys(), OwnKeys) and not isinstance(typed, OwnKeys)
assert not issubclass(type(typed), OwnKeys)
both = _sharding.Layout
whole = jnp.ones((2, 2)).format
for made, kind in (
    (both((0, 1)), "Layout"),
    (both(major_to_minor=(0, 1)), "Layout"),
    (both(), "Format"),
    (both(whole.layout, whole.sharding), "Format"),
    (both(None, whole.sharding), "Format"),
    (both(sharding=whole.sharding), "Format"),
    (both(both.AUTO), "Format"),
):
    equal(type(made).__name__, kind)
    assert isinstance(made, both) and issubclass(type(made), both)
assert not isinstance(3, both) and not issubclass(int, both) and issubclass(both, both)

# ---- MLIR ----------------------------------------------------------------------------------------
with mlir.make_ir_context() as context, ir.Location.unknown(context):
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        for canonicalized, element in ((True, "i32"), (False, "i64")):
            (constant,) = _mlir.ir_constants(np.int64(3), canonicalized)
            equal(str(constant.type), f"tensor<{element}>")
        equal(str(_mlir.token_type()), "!stablehlo.token")
        dynamic = _mlir.hlo_s32(3)
        types_of, shapes = _mlir.mk_result_types_and_shapes(
            [((2, dynamic), ir.F32Type.get()), ((4,), ir.F64Type.get())]
        )
        equal([*map(str, types_of)], ["tensor<2x?xf32>", "tensor<4xf64>"])
        equal([str(s.type) for s in shapes], ["tensor<2xi32>", "tensor<1xi32>"])
        pair = ir.TupleType.get_tuple([types_of[1], ir.TupleType.get_tuple([_mlir.token_type()])])
        shape = _xla_shapes.shape_of(pair)
        equal([part.is_token() for part in shape.tuple_shapes()[1].tuple_shapes()], [True])
        equal(str(_xla_shapes.type_of(shape)), str(pair))
        equal(_xla_shapes.layout(Shape.token_shape()), ())
        equal(_xla_shapes.row_major(_mlir.token_type()), ())
        equal(_xla_shapes.layout(Shape.array_shape(np.dtype("f4"), (2, 3), (0, 1))), (0, 1))
refused(NotImplementedError, "UNIMPLEMENTED", "MLIR type index")(_xla_shapes.dtype_of, "index")

# ---- Partial evaluation, and functions with other arguments --------------------------------------
jaxpr = jax.make_jaxpr(lambda a, b: a * b)(1.0, 2.0).jaxpr
assert _interpreters.convert_invars_to_constvars(jaxpr, 0) is jaxpr
converted = _interpreters.convert_invars_to_constvars(jaxpr, 1)
equal((len(converted.constvars), len(converted.invars)), (1, 1))
assert converted.constvars[0] is jaxpr.invars[0] and converted.invars[0] is jaxpr.invars[1]
equal(len(converted.debug_info.arg_names), 1)
equal(converted.debug_info.arg_names[0], jaxpr.debug_info.arg_names[1])
same(core.eval_jaxpr(converted, [3.0], 5.0), [15.0])
same(_old_signatures.add_batched((x, x + 1), (None, None))[0], 2 * x + 1)
equal(_old_signatures.add_batched((x, x + 1), (None, None))[1], None)
values = _old_signatures.device_put([x, x + 1], devices)
same(values, [x, x + 1])
equal([next(iter(v.devices())) for v in values], devices)
values = _old_signatures.device_put(x, devices, True)
same(values, [x, x])
equal([next(iter(v.devices())) for v in values], devices)
equal(_old_signatures.wrap_name("f", "jvp"), "jvp(f)")
refused(NotImplementedError, "'f'", "translation_rule")(
    _old_signatures.standard_primitive, None, None, "f", len
)
axes = _interpreters.AxisEnv(4, ("i", "j"), (2, 2))
equal(_interpreters.axis_groups(axes, "i"), ((0, 2), (1, 3)))
equal(_interpreters.axis_groups(axes, ("j",)), ((0, 1), (2, 3)))
equal(_interpreters.axis_groups(axes, ["j", "i"]), ((0, 2, 1, 3),))
equal(_interpreters.axis_groups(_interpreters.AxisEnv(4, ("i",), (2,)), "i"), ((0, 2), (1, 3)))
refused(ValueError, "5 replicas", "(2, 2)")(_interpreters.axis_groups, axes._replace(nreps=5), "i")
for prim in (jax.lax.sin_p,):
    equal(_sharding.register_check(prim)(len), len)
    for register in ("register_standard", "register_norewrite", "register_standard_collective"):
        equal(getattr(_sharding, register)(prim), None)

# ---- Parameters ----------------------------------------------------------------------------------
renamed = _adapters.becomes("old", "new", lambda value: value * 2)
equal(renamed("f", (), keywords := {"old": 3}), ())
equal(keywords, {"new": 6})
equal(renamed("f", (1,), keywords := {"old": None, "new": 4}), (1,))
equal(keywords, {"new": 4})
refused(TypeError, "f() got both 'old' and 'new'")(renamed, "f", (), {"old": 1, "new": 2})
placed = _adapters.by_position(1, "a", "b")
equal(placed("f", (1, 2, 3, 4), keywords := {}), (1, 4))
equal(keywords, {"a": 2, "b": 3})
equal(placed("f", (1,), {}), (1,))
refused(TypeError, "multiple values for argument 'a'")(placed, "f", (1, 2), {"a": 3})
first = _adapters.by_name("a", "b")
equal(first("f", (), keywords := {"b": 1}), ())
equal(first("f", (), keywords := {"a": 2, "b": 1, "c": 0}), (2, 1))
equal(keywords, {"c": 0})
equal(first("f", (3,), {"b": 1}), (3, 1))
wide = _adapters.only("a", None, 2, instead="use b")
for value in (None, 2):
    equal(wide("f", (), {"a": value}), ())
for value in (2.0, True, 0, "x"):
    refused(NotImplementedError, "f: ", f"a={value!r}; use b")(wide, "f", (), {"a": value})


class Callable_:
    """A callable that is no function, as a ufunc."""

    attribute = 5

    def __call__(self, a, *, b=None):
        return a, b

    def __reduce__(self):
        return str, ("pickled",)

    def __repr__(self):
        return "<a callable>"


plain = Callable_()
adapted = _adapters.wrapper_of(plain, "f", (_adapters.renamed("c", "b"),))
equal(
    [repr(adapted), adapted.attribute, adapted(1, c=2), adapted(3)],
    ["<a callable>", 5, (1, 2), (3, None)],
)
assert isinstance(adapted, Callable_) and adapted.__class__ is Callable_
equal(str(inspect.signature(adapted)), "(a, *, b=None, c=None)")
equal(pickle.loads(pickle.dumps(adapted)), "pickled")
refused(AttributeError, "_original")(
    getattr, _adapters.Adapted.__new__(_adapters.Adapted), "_original"
)
static = _adapters.wrapper_of(staticmethod(given), "f", (_adapters.renamed("c", "b"),))
assert isinstance(static, staticmethod)
equal(static.__func__(1, c=2), ((1,), {"b": 2}))
for shown, made in (
    (lambda a, **more: a, "(a, *, c=None, **more)"),
    (lambda a, c=1: a, "(a, c=1)"),
):
    wrapper = _adapters.wrapper_of(shown, "f", (_adapters.renamed("c", "b"),))
    equal(str(inspect.signature(wrapper)), made)
refusing = _adapters.refusing("f", "lowering", "b lost")(lambda a, b=None: (a, b))
equal(refusing(1, b=2), (1, 2))
refused(NotImplementedError, "f: ", "restore lost:", _row.REASONS["lowering"])(refusing, 1, lost=2)
refused(NotImplementedError, "restore lost:")(refusing, 1, 2, 3)
refused(TypeError, "'other'")(refusing, 1, other=2)
assert _adapters.refusing("f", "lowering", "b")(lambda a, b=None: a) is None
for at, others in ((1, 3), (2, 5)):
    without = _calls.without_axis(at, others)(given)
    arguments = (*range(others),)
    equal(without(*arguments, k=1), ((*arguments[:at], None, *arguments[at:]), {"k": 1}))
    equal(without(*arguments, 9), ((*arguments, 9), {}))
equal(_calls.batch_jaxpr_axes(given)(1, 2, 3, 4), ((1, 2, 3, 4), {}))
(_, data, *_), _ = _calls.batch_jaxpr_axes(given)(1, 2, 3, 4, "n", "s", None)
equal((data.name, data.size, data.spmd_name), ("n", 2, "s"))
backward = _calls.backward_pass(given)
equal(backward(1, (), 2, 3, 4, 5), ((1, 2, 3, 4, 5), {}))
equal(backward(1, 2, 3, 4, 5), ((1, 2, 3, 4, 5), {}))
refused(NotImplementedError, "reduce_axes: ('i',)")(backward, 1, ("i",), 2, 3, 4, 5)
reducers = []
equal(_calls.defreducer(reducers.append)(1, 2), None)
equal(reducers, [1])
mapped = _calls.shard_map(given)
equal(mapped(1, 2, 3, 4), ((1, 2, 3, 4, True), {}))
equal(mapped(1, 2, 3, 4, check_rep=False), ((1, 2, 3, 4, False), {}))
mesh = jax.make_mesh((2, 2), ("i", "j"))
over_i = mapped(
    lambda a: a * a.shape[0], mesh, jax.P("i"), jax.P("i"), check_rep=True, auto=frozenset("j")
)
same(jax.jit(over_i)(np.arange(4.0, dtype=np.float32)), 2 * np.arange(4.0, dtype=np.float32))
inline = _calls.inline_operands(
    lambda target, result, **options: (
        lambda *operands, **attributes: (target, result, options, operands, attributes)
    )
)
equal(
    inline("f", 2, 3, a=4, has_side_effect=True),
    ("f", 2, {"has_side_effect": True, "vmap_method": "sequential"}, (3,), {"a": 4}),
)
equal(inline("f", 2, 3, vectorized=True)[2], {"vectorized": True})
equal(inline("f", 2, 3, vmap_method="expand_dims")[2], {"vmap_method": "expand_dims"})
equal(inline("f", 2, input_layouts=())(5)[2:4], ({"input_layouts": ()}, (5,)))
shape_tuple = _calls.shape_tuple
for arguments, keywords, made in (
    ((0,), {"shape_tuple": (("i", 2), ("j", 3))}, (0, (2, 3), ("i", "j"))),
    ((0, (2, 3), ("i", "j")), {}, (0, (2, 3), ("i", "j"))),
    ((0, ()), {}, (0, (), ())),
    ((0, ()), {"axis_names": ()}, (0, ())),
    ((0, [("i", 2)]), {}, (0, [("i", 2)])),
):
    equal(shape_tuple("f", arguments, keywords), made)
no_dtype = _calls.no_dtype
equal(no_dtype("f", (0, (2,), None, 5), {}), (0, (2,), np.dtype(np.float64), 5))
equal(no_dtype("f", (0, (2,)), keywords := {"dtype": None}), (0, (2,)))
equal(keywords, {"dtype": np.dtype(np.float64)})
equal(no_dtype("f", (0, (2,), np.int8), keywords := {}), (0, (2,), np.int8))
equal(keywords, {})
both_axes = {"vma": frozenset("i"), "manual_axis_type": object()}
refused(TypeError, "f: ", "got both")(_calls.varying_axes, "f", (), both_axes)

# ---- Private functions ---------------------------------------------------------------------------
parameters = _private_calls._BindParameters(a=1)
functions, unpacked = parameters
equal((functions, unpacked, [*parameters], {**parameters}), ([], {"a": 1}, ["a"], {"a": 1}))
equal(_private_calls.hash_of_tracer(len), None)
equal(_private_calls.gensym(lambda: "none")(), "none")
equal(_private_calls.gensym(lambda suffix="": suffix)("_s"), "_s")
equal(_private_calls.gensym(lambda suffix="": suffix)(None, "_s"), "_s")
equal(_private_calls.gensym(lambda suffix="": suffix)([], "_t"), "_t")
equal(_private_calls.new_jaxpr_eqn(given)(1, 2, 3, 4), ((1, 2, 3, 4), {"effects": frozenset()}))
equal(_private_calls.new_jaxpr_eqn(given)(1, 2, 3, 4, 5), ((1, 2, 3, 4, 5), {}))
equal(_private_calls.check_prng_key(given)("k"), (("jax.random", "k"), {}))
equal(_private_calls.check_prng_key(given)(key="k"), (("jax.random",), {"key": "k"}))
equal(_private_calls.check_prng_key(given)("f", "k"), (("f", "k"), {}))
equal(_private_calls.check_prng_key(given)("f", key="k"), (("f",), {"key": "k"}))
takes = lambda x, canonicalize=False: (x, canonicalize)  # noqa: E731
assert _private_calls.dtype(takes) is takes
for canonicalize, made in ((True, np.float32), (False, np.float64)):
    equal(_private_calls.dtype(np.dtype)(np.float64, canonicalize=canonicalize), np.dtype(made))
pairs = _private_calls.get_bind_params(lambda self, params: ([1], params))
equal(pairs(None, {"a": 1}), ([1], {"a": 1}))

# ---- Primitives that are gone, and shardings -----------------------------------------------------
gone = _lax.gone_primitive("no_such_call")
equal((gone.name, gone.multiple_results), ("no_such_call", True))
equal((_lax.xla_call_p.name, _lax.xla_call_p.multiple_results), ("xla_call", True))
refused(NotImplementedError, "the primitive no_such_call, only its name")(gone.bind, 1.0)
refused(NotImplementedError, "only its name")(jax.jit(gone.bind), 1.0)
for name in ("no_such_name", "_private_p"):
    refused(AttributeError, name)(getattr, _lax, name)
message = OpSharding()
assert _translations.sharding_to_proto(message) is message
equal(_translations.sharding_to_proto(None).type, OpSharding.Type.REPLICATED)
refused(NotImplementedError, "_to_xla_hlo_sharding")(_translations.sharding_to_proto, 3)
aval_shapes = _translations.aval_to_xla_shapes(core.abstract_token)
equal([shape.is_token() for shape in aval_shapes], [True])
effect = _lax.GenericEffect(jax.lax.sin_p)
assert effect == _lax.GenericEffect(jax.lax.sin_p)
assert effect != _lax.GenericEffect(jax.lax.cos_p)

# ---- xla_client ----------------------------------------------------------------------------------
old = _client
equal(len({old.ShapeIndex([0, 1]), old.ShapeIndex((0, 1)), old.ShapeIndex([1])}), 2)
equal(repr(old.ShapeIndex([0, 1])), "{0,1}")
assert old.ShapeIndex([0]) != (0,) and old.ShapeIndex([0]) == old.ShapeIndex((0,))
for make in (old.make_padding_config, old.make_dot_dimension_numbers):
    config = make([] if make is old.make_padding_config else (([0], [1]), ([], [])))
    assert make(config) is config
numbers = old.make_convolution_dimension_numbers(None, 1)
assert old.make_convolution_dimension_numbers(numbers, 1) is numbers
equal(old.make_replica_groups(None), [])
pad = old.window_padding_type_to_pad_values
refused(TypeError, "expected a str or PaddingType")(pad, 3, (5,), (3,), (2,))
refused(ValueError, "'FULL'")(pad, "FULL", (5,), (3,), (2,))
equal(pad(old.PaddingType.VALID, (5, 6), (3, 2), (2, 1)), [(0, 0), (0, 0)])
equal(pad("same", (5, 2), (4, 1), (1, 3)), [(1, 2), (0, 0)])
one, another = old.ConvolutionDimensionNumbers(), old.ConvolutionDimensionNumbers()
one.input_spatial_dimensions.append(3)
equal(another.input_spatial_dimensions, [])
equal([member.value for member in old.PaddingType], [1, 2])
equal([member.value for member in old.PrecisionConfig_Precision], [0, 1, 2])
refused(AttributeError, "no_such_name")(getattr, old, "no_such_name")
halves = [
    jax.device_put(part, device) for part, device in zip((x[:1], x[1:]), devices, strict=True)
]
whole = old._sharded(halves, devices)
same(whole, x)
equal([s.device for s in whole.addressable_shards], devices)
assert old._sharded(halves[:1], devices[:1]) is halves[0]
put = old._put(types.SimpleNamespace(), x, devices[1])
same(put, x)
equal(put.devices(), {devices[1]})
equal(old._put(types.SimpleNamespace(buffer_from_pyval=lambda *a: a), 1, 2), (1, 2))
site = old.CurrentSourceInfoMetadata("t", "n")
equal((site.op_type, site.op_name, site.source_file), ("t", "n", os.path.basename(__file__)))
equal(site.source_line, inspect.currentframe().f_lineno - 2)

# ---- host_callback -------------------------------------------------------------------------------
calls = []
same(
    jax.jit(lambda a: _experimental.id_tap(lambda v, t: calls.append((v, t)), a, result=a + 1))(x),
    x + 1,
)
assert _experimental.call(lambda v: calls.append(type(v)), x) is None
_experimental.barrier_wait()
jax.effects_barrier()
same(calls[0][0], x)
equal((calls[0][1], calls[1]), ((), np.ndarray))
printed = io.StringIO()
same(_experimental.id_print(x[0], what="x", a=1, output_stream=printed), x[0])
_experimental.barrier_wait()
equal(printed.getvalue(), "a: 1 what: x\n[0. 1. 2.]\n")
same(
    _experimental.call(lambda v: v * 2, x, result_shape=jax.ShapeDtypeStruct((2, 3), x.dtype)),
    x * 2,
)
for function in (_experimental.call, _experimental.id_tap):
    name = "call_with_device" if function is _experimental.call else "tap_with_device"
    refused(NotImplementedError, "without the device")(function, print, x, **{name: True})
refused(NotImplementedError, "without the device")(_experimental.id_print, x, tap_with_device=True)

# ---- What takes the place of names, of releases that need it -------------------------------------
wrap = _wrappers.maybe_jvp_tracer
equal(wrap(given), None)  # JAX's own takes None here
runtime = _wrappers.RUNTIME
_wrappers.RUNTIME = types.SimpleNamespace(jvp_takes_none=False)
tracers = []
jax.jvp(lambda a: tracers.append(a._trace) or a, (1.0,), (1.0,))
found = wrap(given)
equal(found(1, 2, 3), ((1, 2, 3), {}))
tracer = found(tracers[0], jnp.ones(2), None)
assert type(tracer) is ad.JVPTracer and tracer.tangent is None
_wrappers.RUNTIME = runtime


def original_init(self, dtype):
    raise TypeError


assert _wrappers.unshaped_array_init(original_init) is _avals.UnshapedArray.__init__
equal(_wrappers.unshaped_array_init(lambda self, dtype: None), None)
equal(_wrappers.namespace_of_ad(types), None)
keeps_first = lambda a, b: a  # noqa: E731
assert _wrappers.lattice_join(keeps_first) is _avals.lattice_join
equal(_wrappers.lattice_join(lambda a, b: b), None)
equal(_wrappers.aval_to_ir_type(lambda aval: aval), None)
equal(_wrappers.ir_constant(lambda value, canonicalize_types=True: 1), None)
refused(AttributeError, "add")(getattr, _wrappers, "add")
registered = _wrappers._with_api_version(given)
equal(registered("f", 1, "cpu", 0), (("f", 1, "cpu"), {}))

# ---- jax.ffi as it is lent, and as it was --------------------------------------------------------
layout = types.SimpleNamespace(major_to_minor=(0, 2, 1), tiling=None)
to_xlas = _ffi_lowering.minor_to_major
equal(
    [to_xlas(3, None), to_xlas(3, layout), to_xlas(3, [1, 2, 0])], [(2, 1, 0), (1, 2, 0), (1, 2, 0)]
)
for tiled in ({"tiling": (8,)}, {"_tiling": (8,)}):
    with_tiles = types.SimpleNamespace(major_to_minor=(0, 1), **tiled)
    refused(ValueError, "layouts with tiling")(to_xlas, 2, with_tiles)
array_like = types.SimpleNamespace(__jax_array__=lambda: np.int8(3))
assert _ffi_lowering.freeze(array_like) == _ffi_lowering.freeze(np.int8(3))
assert _ffi_lowering.freeze(array_like) != _ffi_lowering.freeze(np.int16(3))
refused(TypeError, "Unsupported scalar attribute", "complex64")(
    _ffi_lowering.freeze, np.complex64(1)
)
refused(TypeError, "No attribute handler", "object")(_ffi_lowering.freeze, object())
refused(ValueError, "backend_config must be a dictionary")(
    _ffi_lowering.build_ffi_lowering_function(
        "f",
        backend_config="text",
        result_types=[],
        skip_ffi_layout_processing=True,
        result_shapes=None,
    ),
    None,
)
refused(ValueError, "at least 4; got api_version=2")(
    _ffi_lowering.build_ffi_lowering_function(
        "f", api_version=2, result_types=[], skip_ffi_layout_processing=True, result_shapes=None
    ),
    None,
    attribute=1,
)
refused(ValueError, "vectorized or vmap_method, got both")(
    _ffi_call.extend_ffi_call, "f", shaped, vectorized=True, vmap_method="sequential"
)
tokens = _ffi_call._result_avals([core.abstract_token, jax.ShapeDtypeStruct((2,), np.int8)])
equal(
    (tokens[0] is core.abstract_token, tokens[1].shape, tokens[1].dtype),
    (True, (2,), np.dtype("int8")),
)
refused(ValueError, "'shape' and 'dtype'", "at position 1")(_ffi_call._result_avals, [shaped, 3])
assert os.path.isfile(f"{_ffi.include_dir()}/xla/ffi/api/c_api.h")
equal(_ffi.include_dir(), jax.ffi.include_dir())
given_to_xla = []
register_with_xla = _ffi.xla_client.register_custom_call_target
_ffi.xla_client.register_custom_call_target = lambda *a, **k: given_to_xla.append((a, k))
_ffi.register_ffi_target("f", 1, "CUDA", 0, traits=2)
_ffi.xla_client.register_custom_call_target = register_with_xla
equal(given_to_xla, [(("f", 1, "CUDA"), {"traits": 2})])
refused(ValueError, "api_version=2")(_ffi.register_ffi_target, "f", 1, "cpu", 2)
number = ctypes.c_int64(7)
capsule = _ffi.pycapsule(ctypes.addressof(number))
equal(capsule_pointer(capsule), ctypes.addressof(number))

# ---- Typed calls that XLA cannot make ------------------------------------------------------------
with mlir.make_ir_context() as context, ir.Location.unknown(context):
    f32 = ir.F32Type.get()
    token_type, array_type = _mlir.token_type(), ir.RankedTensorType.get((2, 3), f32)
    open_type = ir.RankedTensorType.get([ir.ShapedType.get_dynamic_size()], f32)
    equal(_typed_calls._array(token_type, "f").shape, ())
    found_array = _typed_calls._array(array_type, "f")
    equal((found_array.shape, np.dtype(found_array.dtype)), ((2, 3), np.dtype(np.float32)))
    refused(NotImplementedError, "target 'f'", "tensor<?xf32>")(_typed_calls._array, open_type, "f")
    pair_type = ir.TupleType.get_tuple([array_type, token_type])
    equal([_typed_calls.lacks_tokens(t) for t in ([token_type], [pair_type])], [False, False])
    runtime, _typed_calls.RUNTIME = (
        _typed_calls.RUNTIME,
        types.SimpleNamespace(typed_takes_tokens=False, has_instantiate=True),
    )
    for listed, lacks in (
        ([token_type], True),
        ([pair_type], True),
        ([array_type], False),
        ([], False),
    ):
        equal(_typed_calls.lacks_tokens(listed), lacks)
    equal(_typed_calls.opaque("f", [array_type], [array_type], {}), None)
    refused(NotImplementedError, "'f' with a token needs jax 0.5.0")(
        _typed_calls.opaque, "f", [array_type], [token_type], {}
    )
    _typed_calls.RUNTIME = runtime
    equal(_typed_calls.opaque("f", [token_type], [array_type], {}), None)

# ---- xla_client.ops ------------------------------------------------------------------------------
config = _client.PrecisionConfig()
equal(_math.dot_options(config, None), {"precision": None, "preferred_element_type": None})
config.operand_precision = ["HIGHEST", _client.PrecisionConfig_Precision.HIGH]
element = _xla_shapes.dtype_to_etype(np.dtype(np.int16))
equal(
    _math.dot_options(config, element),
    {
        "precision": (jax.lax.Precision.HIGHEST, jax.lax.Precision.HIGH),
        "preferred_element_type": np.dtype(np.int16),
    },
)
broadcast = _math._broadcast
same(broadcast(x[0], x, (1,)), (np.stack([x[0]] * 2), x))
same(broadcast(x, x[:, 0], (0,)), (x, np.stack([x[:, 0]] * 3, 1)))
same(broadcast(np.float32(3), x, ()), (np.full_like(x, 3), x))
same(broadcast(x[:1], x, ()), (np.stack([x[0]] * 2), x))
refused(ValueError, "(3,) and (2, 3)", "expected 1", "got ()")(broadcast, x[0], x, ())
groups = _client.make_replica_groups([[0, 1], [2]])
channel = types.SimpleNamespace(handle=3)
with mlir.make_ir_context():
    made = {
        (with_channel, with_ids): {
            name: str(make())
            for name, make in _collectives._attributes(
                groups, channel if with_channel else None, with_ids
            ).items()
        }
        for with_channel in (True, False)
        for with_ids in (True, False, None)
    }
    equal(str(_collectives._i64(5)()), "5 : i64")
table = "dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>"
handle = "#stablehlo.channel_handle<handle = 3, type = 0>"
for (with_channel, with_ids), attributes in made.items():
    expected = {"replica_groups": table}
    expected |= {"channel_handle": handle} if with_channel else {}
    expected |= {"use_global_device_ids": "unit"} if with_ids else {}
    equal(attributes, expected)

# ---- jax.config ----------------------------------------------------------------------------------
jax.config.DEFINE_string("callbridge_option", "first", "help")
flags = jax.config.FLAGS
equal(flags.callbridge_option, "first")
flags.callbridge_option = "second"
equal((flags.callbridge_option, jax.config.read("callbridge_option")), ("second", "second"))
collectives = "jax_cpu_collectives_implementation"
for value, made in ((True, "gloo"), (False, None)):
    jax.config.update("jax_cpu_enable_gloo_collectives", value)
    equal(
        (jax.config.values[collectives], jax.config.jax_cpu_enable_gloo_collectives), (made, value)
    )
    equal(jax.config.read("jax_cpu_enable_gloo_collectives"), value)
gone, to_come = _options._gone(), _options._to_come()
for name, value in {**to_come, **gone}.items():
    if name in jax.config.values or _options._new_of(name) is not None:
        continue
    is_read = name in gone or name in _options._HINTS
    for get in (jax.config.read, lambda n: getattr(jax.config, n)):
        if is_read:
            equal(get(name), value)
        else:
            refused(AttributeError, name)(get, name)
    assert jax.config.update(name, value) is None
    if name in _options._HINTS:
        jax.config.update(name, other := object())
        assert jax.config.read(name) is other
    else:
        refused(AttributeError, name, repr(value), "got 'another'")(
            jax.config.update, name, "another"
        )
XLA = "--xla_force_host_platform_device_count"
started = xla_bridge._backends
refused(RuntimeError, "before JAX's backends")(_options._set_cpu_devices, 3)
xla_bridge._backends = {}
before = os.environ["XLA_FLAGS"]
for value, made in (
    (3, f"--other {XLA}=3"),
    (5, f"--other {XLA}=5"),
    (-1, "--other"),
    (0, "--other"),
):
    os.environ["XLA_FLAGS"] = f"{XLA}=2 --other"
    _options._set_cpu_devices(value)
    equal(os.environ["XLA_FLAGS"], made)
os.environ["XLA_FLAGS"] = before
xla_bridge._backends = started
module = types.ModuleType("jax.experimental.compilation_cache.compilation_cache")
module.initialize_cache = given_to_xla.append
parent = importlib.import_module("jax.experimental.compilation_cache")
own = parent.compilation_cache
parent.compilation_cache = module
given_to_xla.clear()
_options._set_cache_folder("/folder")
_options._set_cache_folder(None)
parent.compilation_cache = own
equal(given_to_xla, ["/folder"])
equal(
    [
        getattr(_options._new_of(f"jax_{name}"), "__name__", None)
        for name in (
            "compilation_cache_dir",
            "cpu_enable_gloo_collectives",
            "num_cpu_devices",
            "array",
        )
    ],
    ["_set_cache_folder", "_set_gloo", "_set_cpu_devices", None],
)
print(f"{checked} checked")
