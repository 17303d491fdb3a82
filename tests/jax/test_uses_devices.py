"""Calls on several devices: shard_map, sharded jit, pmap."""

import jax
import numpy as np
import pytest
from callbridge.jax import custom_call
from calls import assert_equal, like, random, square, trees
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from this_jax import shard_map
from this_platform import ON_GPU

pytestmark = pytest.mark.skipif(
    ON_GPU and jax.device_count() < 4, reason="this machine has less than four GPUs"
)
ROWS = random(8, 5)
N = np.int32(5)


@pytest.fixture(scope="module")
def mesh():
    assert jax.device_count() == 4
    return Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))


@pytest.fixture(params=[True, False], ids=["checked", "unchecked"])
def check(request):
    return request.param


def by_rows(calls, a, b, c):
    """Each device has its own rows, all of them in one call."""
    n = np.int32(a.size)
    return calls.trees((a, (b, n)), c)


@pytest.mark.parametrize("run", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_shard_map(calls, mesh, check, run):
    function = shard_map(
        lambda x: calls.square(x, n=x.size), mesh, P(("x", "y")), P(("x", "y")), check
    )
    assert_equal(run(function)(ROWS), square(ROWS))


def test_shard_map_of_trees(calls, mesh, check):
    a, b, c = ROWS, ROWS + np.float32(1), ROWS - np.float32(1)
    spec = P("x", None)
    function = shard_map(
        lambda a, b, c: by_rows(calls, a, b, c), mesh, (spec, spec, spec), (spec, (spec,)), check
    )
    assert_equal(jax.jit(function)(a, b, c), trees((a, (b, N)), c))


def test_shard_map_of_trees_of_one(path, mesh, check):
    call = custom_call("one_of_one", (like(np.float32(0)),), prefer=path, vmap_method="sequential")
    values = ROWS[:, 0]
    function = shard_map(
        lambda x: jax.vmap(call)(((x,),)), mesh, P(("x", "y")), (P(("x", "y")),), check
    )
    assert_equal(jax.jit(function)(values), (values + np.float32(1),))


def test_shard_map_with_a_scan(calls, mesh, check):
    def rows(x):
        return jax.lax.scan(lambda carry, row: (carry, calls.square(row)), 0, x)[1]

    function = shard_map(rows, mesh, P("y"), P("y"), check)
    assert_equal(jax.jit(function)(ROWS), square(ROWS))


def test_shard_map_with_what_is_the_same_everywhere(calls, mesh, check):
    # A result that no device has alone must be declared so, where JAX checks that.
    function = shard_map(lambda x: calls.square(x, n=x.size), mesh, P(), P(), False)
    assert_equal(jax.jit(function)(ROWS), square(ROWS))
    summed = shard_map(
        lambda x: jax.lax.psum(calls.square(x, n=x.size), ("x", "y")),
        mesh,
        P(("x", "y")),
        P(),
        check,
    )
    halves = square(ROWS)
    expected = ((halves[0:2] + halves[2:4]) + halves[4:6]) + halves[6:8]
    np.testing.assert_allclose(jax.jit(summed)(ROWS), expected, rtol=1e-6)


def test_shard_map_with_effects(path, mesh, check):
    append = custom_call("append", "s32[]", prefer=path, has_side_effect=True)
    take_log = custom_call("take_log", "s32[32]", prefer=path, has_side_effect=True)
    jax.effects_barrier()
    take_log()

    def on_each(x):
        append(x[0])
        return x

    function = shard_map(on_each, mesh, P(("x", "y")), P(("x", "y")), check)
    x = np.arange(4, dtype=np.int32)
    assert_equal(jax.jit(function)(x), x)
    jax.effects_barrier()
    count, *entries = np.asarray(take_log()).tolist()
    assert count == 4 and sorted(entries[:4]) == [0, 1, 2, 3]


def test_sharded_jit(calls, mesh):
    # XLA cannot split what it does not know, so each device computes the whole.
    sharding = NamedSharding(mesh, P("x"))
    function = jax.jit(
        lambda x: calls.square(x, n=x.size), in_shardings=sharding, out_shardings=sharding
    )
    result = function(ROWS)
    assert_equal(result, square(ROWS))
    assert {shard.data.shape for shard in result.addressable_shards} == {(4, 5)}


def test_sharded_operands(calls, mesh):
    x = jax.device_put(ROWS, NamedSharding(mesh, P(("x", "y"))))
    a = jax.device_put(ROWS[0], NamedSharding(mesh, P()))
    assert_equal(jax.jit(lambda x: calls.square(x, n=x.size))(x), square(ROWS))
    assert_equal(calls.square(a), square(ROWS[0]))


def test_calls_on_another_device(calls):
    device = jax.devices()[3]
    result = calls.square(jax.device_put(ROWS[0], device))
    assert_equal(result, square(ROWS[0]))
    assert result.devices() == {device}


def test_pmap(calls):
    x = ROWS[:4]
    assert_equal(jax.pmap(calls.square)(x), square(x))
    assert_equal(jax.pmap(lambda a, c: calls.trees((a, (a, N)), c))(x, x), trees((x, (x, N)), x))
