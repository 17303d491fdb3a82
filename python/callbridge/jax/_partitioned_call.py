"""Calls that XLA splits between devices: primitives around jax.ffi.ffi_call, on every release.

XLA splits a call along leading batch dimensions if three things agree: its target is registered as
batch partitionable, the call has the frontend attribute num_batch_dims, and under Shardy it has a
sharding rule. Releases without that, and other rules, use JAX's custom_partitioning.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec, SingleDeviceSharding
from jaxlib import xla_client
from jaxlib.mlir import ir

from callbridge._core._error import CallbridgeError
from callbridge._core._fork_lock import fork_lock
from callbridge.jax import _transforms
from callbridge.jax._partitioning import Call
from callbridge.jax._runtimes import (
    NEEDS_DEVICES,
    RUNTIME,
    RUNTIMES,
    jax_function,
    jax_function_or,
    release_text,
)


def partitioned_call(call: Call, operands: Sequence[Any]) -> Callable[..., Sequence[Any]]:
    """Returns the call on arrays of these shapes, a function of the operands.

    Raises UNIMPLEMENTED for side effects.
    """
    if call.has_side_effect:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"target {call.target_name!r}: XLA drops the side effects of calls that it splits; "
            "leave out has_side_effect, or call the target in shard_map",
        )
    if _is_split_by_xla(call, operands):
        _register(call.target_name)
        return functools.partial(_batch_call_p.bind, call=call)
    return functools.partial(_partitioned_call_p.bind, call=call)


# ---- What both primitives have ------------------------------------------------------------------


def _primitive(name: str, lower: Callable) -> Any:
    primitive = jax_function(RUNTIME.primitive)(name)
    primitive.multiple_results = True

    @functools.lru_cache(maxsize=256)
    def compiled(call):
        return jax.jit(functools.partial(primitive.bind, call=call))

    primitive.def_impl(lambda *operands, call: compiled(call)(*operands))

    @primitive.def_effectful_abstract_eval
    def abstract_eval(*operands, call):
        traced = jax.make_jaxpr(call.whole())(*operands)
        return list(traced.out_avals), traced.effects

    def no_derivative(*_, call, **__):
        raise ValueError(
            f"The FFI call to `{call.target_name}` cannot be differentiated. "
            "You can use `jax.custom_jvp` or `jax.custom_vjp` to add support."
        )

    def batch(operands, dimensions, *, call):
        def at_once(operands, is_batched, size):
            # A handler must take any choice of its operands with the dimension. XLA splits all.
            if call.batch_dims is not None:
                operands = _transforms.broadcast(operands, is_batched, size)
                operands = [_widened(operand, size) for operand in operands]
                is_batched = [True] * len(operands)
            return primitive.bind(*operands, call=call.batched(size, is_batched))

        one = functools.partial(primitive.bind, call=call)
        return _transforms.batch(name, operands, dimensions, call.vmap_method, one, at_once)

    ad.primitive_jvps[primitive] = no_derivative
    ad.primitive_transposes[primitive] = no_derivative
    batching.primitive_batchers[primitive] = batch
    mlir.register_lowering(primitive, lower)
    _transforms.register_rules(primitive)
    return primitive


def _widened(operand: Any, size: Any) -> Any:
    """Makes `size` of a dimension of 1 that "expand_dims" put in front."""
    if operand.shape[0] == size:
        return operand
    return jax.numpy.broadcast_to(operand, (size, *operand.shape[1:]))


# ---- Batch dimensions that XLA knows ------------------------------------------------------------


def _is_split_by_xla(call: Call, operands: Sequence[Any]) -> bool:
    """Returns whether XLA splits the call along its batch dimensions by itself.

    Measured: it does not if no operand has further dimensions.
    """
    if call.batch_dims is None or RUNTIME.register_batch_partitionable is None:
        return False
    if hasattr(call.config, "opaque_for"):  # it would have the shapes of the whole arrays
        return False
    return any(len(operand.shape) > call.batch_dims for operand in operands)


_registered: set[str] = set()
_registered_lock = fork_lock()


def _register(target_name: str) -> None:
    # Once, since some releases of XLA log an error the second time.
    with _registered_lock:
        if target_name not in _registered:
            assert RUNTIME.register_batch_partitionable is not None
            jax_function(RUNTIME.register_batch_partitionable)(target_name)
            _registered.add(target_name)


def _lower_batch_call(context, *operands, call: Call):
    shapes = [aval.shape for aval in (*context.avals_in, *context.avals_out)]
    if not all(isinstance(size, int) for shape in shapes for size in shape):
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"target {call.target_name!r}: XLA splits calls of arrays whose dimensions are known "
            "when the program is lowered; leave out batch_dims, or export for known dimensions",
        )
    attributes: dict[str, ir.Attribute] = {
        "mhlo.frontend_attributes": ir.DictAttr.get(
            {"num_batch_dims": ir.StringAttr.get(str(call.batch_dims))}
        )
    }
    if getattr(jax.config, "jax_use_shardy_partitioner", True):
        assert call.batch_dims is not None
        rule = sharding_rule(call.batch_dims, shapes[: len(operands)], shapes[len(operands) :])
        attributes["sdy.sharding_rule"] = ir.Attribute.parse(rule)
    lower = jax_function(RUNTIME.ffi_lowering)(
        call.target_name,
        operand_layouts=_minor_to_major(context.avals_in, call.input_layouts),
        result_layouts=_minor_to_major(context.avals_out, call.output_layouts),
        backend_config=call.config,
        api_version=call.api_version,
        has_side_effect=call.has_side_effect,
        operand_output_aliases=dict(call.aliases),
        extra_attributes=attributes,
    )
    return lower(context, *operands, **dict(call.attributes))


def _minor_to_major(avals: Sequence[Any], layouts: tuple | None) -> list[tuple[int, ...]]:
    return [
        tuple(reversed(range(len(aval.shape)) if layout is None else layout))
        for aval, layout in zip(avals, layouts or [None] * len(avals))
    ]


def sharding_rule(
    batch_dims: int, operands: Sequence[tuple[int, ...]], results: Sequence[tuple[int, ...]]
) -> str:
    """Returns the text of Shardy's rule for arrays of these shapes.

    The batch dimensions have one factor each, in all arrays; every other dimension has a factor of
    its own, which each device needs whole.
    """
    sizes = list((*operands, *results)[0][:batch_dims])

    def factors(shape: tuple[int, ...]) -> str:
        own = range(len(sizes), len(sizes) + len(shape) - batch_dims)
        sizes.extend(shape[batch_dims:])
        return f"[{', '.join(map(_factor, (*range(batch_dims), *own)))}]"

    sides = [", ".join(map(factors, shapes)) for shapes in (operands, results)]
    all_sizes = ", ".join(f"{_factor(i)}={size}" for i, size in enumerate(sizes))
    whole = ", ".join(map(_factor, range(batch_dims, len(sizes))))
    replication = f" need_replication={{{whole}}}" if whole else ""
    mark = ", custom" if RUNTIME.marks_sharding_rules else ""
    return f"#sdy.op_sharding_rule<({sides[0]})->({sides[1]}) {{{all_sizes}}}{replication}{mark}>"


def _factor(index: int) -> str:
    letters = "ijklmnopqrstuvwxyz"
    last = len(letters) - 1
    return letters[index] if index <= last else f"z_{index - last}"


# ---- Rules by custom_partitioning ---------------------------------------------------------------

_FIRST_WITH_BATCHES = next(
    release_text(row.release) for row in RUNTIMES if row.register_batch_partitionable is not None
)


def _lower_partitioned_call(context, *operands, call: Call):
    module = context.module_context
    if getattr(getattr(module, "lowering_parameters", None), "for_export", False):
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"target {call.target_name!r}: jax.export cannot write rules of custom_partitioning, "
            "which are functions of this process; leave out "
            + (
                "partitioning, or use batch_dims"
                if call.batch_dims is None
                else f"batch_dims, or use jax {_FIRST_WITH_BATCHES} or newer and an operand with "
                "further dimensions"
            ),
        )
    # Without operands there is nothing to split by, and Shardy refuses a rule.
    has_operands = call.batch_dims is None or len(operands) > 0
    is_whole = not has_operands or _is_manual(module.axis_context)
    function = call.whole() if is_whole else _partitioned(call, context.avals_in)
    return mlir.lower_fun(function, multiple_results=True)(context, *operands)


def _is_manual(axis_context: Any) -> bool:
    """Returns whether the call is one device's own, as in shard_map."""
    manual = getattr(axis_context, "manual_axes", None) or ()
    return bool(manual) and set(manual) == set(axis_context.mesh.axis_names)


