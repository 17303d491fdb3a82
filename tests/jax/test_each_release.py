"""What callbridge.jax does by itself on some releases of JAX, and leaves to JAX on others: vmap,
shard_map, effects, aliases, and what each release lacks."""

import collections

import callbridge.jax
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from callbridge._core._native_functions import make_capsule
from callbridge.jax import _registry, custom_call
from callbridge.jax._runtimes import RUNTIME
from calls import assert_equal, like, random, square, trees
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from refused import refused
from this_jax import has, needs, shard_map, since
from this_platform import ON_GPU, PLATFORM, effects_barrier

X = random(5)
BATCH = random(3, 5, seed=1)
N = np.int32(5)
ONE = np.float32(1)


@pytest.fixture(scope="module", autouse=True)
def targets(modules, library):
    return callbridge.jax.load(modules / "targets.so")


def told(call, *operands):
    """What XLA is told of the call, on one line."""
    text = jax.jit(call).lower(*operands).as_text()
    return next(line for line in text.splitlines() if "custom_call" in line)


# ---- vmap ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sequential", "sequential_unrolled"])
def test_vmap_one_by_one(calls, method):
    def call(a, b, c):
        return calls.trees((a, (b, N)), c, vmap_method=method)

    a, b, c = BATCH, BATCH + ONE, BATCH - ONE
    assert_equal(jax.vmap(call, in_axes=(1, 0, 0))(a.T, b, c), trees((a, (b, N)), c))
    # What is not mapped is the same for each.
    mapped = jax.jit(jax.vmap(call, in_axes=(None, 1, None)))
    assert_equal(mapped(X, b.T, X), (X + b * X, (np.stack([X - X] * 3),)))
    none = np.zeros((0, 5), np.float32)
    assert_equal(jax.vmap(call)(none, none, none), (none, (none,)))


def test_vmap_at_once(path):
    # x is mapped along its second dimension, y is not: [3] beside [1], or beside [3].
    for method, size in [("expand_dims", 1), ("broadcast_all", 3)]:
        call = custom_call("square_derivative", like(X[0]), prefer=path, vmap_method=method)
        mapped = jax.vmap(call, in_axes=(None, 0, None))
        operands = told(mapped, N, X[:3], X[0]).split(" : (")[1].split(") -> ")[0]
        assert operands == f"tensor<{size}xi32>, tensor<3xf32>, tensor<{size}xf32>"
    size = BATCH.nbytes.to_bytes(8, "little")
    options = {"opaque": size, "prefer": path, "vmap_method": "broadcast_all"}
    mapped = jax.vmap(custom_call("copy", like(X), **options), in_axes=1)
    assert_equal(mapped(BATCH.T), BATCH)
    mapped = jax.vmap(custom_call("copy", like(X), **options), in_axes=1, out_axes=1)
    assert_equal(mapped(BATCH.T), BATCH.T)


def test_vmap_by_no_method(calls):
    with pytest.raises(NotImplementedError, match="(?i)vmap"):
        jax.vmap(calls.square)(BATCH)
    with pytest.raises(ValueError, match="(?s)(?=.*at_once)(?=.*sequential)"):
        calls.square(X, vmap_method="at_once")


# ---- Devices and effects ------------------------------------------------------------------------


@pytest.mark.parametrize("check", [True, False])
def test_shard_map(calls, check):
    mesh = Mesh(np.array(jax.devices()), ("x",))
    rows = random(4, 5)
    function = shard_map(lambda x: calls.square(x, n=x.size), mesh, P("x"), P("x"), check)
    assert_equal(jax.jit(function)(rows), square(rows))


@pytest.fixture
def append(path):
    """append(x, **options) calls the target; append.log() is what it was called with."""

    def call(x, **options):
        return custom_call("append", "s32[]", prefer=path, has_side_effect=True, **options)(x)

    def log():
        effects_barrier()
        count, *entries = np.asarray(take()).tolist()
        return entries[:count]

    take = custom_call("take_log", "s32[32]", prefer=path, has_side_effect=True)
    call.log = log
    log()
    return call


def test_effects_in_control_flow(append):
    steps = jax.jit(lambda xs: jax.lax.scan(lambda c, x: ((), append(x))[:1] * 2, (), xs)[0])
    assert steps(np.arange(3, dtype=np.int32)) == ()
    assert append.log() == [0, 1, 2]
    branch = jax.jit(lambda p, x: jax.lax.cond(p, lambda x: (append(x), x)[1], lambda x: x, x))
    assert branch(True, np.int32(4)) == 4 and branch(False, np.int32(5)) == 5
    assert append.log() == [4]
    mapped = jax.vmap(lambda x: (append(x, vmap_method="sequential"), x)[1])
    assert_equal(jax.jit(mapped)(np.arange(2, dtype=np.int32)), np.arange(2, dtype=np.int32))
    assert append.log() == [0, 1]


