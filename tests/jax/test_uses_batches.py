"""Calls that XLA splits between devices along leading dimensions: batch_dims."""

import os
import pathlib
import subprocess
import sys
import types

import attribute_bits
import callbridge.jax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from batches import (
    COLUMNS,
    ROWS,
    as_text,
    check_rows,
    check_trees,
    counts,
    gathers,
    mesh_of,
    placed,
)
from callbridge.jax import custom_call
from callbridge.jax._runtimes import RUNTIME
from calls import Calls, assert_equal, like, random, square
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P
from refused import refused
from this_jax import has, needs, shard_map
from this_platform import ON_GPU

HERE = pathlib.Path(__file__).parent
X = random(ROWS, COLUMNS)
N = counts(ROWS, parts=4)
KNOWN_TO_XLA = RUNTIME.register_batch_partitionable is not None


@pytest.fixture(scope="module")
def mesh():
    return mesh_of(4)


@pytest.fixture(params=[False, True], ids=["gspmd", "shardy"])
def partitioner(request):
    """Each of the partitioners that this JAX has."""
    name = "jax_use_shardy_partitioner"
    if name not in jax.config.values or not KNOWN_TO_XLA:
        if request.param:
            pytest.skip(f"jax {jax.__version__} does not split calls by Shardy")
        yield
        return
    before = jax.config.values[name]
    jax.config.update(name, request.param)
    try:
        yield
    finally:
        jax.config.update(name, before)


@pytest.fixture(scope="module")
def bits(tests_folder):
    """A handler without operands; for the CPU."""
    if ON_GPU:
        pytest.skip("the handler is for the CPU")
    callbridge.jax.load(tests_folder / "targets/attribute_bits.so")
    given = attribute_bits.attributes("attribute_bits", 0)
    return types.SimpleNamespace(attributes=given, words=attribute_bits.words(0))


# ---- Batch dimensions ---------------------------------------------------------------------------


@pytest.mark.parametrize("devices", [1, 2, 4])
def test_no_operand_is_gathered(calls, devices, partitioner):
    if devices == 1:
        call = calls.target("square", like(X), batch_dims=1)
        assert_equal(jax.jit(call)(counts(ROWS, parts=1), X), square(X))
        return
    check_rows(calls, mesh_of(devices))
    check_trees(calls, mesh_of(devices))


def test_eight_devices(uses):
    command = [sys.executable, HERE / "batches.py", "8", uses]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "done\n", done.stdout + done.stderr


