"""Values of JAX by names of our own, which tests of all releases ask the same questions of.

samples.made()    by name, the values; of a name that this release cannot make, none
"""

import functools
import logging
import warnings

import jax
import jax.numpy as jnp
import jax.scipy.optimize
import numpy as np
from jax import core, lax
from jax.interpreters import ad, mlir, partial_eval


def f(x):
    return jnp.sin(x) * 2


def first(*makers):
    """What the first of them that this release can make gives."""
    for maker in makers:
        try:
            return maker()
        except Exception:
            continue
    raise LookupError


def in_trace(transformation, argument, of=lambda x: x):
    """What `of` gives for the argument's tracer; it is looked at after its trace."""
    seen = []

    def body(x):
        seen.append(of(x))
        return x

    transformation(body)(argument)
    return seen[0]


def raised(call):
    try:
        call()
    except Exception as error:
        return error
    raise LookupError


def typed_key():
    if hasattr(jax.random, "key"):
        return jax.random.key(0)
    with jax._src.config.enable_custom_prng(True):
        return jax.random.PRNGKey(0)


def core_of(name):
    """What jax.core has by that name, or what it was made part of."""
    import jax._src.core as private

    return first(lambda: getattr(private, name), lambda: getattr(core, name))


def lowering(of):
    """What `of` gives for the context of a lowering rule."""
    seen = []
    primitive = core_of("Primitive")("callbridge_sample")
    primitive.def_abstract_eval(lambda x: x)

    def rule(ctx, x):
        seen.append(of(ctx))
        return [x]

    mlir.register_lowering(primitive, rule)
    jax.jit(primitive.bind).lower(jnp.ones(2))
    return seen[0]


def translated(of):
    """What `of` gives for the context and the operand of a translation rule."""
    from jax.interpreters import xla

    seen = []
    primitive = core_of("Primitive")("callbridge_translated_sample")
    primitive.def_abstract_eval(lambda x: x)

    def rule(ctx, avals_in, avals_out, x):
        seen.append(of(ctx, x))
        return [x]

    xla.register_translation(primitive, rule)
    jax.jit(primitive.bind).lower(jnp.ones(2))
    return seen[0]


def builder():
    from jax.lib import xla_client

    return xla_client.XlaBuilder("sample")


def built_op():
    from jax.lib import xla_client

    return xla_client.ops.Constant(builder(), np.float32(1))


def mesh():
    return jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))


def spec(*names):
    return jax.sharding.PartitionSpec(*names)


def jaxpr():
    return jax.make_jaxpr(lambda x: f(x) + jnp.ones(3))(jnp.ones(3))


def unread():
    """A jaxpr of what is left to run, with a result that nothing reads."""
    from jax._src.interpreters import partial_eval

    of_both = jax.make_jaxpr(lambda x: lax.top_k(x, 1)[0])(jnp.ones(1))
    return partial_eval.partial_eval_jaxpr_nounits(of_both, [True], False)[1]


def custom(kind):
    function = kind(f)
    function.defjvp(lambda p, t: (f(*p), t[0])) if kind is jax.custom_jvp else function.defvjp(
        lambda x: (f(x), x), lambda r, g: (g,)
    )
    return function


def wrapped():
    from jax._src import linear_util

    def make():
        from jax._src.api_util import debug_info

        return linear_util.wrap_init(f, debug_info=debug_info("sample", f, (), {}))

    return first(make, lambda: linear_util.wrap_init(f))


def key_paths(tree):
    return jax.tree_util.tree_flatten_with_path(tree)[0][0][0][0]


def sparse():
    from jax.experimental import sparse

    return sparse


def optimizers():
    from jax.example_libraries import optimizers

    return optimizers


def custom_vmap():
    from jax.custom_batching import custom_vmap

    return custom_vmap(f)


def exported():
    try:
        from jax import export
    except ImportError:
        from jax.experimental import export
    return export.export(jax.jit(f))(jnp.ones(2))