def test_effects_in_derivatives(append):
    @jax.custom_vjp
    def function(x):
        append(np.int32(1))
        return x * x

    def forward(x):
        append(np.int32(2))
        return x * x, x

    def backward(x, t):
        append(np.int32(3))
        return (2 * x * t,)

    function.defvjp(forward, backward)
    assert jax.jit(jax.grad(function))(ONE) == 2
    assert sorted(append.log()) == [2, 3]
    assert jax.jit(function)(ONE) == 1
    assert append.log() == [1]


def test_effects_in_a_checkpoint(append):
    @jax.checkpoint
    def function(x):
        append(np.int32(1))
        return x * x * x

    # Newer releases of JAX refuse effects there.
    try:
        jax.jit(jax.grad(function))(ONE)
    except NotImplementedError as error:
        assert has("jax.ffi") and "Effects not supported" in str(error)
    else:
        assert set(append.log()) == {1}


# ---- Aliases, layouts and descriptors -----------------------------------------------------------


def test_aliases_of_one_of_several_results(path):
    call = custom_call("buffers", like(X, N), prefer=path, input_output_aliases={1: 0})
    result, is_same = jax.jit(call)(N, X)
    assert_equal(result, X)
    assert is_same == 1
    line = told(call, N, X)
    assert "output_tuple_indices = [0], operand_index = 1" in line
    call = custom_call("buffers", like(X, N), prefer=path, input_output_aliases={0: 1})
    assert "output_tuple_indices = [1], operand_index = 0" in told(call, N, X)
    _, is_same = jax.jit(call)(N, X)
    assert is_same == 0


def test_aliased_arrays_are_alike(path):
    call = custom_call("buffers", like(X, N), prefer=path, input_output_aliases={1: 0})
    with refused("INVALID_ARGUMENT", r"1 to 0: the operand is int32\[5\]", r"result float32\[5\]"):
        call(N, X.astype(np.int32))
    square_ = like(random(2, 2))
    options = {"input_output_aliases": {0: 0}, "prefer": path, "opaque": bytes(8)}
    call = custom_call("copy", square_, input_layouts=[(1, 0)], **options)
    with refused("INVALID_ARGUMENT", r"layout \(1, 0\), the result .* layout \(0, 1\)"):
        call(random(2, 2))
    call = custom_call("copy", square_, output_layouts=(1, 0), **options)
    with refused("INVALID_ARGUMENT", r"layout \(0, 1\), the result .* layout \(1, 0\)"):
        call(random(2, 2))


def test_layouts_may_be_of_a_class_of_jax(path):
    Layout = collections.namedtuple("Layout", "major_to_minor other")
    x = random(2, 3)
    options = {"prefer": path, "opaque": (24).to_bytes(8, "little")}
    call = custom_call("copy", like(x), input_layouts=[Layout((1, 0), 7)], **options)
    assert_equal(jax.jit(call)(x), np.frombuffer(x.tobytes("F"), np.float32).reshape(2, 3))
    with pytest.raises(TypeError, match=r"input_layouts\[0\]: expected a layout"):
        custom_call("copy", like(x), input_layouts=[Layout(7, 7)], **options)(x)


def test_trees_of_the_flat_era(path):
    for result in ("(f32[])", "((f32[]),())"):
        # XLA passes no table of one; the descriptor makes it. GPU targets get no tables.
        call = custom_call("single_result", result, tuple_layout="flat", prefer=path)
        assert ("site" in told(call, ONE)) != ON_GPU
    call = custom_call("single_result", "(f32[])", tuple_layout="flat", prefer=path)
    assert jax.jit(call)(ONE) == (1,)
    call = custom_call("nested_flat", "(f32[4],(f32[4]))", tuple_layout="flat", prefer=path)
    assert "site" not in told(call, X[:4], (X[:4], (X[:4], X[:4])))
    call = custom_call("nested", "(f32[4],(f32[4]))", prefer=path)
    assert ("site" in told(call, X[:4], X[:4])) != ON_GPU


def test_an_opaque_that_no_target_reads_makes_no_descriptor(path):
    call = custom_call("single_result", "f32[]", opaque=b"unread", prefer=path)
    assert "site" not in told(call, ONE)
    call = custom_call("digest_opaque", "u8[]", opaque=b"read", prefer=path)
    assert ("site" in told(call)) == (path == "typed")