def test_two_batch_dimensions(calls):
    mesh = mesh_of(2, 2)
    rows = random(ROWS // 2, 2, COLUMNS)
    x, n = placed(mesh, P("x", "y"), rows, counts(ROWS // 2, 2, parts=4))
    call = calls.target("square", like(rows), batch_dims=2)
    assert_equal(jax.jit(call)(n, x), square(rows))
    assert not gathers(call, n, x)
    # One of them is split, and the other whole.
    x, n = placed(mesh, P(None, "x"), rows, counts(ROWS // 2, 2, parts=2))
    assert_equal(jax.jit(call)(n, x), square(rows))
    assert not gathers(call, n, x)


def test_what_is_not_a_batch_is_whole(calls, partitioner):
    """A dimension that the target needs whole is gathered; the batch stays split."""
    mesh = mesh_of(2, 2)
    rows = random(ROWS, 6)
    n = np.full(ROWS, rows.size // 2, np.int32)
    (x,) = placed(mesh, P("x", "y"), rows)
    (n,) = placed(mesh, P("x"), n)
    call = calls.target("square", like(rows), batch_dims=1)
    assert_equal(jax.jit(call)(n, x), square(rows))
    # No device has all rows.
    text = jax.jit(call).lower(n, x).compile().as_text()
    assert f"f32[{ROWS},6]" not in text and f"f32[{ROWS // 2},6]" in text


def test_operands_that_every_device_has_are_split(calls, mesh):
    (x,) = placed(mesh, P("x"), X)
    (n,) = placed(mesh, P(), N)
    call = calls.target("square", like(X), batch_dims=1)
    assert_equal(jax.jit(call)(n, x), square(X))
    assert not gathers(call, n, x)


def test_the_result_says_how_to_split(calls, mesh):
    """Where operands are whole on each device, and the result is wanted in parts."""
    x, n = placed(mesh, P(), X, N)
    call = calls.target("square", like(X), batch_dims=1)
    function = jax.jit(lambda n, x: call(n, x) + 1, out_shardings=NamedSharding(mesh, P("x")))
    result = function(n, x)
    assert {part.data.shape for part in result.addressable_shards} == {(ROWS // 4, COLUMNS)}


@needs("arrays in parts of unequal size")
@pytest.mark.parametrize("row", [(COLUMNS,), ()], ids=["rows", "batch dimensions alone"])
def test_parts_of_unequal_size(library, mesh, row):
    """The last part is padded."""
    rows = random(6, *row)
    call = Calls("handler").target("square", like(rows), batch_dims=1)
    sharding = NamedSharding(mesh, P("x"))

    def function(n, x):
        constrain = jax.lax.with_sharding_constraint
        return constrain(call(constrain(n, sharding), constrain(x, sharding)), sharding)

    function = jax.jit(function, out_shardings=NamedSharding(mesh, P()))
    assert_equal(function(np.full(6, 2 * COLUMNS, np.int32), rows), square(rows))


def test_vmap(calls, mesh, partitioner):
    batch = X.reshape(ROWS, 1, COLUMNS)
    ns = counts(ROWS, 1, parts=4)
    x, n = placed(mesh, P("x"), batch, ns)
    one = like(batch[0])
    for method in ("broadcast_all", "expand_dims"):
        call = calls.target("square", one, batch_dims=1, vmap_method=method)
        assert_equal(jax.jit(jax.vmap(call))(n, x), square(batch))
        assert not gathers(jax.vmap(call), n, x)
        # n is not mapped: each device gets the part that it needs.
        mapped = jax.vmap(call, in_axes=(None, 0))
        assert_equal(jax.jit(mapped)(ns[0], x), square(batch))
        assert not gathers(mapped, ns[0], x)
        mapped = jax.vmap(call, in_axes=(0, 2), out_axes=2)
        turned, whole = np.moveaxis(batch, 0, 2), counts(ROWS, 1, parts=1)
        assert_equal(jax.jit(mapped)(whole, turned), square(turned))


def test_vmap_one_by_one(calls, mesh):
    batch = random(3, ROWS, COLUMNS)
    (x,) = placed(mesh, P(None, "x"), batch)
    (n,) = placed(mesh, P("x"), N)
    call = calls.target("square", like(X), batch_dims=1, vmap_method="sequential")
    mapped = jax.vmap(call, in_axes=(None, 0))
    assert_equal(jax.jit(mapped)(n, x), square(batch))
    assert not gathers(mapped, n, x)
    call = calls.target("square", like(X), batch_dims=1)
    with pytest.raises(NotImplementedError, match="(?i)vmap"):
        jax.vmap(call, in_axes=(None, 0))(n, x)


def test_layouts(calls, mesh):
    """Those of the dimensions that are not the batch's."""
    if calls.way != "handler":
        pytest.skip("an untyped target is not told the size of its part")
    x = random(ROWS, 2, 3)
    (placed_x,) = placed(mesh, P("x"), x)
    call = calls.target("copy", like(x), batch_dims=1, input_layouts=[(0, 2, 1)])
    expected = np.stack([np.ravel(row, "F").reshape(2, 3) for row in x])
    assert_equal(jax.jit(call)(placed_x), expected)
    batch = x[:, None]
    options = {"vmap_method": "broadcast_all", "input_layouts": [(0, 2, 1)]}
    call = calls.target("copy", like(x[:1]), batch_dims=1, **options)
    assert_equal(jax.jit(jax.vmap(call))(*placed(mesh, P("x"), batch)), expected[:, None])


def test_aliases(calls, mesh):
    if calls.way != "handler":
        pytest.skip("an untyped target is not told the size of its part")
    call = calls.target("copy", like(X), batch_dims=1, input_output_aliases={0: 0})
    (x,) = placed(mesh, P("x"), X)
    assert_equal(jax.jit(call)(x), X)


def test_shard_map(calls, mesh):
    """In it each device's call is whole."""
    for check in (True, False):
        rows = like(X[:2])
        call = calls.target("square", rows, batch_dims=1)
        function = shard_map(call, mesh, (P("x"), P("x")), P("x"), check)
        assert_equal(jax.jit(function)(N, X), square(X))


def test_vmap_one_by_one_of_a_split_batch(library, mesh, partitioner):
    """In the loop XLA knows no sharding of what each call gets."""
    batch = random(4, 9)
    (x, n) = placed(mesh, P("x"), batch, np.ones((4, 9), np.int32))
    options = {"batch_dims": 1, "vmap_method": "sequential"}
    call = Calls("handler").target("square", like(batch[0]), **options)
    for run in (jax.jit(jax.vmap(call)), jax.vmap(call)):
        assert_equal(run(n, x), square(batch))


def test_no_operands(mesh, partitioner, bits):
    """Each device makes the whole result."""
    call = custom_call("attribute_bits", "u32[9]", batch_dims=1, attributes=bits.attributes)
    split = NamedSharding(mesh_of(3), P("x"))
    for sharding in (split, NamedSharding(mesh, P()), None):
        options = {} if sharding is None else {"out_shardings": sharding}
        assert np.asarray(jax.jit(lambda: call(), **options)()).tolist() == bits.words
    batch = random(4, COLUMNS)
    (x,) = placed(mesh, P("x"), batch)
    found, again = jax.jit(jax.vmap(lambda x: (call(), x), out_axes=(None, 0)))(x)
    assert np.asarray(found).tolist() == bits.words
    assert_equal(again, batch)


def test_pmap(calls):
    call = calls.target("square", like(X[:2]), batch_dims=1)
    batch = X.reshape(4, 2, COLUMNS)
    assert_equal(jax.pmap(call)(N.reshape(4, 2), batch), square(batch))


def test_scan(calls, mesh):
    call = calls.target("square", like(X), batch_dims=1)
    x, n = placed(mesh, P("x"), X, N)

    def function(n, x):
        return jax.lax.fori_loop(0, 2, lambda _, x: call(n, x), x)

    assert_equal(jax.jit(function)(n, x), square(square(X)))
    assert not gathers(function, n, x)


def test_derivatives(calls, mesh):
    call = calls.target("square", like(X), batch_dims=1)
    with pytest.raises(ValueError, match="square.* cannot be differentiated.*jax.custom_jvp"):
        jax.grad(lambda x: call(N, x).sum())(X)

    @jax.custom_vjp
    def function(n, x):
        return call(n, x)

    function.defvjp(lambda n, x: (call(n, x), x), lambda x, t: (None, 2 * x * t))
    x, n = placed(mesh, P("x"), X, N)
    assert_equal(jax.jit(jax.grad(lambda x: function(n, x).sum()))(x), 2 * X)


def test_effects(path):
    """XLA drops them where it splits calls, or fails."""
    append = custom_call("append", "s32[4]", prefer=path, has_side_effect=True, batch_dims=1)
    with refused("UNIMPLEMENTED", "'append'", "side effects", "shard_map"):
        append(np.arange(4, dtype=np.int32))


def test_operands_of_batch_dimensions_alone(path, mesh):
    """XLA does not split such calls by itself."""
    x = np.float32([1, 2, 3, 4])
    call = custom_call("nonnegative", like(x), prefer=path, batch_dims=1)
    (placed_x,) = placed(mesh, P("x"), x)
    for run in (jax.jit(call), call):
        result = run(placed_x)
        assert_equal(result, x)
        assert {part.data.shape for part in result.addressable_shards} == {(1,)}
    assert not gathers(call, placed_x)
    square_x = placed(mesh_of(2, 2), P("x", "y"), x.reshape(2, 2))
    call = custom_call("nonnegative", like(x.reshape(2, 2)), prefer=path, batch_dims=2)
    assert_equal(jax.jit(call)(*square_x), x.reshape(2, 2))
    assert not gathers(call, *square_x)
    call = custom_call(
        "nonnegative", like(x[:1]), prefer=path, batch_dims=1, vmap_method="broadcast_all"
    )
    (column,) = placed(mesh, P("x"), x[:, None])
    assert_equal(jax.jit(jax.vmap(call))(column), x[:, None])
    assert not gathers(jax.vmap(call), column)


@needs("jax.export")
def test_operands_of_batch_dimensions_alone_are_not_exported(path):
    from jax import export

    x = np.float32([1, 2, 3, 4])
    call = custom_call("nonnegative", like(x), prefer=path, batch_dims=1)
    with refused("UNIMPLEMENTED", "'nonnegative'", "leave out batch_dims", "further dimensions"):
        export.export(jax.jit(call))(x)


def test_failures(path, mesh):
    x, one = placed(mesh, P("x"), np.float32([1, 2, -3, 4]), np.float32([1, 1, 1, 1]))
    call = custom_call("nonnegative", like(np.zeros(4, np.float32)), prefer=path, batch_dims=1)
    assert_equal(jax.jit(call)(one), np.ones(4, np.float32))
    if has("several devices after a failure"):
        with pytest.raises(Exception, match="negative operand"):
            jax.block_until_ready(jax.jit(call)(x))


# ---- What XLA is told ---------------------------------------------------------------------------


def test_without_batch_dimensions_nothing_changes(calls):
    plain = as_text(calls.target("square", like(X)), N, X)
    for options in ({"batch_dims": None}, {"batch_dims": 0}, {"partitioning": None}):
        assert as_text(calls.target("square", like(X), **options), N, X) == plain
    assert "num_batch_dims" not in plain and "sdy.sharding_rule" not in plain


@pytest.mark.skipif(not KNOWN_TO_XLA, reason=f"XLA of jax {jax.__version__} knows no batches")
def test_the_call_is_otherwise_the_same(calls, partitioner):
    plain = as_text(calls.target("square", like(X)), N, X)
    split = as_text(calls.target("square", like(X), batch_dims=1), N, X)
    assert 'mhlo.frontend_attributes = {num_batch_dims = "1"}' in split
    is_shardy = jax.config.jax_use_shardy_partitioner
    assert ("sdy.sharding_rule" in split) == is_shardy
    if is_shardy:
        assert f"<([i], [i, j])->([i, k]) {{i={ROWS}, j={COLUMNS}, k={COLUMNS}}}" in split
        assert "need_replication={j, k}" in split
    (old,) = (line for line in plain.splitlines() if "custom_call" in line)
    (new,) = (line for line in split.splitlines() if "custom_call" in line)
    for attribute in ("api_version", "backend_config", "operand_layouts", "result_layouts"):
        assert (attribute in old) == (attribute in new)


@pytest.mark.skipif(not KNOWN_TO_XLA, reason=f"XLA of jax {jax.__version__} knows no batches")
def test_many_dimensions(library, mesh):
    """More than the letters that Shardy has for them."""
    shape = (4, *[1] * 10, 2)
    x = random(*shape)
    call = custom_call("copy_typed", like(x), batch_dims=1)
    (placed_x,) = placed(mesh, P("x"), x)
    assert_equal(jax.jit(call)(placed_x), x)
    assert not gathers(call, placed_x)


# ---- Exports ------------------------------------------------------------------------------------


@needs("jax.export")
def test_export(calls, mesh, uses, tmp_path):
    from jax import export

    x, n = placed(mesh, P("x"), X, N)
    call = calls.target("square", like(X), batch_dims=1)
    names = ["square", "square_typed"]
    checks = [export.DisabledSafetyCheck.custom_call(name) for name in names]
    make = export.export(jax.jit(call), disabled_checks=checks)
    if not KNOWN_TO_XLA:
        with refused("UNIMPLEMENTED", "'square", "jax.export", "batch_dims"):
            make(n, x)
        return
    data = make(n, x).serialize()
    exported = export.deserialize(data)
    assert_equal(jax.jit(exported.call)(n, x), square(X))
    assert not gathers(exported.call, n, x)
    (tmp_path / "program").write_bytes(data)
    np.savez(tmp_path / "operands", n=N, x=X)
    code = f"""
import callbridge.jax, jax, numpy as np, sys
sys.path.insert(0, {str(HERE)!r})
callbridge.jax.load({str(uses)!r})
for name in {names}:
    jax.ffi.register_ffi_target_as_batch_partitionable(name)
from batches import P, gathers, mesh_of, placed
from jax import export
operands = np.load("operands.npz")
n, x = placed(mesh_of(4), P("x"), operands["n"], operands["x"])
with open("program", "rb") as file:
    exported = export.deserialize(bytearray(file.read()))
assert not gathers(exported.call, n, x)
np.save("result.npy", jax.jit(exported.call)(n, x))
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=os.environ)
    assert_equal(np.load(tmp_path / "result.npy"), square(X))


@needs("jax.export")
@pytest.mark.skipif(not KNOWN_TO_XLA, reason="refused for another reason, as above")
def test_dimensions_left_open_are_refused(calls):
    from jax import export

    (size,) = export.symbolic_shape("size")

    def function(n, x):
        result = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return calls.target("square", result, batch_dims=1)(n, x)

    form = jax.ShapeDtypeStruct((size, 5), jnp.float32)
    counts_form = jax.ShapeDtypeStruct((size,), jnp.int32)
    with refused("UNIMPLEMENTED", "'square", "batch_dims"):
        export.export(jax.jit(function))(counts_form, form)


def test_shardy_has_no_rules_of_dimensions_left_open():
    """Why they are refused. Each factor has a size, and each operand's shape is known."""
    if not getattr(jax.config, "jax_use_shardy_partitioner", False):
        pytest.skip(f"jax {jax.__version__} does not use Shardy")
    from jax.interpreters import mlir
    from jaxlib.mlir import ir

    for size, rows, told in (
        ("?", "?", "expected integer value"),
        ("8", "?", "static shape"),
        ("8", "8", None),
    ):
        text = f"""
func.func @main(%x: tensor<{rows}x5xf32>) -> tensor<{rows}x5xf32> {{
  %0 = stablehlo.custom_call @square(%x) {{api_version = 4 : i32, sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i, k]) {{i={size}, j=5, k=5}} need_replication={{j, k}}>}} :
    (tensor<{rows}x5xf32>) -> tensor<{rows}x5xf32>
  return %0 : tensor<{rows}x5xf32>
}}
"""
        with mlir.make_ir_context():
            if told is None:
                assert ir.Module.parse(text).operation.verify()
                continue
            with pytest.raises(ir.MLIRError, match=told):
                ir.Module.parse(text)


# ---- Bad input ----------------------------------------------------------------------------------


def test_bad_batch_dimensions(calls):
    for wrong in (True, 1.0, "1", [1]):
        with pytest.raises(TypeError, match="batch_dims: expected an int"):
            calls.target("square", like(X), batch_dims=wrong)
    with refused("INVALID_ARGUMENT", "batch_dims: expected 0 dimensions or more, got -1"):
        calls.target("square", like(X), batch_dims=-1)
    call = calls.target("square", like(X), batch_dims=1)
    with refused("INVALID_ARGUMENT", r"batch_dims=1: operand 0 has the shape \(\)"):
        call(np.int32(5), X)
    with refused("INVALID_ARGUMENT", r"operand 1 has .* \(8,\), operand 0 \(3,\)"):
        call(N[:3], X)
    with refused("INVALID_ARGUMENT", r"result 0 has .* \(8,\), operand 0 \(4,\)"):
        call(N[:4], X[:4])
    call = calls.target("square", like(X), batch_dims=2)
    with refused("INVALID_ARGUMENT", "batch_dims=2: operand 0 has the shape"):
        call(N, X)


def test_batches_of_no_rows(calls):
    none = np.zeros((0, COLUMNS), np.float32)
    call = calls.target("square", like(none), batch_dims=1)
    if calls.way == "handler":
        assert_equal(jax.jit(call)(np.zeros(0, np.int32), none), none)
