"""More calls for values_program.py: a name's module, or class, is the call's argument."""

import importlib
import inspect
import io

import jax
import jax.numpy as jnp
import numpy as np
from jax import core, lax
from jax.interpreters import mlir, xla

f32 = np.float32
x = np.arange(6, dtype=f32).reshape(2, 3)
cube = np.arange(24, dtype=f32).reshape(2, 3, 4)
aval = core.ShapedArray((2, 3), np.dtype(f32))
DOUBLED = jax.make_jaxpr(lambda a: a * 2)(x)
SINES = jax.make_jaxpr(jnp.sin)(f32(1))


def lu():
    try:
        return importlib.import_module("jax.extend.linear_util")
    except ImportError:
        return importlib.import_module("jax.linear_util")


def wrapped(f):
    init = lu().wrap_init
    if "debug_info" not in inspect.signature(init).parameters:
        return init(f)
    from jax._src.api_util import debug_info

    return init(f, debug_info=debug_info("values", f, (), {}))


def jaxpr_as_fun(closed):
    try:
        return core.jaxpr_as_fun(closed)
    except AttributeError:
        return importlib.import_module("jax.extend.core").jaxpr_as_fun(closed)


def raised(f, *args):
    try:
        f(*args)
    except Exception as error:
        return type(error).__name__
    return None


def mesh(name="i"):
    return jax.sharding.Mesh(np.array(jax.devices("cpu")[:1]), (name,))


def sharding(*spec, name="i"):
    return jax.sharding.NamedSharding(mesh(name), jax.sharding.PartitionSpec(*spec))


def text(make):
    from jaxlib.mlir import ir

    with mlir.make_ir_context() as context, ir.Location.unknown(context):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            return str(make())


def lowered(function):
    """What the function says of the LoweringRuleContext of a primitive."""
    seen = []
    primitive = core.Primitive("asked")
    primitive.def_abstract_eval(lambda a: a)

    def lower(context, value):
        seen.append(function(context))
        return [value]

    mlir.register_lowering(primitive, lower)
    jax.jit(primitive.bind).lower(f32(1))
    return seen


def traced(function):
    return jax.jit(function)(jnp.asarray(x))


def has_in_trace(name):
    seen = []
    jax.jit(lambda a: (seen.append(hasattr(a, name)), a)[1])(x)
    return seen


def compiled(m):
    """Of the module's backend_compile()."""
    from jax.lib import xla_bridge

    options = xla_bridge.get_compile_options(1, 1)
    module = jax.jit(lambda a: a + 1).lower(f32(1)).compiler_ir("stablehlo")
    executable = m.backend_compile(xla_bridge.get_backend("cpu"), module, options, [])
    return executable.execute([jnp.asarray(f32(2))])[0]


def executable_of(function, *args):
    made = jax.jit(function).lower(*args).compile()
    return made.runtime_executable()


def called_back(m):
    calls = []

    def callback():
        calls.append("called")

    m.add_clear_backends_callback(callback)
    jax.clear_caches()
    return calls


def entered(manager):
    with manager as value:
        return value is None


def depth(m):
    before = m.cur_sublevel().level
    with m.new_sublevel():
        inside = m.cur_sublevel().level
    return [inside - before, m.cur_sublevel().level - before]


def vmapped(m, **how):
    shape = lambda v: jax.ShapeDtypeStruct(v.shape, v.dtype)  # noqa: E731
    return jax.vmap(lambda v: m.pure_callback(lambda a: np.asarray(a) * 2, shape(v), v, **how))(x)


def at_once(m):
    """new_base_main() or new_main()."""
    seen = []

    def f(a):
        with m.new_base_main(core.EvalTrace):
            seen.append(isinstance(jnp.ones(2) + 1, core.Tracer))
        return a

    jax.jit(f)(1.0)
    return seen


def batched_axes(m):
    jaxpr, _ = m.batch_jaxpr_axes(SINES, 2, [0], [0], core.no_axis_name, None, m.BatchTrace)
    return core.jaxpr_as_fun(jaxpr)(x[0, :2])


def eqn_with(cls):
    eqn = SINES.eqns[0]
    rest = [eqn.source_info] + ([eqn.ctx] if hasattr(eqn, "ctx") else [])
    return cls(eqn.invars, eqn.outvars, eqn.primitive, eqn.params, set(), *rest).primitive.name


def instantiated(m):
    known = m.PartialVal.known(f32(1))
    jaxpr, _, consts = m.trace_to_jaxpr(wrapped(lambda a: [a * 2]), [known], instantiate=True)
    return [len(jaxpr.eqns), len(consts)]


