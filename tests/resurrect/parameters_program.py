"""Passes parameters that JAX lost, each to its function; run in a process of its own."""

import importlib
import inspect

import callbridge.resurrect
import jax
import jax.numpy as jnp
import numpy as np
from callbridge.jax._runtimes import is_since
from jax import core, lax
from jax.interpreters import ad, batching, mlir, partial_eval
from rows import LOST_PARAMETERS, REFUSED_PARAMETERS

x = np.arange(6, dtype=np.float32).reshape(2, 3)
called = 0


def same(ours, expected):
    global called
    called += 1
    ours, expected = map(jax.tree_util.tree_leaves, (ours, expected))
    assert len(ours) == len(expected), (ours, expected)
    for a, b in zip(ours, expected):  # noqa: B905
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def refused(function, *args, **keywords):
    global called
    called += 1
    (parameter,) = keywords
    if parameter in inspect.signature(function).parameters:
        return  # which this JAX has
    try:
        function(*args, **keywords)
    except NotImplementedError as error:
        assert parameter in str(error), error
    else:
        raise AssertionError((function, keywords))


def is_had(function, *parameters):
    return not set(parameters).isdisjoint(inspect.signature(function).parameters)


same(core.ShapedArray((2,), x.dtype, named_shape={}).shape, (2,))
same(jax.ShapeDtypeStruct((2,), x.dtype, named_shape={}).shape, (2,))
refused(core.ShapedArray, (2,), x.dtype, named_shape={"i": 2})
refused(jax.ShapeDtypeStruct, (2,), x.dtype, named_shape={"i": 2})
same(lax.cond(True, jnp.sin, jnp.cos, x, linear=(False,)), jnp.sin(x))
same(lax.dot(x, x.T, algorithm=None), lax.dot(x, x.T))
numbers = (((1,), (1,)), ((), ()))
same(lax.dot_general(x, x, numbers, algorithm=None, out_type=None), x @ x.T)
refused(lax.dot, x, x.T, transpose_algorithm="f32")
same(lax.broadcast(x, (2,), sharding=None), np.broadcast_to(x, (2, 2, 3)))
same(lax.broadcast_in_dim(x, (2, 3), (0, 1), sharding=None), x)
same(lax.reshape(x, (3, 2), sharding=None), x.reshape(3, 2))
same(lax.broadcasted_iota(np.int32, (2, 2), 0, _sharding=None), np.array([[0, 0], [1, 1]]))
wrapped = {(n.module, n.name) for n in callbridge.resurrect.names() if n.kind == "wrapped"}
if ("jax", "jit") in wrapped:
    same(jax.jit(jnp.sin, abstracted_axes=None)(x), jnp.sin(x))
    refused(jax.jit, jnp.sin, abstracted_axes=("n",))
    by_position = [None] * 6 + [False, None, None, False, None]
    same(jax.jit(jnp.sin, *by_position)(x), jnp.sin(x))
    refused(jax.make_jaxpr, jnp.sin, abstracted_axes=("n",))
# What is not mapped over comes as it is, without a dimension for the batch.
shapes = []


def of_two(a, b):
    shapes.append((np.shape(a), np.shape(b)))
    return np.asarray(a) + 0


def of_mapped(a):
    result = jax.ShapeDtypeStruct((), np.float32)
    return jax.pure_callback(of_two, result, a, np.ones(4, np.float32), vectorized=True)


same(jax.vmap(of_mapped)(x[0]), x[0])
assert shapes == [((3,), (4,))], shapes
for vectorized, calls in ((True, 1), (False, 2)):
    seen = []

    def callback(v, seen=seen):
        seen.append(v.shape)
        return np.asarray(v)

    def call(v, f=callback, how=vectorized):
        return jax.pure_callback(f, jax.ShapeDtypeStruct(v.shape, v.dtype), v, vectorized=how)

    same(jax.vmap(call)(x), x)
    assert len(seen) == calls, seen
batching.defreducer(lax.reduce_max_p, ident=-np.inf)
zero = ad.Zero.from_primal_value(x) if hasattr(ad.Zero, "from_primal_value") else None
same(zero.aval.shape if zero is not None else (2, 3), (2, 3))

# Of what cannot be restored, the name and the reason.
for path, (_, parameters) in REFUSED_PARAMETERS.items():
    module, _, name = path.rpartition(".")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        continue  # which this JAX has not
    for parameter in parameters:
        if parameter not in inspect.signature(function).parameters:
            refused(function, **{parameter: None})
    try:
        function(no_such_parameter=None)
    except TypeError as error:
        assert "no_such_parameter" in str(error), error  # noqa: PT017
if "__init__" in vars(core.Trace) and not is_had(core.Trace, "main", "parent_trace"):
    try:
        core.Trace(None, None)
    except NotImplementedError as error:
        assert "main, sublevel" in str(error) and "set_current_trace" in str(error)  # noqa: PT017
    else:
        raise AssertionError("Trace(main, sublevel)")

# By position: the axis in parts.
jaxpr = jax.make_jaxpr(jnp.sin)(1.0)
batched, _ = batching.batch_jaxpr_axes(jaxpr, 2, [0], [0], None, None, None)
same(batched.in_avals[0].shape, (2,))
try:
    from jax import linear_util as lu
