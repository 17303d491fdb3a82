"""Batch dimensions as rules of custom_partitioning, for calls that XLA does not split by itself."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any, Protocol

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec, SingleDeviceSharding
from jaxlib import xla_client

from callbridge.jax._partitioning import Call


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