@needs("lowering for another platform")
def test_gpu_targets_get_leaves():
    call = custom_call("gpu_add_opaque", "(f32[],(f32[]))")
    text = jax.jit(call).trace((ONE, (ONE,))).lower(lowering_platforms=("cuda",)).as_text()
    assert "@gpu_add_opaque" in text and "site" not in text


# ---- What this JAX lacks ------------------------------------------------------------------------

FLOAT8 = ["float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2"]
PACKED = ["int2", "uint2", "int4", "uint4"]
# What JAX must have to hand an array of the type over by each path.
VERSION_3 = dict.fromkeys(PACKED, "packed elements by version_3")
TYPED = {
    **dict.fromkeys(PACKED, "packed elements by typed"),
    **dict.fromkeys([*FLOAT8, "float8_e5m2fnuz"], "elements of float8 by typed"),
}
BY_HANDLER = "typed" if RUNTIME.has_typed_ffi else "version_3"


@pytest.mark.parametrize("name", [*TYPED, "bfloat16", "float16", "complex64", "bool", "uint8"])
def test_types_that_are_not_handed_over(calls, name):
    way = BY_HANDLER if calls.way == "handler" else calls.way
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    if not hasattr(jnp, name):
        pytest.skip(f"jax {jax.__version__} has no {name}")
    # An untyped target is not told the type.
    is_told = calls.way == "handler" and way == "typed"
    needed = (TYPED if is_told else VERSION_3).get(name)
    x = np.array([1, 0, 1]).astype(dtype)
    bits = {"4": 4, "2": 2}.get(name[-1], 8) if name[:-1] in ("int", "uint") else 8 * x.itemsize
    bits = 8 if name == "uint8" else bits
    opaque = {} if calls.way == "handler" else {"opaque": np.uint64(-(-3 * bits // 8)).tobytes()}
    call = calls.target("copy", like(x), **opaque)
    if needed is None or has(needed):
        assert_equal(jax.jit(call)(x), x)
        return
    words = f"array of {name}, by the path '{way}', needs jax {since(needed)} or newer"
    with refused("UNIMPLEMENTED", words):
        call(x)


def test_sizes_that_64_bits_count():
    half = jax.ShapeDtypeStruct((1 << 60,), np.float32)  # of all that they count
    largest = jax.ShapeDtypeStruct(((1 << 61) - 1,), np.float32)
    for result in (half, (half, ()), largest):
        custom_call("example", result)
    for result in ((half, half), (largest, (like(ONE),)), jax.ShapeDtypeStruct((1 << 61,), "f4")):
        with refused("INVALID_ARGUMENT", f"the result has {2**63} bytes, which 64 bits cannot"):
            custom_call("example", result)
    with refused("INVALID_ARGUMENT", r"a result has the shape \(2, -1\): a size is negative"):
        custom_call("example", jax.ShapeDtypeStruct((2, -1), np.float32))


# ---- Names and platforms ------------------------------------------------------------------------


@needs("lists of the names that XLA has")
def test_names_on_each_platform(targets):
    function = make_capsule(targets.target("gpu_add_opaque", "CUDA").address)
    callbridge.jax.register("on one gpu", function, "ROCM")
    assert set(_registry.registered("on one gpu", "ROCM")) >= {0}
    for other in ("CUDA", "Host"):
        assert not _registry.registered("on one gpu", other)
    assert _registry.registered("gpu_add_opaque", "CUDA")
    assert _registry.registered("example", "Host") and not _registry.registered("example", "CUDA")


def test_the_platform_by_default(targets):
    """The only one that has the target; of several, that of JAX's default backend."""
    never_called = make_capsule(targets.target("gpu_add_opaque", "CUDA").address)
    called = make_capsule(targets.target("untold_double", PLATFORM).address)
    callbridge.jax.register("on several", never_called, "ROCM")
    custom_call("on several", "f32[]", opaque=b"\5")
    other = "Host" if ON_GPU else "CUDA"
    callbridge.jax.register("on several", never_called, other, abi="original")
    with refused("NOT_FOUND", f"no target 'on several' is registered for {PLATFORM}"):
        custom_call("on several", "f32[]")
    callbridge.jax.register("on several", called, PLATFORM, abi="original")
    assert custom_call("on several", "f32[]")(np.float32(4)) == 8


def test_what_the_functions_are_called():
    call = custom_call("example", "f32[2048]")
    assert repr(call) == "<callbridge.jax.custom_call('example', ...)>"
    assert call.__name__ == "call" and "@jit_call" in jax.jit(call).lower(X, X).as_text()
