"""Operations of xla_client.ops between replicas, and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.xla_client import Shape

from callbridge.resurrect._builder._computation import XlaBuilder, XlaOp
from callbridge.resurrect._builder._emit import emit_lowered, fill, function_of, scalar_types
from callbridge.resurrect._lowering import _xla_shapes


def AllReduce(
    operand: XlaOp,
    computation: Any,
    replica_groups: Sequence[Any] = (),
    channel_id: Any = None,
    shape_with_layout: Any = None,
    use_global_device_ids: bool | None = None,
) -> XlaOp:
    attributes = _attributes(replica_groups, channel_id, use_global_device_ids)
    return _collective(
        stablehlo.AllReduceOp, operand, operand.shape, attributes, function_of(computation)
    )


def CrossReplicaSum(operand: XlaOp, replica_groups: Sequence[Any] = ()) -> XlaOp:
    return _collective(
        stablehlo.AllReduceOp,
        operand,
        operand.shape,
        _attributes(replica_groups),
        lambda x, y: x | y if x.dtype == bool else x + y,
    )


def ReduceScatter(
    operand: XlaOp,
    computation: Any,
    scatter_dimension: int,
    shard_count: int,
    replica_groups: Sequence[Any] = (),
    channel_id: Any = None,
    layout: Any = None,
    use_global_device_ids: bool | None = None,
) -> XlaOp:
    attributes = _attributes(replica_groups, channel_id, use_global_device_ids)
    attributes["scatter_dimension"] = _i64(scatter_dimension)
    dimensions = list(operand.shape.dimensions())
    dimensions[scatter_dimension] //= shard_count
    return _collective(
        stablehlo.ReduceScatterOp,
        operand,
        _like(operand, dimensions),
        attributes,
        function_of(computation),
    )


def AllGather(
    operand: XlaOp,
    all_gather_dimension: int,
    shard_count: int,
    replica_groups: Sequence[Any] = (),
    channel_id: Any = None,
    shape_with_layout: Any = None,
    use_global_device_ids: bool | None = None,
) -> XlaOp:
    attributes = _attributes(replica_groups, channel_id, use_global_device_ids)
    attributes["all_gather_dim"] = _i64(all_gather_dimension)
    dimensions = list(operand.shape.dimensions())
    dimensions[all_gather_dimension] *= shard_count
    return _collective(stablehlo.AllGatherOp, operand, _like(operand, dimensions), attributes)


def AllToAll(
    operand: XlaOp,
    split_dimension: int,
    concat_dimension: int,
    split_count: int,
    replica_groups: Sequence[Any] = (),
    layout: Any = None,
    channel_id: Any = None,
) -> XlaOp:
    attributes = _attributes(replica_groups, channel_id)
    attributes["split_dimension"] = _i64(split_dimension)
    attributes["concat_dimension"] = _i64(concat_dimension)
    attributes["split_count"] = _i64(split_count)
    dimensions = list(operand.shape.dimensions())
    dimensions[split_dimension] //= split_count
    dimensions[concat_dimension] *= split_count
    return _collective(stablehlo.AllToAllOp, operand, _like(operand, dimensions), attributes)


def CollectivePermute(
    operand: XlaOp, source_target_pairs: Sequence[tuple[int, int]], channel_id: Any = None
) -> XlaOp:
    attributes = _attributes([], channel_id)
    del attributes["replica_groups"]
    pairs = np.array([tuple(pair) for pair in source_target_pairs], np.int64).reshape(-1, 2)
    attributes["source_target_pairs"] = lambda: ir.DenseIntElementsAttr.get(pairs)
    return _collective(stablehlo.CollectivePermuteOp, operand, operand.shape, attributes)


def MultiCollectivePermute(
    operands: Sequence[XlaOp],
    source_target_pairs: Sequence[tuple[int, int]],
    channel_id: Any = None,
    inplace: bool | None = None,
) -> XlaOp:
    """A tuple: one operation for each array, as StableHLO has it."""
    permuted = [CollectivePermute(op, source_target_pairs, channel_id) for op in operands]
    shape = Shape.tuple_shape([op.shape for op in permuted])
    return XlaOp(permuted[0].builder, shape, permuted)


def ReplicaId(builder: XlaBuilder) -> XlaOp:
    def make(builder: XlaBuilder) -> XlaOp:
        return XlaOp.of(builder, stablehlo.ReplicaIdOp().result)

    return emit_lowered(builder, make, Shape.array_shape(np.dtype(np.uint32), ()))


def _collective(
    kind: Any, operand: XlaOp, shape: Shape, attributes: dict, computation: Any = None
) -> XlaOp:
    def make(builder: XlaBuilder, given: XlaOp) -> XlaOp:
        operation = kind.build_generic(
            results=[_xla_shapes.type_of(shape)],
            operands=[given.elements],
            attributes={name: attribute() for name, attribute in attributes.items()},
            **({} if computation is None else {"regions": 1}),
        )
        if computation is not None:
            fill(operation.regions[0], builder, computation, scalar_types([given]) * 2)
        return XlaOp.of(builder, operation.results[0])

    return emit_lowered(operand.builder, make, shape, operand)


def _attributes(
    replica_groups: Sequence[Any], channel_id: Any = None, use_global_device_ids: Any = None
) -> dict[str, Any]:
    """Functions that make them, as they are made where JAX lowers to."""
    groups = [list(group.replica_ids) for group in replica_groups]
    longest = max(map(len, groups), default=0)
    # StableHLO fills groups that are shorter with -1.
    table = np.array([[*g, *[-1] * (longest - len(g))] for g in groups], np.int64)
    found: dict[str, Any] = {
        "replica_groups": lambda: ir.DenseIntElementsAttr.get(table.reshape(len(groups), longest))
    }
    if channel_id is not None:
        handle = f"#stablehlo.channel_handle<handle = {channel_id.handle}, type = 0>"
        found["channel_handle"] = lambda: ir.Attribute.parse(handle)
    if use_global_device_ids:
        found["use_global_device_ids"] = ir.UnitAttr.get
    return found


def _i64(value: int) -> Any:
    return lambda: ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _like(operand: XlaOp, dimensions: Sequence[int]) -> Shape:
    return Shape.array_shape(operand.shape.numpy_dtype(), dimensions)


# ---- Tokens --------------------------------------------------------------------------------------


def CreateToken(builder: XlaBuilder) -> XlaOp:
    return AfterAll(builder, [])


def AfterAll(builder: XlaBuilder, tokens: Sequence[XlaOp]) -> XlaOp:
    if builder.context is None:
        raise NotImplementedError(
            "callbridge.resurrect cannot restore tokens of xla_client.ops in a computation of "
            "one's own; they are there in translation rules"
        )
    made = stablehlo.AfterAllOp([token.elements for token in tokens])
    return XlaOp.of(builder, made.result)
