"""Calls of JAX's public functions by parameters and names that they had, for values_program.py."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
from more_values import aval, mesh, raised, sharding, x

half = np.float32(0.5)
square = np.array([[2, 1], [1, 2]], np.float32)


def dense(call):
    """Of a product of sparse and dense matrices."""

    def of(module):
        sparse = importlib.import_module("jax.experimental.sparse")
        kind = getattr(sparse, call[:4].upper())
        left = kind.fromdense(jnp.asarray(square))
        numbers = (((1,), (0,)), ((), ()))
        made = getattr(module, call)(left, jnp.ones(2), dimension_numbers=numbers)
        return made if isinstance(made, jax.Array) else made.todense()

    return of


def exported(**keywords):
    from jax import export

    return export.export(jax.jit(lambda a: a * 2), **keywords)(x)


def old_export(m):
    made = m.export(lambda a: a * 2, lowering_platforms=["cpu"])(x)
    checks = [m.DisabledSafetyCheck.custom_call("unchecked")]
    unchecked = m.export(lambda a: a * 2, disabled_checks=checks)(x)
    return [made.platforms, m.call(made)(x), len(unchecked.disabled_safety_checks)]


def read_back(m):
    made = m.export(lambda a: a * 2, lowering_platforms=["cpu"])(x)
    again = [m.call_exported(m.deserialize(m.serialize(made, order))) for order in (0, 1)]
    return [*[call(x) for call in again], jax.grad(lambda a: again[1](a).sum())(x)]


def symbolic(m):
    (spec,) = m.symbolic_args_specs((x,), ("a, 3",))
    return str(spec.shape)


def rules(name, is_decorator):
    """A rule of a primitive is registered, and is the rule."""

    def of(module):
        primitive = type(jax.lax.sin_p)("callbridge_rule")
        if name == "register_norewrite":
            module.register_standard_check(primitive)
        made = getattr(module, name)(primitive)
        return callable(made) and made(len) is len if is_decorator else None

    return of


def shard_mapped(m):
    spec = jax.sharding.PartitionSpec("i")
    return [
        m.shard_map(lambda a: a * 2, mesh(), spec, spec)(x),
        jax.jit(m.shard_map(lambda a: a * 3, mesh(), spec, spec, check_rep=False))(x),
        raised(m.shard_map(lambda a: a.sum(0), mesh(), spec, jax.sharding.PartitionSpec()), x),
    ]


def x64(m, name):
    found = []
    for new in ((), (True,), (False,)) if name == "enable_x64" else ((),):
        with getattr(m, name)(*new):
            found.append(str(jnp.asarray(np.float64(1)).dtype))
    return [*found, str(jnp.asarray(np.float64(1)).dtype)]


def of_key(name):
    def of(m):
        try:
            return getattr(m, name)(3)
        except RuntimeError as error:
            return type(error).__name__

    return of


def in_mesh(m):
    spec = jax.sharding.PartitionSpec("i")
    constrained = jax.jit(lambda a: jax.lax.with_sharding_constraint(a * 2, spec))
    with m.use_mesh(mesh()):
        inside = constrained(x)
    try:
        return [inside, constrained(x)]
    except RuntimeError:
        return [inside, "no mesh outside"]


def accurate(name):
    return lambda m: getattr(m, name)(half)


def parts(m):
    left, right, merge = m.split_merge(lambda v: v > 1, [1, 2, 3])
    return [left, right, merge([5, 6], [4])]


NUMPY = {
    "clip": lambda m: [m.clip(x, a_min=1, a_max=3), m.clip(a=x, a_min=2)],
    "compress": lambda m: m.compress(np.array([True, False]), x, 0, out=None),
    "einsum": lambda m: m.einsum("ij->i", x),
    "einsum_path": lambda m: m.einsum_path("ij,jk->ik", x, x.T)[0],
    "from_dlpack": lambda m: m.from_dlpack(jnp.asarray(x)),
    "reshape": lambda m: m.reshape(x, (3, 2)),
    "where": lambda m: m.where(x > 2, x, 0),
    "quantile": lambda m: m.quantile(x, 0.3, interpolation="lower"),
    "percentile": lambda m: m.percentile(x, 30, interpolation="higher"),
}
CALLS = {f"jax.numpy.{name}": call for name, call in NUMPY.items()}
CALLS.update({f"jax.lax.{name}": accurate(name) for name in (
    "cbrt cos exp exp2 expm1 log log1p logistic rsqrt sin sqrt tan tanh".split()
)})  # fmt: skip
CALLS.update({
    "jax.dlpack.from_dlpack": lambda m: m.from_dlpack(jnp.asarray(x)),
    "jax.dtypes.canonicalize_dtype": lambda m: str(m.canonicalize_dtype(np.dtype("float64"))),
    "jax.example_libraries.stax.softmax": lambda m: m.softmax(x),
    "jax.nn.softmax": lambda m: m.softmax(x, where=x > 1, initial=0.0).round(5),
    "jax.nn.log_softmax": lambda m: m.log_softmax(x),
    "jax.numpy.linalg.pinv": lambda m: m.pinv(square).round(3),
    "jax.numpy.linalg.matrix_rank": lambda m: m.matrix_rank(square, tol=0.1),
    "jax.scipy.linalg.solve": lambda m: m.solve(square, x[0, :2], sym_pos=True),
    "jax.scipy.linalg.tril": lambda m: m.tril(square, k=-1),
    "jax.scipy.linalg.triu": lambda m: [m.triu(square, k=k) for k in (0, 1, -1)],
    "jax.scipy.special.exp1": lambda m: m.exp1(half).round(5),
    "jax.scipy.special.sph_harm": lambda m: m.sph_harm(
        jnp.array([1]), jnp.array([2]), jnp.array([0.3]), jnp.array([0.7]), n_max=2
    ).round(4),
    "jax.scipy.stats.gennorm.cdf": lambda m: m.cdf(half, p=2.0).round(5),
    "jax.scipy.stats.gennorm.logpdf": lambda m: m.logpdf(half, p=2.0).round(5),
    "jax.scipy.stats.gennorm.pdf": lambda m: m.pdf(half, p=2.0).round(5),
    "jax.interpreters.pxla.global_avals_to_results_handler": lambda m: type(
        m.global_avals_to_results_handler(
            [aval], [sharding("i")], committed=True, are_out_shardings_from_xla=[False]
        )
    ).__name__,
    "jax.random.rbg_key": of_key("rbg_key"),
    "jax.random.threefry2x32_key": of_key("threefry2x32_key"),
    "jax.random.unsafe_rbg_key": of_key("unsafe_rbg_key"),
    "jax.tree_util.GetitemKeyPathEntry": lambda m: str(m.GetitemKeyPathEntry("a")),
    "jax.tree_util.build_tree": lambda m: m.build_tree(
        jax.tree_util.tree_structure({"a": (1, 2)}), ((3, 4),)
    ),
    "jax.util.split_dict": lambda m: m.split_dict({"a": 1, "b": 2}, ["b", "a"]),
    "jax.util.split_merge": parts,
    "jax.sharding.use_mesh": in_mesh,
    "jax.sharding.NamedSharding.is_compatible_aval": lambda c: sharding("i").is_compatible_aval(
        (2, 3)
    ),
    "jax.experimental.enable_x64": lambda m: x64(m, "enable_x64"),
    "jax.experimental.disable_x64": lambda m: x64(m, "disable_x64"),
    "jax.experimental.x64_context.enable_x64": lambda m: x64(m, "enable_x64"),
    "jax.experimental.x64_context.disable_x64": lambda m: x64(m, "disable_x64"),
    "jax.experimental.export.export": old_export,
    "jax.experimental.export.call": old_export,
    "jax.experimental.export.serialize": read_back,
    "jax.experimental.export.symbolic_args_specs": symbolic,
    "jax.experimental.pjit.pjit": lambda m: m.pjit(
        lambda a: a * 2, in_axis_resources=None, out_axis_resources=None
    )(x),
    "jax.experimental.shard_map.shard_map": shard_mapped,
    "jax.experimental.sparse.bcoo_dot_general": dense("bcoo_dot_general"),
    "jax.experimental.sparse.bcsr_dot_general": dense("bcsr_dot_general"),
    "jax.experimental.sparse.bcoo.bcoo_dot_general": dense("bcoo_dot_general"),
    "jax.experimental.sparse.bcsr.bcsr_dot_general": dense("bcsr_dot_general"),
    "jax.export.export": lambda m: (
        m.export(jax.jit(jnp.sin), lowering_platforms=["cpu"])(x).platforms
    ),
    "jax.export.symbolic_args_specs": lambda m: str(
        m.symbolic_args_specs((x,), ("a, 3",), symbolic_constraints=["a >= 2"])[0].shape
    ),
    "jax.export.Exported.in_shardings": lambda c: exported().in_shardings,
    "jax.export.Exported.out_shardings": lambda c: exported().out_shardings,
    "jax.export.Exported.lowering_platforms": lambda c: exported().lowering_platforms,
    "jax.export.Exported.mlir_module_serialization_version": lambda c: (
        exported().mlir_module_serialization_version > 8
    ),
    "jax.export.Exported.uses_shape_polymorphism": lambda c: exported().uses_shape_polymorphism,
    "jax.sharding.AbstractMesh.__new__": lambda c: c((("i", 2),)).shape["i"],
    "jax.sharding.AbstractMesh.__init__": lambda c: c((("i", 2),)).shape["i"],
    "jax.stages.ArgInfo.aval": lambda c: str(
        jax.tree_util.tree_leaves(jax.jit(jnp.sin).lower(x).args_info)[0].aval.shape
    ),
    "jax.stages.ArgInfo.__init__": lambda c: c(aval=1, donated=False).donated,
    "jax.stages.ArgInfo.__new__": lambda c: c(aval=1, donated=False).donated,
    "jax.stages.Compiled.input_layouts": lambda c: len(
        jax.jit(lambda a: a * 2).lower(x).compile().input_layouts[0]
    ),
    "jax.stages.Compiled.output_layouts": lambda c: (
        jax.jit(lambda a: a * 2).lower(x).compile().output_layouts is None
    ),
})  # fmt: skip


def of_layout(name):
    def of(owner):
        module = importlib.import_module("jax.experimental.layout")
        device = jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])
        inner = module.DeviceLocalLayout(major_to_minor=(0, 1))
        made = module.Layout(device_local_layout=inner, sharding=device)
        return getattr(made, name).major_to_minor

    return of


DECORATORS = {"register_check", "register_rewrite", "register_rule"}
CALLS.update({
    "jax.experimental.layout.Format.device_local_layout": of_layout("device_local_layout"),
    "jax.experimental.layout.Format.dll": of_layout("dll"),
    "jax.experimental.layout.Format.__init__": of_layout("dll"),
    **{
        f"jax.experimental.shard_map.{name}": rules(name, name in DECORATORS)
        for name in (
            "register_check register_norewrite register_reduction_collective register_rewrite "
            "register_rule register_standard register_standard_check "
            "register_standard_collective register_standard_rewrite".split()
        )
    },
})  # fmt: skip
