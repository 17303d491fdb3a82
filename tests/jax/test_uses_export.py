"""Exported programs: to bytes and back, in another process, and with dimensions left open."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge.jax import custom_call
from calls import assert_equal, like, random, square, trees
from this_jax import has, needs

pytestmark = needs("jax.export")
if has("jax.export"):
    from jax import export

TARGETS = ["square", "trees", "square_typed", "trees_typed", "add_opaque", "one_of_one"]
A, B, C = random(3, 5)
N = np.int32(5)
HERE = os.path.dirname(__file__)


def export_of(function, *operands):
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in TARGETS]
    return export.export(jax.jit(function), disabled_checks=checks)(*operands)


def bytes_and_back(exported):
    return export.deserialize(exported.serialize())


def test_export(calls):
    exported = bytes_and_back(export_of(calls.square, A))
    assert_equal(exported.call(A), square(A))
    assert_equal(jax.jit(exported.call)(A), square(A))


def test_export_of_trees(calls):
    operands = (A, (B, N)), C
    exported = bytes_and_back(export_of(calls.trees, *operands))
    assert_equal(exported.call(*operands), trees(*operands))


def test_export_of_vmap_and_scan(calls):
    batch = random(3, 5)

    def function(x):
        mapped = jax.vmap(lambda x: calls.square(x, vmap_method="sequential"))(x)
        return jax.lax.scan(lambda c, x: (c, calls.square(x)), 0, mapped)[1]

    exported = bytes_and_back(export_of(function, batch))
    assert_equal(exported.call(batch), square(square(batch)))


def test_dimensions_left_open(calls):
    (n,) = export.symbolic_shape("n")

    def function(x):
        n = jnp.asarray(x.shape[0], jnp.int32)
        return calls.target("square", jax.ShapeDtypeStruct(x.shape, x.dtype))(n, x)

    exported = bytes_and_back(export_of(function, jax.ShapeDtypeStruct((n,), jnp.float32)))
    for size in [1, 5, 300]:
        x = random(size)
        assert_equal(exported.call(x), square(x))


def test_dimensions_of_trees_left_open(calls):
    n, m = export.symbolic_shape("n, m")
    shape = jax.ShapeDtypeStruct((n, m), jnp.float32)

    def function(a, b, c):
        size = jnp.asarray(a.shape[0] * a.shape[1], jnp.int32)
        result = jax.ShapeDtypeStruct(c.shape, c.dtype)
        return calls.target("trees", (result, (result,)))((a, (b, size)), c)

    exported = bytes_and_back(export_of(function, shape, shape, shape))
    for size in [(1, 1), (3, 4)]:
        a, b, c = random(3, *size)
        assert_equal(exported.call(a, b, c), trees((a, (b, N)), c))


def test_dimensions_left_open_under_vmap(calls):
    (n,) = export.symbolic_shape("n")

    def row(x):
        return calls.square(x, vmap_method="sequential")

    exported = bytes_and_back(export_of(jax.vmap(row), jax.ShapeDtypeStruct((n, 5), jnp.float32)))
    for size in [1, 4]:
        x = random(size, 5)
        assert_equal(exported.call(x), square(x))


def test_another_process(calls, uses, tmp_path):
    operands = (A, (B, N)), C
    np.save(tmp_path / "operands.npy", np.stack([A, B, C]))
    (tmp_path / "program").write_bytes(export_of(calls.trees, *operands).serialize())
    run_there(uses, tmp_path, "(a, (b, np.int32(5))), c")
    sum_, difference = np.load(tmp_path / "result.npy")
    assert_equal((sum_, (difference,)), trees(*operands))


@pytest.mark.parametrize("opaque", [b"", bytes(range(256))], ids=len)
def test_opaque_and_tuples_in_another_process(path, uses, tmp_path, opaque):
    one = custom_call("one_of_one", (like(A[0]),), prefer=path)
    add = custom_call("add_opaque", like(A[0]), prefer=path, opaque=opaque)
    exported = export_of(lambda x: (one(((x,),))[0], add(x)), A[0])
    np.save(tmp_path / "operands.npy", np.stack([A, B, C]))
    (tmp_path / "program").write_bytes(exported.serialize())
    run_there(uses, tmp_path, "a[0],")
    expected = np.array([A[0] + np.float32(1), A[0] + np.float32(sum(opaque))])
    np.testing.assert_array_equal(np.load(tmp_path / "result.npy"), expected)


def run_there(uses, folder, operands):
    """Loads the library and runs folder/program; the result's arrays go to folder/result.npy."""
    code = f"""
import callbridge.jax, jax, numpy as np
from jax import export
callbridge.jax.load({str(uses)!r})
a, b, c = np.load("operands.npy")
with open("program", "rb") as file:
    exported = export.deserialize(bytearray(file.read()))
result = jax.jit(exported.call)({operands})
np.save("result.npy", np.stack(jax.tree_util.tree_leaves(result)))
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder)
