"""What the modules of jax.interpreters have no more or, on an older JAX, not yet."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax._src import ad_util, core, op_shardings
from jax._src.interpreters import batching, mlir, partial_eval
from jax.interpreters import ad

from callbridge.resurrect._backports import _avals

# ---- ad ------------------------------------------------------------------------------------------


class CustomJVPException(Exception):
    """Custom JVP rules were not applied in a function's transpose. JAX raises TypeErrors now."""


def replace_float0s(primal: Any, tangent: Any) -> Any:
    """Zeros like the primal for a tangent of a type that has none."""
    is_float0 = jax.dtypes.result_type(tangent) == jax.dtypes.float0
    return jax.lax.full_like(primal, 0) if is_float0 else tangent


def recast_to_float0(primal: Any, tangent: Any) -> Any:
    """A symbolic zero for the tangent of a primal whose type has none."""
    dtype = core.primal_dtype_to_tangent_dtype(jax.dtypes.result_type(primal))
    if dtype != jax.dtypes.float0:
        return tangent
    return ad.Zero(core.ShapedArray(np.shape(primal), dtype))


def unpair_pval(pval: Any) -> tuple:
    """Two partial values for one of pairs: `(avals or None, constants)`."""
    avals, constants = pval
    first, second = constants
    if avals is None:
        return (None, first), (None, second)
    return (avals[0], first), (avals[1], second)


_Zero: Any = ad_util.Zero  # releases differ in its functions


def _from_primal_value(value: Any) -> Any:
    """Returns the zero tangent of a value: of integers and of bools, one of float0."""
    return _Zero(_avals.abstractify(value).at_least_vspace())


from_primal_value = staticmethod(_from_primal_value)  # of the class


def p2tz(primal_value: Any) -> Any:
    """Returns the zero tangent of a value."""
    make = getattr(_Zero, "from_primal_value", _from_primal_value)
    return make(primal_value)


# ---- Batching rules that packages gave their primitives, with the arguments that they had --------


def vectorized_batcher(prim: Any, args: Any, dims: Any, **params: Any) -> Any:
    """The rule of primitives whose operands are all mapped along the same dimension."""
    return _call(batching.vectorized_batcher, prim, args, dims, params)


def broadcast_batcher(prim: Any, args: Any, dims: Any, **params: Any) -> Any:
    """The rule of primitives that broadcast their operands."""
    return _call(batching.broadcast_batcher, prim, args, dims, params)


def _call(rule: Callable, prim: Any, args: Any, dims: Any, params: dict) -> Any:
    # JAX's rules have got the axis as an argument, which these two do not look at.
    axis = (None,) if "axis_data" in inspect.signature(rule).parameters else ()
    return rule(prim, *axis, args, dims, **params)


def axis_data(name: Any, size: Any, spmd_name: Any = None, mesh_axes: Any = None) -> Any:
    """The axis in one, as JAX's rules take it since 0.4.36."""
    fields = len(batching.AxisData.__dataclass_fields__)
    return batching.AxisData(*(name, size, spmd_name, mesh_axes)[:fields])


def zeros_like_batched(batched_args: Any, batch_dims: Any) -> tuple:
    (operand,), (dimension,) = batched_args, batch_dims
    return jax.lax.full_like(operand, 0), dimension


# Rules that were asked where vmap has spmd_axis_name; JAX passes it to the others now.
spmd_axis_primitive_batchers: dict = {}


# ---- The tables by which packages found, called and replaced the batching rules of JAX -----------


class _Rules(MutableMapping):
    """Rules by primitive, each with the arguments that it had, over JAX's own table.

    Where JAX keeps one table of all rules, whatever has a rule is in both of the old ones.
    """

    def __init__(self, proxy: Any, as_it_was: Callable) -> None:
        self._proxy = proxy  # JAX's, which takes rules and gives none
        self._as_it_was = as_it_was
        self._given: dict = {}  # by primitive, a program's rule and what JAX made of it

    def __getitem__(self, prim: Any) -> Any:
        own = batching.fancy_primitive_batchers[prim]
        given, made = self._given.get(prim, (None, None))
        return given if made is own else functools.partial(self._as_it_was, prim, own)

    def __setitem__(self, prim: Any, rule: Any) -> None:
        self._proxy[prim] = rule
        self._given[prim] = rule, batching.fancy_primitive_batchers[prim]

    def __delitem__(self, prim: Any) -> None:
        del batching.fancy_primitive_batchers[prim]
        self._given.pop(prim, None)

    def __iter__(self) -> Iterator:
        return iter(tuple(batching.fancy_primitive_batchers))

    def __len__(self) -> int:
        return len(batching.fancy_primitive_batchers)

    def copy(self) -> dict:
        return dict(self)