def _partitioned(call: Call, operands: Sequence[Any]) -> Callable[..., Sequence[Any]]:
    from jax.experimental.custom_partitioning import custom_partitioning

    whole = call.whole()

    def function(*operands):
        results = whole(*operands)
        return results[0] if call.is_alone else results

    function.__name__ = call.target_name
    partitioned = custom_partitioning(function)
    if call.rules is None:
        partitioned.def_partition(**batch_rules(call, operands))
    else:
        partitioned.def_partition(**call.rules.arguments)
    if not call.is_alone:
        return partitioned
    return lambda *operands: (partitioned(*operands),)


_batch_call_p = _primitive("callbridge_batch_call", _lower_batch_call)
_partitioned_call_p = _primitive("callbridge_partitioned_call", _lower_partitioned_call)
jax_function_or(NEEDS_DEVICES, set()).add(_partitioned_call_p)


# ---- Batch dimensions as such rules, where XLA does not split by itself --------------------------


def batch_rules(call: Call, operand_avals: Sequence[Any]) -> dict[str, Any]:
    """Returns the arguments of custom_partitioning.def_partition() for the call.

    JAX calls them with a mesh in front, but on its oldest release. Results are a tuple, or one.
    """
    assert call.batch_dims is not None
    batch_dims = call.batch_dims

    def of_results(found, results):
        shardings = [found.of_rank(len(result.shape)) for result in _listed(results)]
        is_listed = isinstance(results, (list, tuple))
        return type(results)(shardings) if is_listed else shardings[0]

    def infer_sharding_from_operands(*given):
        *_, operands, results = given
        return of_results(_finest(operands, batch_dims), results)

    def propagate_user_sharding(*given):
        *_, results = given
        return of_results(_finest(_listed(results), batch_dims), results)

    def partition(*given):
        *mesh, operands, results = given
        found = _finest([*_listed(results), *operands], batch_dims)
        whole = call.of_results([found.tile(result.shape) for result in _listed(results)]).whole()

        def of_a_part(*operands):
            values = whole(*operands)
            return values[0] if call.is_alone else values

        of_operands = tuple(found.of_rank(len(operand.shape)) for operand in operands)
        return (*mesh, of_a_part, of_results(found, results), of_operands)

    rules: dict[str, Any] = {
        "partition": partition,
        "infer_sharding_from_operands": infer_sharding_from_operands,
        "propagate_user_sharding": propagate_user_sharding,
    }
    if "sharding_rule" in inspect.signature(custom_partitioning.def_partition).parameters:
        rules["sharding_rule"] = _sharding_rule(batch_dims, operand_avals, call.results)
    return rules