MAKERS = {
    # ---- Python's and NumPy's ----------------------------------------------------------------
    "bool": lambda: True,
    "int": lambda: 1,
    "float": lambda: 1.0,
    "complex": lambda: 1j,
    "none": lambda: None,
    "str": lambda: "x",
    "bytes": lambda: b"x",
    "tuple": lambda: (1, 2),
    "list": lambda: [1],
    "dict": lambda: {"a": 1},
    "frozenset": lambda: frozenset(),
    "function": lambda: f,
    "partial": lambda: functools.partial(f),
    "tree_partial": lambda: jax.tree_util.Partial(f),
    "ndarray": lambda: np.ones(2),
    "numpy_scalar": lambda: np.float32(1),
    "dtype": lambda: np.dtype("float32"),
    # ---- Arrays and keys ---------------------------------------------------------------------
    "array": lambda: jnp.ones(2),
    "array_of_ints": lambda: jnp.arange(2),
    "scalar_array": lambda: jnp.float32(1),
    "raw_key": lambda: jax.random.PRNGKey(0),
    "typed_key": typed_key,
    "typed_keys": lambda: jax.random.split(typed_key()),
    "shape_dtype_struct": lambda: jax.ShapeDtypeStruct((2,), "float32"),
    "key_struct": lambda: jax.eval_shape(lambda: typed_key()),
    "updates": lambda: jnp.ones(2).at,
    "updates_at_index": lambda: jnp.ones(2).at[0],
    "finfo": lambda: jnp.finfo("float32"),
    "iinfo": lambda: jnp.iinfo("int32"),
    "scalar_type": lambda: jnp.float32,
    "universal_function": lambda: jnp.add,
    "made_universal_function": lambda: jnp.frompyfunc(jnp.add, 2, 1, identity=0),
    "svd": lambda: jnp.linalg.svd(jnp.ones((2, 2))),
    "eigh": lambda: jnp.linalg.eigh(jnp.ones((2, 2))),
    "qr": lambda: jnp.linalg.qr(jnp.ones((2, 2))),
    "slogdet": lambda: jnp.linalg.slogdet(jnp.ones((2, 2))),
    "unique": lambda: jnp.unique_all(jnp.ones(2)),
    "minimum": lambda: jax.scipy.optimize.minimize(
        lambda x: (x * x).sum(), jnp.ones(2), method="BFGS"
    ),
    "mode": lambda: jax.scipy.stats.mode(jnp.ones(2)),
    "density": lambda: jax.scipy.stats.gaussian_kde(jnp.arange(4.0)),
    "sparse": lambda: sparse().BCOO.fromdense(jnp.eye(2)),
    "sparse_rows": lambda: sparse().BCSR.fromdense(jnp.eye(2)),
    "optimizer": lambda: optimizers().sgd(0.1),
    # ---- Tracers and traces ------------------------------------------------------------------
    "jit_tracer": lambda: in_trace(jax.jit, jnp.ones(2)),
    "jit_tracer_of_raw_key": lambda: in_trace(jax.jit, jax.random.PRNGKey(0)),
    "jit_tracer_of_typed_key": lambda: in_trace(jax.jit, typed_key()),
    "grad_tracer": lambda: in_trace(jax.grad, 1.0),
    "jvp_tracer": lambda: in_trace(lambda g: lambda x: jax.jvp(g, (x,), (x,)), jnp.ones(2)),
    "vmap_tracer": lambda: in_trace(jax.vmap, jnp.ones(2)),
    "vmap_tracer_of_typed_keys": lambda: in_trace(jax.vmap, jax.random.split(typed_key())),
    "linearize_tracer": lambda: in_trace(lambda g: lambda x: jax.linearize(g, x), jnp.ones(2)),
    "trace": lambda: in_trace(jax.jit, jnp.ones(2), lambda x: x._trace),
    "jvp_trace": lambda: in_trace(
        lambda g: lambda x: jax.jvp(g, (x,), (x,)), jnp.ones(2), lambda x: x._trace
    ),
    "batch_trace": lambda: in_trace(jax.vmap, jnp.ones(2), lambda x: x._trace),
    # ---- Abstract values ---------------------------------------------------------------------
    "aval": lambda: core.ShapedArray((2,), np.dtype("float32")),
    "aval_of_typed_key": lambda: in_trace(jax.jit, typed_key(), lambda x: x.aval),
    "aval_of_float": lambda: first(lambda: jax.typeof(1.0), lambda: core.get_aval(1.0)),
    "aval_of_token": lambda: core_of("abstract_token"),
    "zero": lambda: ad.Zero(core.ShapedArray((), np.dtype("float32"))),
    "undefined_primal": lambda: ad.UndefinedPrimal(core.ShapedArray((), np.dtype("float32"))),
    "partial_value": lambda: partial_eval.PartialVal.unknown(
        core.ShapedArray((), np.dtype("float32"))
    ),
    # ---- Jaxprs ------------------------------------------------------------------------------
    "closed_jaxpr": jaxpr,
    "jaxpr": lambda: jaxpr().jaxpr,
    "equation": lambda: jaxpr().jaxpr.eqns[0],
    "variable": lambda: jaxpr().jaxpr.invars[0],
    "literal": lambda: jax.make_jaxpr(lambda x: x * 2.0)(1.0).jaxpr.eqns[0].invars[1],
    "drop_variable": lambda: unread().jaxpr.eqns[0].outvars[-1],
    "primitive": lambda: lax.sin_p,
    "jit_primitive": lambda: jax.make_jaxpr(jax.jit(f))(1.0).eqns[0].primitive,
    "call_primitive": lambda: core_of("closed_call_p"),
    "custom_jvp_primitive": lambda: jax.make_jaxpr(custom(jax.custom_jvp))(1.0).eqns[0].primitive,
    "scan_primitive": lambda: lax.scan_p,
    "effect": lambda: next(
        iter(jax.make_jaxpr(lambda x: jax.debug.print("{}", x))(1.0).jaxpr.effects)
    ),
    "wrapped_function": wrapped,
    # ---- Functions ---------------------------------------------------------------------------
    "jitted": lambda: jax.jit(f),
    "vmapped": lambda: jax.vmap(f),
    "grad": lambda: jax.grad(f),
    "pmapped": lambda: jax.pmap(f),
    "custom_jvp": lambda: custom(jax.custom_jvp),
    "custom_vjp": lambda: custom(jax.custom_vjp),
    "lowered": lambda: jax.jit(f).lower(1.0),
    "compiled": lambda: jax.jit(f).lower(1.0).compile(),
    "traced": lambda: jax.jit(f).trace(1.0),
    "exported": exported,
    "custom_vmap": lambda: custom_vmap(),
    "derivative": lambda: jax.vjp(f, 1.0)[1],
    "linearized": lambda: jax.linearize(f, 1.0)[1],
    "config": lambda: jax.config,
    # ---- Devices -----------------------------------------------------------------------------
    "device": lambda: jax.devices()[0],
    "client": lambda: jax.devices()[0].client,
    "memory": lambda: jax.devices()[0].default_memory(),
    "mesh": mesh,
    "abstract_mesh": lambda: mesh().abstract_mesh,
    "spec": lambda: spec("i"),
    "named_sharding": lambda: jax.sharding.NamedSharding(mesh(), spec("i")),
    "single_sharding": lambda: jax.sharding.SingleDeviceSharding(jax.devices()[0]),
    "result_of_pmap": lambda: jax.pmap(f)(jnp.ones((1, 2))),
    "sharding_of_pmap": lambda: jax.pmap(f)(jnp.ones((1, 2))).sharding,
    "sharding_of_jit": lambda: jax.jit(f)(1.0).sharding,
    "shard": lambda: jnp.ones(2).addressable_shards[0],
    "layout": lambda: first(
        lambda: jnp.ones(2).format.layout, lambda: jnp.ones(2).layout.device_local_layout
    ),
    "format": lambda: first(lambda: jnp.ones(2).format, lambda: jnp.ones(2).layout),
    "computation": lambda: jax.jit(f).lower(1.0).compiler_ir("hlo"),
    "device_put_of_pmap": lambda: jax.device_put_replicated(1.0, jax.devices()),
    "module_context": lambda: lowering(lambda ctx: ctx.module_context),
    "lowering_context": lambda: lowering(lambda ctx: ctx),
    "axis_context": lambda: lowering(lambda ctx: ctx.module_context.axis_context),
    "executable": lambda: jax.jit(f).lower(1.0).compile().runtime_executable(),
    "builder": builder,
    "built_op": built_op,
    "translation_context": lambda: translated(lambda ctx, x: ctx),
    "translation_builder": lambda: translated(lambda ctx, x: ctx.builder),
    "translated_op": lambda: translated(lambda ctx, x: x),
    # ---- Trees -------------------------------------------------------------------------------
    "treedef": lambda: jax.tree_util.tree_structure([1]),
    "dict_key": lambda: key_paths({"a": 1}),
    "sequence_key": lambda: key_paths([1]),
    # ---- Enumerations and dimension numbers --------------------------------------------------
    "precision": lambda: lax.Precision.HIGHEST,
    "scatter_mode": lambda: lax.GatherScatterMode.CLIP,
    "random_algorithm": lambda: lax.RandomAlgorithm.RNG_DEFAULT,
    "convolution_dimensions": lambda: lax.conv_dimension_numbers(
        (1, 1, 1, 1), (1, 1, 1, 1), ("NCHW", "OIHW", "NCHW")
    ),
    "gather_dimensions": lambda: lax.GatherDimensionNumbers((0,), (0,), (0,)),
    # ---- Errors ------------------------------------------------------------------------------
    "value_error": lambda: ValueError("x"),
    "type_error": lambda: TypeError("x"),
    "import_error": lambda: ImportError("x"),
    "error_of_bool": lambda: raised(lambda: jax.jit(lambda x: bool(x))(1.0)),
    "error_of_int": lambda: raised(lambda: jax.jit(lambda x: [1, 2][x])(1)),
    "error_of_float": lambda: raised(lambda: jax.jit(lambda x: float(x))(1.0)),
    "error_of_numpy": lambda: raised(lambda: jax.jit(lambda x: np.sin(x))(1.0)),
    "error_of_mask": lambda: raised(lambda: jax.jit(lambda x: x[x > 0])(jnp.ones(2))),
    "error_of_leak": lambda: raised(lambda: in_trace(jax.jit, jnp.ones(2)) + 1),
    "error_of_type": lambda: raised(lambda: jnp.sin("x")),
    "error_of_shape": lambda: raised(lambda: jnp.ones(2) + jnp.ones(3)),
    "error_of_xla": lambda: raised(
        lambda: jax.pure_callback(lambda x: 1 / 0, jnp.ones(()), jnp.ones(())).block_until_ready()
    ),
    "error_of_key_reuse": lambda: jax.errors.KeyReuseError("x"),
    "runtime_error": lambda: RuntimeError("x"),
}


def made():
    found = {}
    logging.disable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, maker in MAKERS.items():
            try:
                found[name] = maker()
            except Exception as error:
                if __name__ == "__main__":
                    print(name, type(error).__name__, error)
    return found


if __name__ == "__main__":
    print(len(made()), "made of", len(MAKERS))