def _of_operands(prim: Any, rule: Callable, args: Any, dims: Any, **params: Any) -> Any:
    """A rule that took no axis."""
    sizes = [np.shape(arg)[dim] for arg, dim in zip(args, dims) if dim is not None]
    if not sizes:
        results = prim.bind(*args, **params)
        return (results, [None] * len(results)) if prim.multiple_results else (results, None)
    return rule(axis_data(core.no_axis_name, sizes[0]), args, dims, **params)


def _of_the_axis(
    prim: Any, rule: Callable, size: Any, name: Any, _: Any, args: Any, dims: Any, **params: Any
) -> Any:
    """A rule that took the axis in parts, the last of which was the class of the trace."""
    return rule(axis_data(name, size), args, dims, **params)


_rules = functools.cache(_Rules)  # one for both modules that have it


def primitive_batchers(original: Any) -> Any:
    return None if isinstance(original, Mapping) else _rules(original, _of_operands)


def axis_primitive_batchers(original: Any) -> Any:
    return None if isinstance(original, Mapping) else _rules(original, _of_the_axis)


class _Handlers(dict):
    """What makes values of a class canonical: of the classes that JAX knows, and a program's."""

    def __init__(self, own: Any) -> None:
        super().__init__((cls, own[cls]) for cls in core.pytype_aval_mappings)
        self._own = own

    def __setitem__(self, cls: type, handler: Callable) -> None:
        self._own[cls] = handler
        super().__setitem__(cls, handler)

    def setdefault(self, cls: type, handler: Any = None) -> Any:
        if cls not in self:
            self[cls] = handler
        return self[cls]

    def update(self, *others: Any, **none: Any) -> None:
        for cls, handler in dict(*others, **none).items():
            self[cls] = handler


def canonicalize_dtype_handlers(original: Any) -> Any:
    return None if isinstance(original, Mapping) else _Handlers(original)


# ---- partial_eval --------------------------------------------------------------------------------

# Rules of primitives that call functions, which JAX asks no more.
call_param_updaters: dict = {}
call_partial_eval_rules: dict = {}
# Rules for arrays of dynamic shape, which JAX has no more.
padding_rules: dict = {}


def def_trivial_padding(prim: Any) -> None:
    def bind(_: Any, __: Any, *operands: Any, **params: Any) -> Any:
        results = prim.bind(*operands, **params)
        return results if prim.multiple_results else [results]

    padding_rules[prim] = bind


def trace_to_jaxpr(fun: Any, pvals: Sequence[Any], instantiate: Any = False) -> Any:
    """The jaxpr of what `pvals` leave unknown, its partial values, and its constants."""
    return partial_eval.trace_to_jaxpr_nounits(fun, pvals, instantiate)


def trace_to_jaxpr_final(
    fun: Any, in_avals: Sequence[Any], debug_info: Any = None, keep_inputs: Any = None
) -> tuple:
    """The jaxpr, its results' abstract values, and its constants.

    `debug_info` is the function's own in JAX now, where it does not take it here.
    """
    trace = partial_eval.trace_to_jaxpr_dynamic
    others = {"keep_inputs": keep_inputs}
    if "debug_info" in inspect.signature(trace).parameters:
        others["debug_info"] = debug_info
    jaxpr, out_avals, constants, *_ = trace(fun, in_avals, **others)
    return jaxpr, out_avals, constants


