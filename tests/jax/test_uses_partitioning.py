"""Calls that XLA splits between devices by rules of the user: partitioning."""

import jax
import numpy as np
import pytest
from batches import COLUMNS, ROWS, counts, gathers, mesh_of, placed
from callbridge.jax import custom_call
from calls import Calls, assert_equal, like, random, square
from jax.sharding import PartitionSpec as P
from refused import refused
from this_jax import has, needs, shard_map

X = random(ROWS, COLUMNS)
N = counts(ROWS, parts=4)


@pytest.fixture(scope="module")
def mesh():
    return mesh_of(4)


def rows_rule(calls, options=None):
    """The rules of a call of "square" on rows, as JAX's users write them."""

    def infer_sharding_from_operands(*given):
        *_, operands, _ = given
        return operands[1].sharding

    def partition(*given):
        *mesh, operands, result = given
        sharding, counted = operands[1].sharding, operands[0].sharding

        def of_a_part(n, x):
            return calls.target("square", jax.ShapeDtypeStruct(x.shape, x.dtype))(n, x)

        return (*mesh, of_a_part, sharding, (counted, sharding))

    rules = {"partition": partition, "infer_sharding_from_operands": infer_sharding_from_operands}
    if "jax_use_shardy_partitioner" in jax.config.values and has("jax.ffi"):
        rules["sharding_rule"] = "... , ... j -> ... j"
    return rules | (options or {})


def test_rules_of_a_user(calls, mesh):
    x, n = placed(mesh, P("x"), X, N)
    call = calls.target("square", like(X), partitioning=rows_rule(calls))
    for run in (jax.jit(call), call):
        result = run(n, x)
        assert_equal(result, square(X))
        assert {part.data.shape for part in result.addressable_shards} == {(2, COLUMNS)}
    assert not gathers(call, n, x)
    # On one device there is nothing to split.
    assert_equal(jax.jit(call)(counts(ROWS, parts=1), X), square(X))


def test_rules_of_a_user_under_vmap(calls, mesh):
    x, n = placed(mesh, P("x"), X, N)
    rules = rows_rule(calls)
    batch, one = X.reshape(ROWS, 1, COLUMNS), like(X[:1])
    call = calls.target("square", one, partitioning=rules, vmap_method="broadcast_all")
    mapped = jax.vmap(call)
    operands = placed(mesh, P("x"), counts(ROWS, 1, parts=4), batch)
    assert_equal(jax.jit(mapped)(*operands), square(batch))
    assert not gathers(mapped, *operands)
    # Of scalars, whose layouts have no dimensions, without the batch's.
    scalars, ones = random(4), counts(4, parts=ROWS * COLUMNS)
    options = {"input_layouts": [(), ()], "output_layouts": (), "vmap_method": "broadcast_all"}
    call = Calls("handler").target("square", like(scalars[0]), partitioning=rules, **options)
    assert_equal(jax.jit(jax.vmap(call))(ones, scalars), square(scalars))
    call = calls.target("square", like(X), partitioning=rules, vmap_method="sequential")
    several = np.stack([X, X + np.float32(1)])
    (placed_several,) = placed(mesh, P(None, "x"), several)
    mapped = jax.vmap(call, in_axes=(None, 0))
    assert_equal(jax.jit(mapped)(n, placed_several), square(several))
    call = calls.target("square", like(X), partitioning=rules)
    with pytest.raises(NotImplementedError, match="(?i)vmap.*vmap_method"):
        jax.vmap(call, in_axes=(None, 0))(n, several)
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.grad(lambda x: call(n, x).sum())(x)


def test_rules_of_a_user_in_shard_map(calls, mesh):
    rules = rows_rule(calls)
    call = calls.target("square", like(X[:2]), partitioning=rules)
    function = shard_map(call, mesh, (P("x"), P("x")), P("x"), False)
    assert_equal(jax.jit(function)(N, X), square(X))


@needs("jax.export")
def test_rules_of_a_user_are_not_exported(calls):
    from jax import export

    call = calls.target("square", like(X), partitioning=rows_rule(calls))
    with refused("UNIMPLEMENTED", "'square", "custom_partitioning", "leave out partitioning"):
        export.export(jax.jit(call))(N, X)


def test_effects_of_a_call_with_rules(path):
    rules = dict.fromkeys(["partition", "infer_sharding_from_operands"], lambda *given: None)
    call = custom_call("append", "s32[4]", prefer=path, has_side_effect=True, partitioning=rules)
    with refused("UNIMPLEMENTED", "'append'", "side effects"):
        call(np.arange(4, dtype=np.int32))


def test_bad_rules(calls):
    for wrong in (1, "...", [("partition", None)]):
        with pytest.raises(TypeError, match="partitioning: expected a dict"):
            calls.target("square", like(X), partitioning=wrong)
    with refused("INVALID_ARGUMENT", "partitioning: expected arguments of .*'partition'"):
        calls.target("square", like(X), partitioning={})
    with refused("INVALID_ARGUMENT", "leave one out"):
        calls.target("square", like(X), partitioning=rows_rule(calls), batch_dims=1)
