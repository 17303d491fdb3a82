"""What is expected of names that no release here has with these parameters: calls, and the answers.

The answers are NumPy's, and Python's own.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from more_values import aval, entered, f32, raised, x


class BatchedAtZero:
    """What from_elt() asks a trace."""

    axis_name = None

    @property
    def axis_data(self):
        from jax._src.interpreters import batching

        return batching.AxisData(None, 2, None, None)

    def to_batch_info(self, value):
        return value, 0


def in_explicit_mesh(call, operand):
    """How what it returns of the operand is split over a mesh of one axis, which types name."""
    types = (jax.sharding.AxisType.Explicit,)
    mesh = jax.make_mesh((1,), ("i",), axis_types=types)
    whole = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(None))
    with jax.set_mesh(mesh):
        return tuple(jax.typeof(call(jax.device_put(operand, whole))).sharding.spec)


def _updated(operation):
    expected = x.copy()
    operation(expected)
    return expected


def compiled_after(clear):
    """How many programs a jitted function has before and after the cache was cleared."""
    if jax.__version__ == "0.4.13":
        return 1, 0  # jaxlib 0.4.13 crashes in clear_caches() after all that values_program.py does
    jitted = jax.jit(lambda a: a + 1)
    jitted(f32(1))
    before = jitted._cache_size()
    clear()
    return before, jitted._cache_size()


EXPECTED = {
    **{
        f"{module}._xla_callable": (
            lambda m: [compiled_after(m._xla_callable.cache_clear), raised(m._xla_callable)],
            [(1, 0), "NotHadError"],
        )
        for module in ("jax._src.dispatch", "jax.interpreters.xla")
    },
    "jax.lib.xla_client.ResultAccuracy": (
        lambda m: [getattr(m.ResultAccuracy(), f) for f in ("atol", "rtol", "ulps")],
        [0.0, 0.0, 0],
    ),
    "jax.lib.xla_client.ResultAccuracyMode": (
        lambda m: [mode.name for mode in m.ResultAccuracyMode],
        ["DEFAULT", "HIGHEST"],
    ),
    "jax.lib.xla_extension.ResultAccuracy_Mode": (
        lambda m: m.ResultAccuracy_Mode.HIGHEST.value,
        1,
    ),
    "jax.interpreters.mlir.xla_computation_to_mlir_module": (
        lambda m: str(
            m.xla_computation_to_mlir_module(
                jax.jit(lambda a: a + 1).lower(f32(1)).compiler_ir("hlo")
            )
        ).count("stablehlo.add "),
        1,
    ),
    "jax.interpreters.xla.aval_to_xla_shapes": (
        lambda m: [(s.dimensions(), s.numpy_dtype()) for s in m.aval_to_xla_shapes(aval)],
        [((2, 3), np.dtype(f32))],
    ),
    "jax.experimental.host_callback.CallbackException": (
        lambda m: issubclass(m.CallbackException, Exception),
        True,
    ),
    "jax.lib.xla_client.PaddingConfig": (lambda m: m.PaddingConfig().dimensions, []),
    "jax.lib.xla_client.PrecisionConfig": (
        lambda m: [m.PrecisionConfig().operand_precision, m.PrecisionConfig.Precision.HIGH.name],
        [[], "HIGH"],
    ),
    "jax.lib.xla_extension.PrecisionConfig_Precision": (
        lambda m: [m.PrecisionConfig_Precision(v).name for v in range(3)],
        ["DEFAULT", "HIGH", "HIGHEST"],
    ),
    "jax._src.api._check_callable": (
        lambda m: [m._check_callable(len), raised(m._check_callable, 3)],
        [None, "TypeError"],
    ),
    "jax._src.api._infer_argnums_and_argnames": (
        lambda m: [
            m._infer_argnums_and_argnames(lambda a, b=1: a, (1,), None),
            m._infer_argnums_and_argnames(lambda a, b=1: a, None, ("a",)),
        ],
        [[(1,), ("b",)], [(0,), ("a",)]],
    ),
    "jax.abstract_arrays.make_shaped_array": (lambda m: m.make_shaped_array(x) == aval, True),
    "jax.interpreters.batching.reducer_batcher": (
        lambda m: m.reducer_batcher(lax.reduce_max_p, None, None, (x,), (0,), (0,)),
        [x.max(1), 0],
    ),
    "jax.interpreters.partial_eval.instantiate_const_at": (
        lambda m: m.instantiate_const_at(None, False, 3),
        3,
    ),
    "jax.interpreters.partial_eval.extend_jaxpr_stack": (
        lambda m: entered(m.extend_jaxpr_stack(None, None)),
        True,
    ),
    "jax.interpreters.partial_eval.partial_eval_jaxpr_custom_rule_not_implemented": (
        lambda m: raised(m.partial_eval_jaxpr_custom_rule_not_implemented, "f", None),
        "NotImplementedError",
    ),
    "jax.interpreters.batching.matchaxis": (
        lambda m: [
            m.matchaxis(None, 2, None, 0, 1, x),
            m.matchaxis(None, 2, None, None, 0, x[0]),
            m.matchaxis(None, 2, None, 1, 1, x),
            *[
                in_explicit_mesh(lambda a, by=mesh_axis: m.matchaxis("n", 2, by, None, 0, a), x[0])
                for mesh_axis in ("i", ("i",))
            ],
            m.matchaxis("n", 2, None, 0, None, x, sum_match=True),
        ],
        [x.T, np.stack([x[0], x[0]]), x, *[("i", None)] * 2, x.sum(0)],
    ),
    "jax.interpreters.batching.from_elt": (
        lambda m: m.from_elt(BatchedAtZero(), 2, None, 0, x, 1),
        [x.T, 1],
    ),
    # Arrays of the release that had it have none unless they are given some.
    "jax.core.ShapedArray.varying_manual_axes": (lambda c: sorted(aval.varying_manual_axes), []),
    "jax.lax.scan_bind": (lambda m: callable(m.scan_bind), True),
    "jax.numpy.msort": (lambda m: m.msort(jnp.asarray(-x)), np.sort(-x, 0)),
    "jax.ops.index_update": (
        lambda m: m.index_update(x, m.index[0, 1:], 7.0),
        _updated(lambda a: a.__setitem__((0, slice(1, None)), 7)),
    ),
    "jax.ops.index_add": (
        lambda m: m.index_add(x, m.index[1], 2.0),
        _updated(lambda a: np.add.at(a, 1, 2)),
    ),
    "jax.ops.index_mul": (
        lambda m: m.index_mul(x, m.index[:, 2], 2.0),
        _updated(lambda a: np.multiply.at(a, (slice(None), 2), 2)),
    ),
    "jax.ops.index_min": (
        lambda m: m.index_min(x, m.index[1], 4.0),
        _updated(lambda a: np.minimum.at(a, 1, 4)),
    ),
    "jax.ops.index_max": (
        lambda m: m.index_max(x, m.index[1], 4.0),
        _updated(lambda a: np.maximum.at(a, 1, 4)),
    ),
    "jax.interpreters.xla.parameter": (
        lambda m: raised(m.parameter, None, 0, None),
        "NotImplementedError",
    ),
    "jax.interpreters.mlir.emit_python_callback": (
        lambda m: jax.jit(lambda a: jax.pure_callback(lambda v: v, a, a))(f32(2)),
        np.array(2, f32),
    ),
    "jax.interpreters.mlir.lower_jaxpr_to_fun": (
        lambda m: jax.jit(lambda a: lax.fori_loop(0, 3, lambda _, b: b + 1, a))(f32(2)),
        np.array(5, f32),
    ),
}