except ImportError:
    from jax.extend import linear_util as lu
made, *_ = partial_eval.trace_to_jaxpr_dynamic(
    lu.wrap_init(lambda a: [a * 2]), [core.ShapedArray((2,), x.dtype)], debug_info=None
)
same(len(made.eqns), 1)

# Python's numbers, which constants are made of.
with mlir.make_ir_context() as context:
    from jaxlib.mlir import ir

    with ir.Location.unknown(context):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            types = [str(mlir.ir_constant(v).type) for v in (3, True, 1.5, 1j)]
            narrow = [str(mlir.ir_constant(v, canonicalize_types=True).type) for v in (3, 1.5)]
assert types == ["tensor<i64>", "tensor<i1>", "tensor<f64>", "tensor<complex<f64>>"], types
assert narrow == ["tensor<i32>", "tensor<f32>"], narrow

# Arguments beyond the last parameter, the restored ones included.
for row in LOST_PARAMETERS:
    for adapt in row.adapters if is_since(row.gone) else ():
        if not hasattr(adapt, "of_position") or not hasattr(adapt, "positions"):
            continue
        parameters, count = adapt.positions
        is_class = row.names[0].startswith("__")
        module, _, name = row.module.rpartition(".") if is_class else (row.module, "", "")
        for function in [name] if is_class else row.names:
            function = getattr(importlib.import_module(module), function)
            called += 1
            try:
                function(*[None] * (count + len(parameters) + 9))
            except TypeError as error:
                said = str(error)
                assert "positional argument" in said or "multiple values" in said, (function, said)
            else:
                raise AssertionError(function)

# Attributes.
missing = []
jax.jit(lambda a: (missing.append(hasattr(a, "block_until_ready")), a)[1])(1.0)
assert missing == [False]
same(jnp.ones(3).broadcast((2,)), np.ones((2, 3)))
same(jax.jit(lambda a: a.split(3, 1))(x)[1], x[:, 1:2])
aval = core.ShapedArray((2, 3), x.dtype)
assert aval.join(aval) == aval and aval.strip_named_shape() is aval
assert aval.named_shape == {}
# What this JAX did not have yet is not lent.
VERSION = tuple(map(int, jax.__version__.split(".")[:3]))
assert VERSION < (0, 6, 2) or not aval.vma
assert VERSION < (0, 6, 2) or not aval.varying_manual_axes
primitive = core.Primitive("bound")
primitive.def_custom_bind(lambda *args: args)
assert primitive.bind(1, 2) == (1, 2) and not primitive.map_primitive
mesh = jax.sharding.Mesh(np.array(jax.devices("cpu")[:1]), ("i",))
sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("i"))


def states_axes(operand):
    """In shard_map: what is given the axes that it varies over says so, and JAX takes it so."""
    here = jax.sharding.NamedSharding(
        jax.sharding.get_abstract_mesh(), jax.sharding.PartitionSpec()
    )
    axes = frozenset("i")
    assert jax.typeof(operand).vma == axes
    plain = jax.ShapeDtypeStruct((2,), x.dtype, sharding=here)
    struct = jax.ShapeDtypeStruct((2,), x.dtype, sharding=here, vma={"i"})
    assert plain.vma is None and struct.vma == axes == plain.update(vma=axes).vma
    assert struct == plain.update(vma=axes) and struct.update(shape=(3,)).vma == axes
    assert jax.ShapeDtypeStruct((2,), x.dtype, vma=None) == jax.ShapeDtypeStruct((2,), x.dtype)
    for name in ("vma", "varying_manual_axes"):
        varying = core.ShapedArray((2,), x.dtype, sharding=here, **{name: axes})
        assert varying.vma == varying.varying_manual_axes == axes, name
    assert varying == varying.update(vma=frozenset()).update_vma(axes)
    assert not varying.update(vma=frozenset()).vma
    call = jax.ffi.ffi_call("no_such_target", struct)
    assert jax.typeof(call(operand)).vma == axes
    return jax.lax.scan(lambda carry, _: (call(carry), None), operand, None, length=2)[0]


if VERSION >= (0, 6, 2):
    specs = {"in_specs": sharding.spec, "out_specs": sharding.spec}
    on_each = jax.shard_map(states_axes, mesh=mesh, **specs)
    same(jax.eval_shape(on_each, np.zeros(2, x.dtype)).shape, (2,))
    try:
        jax.ShapeDtypeStruct((2,), x.dtype, vma=["i"])
    except TypeError as error:
        assert "frozenset" in str(error), error
    else:
        raise AssertionError("vma=[]")
assert sharding.with_spec(()).spec == jax.sharding.PartitionSpec()
assert sharding.with_mesh(mesh) == sharding
backend = jax.extend.backend.get_backend("cpu") if hasattr(jax, "extend") else None
same(backend.buffer_from_pyval(x), x)
device = backend.devices()[0]
assert backend.get_default_device_assignment(1) == [device]
assert backend.get_default_device_assignment(1, num_partitions=1) == [[device]]
for numbers in ((2,), (2, 1), (1, 2)):
    try:
        backend.get_default_device_assignment(*numbers)
    except Exception as error:
        assert "No matching device found for device_id 1" in str(error), error
    else:
        raise AssertionError(numbers)
print(f"{called} called")