def _listed(results: Any) -> list:
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _sharding_rule(batch_dims: int, operands: Sequence[Any], results: Sequence[Any]) -> str:
    """Returns the rule for Shardy, as custom_partitioning has it."""
    numbers = iter(range(10**6))

    def side(arrays):
        return ", ".join(
            " ".join(
                [f"b{i}" for i in range(batch_dims)]
                + [f"d{next(numbers)}" for _ in array.shape[batch_dims:]]
            )
            for array in arrays
        )

    return f"{side(operands)} -> {side(results)}"


class _BatchSharding(Protocol):
    """How leading dimensions are split; the devices of one tile have the rest whole."""

    tiles: list[int]  # the number of parts of each

    def of_rank(self, rank: int) -> Any:
        """Returns the sharding of an array of that rank."""

    def tile(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the shape that one device has. A last tile may be padded."""
        split = (-(-size // tiles) for size, tiles in zip(shape, self.tiles))
        return (*split, *shape[len(self.tiles) :])


class _ByMesh(_BatchSharding):
    def __init__(self, sharding: NamedSharding, batch_dims: int):
        self._mesh = sharding.mesh
        spec = (*sharding.spec, *[None] * batch_dims)[:batch_dims]
        self._spec = PartitionSpec(*spec)
        axes = [(axes,) if isinstance(axes, str) else axes or () for axes in spec]
        self.tiles = [math.prod(sharding.mesh.shape[axis] for axis in each) for each in axes]

    def of_rank(self, rank: int) -> NamedSharding:
        return NamedSharding(self._mesh, self._spec)


class _ByDevices(_BatchSharding):
    """Without a mesh, as JAX hands it to rules where there is none in its context."""

    def __init__(self, sharding: Any, rank: int, batch_dims: int):
        self._devices = tuple(sharding._device_assignment)
        hlo = sharding._to_xla_hlo_sharding(rank)
        self.tiles = [1] * batch_dims
        self._assignment: list[int] = []
        if not hlo.is_replicated() and hlo.is_tiled():
            self.tiles = list(hlo.tile_assignment_dimensions()[:batch_dims])
            # In order of the dimensions, the batch dimensions first.
            self._assignment = list(hlo.tile_assignment_devices())

    def of_rank(self, rank: int) -> Any:
        from jax._src.sharding_impls import GSPMDSharding

        count = math.prod(self.tiles)
        if count == 1:
            return GSPMDSharding.get_replicated(self._devices)
        proto = xla_client.OpSharding()
        proto.type = xla_client.OpSharding.Type.OTHER
        dimensions = [*self.tiles, *[1] * (rank - len(self.tiles))]
        if len(self._assignment) > count:
            dimensions.append(len(self._assignment) // count)
            proto.replicate_on_last_tile_dim = True
        proto.tile_assignment_dimensions = dimensions
        proto.tile_assignment_devices = self._assignment
        return GSPMDSharding(self._devices, xla_client.HloSharding.from_proto(proto))


class _Whole(_BatchSharding):
    """Each device has all: of arrays whose sharding XLA does not know yet."""

    def __init__(self, batch_dims: int):
        self.tiles = [1] * batch_dims

    def of_rank(self, rank: int) -> Any:
        # JAX asks it for XLA's form alone, which is that of a replicated array.
        return SingleDeviceSharding(jax.devices()[0])


def _finest(arrays: Sequence[Any], batch_dims: int) -> _BatchSharding:
    """Returns the sharding, of those of the arrays, that splits the batch dimensions most."""
    found: list[_BatchSharding] = []
    for array in arrays:
        sharding = getattr(array, "sharding", None)
        if isinstance(sharding, NamedSharding):
            found.append(_ByMesh(sharding, batch_dims))
        elif sharding is not None:
            found.append(_ByDevices(sharding, len(array.shape), batch_dims))
    if not found:
        return _Whole(batch_dims)
    return max(found, key=lambda sharding: math.prod(sharding.tiles))