def unknown(m):
    pvals = [m.PartialVal.unknown(core.ShapedArray((), np.dtype(f32)))]
    found = []
    for instantiate in (False, True):
        made = wrapped(lambda a: [lax.mul(lax.sin(a), a)])
        jaxpr, out, consts = m.trace_to_jaxpr(made, pvals, instantiate)
        names = [e.primitive.name for e in jaxpr.eqns]
        found.append([names, len(out), out[0].is_known(), len(consts)])
    return found


def shuffled(m):
    """Of the bits that were the default until 2024."""
    config, name = jax.config, "jax_threefry_partitionable"
    before = getattr(config, name)
    config.update(name, False)
    try:
        key = jax.random.PRNGKey(3)
        # Each column by itself, so that whole rows that stay together show.
        of_cube = [m.shuffle(key, jnp.asarray(cube), axis) for axis in range(3)]
        return [m.shuffle(key, jnp.arange(8)), *of_cube]
    finally:
        config.update(name, before)


CALLS = {
    "jax._src.api._vjp": lambda m: (
        (lambda out, pull: [out, pull(f32(2))])(*m._vjp(wrapped(lambda a: a * a), f32(3)))
        + (lambda out, pull, aux: [out, pull(f32(2)), aux])(
            *m._vjp(wrapped(lambda a: (a * a, a + 1)), f32(3), has_aux=True)
        )
    ),
    "jax._src.dispatch.backend_compile": compiled,
    "jax.interpreters.xla.backend_compile": compiled,
    "jax._src.dtypes.is_python_scalar": lambda m: [
        m.is_python_scalar(v) for v in (1, 1.5, True, 1j, f32(1), x, "x")
    ],
    "jax._src.tree_util._replace_nones": lambda m: m._replace_nones(0, [1, None, (None, 2)]),
    "jax._src.array.ArrayImpl.broadcast": lambda c: jnp.ones(3).broadcast((2,)),
    "jax._src.array.ArrayImpl.broadcast_in_dim": lambda c: jnp.ones(3).broadcast_in_dim(
        (2, 3), (1,)
    ),
    "jax._src.array.ArrayImpl.split": lambda c: jnp.arange(4).split(2),
    "jax.core.Tracer.broadcast": lambda c: traced(lambda a: a.broadcast((2,))),
    "jax.core.Tracer.broadcast_in_dim": lambda c: traced(
        lambda a: a.broadcast_in_dim((2, 2, 3), (1, 2))
    ),
    "jax.core.Tracer.split": lambda c: traced(lambda a: a.split(3, 1)),
    "jax.core.Tracer.block_until_ready": lambda c: has_in_trace("block_until_ready"),
    "jax.core.Tracer.copy_to_host_async": lambda c: has_in_trace("copy_to_host_async"),
    "jax.core.AbstractValue.join": lambda c: [
        aval.join(aval) == aval,
        raised(aval.join, core.ShapedArray((3,), np.dtype(f32))) is not None,
    ],
    "jax.core.AbstractValue.strip_named_shape": lambda c: aval.strip_named_shape() == aval,
    "jax.core.AbstractValue.to_cotangent_aval": lambda c: aval.to_cotangent_aval() == aval,
    "jax.core.AbstractValue.update_vma": lambda c: aval.update_vma(frozenset()) == aval,
    "jax.core.ShapedArray.named_shape": lambda c: dict(aval.named_shape),
    "jax.core.ShapedArray.vma": lambda c: sorted(aval.vma),
    "jax.core.ShapedArray.__new__": lambda c: c((2,), np.dtype(f32), named_shape={}).shape,
    "jax.ShapeDtypeStruct.named_shape": lambda c: dict(c((2,), f32).named_shape),
    "jax.ShapeDtypeStruct.layout": lambda c: c((2,), f32).layout is None,
    "jax.ShapeDtypeStruct.vma": lambda c: sorted(c((2,), f32).vma or ()),
    "jax.core.ShapedArray.update": lambda c: aval.update(shape=(3,), vma=frozenset()).shape,
    "jax.ShapeDtypeStruct.update": lambda c: c((2,), f32).update(shape=(3,), vma=None).shape,
    "jax.ShapeDtypeStruct.__init__": lambda c: c((2,), f32, named_shape={}).shape,
    "jax.core.JaxprDebugInfo": lambda m: list(m.JaxprDebugInfo("jit", "f", ("a",), ("r",))),
    "jax.core.MainTrace": lambda m: [
        m.MainTrace(1, core.EvalTrace) == m.MainTrace(1, core.EvalTrace),
        m.MainTrace(1, core.EvalTrace) == m.MainTrace(2, core.EvalTrace),
        str(m.MainTrace(1, core.EvalTrace)),
    ],
    "jax.core.new_base_main": at_once,
    "jax.core.new_sublevel": depth,
    "jax.core.raise_as_much_as_possible": lambda m: jax.jit(
        lambda a: m.raise_as_much_as_possible(a) + 1
    )(f32(2)),
    "jax.core.str_eqn_compact": lambda m: [
        m.str_eqn_compact("add", {}),
        m.str_eqn_compact("add", {"axis": 1, "jaxpr": SINES}),
    ],
    "jax.core.used_axis_names": lambda m: sorted(
        m.used_axis_names(lax.psum_p, {"axes": ("i", 0), "axis_index_groups": None})
    ),
    "jax.dlpack.to_dlpack": lambda m: type(m.to_dlpack(jnp.ones(3))).__name__,
    "jax.extend.core.Primitive.def_custom_bind": lambda c: (
        lambda p: (p.def_custom_bind(lambda *args: args), p.bind(1, 2))[1]
    )(c("bound")),
    "jax.extend.core.JaxprEqn.__init__": eqn_with,
    "jax.extend.core.Var.__init__": lambda c: raised(c, aval) or str(c(aval).aval),
    "jax.extend.source_info_util.NameStack.wrap_name": lambda c: str(c().wrap_name("f")),
    "jax.extend.source_info_util.user_context": lambda m: entered(m.user_context(None)),
    "jax.extend.linear_util.transformation_with_aux": lambda m: callable(
        m.transformation_with_aux(lambda *a: (yield), use_eq_store=False)
    ),
    "jax.extend.backend.get_compile_options": lambda m: (
        m.get_compile_options(1, 1, use_spmd_partitioning=False).num_replicas
    ),
    "jax.interpreters.ad.backward_pass": lambda m: m.backward_pass(
        DOUBLED.jaxpr, (), False, DOUBLED.consts, [m.UndefinedPrimal(aval)], [x]
    ),
    "jax.interpreters.ad.CustomJVPException": lambda m: issubclass(m.CustomJVPException, Exception),
    "jax.interpreters.ad.Zero.from_value": lambda c: str(c.from_value(f32(1)).aval.dtype),
    "jax.interpreters.ad.Zero.from_primal_value": lambda c: [
        str(c.from_primal_value(v).aval.dtype) for v in (f32(1), np.int32(1))
    ],
    "jax.interpreters.batching.batch_jaxpr_axes": batched_axes,
    "jax.interpreters.batching.defreducer": lambda m: (
        m.defreducer(core.Primitive("r"), 0),
        m.defreducer(core.Primitive("r"), ident=0),
    ),
    "jax.interpreters.batching.vectorized_batcher": lambda m: m.vectorized_batcher(
        lax.neg_p, (x,), (0,)
    ),
    "jax.interpreters.batching.broadcast_batcher": lambda m: m.broadcast_batcher(
        lax.add_p, (x, x), (0, 0)
    ),
    "jax.interpreters.mlir.ReplicaAxisContext": lambda m: (
        m.ReplicaAxisContext(xla.AxisEnv(2, ("i",), (2,))).axis_env
    ),
    "jax.interpreters.mlir.aval_to_ir_type": lambda m: text(lambda: m.aval_to_ir_type(aval)),
    "jax.interpreters.mlir.ir_constant": lambda m: text(
        lambda: [str(m.ir_constant(v).type) for v in (3, 1.5, True, x)]
    ),
    "jax.interpreters.mlir.ir_constants": lambda m: text(
        lambda: [str(v.type) for v in m.ir_constants(x)]
    ),
    "jax.interpreters.mlir.token_type": lambda m: text(lambda: m.token_type()),
    "jax.interpreters.mlir.ModuleContext.platform": lambda c: lowered(
        lambda context: context.module_context.platform
    ),
    "jax.interpreters.mlir.ModuleContext.backend_or_name": lambda c: lowered(
        lambda context: getattr(
            context.module_context.backend_or_name,
            "platform",
            context.module_context.backend_or_name,
        )
    ),
    "jax.interpreters.mlir.ModuleContext.axis_env": lambda c: lowered(
        lambda context: list(context.module_context.axis_env)
    ),
    "jax.interpreters.mlir.ShardingContext.axis_env": lambda c: lowered(
        lambda context: list(context.module_context.axis_context.axis_env)
    ),
    "jax.interpreters.mlir.SPMDAxisContext.axis_env": lambda c: list(c(mesh()).axis_env),
    "jax.interpreters.mlir.SPMDAxisContext.unsafe_axis_env": lambda c: list(
        c(mesh()).unsafe_axis_env
    ),
    "jax.interpreters.mlir.SPMDAxisContext.extend_manual": lambda c: sorted(
        c(mesh()).extend_manual(frozenset({"i"})).manual_axes
    ),
    "jax.interpreters.partial_eval.def_trivial_padding": lambda m: (
        m.def_trivial_padding(lax.neg_p),
        m.padding_rules[lax.neg_p]([aval], [aval], x),
    )[1],
    "jax.interpreters.partial_eval.trivial_ctx": lambda m: entered(m.trivial_ctx(None)),
    "jax.interpreters.partial_eval.trace_to_jaxpr": unknown,
    "jax.interpreters.partial_eval.trace_to_jaxpr_dynamic": lambda m: len(
        m.trace_to_jaxpr_dynamic(wrapped(lambda a: [a * 2]), [aval], debug_info=None)[0].eqns
    ),
    "jax.interpreters.pxla.AUTO": lambda m: raised(m.AUTO, mesh()),
    "jax.interpreters.pxla.are_op_shardings_equal": lambda m: [
        m.are_op_shardings_equal(xla.sharding_to_proto(None), xla.sharding_to_proto(None))
    ],
    "jax.interpreters.pxla.is_op_sharding_replicated": lambda m: m.is_op_sharding_replicated(
        xla.sharding_to_proto(None)
    ),
    "jax.interpreters.xla.axis_groups": lambda m: [
        m.axis_groups(m.AxisEnv(12, ("i", "j"), (2, 3)), names)
        for names in ("i", "j", ("i", "j"), ("j", "i"))
    ],
    "jax.interpreters.xla.check_backend_matches": lambda m: [
        m.check_backend_matches(None, "cpu"),
        m.check_backend_matches("cpu", "cpu"),
        raised(m.check_backend_matches, "cpu", "tpu"),
    ],
    "jax.interpreters.xla.register_collective_primitive": lambda m: m.register_collective_primitive(
        core.Primitive("c")
    ),
    "jax.interpreters.xla.register_initial_style_primitive": lambda m: (
        m.register_initial_style_primitive(core.Primitive("i"))
    ),
    "jax.interpreters.xla.Backend.buffer_from_pyval": lambda c: jax.devices("cpu")[
        0
    ].client.buffer_from_pyval(x),
    "jax.lax.naryop_dtype_rule": lambda m: m.naryop_dtype_rule(
        lambda *_, **__: np.dtype(f32), [{np.floating}] * 2, "add", aval, aval
    ),
    "jax.lax.standard_primitive": lambda m: [
        (made.shape, made.weak_type)
        for rule in (None, lambda a: True)
        for made in m.standard_primitive(
            lambda a: a.shape, lambda a: a.dtype, "made", weak_type_rule=rule
        ).abstract_eval(aval)[:1]
    ],
    "jax.lax.broadcast": lambda m: m.broadcast(x, (2,)),
    "jax.lax.broadcast_in_dim": lambda m: m.broadcast_in_dim(x, (2, 2, 3), (1, 2)),
    "jax.lax.broadcasted_iota": lambda m: m.broadcasted_iota(np.int32, (2, 2), 1),
    "jax.lax.reshape": lambda m: m.reshape(x, (3, 2)),
    "jax.lax.cond": lambda m: m.cond(True, jnp.negative, jnp.abs, x, linear=(False,)),
    "jax.lax.dot": lambda m: m.dot(x, x.T),
    "jax.lax.dot_general": lambda m: m.dot_general(x, x, (((1,), (1,)), ((), ()))),
    "jax.jit": lambda m: m.jit(jnp.negative, abstracted_axes=None)(x),
    "jax.checkpoint": lambda m: m.checkpoint(jnp.negative, concrete=False)(x),
    "jax.remat": lambda m: jax.grad(m.remat(lambda a: a * a, concrete=False))(f32(3)),
    "jax.make_mesh": lambda m: [
        m.make_mesh((1,), ("i",)).size,
        m.make_mesh(axis_names=("i",), axis_shapes=(1,)).size,
    ],
    "jax.interpreters.pxla.global_avals_to_results_handler": lambda m: len(
        m.global_avals_to_results_handler(
            [aval], [sharding()], True, are_out_shardings_from_xla=[False]
        ).handlers
    ),
    "jax.core.call": lambda m: m.call(wrapped(lambda a: [a + 1]), f32(2)),
    "jax.extend.core.ClosedJaxpr.__init__": lambda c: [
        jaxpr_as_fun(c(DOUBLED.jaxpr, DOUBLED.consts))(x),
        jaxpr_as_fun(c(jaxpr=DOUBLED.jaxpr, consts=DOUBLED.consts))(x),
    ],
    "jax.interpreters.partial_eval.convert_invars_to_constvars": lambda m: (
        lambda jaxpr: (
            len(jaxpr.constvars) + len(jaxpr.invars)
        )  # which JAX tells by their values now
    )(m.convert_invars_to_constvars(DOUBLED.jaxpr, 1)),
    "jax.make_jaxpr": lambda m: len(m.make_jaxpr(jnp.negative, abstracted_axes=None)(x).eqns),
    "jax.pmap": lambda m: m.pmap(jnp.negative, global_arg_shapes=None)(x[:1]),
    "jax.pure_callback": lambda m: vmapped(m, vectorized=True),
    "jax.linear_util.wrap_init": lambda m: [
        m.wrap_init(lambda a, by=1: a + by, params).call_wrapped(2) for params in (None, {"by": 5})
    ],
    "jax.numpy.in1d": lambda m: [
        m.in1d(jnp.asarray(x), jnp.asarray([1.0, 4.0]), **options)
        for options in ({}, {"assume_unique": True}, {"invert": True})
    ],
    "jax.numpy.issubsctype": lambda m: [
        m.issubsctype(np.float32, np.floating),
        m.issubsctype(np.int32, np.floating),
    ],
    "jax.numpy.trapz": lambda m: [
        m.trapz(jnp.asarray(x)),
        m.trapz(jnp.asarray(x), dx=2.0, axis=0),
        m.trapz(jnp.asarray(x), jnp.asarray([1.0, 2.0, 4.0])),
    ],
    "jax.random.default_prng_impl": lambda m: m.default_prng_impl().key_shape,
    "jax.random.shuffle": shuffled,
    "jax.sharding.NamedSharding.with_spec": lambda c: tuple(sharding("i").with_spec((None,)).spec),
    "jax.sharding.NamedSharding.with_mesh": lambda c: (
        sharding("i").with_mesh(mesh()) == sharding("i")
    ),
    "jax.tree_util.AttributeKeyPathEntry": lambda m: str(m.AttributeKeyPathEntry("a")),
    "jax.tree_util.register_keypaths": lambda m: m.register_keypaths(io.BytesIO, lambda _: ()),
    "jax.lib.xla_client.ShapeIndex": lambda m: [
        str(m.ShapeIndex([1, 2])),
        m.ShapeIndex([1, 2]) == m.ShapeIndex([1, 2]),
        m.ShapeIndex([1, 2]) == m.ShapeIndex([1]),
    ],
    "jax.interpreters.xla.TranslationRule": lambda m: m.TranslationRule.__mro__[1].__name__,
    "jax.lib.xla_client.CurrentSourceInfoMetadata": lambda m: (
        lambda found: [found.op_type, found.op_name]
    )(m.CurrentSourceInfoMetadata("t", "n")),
    "jax.lib.xla_client.heap_profile": lambda m: m.heap_profile(jax.devices("cpu")[0].client)[
        :2
    ].hex(),
    "jax.lib.xla_client.tracebacks": lambda m: entered(m.tracebacks(enabled=False)),
    "jax.lib.xla_client.execute_with_python_values": lambda m: m.execute_with_python_values(
        executable_of(lambda a: a + 1, x), [x], jax.devices("cpu")[0].client
    ),
    "jax.lib.xla_client.execute_with_python_values_replicated": lambda m: (
        m.execute_with_python_values_replicated(
            executable_of(lambda a: a + 1, x), [[x]], jax.devices("cpu")[0].client
        )
    ),
    "jax.lib.xla_client.make_cpu_client": lambda m: m.make_cpu_client(use_tfrt=True).platform,
    "jax.extend.backend.add_clear_backends_callback": called_back,
    "jax.lib.xla_client.PaddingType": lambda m: [m.PaddingType.SAME.value, m.PaddingType(1).name],
}
for _name in ("GatherDimensionNumbers", "ScatterDimensionNumbers", "ConvolutionDimensionNumbers",
              "DotDimensionNumbers", "PaddingConfigDimension", "ReplicaGroup"):  # fmt: skip
    CALLS[f"jax.lib.xla_client.{_name}"] = lambda m, name=_name: {
        field: value if isinstance(value, int) else list(value)
        for field in dir(getattr(m, name)())
        if field[0] != "_" and not callable(value := getattr(getattr(m, name)(), field))
    }