def convert_invars_to_constvars(jaxpr: Any, n: int) -> Any:
    """The jaxpr with its first `n` operands as constants."""
    if n == 0:
        return jaxpr
    debug_info = jaxpr.debug_info._replace(arg_names=jaxpr.debug_info.arg_names[n:])
    return jaxpr.replace(
        constvars=[*jaxpr.constvars, *jaxpr.invars[:n]],
        invars=jaxpr.invars[n:],
        debug_info=debug_info,
    )


def instantiate_const_at(trace: Any, instantiate: bool, tracer: Any) -> Any:
    return trace.instantiate_const(tracer) if instantiate else tracer


def partial_eval_jaxpr_custom_rule_not_implemented(name: str, *_: Any) -> Any:
    raise NotImplementedError(f"{name} has no partial evaluation by a policy of jax.checkpoint")


@contextlib.contextmanager
def trivial_ctx(_: Any) -> Iterator[None]:
    yield


@contextlib.contextmanager
def extend_jaxpr_stack(main: Any, frame: Any) -> Iterator[None]:
    """Told the frames of nested traces from each other; each trace has its own now."""
    yield


# ---- mlir ----------------------------------------------------------------------------------------

# Of mlir.ModuleContext, where JAX lowers for one platform alone.
if "platforms" not in mlir.ModuleContext.__annotations__:
    platforms = property(lambda context: (context.platform,))


# ---- pxla, and xla -------------------------------------------------------------------------------

# Which jax.pmap ran over several hosts: all of them do.
multi_host_supported_collectives: set = set()


class AUTO:
    """Left the sharding to XLA. JAX has jax.sharding.AxisType.Auto for it."""

    def __init__(self, mesh: Any):
        self.mesh = mesh


class WeakRefList(list):
    """A list that can be the referent of a weak reference."""

    __slots__ = ("__weakref__",)


class AxisEnv(NamedTuple):
    """Of how many replicas a program was, and the named axes of pmap that they are of."""

    nreps: int
    names: tuple = ()
    sizes: tuple = ()


def are_op_shardings_equal(op1: Any, op2: Any) -> bool:
    return op_shardings.are_hlo_shardings_equal(_hlo_sharding(op1), _hlo_sharding(op2))


def is_op_sharding_replicated(op: Any) -> bool:
    return op_shardings.is_hlo_sharding_replicated(_hlo_sharding(op))


def _hlo_sharding(sharding: Any) -> Any:
    from jaxlib.xla_client import HloSharding

    return sharding if isinstance(sharding, HloSharding) else HloSharding.from_proto(sharding)


def axis_groups(axis_env: Any, name: Any) -> tuple:
    """The replicas of an AxisEnv that differ in the named axes alone, group by group."""
    names = name if isinstance(name, (list, tuple)) else (name,)
    axes = [axis_env.names.index(axis) for axis in names]
    rest, ragged = divmod(axis_env.nreps, math.prod(axis_env.sizes))
    if ragged:
        raise ValueError(f"{axis_env.nreps} replicas are no multiple of {axis_env.sizes}")
    replicas = np.arange(axis_env.nreps).reshape(*axis_env.sizes, rest)
    size = math.prod(axis_env.sizes[axis] for axis in axes)
    groups = np.moveaxis(replicas, axes, range(len(axes))).reshape(size, -1).T
    return tuple(map(tuple, groups.tolist()))


def check_backend_matches(inner_backend: Any, outer_backend: Any) -> None:
    """Raises ValueError where a function's backend is another than that of what calls it."""
    mlir.check_backend_matches(inner_backend, (outer_backend,))


def backend_compile(backend: Any, module: Any, options: Any, host_callbacks: Any) -> Any:
    """Compiles an MLIR module for the devices of the options, the backend's first without such."""
    from jax._src import compiler  # 0.4.13, which has this function, has no such module

    compile_module = getattr(compiler, "backend_compile_and_load", None)
    if compile_module is None:
        compile_module = compiler.backend_compile  # type: ignore[attr-defined]
    if "executable_devices" not in inspect.signature(compile_module).parameters:
        return compile_module(backend, module, options, host_callbacks)
    from jaxlib.xla_client import DeviceList

    count = options.num_replicas * options.num_partitions
    devices = DeviceList(tuple(backend.local_devices()[:count]))
    return compile_module(backend, module, devices, options, list(host_callbacks))
