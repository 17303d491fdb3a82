"""One of the processes of test_uses_distributed.py.

distributed_program.py LIBRARY PORT RANK PROCESSES
"""

import sys

import callbridge.jax
import jax
import numpy as np
from batches import gathers
from callbridge.jax import custom_call
from calls import Calls, assert_equal, like, random, square, trees
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from this_jax import PATHS, fails, has, shard_map

library, port, rank, processes = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

if has("arrays of several processes on CPU"):
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{port}", processes, rank)
callbridge.jax.load(library)

ROWS = random(4, 5)
N = np.int32(5)


def alone(calls):
    """What a process computes by itself, each something else."""
    x = ROWS[rank]
    assert_equal(jax.jit(calls.square)(x), square(x))
    assert_equal(calls.trees((x, (x, N)), x), trees((x, (x, N)), x))
    with fails("negative operand"):
        jax.block_until_ready(calls.nonnegative(np.float32(-1)))


def together(calls):
    """One program over all processes: each calls its own library on its own rows."""
    assert jax.device_count() == processes * jax.local_device_count()
    mesh = Mesh(np.array(jax.devices()), ("x",))
    sharding = NamedSharding(mesh, P("x"))
    x = jax.make_array_from_callback(ROWS.shape, sharding, lambda index: ROWS[index])

    def rows(x):
        return calls.square(x, n=x.size)

    result = jax.jit(shard_map(rows, mesh, P("x"), P("x"), True))(x)
    assert result.shape == ROWS.shape
    for shard in result.addressable_shards:
        assert_equal(shard.data, square(ROWS)[shard.index])

    def total(x):
        a, (b,) = calls.trees((x, (x, np.int32(x.size))), x)
        return jax.lax.psum((a + b).sum(), "x")

    result = jax.jit(shard_map(total, mesh, P("x"), P(), True))(x)
    np.testing.assert_allclose(np.asarray(result), (ROWS + ROWS * ROWS).sum(), rtol=1e-5)

    # XLA splits the call between the processes.
    per_process = np.full(len(ROWS), ROWS.size // processes, np.int32)
    n = jax.make_array_from_callback(per_process.shape, sharding, lambda index: per_process[index])
    call = calls.target("square", like(ROWS), batch_dims=1)
    result = jax.jit(call)(n, x)
    for shard in result.addressable_shards:
        assert_equal(shard.data, square(ROWS)[shard.index])
    assert not gathers(call, n, x)


for way in [*PATHS, "handler"]:
    alone(Calls(way))
    if has("arrays of several processes on CPU"):
        together(Calls(way))
append = custom_call("append", "s32[]", has_side_effect=True)
append(np.int32(rank))
assert custom_call("take_log", "s32[32]")()[:2].tolist() == [1, rank]  # each has a log of its own
print("done", rank, flush=True)
jax.distributed.shutdown()
