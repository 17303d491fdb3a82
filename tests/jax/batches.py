"""Calls along batch dimensions, on arrays that several devices share.

    batches.py DEVICES LIBRARY

makes them on so many devices, in a process of its own.
"""

import os
import re
import sys

if __name__ == "__main__":  # before JAX starts its backend
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={sys.argv[1]}"

import callbridge.jax
import jax
import numpy as np
from calls import Calls, assert_equal, like, random, square, trees
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from this_jax import PATHS

ROWS, COLUMNS = 8, 5


def mesh_of(*sizes):
    count = int(np.prod(sizes))
    return Mesh(np.array(jax.devices()[:count]).reshape(sizes), ("x", "y")[: len(sizes)])


def placed(mesh, spec, *arrays):
    sharding = NamedSharding(mesh, spec)
    return tuple(jax.device_put(array, sharding) for array in arrays)


def as_text(function, *operands):
    """What JAX makes of the function for XLA."""
    return jax.jit(function).lower(*operands).as_text()


def gathers(function, *operands):
    """Whether XLA gathers an array on every device; the oldest does it by other collectives."""
    text = jax.jit(function).lower(*operands).compile().as_text()
    return re.search("all-gather|all-reduce|all-to-all|collective-permute", text) is not None


def counts(*batch, parts):
    """The operand n of the targets: how many elements each of so many parts has."""
    return np.full(batch, ROWS * COLUMNS // parts, np.int32)


def check_rows(calls, mesh):
    """Each device calls the target on its own rows, in jit and outside of it."""
    parts = mesh.devices.size
    rows = random(ROWS, COLUMNS)
    x, n = placed(mesh, P("x"), rows, counts(ROWS, parts=parts))
    call = calls.target("square", like(rows), batch_dims=1)
    for run in (jax.jit(call), call):
        result = run(n, x)
        assert_equal(result, square(rows))
        assert {part.data.shape for part in result.addressable_shards} == {(ROWS // parts, COLUMNS)}
    assert not gathers(call, n, x)
    # Without batch_dims XLA does.
    assert gathers(calls.target("square", like(rows)), n, x)


def check_trees(calls, mesh):
    parts = mesh.devices.size
    rows = random(ROWS, COLUMNS)
    a, b, c = rows, rows + np.float32(1), rows - np.float32(1)
    n = counts(ROWS, parts=parts)
    operands = placed(mesh, P("x"), a, b, n, c)
    call = calls.target("trees", (like(c), (like(c),)), batch_dims=1)

    def function(a, b, n, c):
        return call((a, (b, n)), c)

    assert_equal(jax.jit(function)(*operands), trees((a, (b, n)), c))
    assert not gathers(function, *operands)


def main(devices, library):
    callbridge.jax.load(library)
    assert jax.device_count() == devices
    for way in [*PATHS, "handler"]:
        check_rows(Calls(way), mesh_of(devices))
        check_trees(Calls(way), mesh_of(devices))
    print("done")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
