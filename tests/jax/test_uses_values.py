"""What calls are handed and hand back: sizes, element types, layouts, and whose buffers."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from callbridge.jax import CallbridgeError, custom_call
from calls import assert_equal, like, random, square, trees
from this_jax import enable_x64, hands_over, needs

NONE = np.zeros(0, np.float32)
X = random(5)


# ---- Sizes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_no_elements(calls, run):
    assert_equal(run(calls.square)(NONE), NONE)
    a_row = NONE.reshape(0, 3)
    call = calls.target("square", like(a_row))
    assert_equal(run(call)(np.int32(0), a_row), a_row)
    assert_equal(run(calls.trees)((NONE, (NONE, np.int32(0))), NONE), (NONE, (NONE,)))


def test_vmap_over_nothing(calls):
    for method in ["sequential", "expand_dims", "broadcast_all"]:
        call = calls.target("square", like(X), vmap_method=method)
        none = np.zeros((0, 5), np.float32)
        assert_equal(jax.vmap(call)(np.zeros(0, np.int32), none), none)


def test_scalars(calls):
    x = np.float32(-0.75)
    call = calls.target("square", like(x))
    for run in [call, jax.jit(call)]:
        assert_equal(run(np.int32(1), x), square(x))
        assert_equal(run(np.int32(1), jnp.float32(x)), square(x))
        # As JAX types them in a program, Python's numbers are float32 too.
        assert_equal(run(np.int32(1), jnp.asarray(-0.75)), square(x))


def test_a_call_without_operands(path):
    call = custom_call("take_log", "s32[32]", prefer=path)
    assert jax.jit(call)().shape == (32,)


def test_views_are_handed_over_row_major(calls):
    big = random(10, 6)
    for view in [big[::2, 1], big.T[1, ::2], big[::-2, 2]]:
        assert_equal(calls.square(view), square(view))
        assert_equal(jax.jit(calls.square)(view), square(view))


def test_chains_of_trees(path):
    x = random(4)
    n = np.int32(4)
    for count in [1, 60]:
        total = (x, (x, n))
        for _ in range(count):
            a, (b,) = custom_call("trees", (like(x), (like(x),)), prefer=path)(total, x)
            total = (a, (b, n))
        expected = (x, (x, n))
        for _ in range(count):
            a, (b,) = trees(expected, x)
            expected = (a, (b, n))
        assert_equal((total[0], total[1][0]), (expected[0], expected[1][0]))


# ---- Element types ------------------------------------------------------------------------------

# Of ml_dtypes those that this jaxlib's XLA has an array type for.
OF_NUMPY = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
OF_ML_DTYPES = [
    *("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn"),
    *("float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn"),
    *("int2", "int4", "uint2", "uint4"),
]


def jax_has(name):
    """As jax.numpy says of its own types: float8_e3m4 came with 0.4.38, int2 with 0.4.36, ..."""
    return hasattr(jnp, name)


def bits(dtype):
    """In which XLA:CPU keeps an element: those of less than a byte are packed."""
    packed = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4}
    return packed.get(dtype.name, 8 * dtype.itemsize)


@pytest.mark.parametrize("name", OF_NUMPY + OF_ML_DTYPES)
@pytest.mark.parametrize("shape", [(3, 5), (), (0,), (1,)], ids=str)
def test_every_dtype(calls, name, shape):
    if not jax_has(name):
        pytest.skip(f"jax {jax.__version__} has no {name}")
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    x = np.resize([1, 0, 1, 1, 0, 1, 1], shape).astype(dtype)
    size = np.uint64(-(-x.size * bits(dtype) // 8)).tobytes()
    opaque = {} if calls.way == "handler" else {"opaque": size}
    if not hands_over(name, calls.way):
        with pytest.raises(CallbridgeError, match=f"^UNIMPLEMENTED: .*{name}.*{jax.__version__}"):
            calls.target("copy", like(x), **opaque)(x)
        return
    with enable_x64():
        got = jax.jit(calls.target("copy", like(x), **opaque))(x)
        assert_equal(got, x)


@pytest.mark.parametrize("name", ["float64", "int64", "uint64", "complex128"])
def test_results_that_jax_would_narrow_in_silence(path, name):
    # Without 64-bit types JAX would make a buffer of half the size for the target to write to.
    with enable_x64():
        result = jax.ShapeDtypeStruct((4,), name)
    size = 4 * np.dtype(name).itemsize
    call = custom_call("copy", result, prefer=path, opaque=np.uint64(size).tobytes())
    for run in [call, jax.jit(call)]:
        with pytest.raises(CallbridgeError, match=f"INVALID_ARGUMENT: (?=.*{name})(?=.*x64)"):
            run(np.zeros(16, np.float32))
    with enable_x64():
        assert_equal(call(np.zeros(16, np.float32)), np.zeros(4, name))


# ---- Layouts ------------------------------------------------------------------------------------


def copy(path, result, **options):
    size = int(np.prod(result.shape)) * result.dtype.itemsize
    return custom_call(
        "copy", like(result), prefer=path, opaque=np.uint64(size).tobytes(), **options
    )


def test_layouts(path):
    # What is column-major to the target and is copied as it is, is the transpose row-major.
    x = random(3, 5)
    swapped = np.frombuffer(x.tobytes("F"), np.float32).reshape(3, 5)
    to_target = copy(path, x, input_layouts=[(1, 0)])
    assert_equal(jax.jit(to_target)(x), swapped)
    from_target = copy(path, x, output_layouts=(1, 0))
    assert_equal(jax.jit(from_target)(x), np.asarray(x.ravel()).reshape(5, 3).T)
    both = copy(path, x, input_layouts=[(1, 0)], output_layouts=(1, 0))
    for run in [both, jax.jit(both)]:
        assert_equal(run(x), x)


def test_layouts_of_the_leaves_of_trees(path):
    # A call that needs a descriptor has the same layouts.
    x, y = random(2, 3), random(2, 3, seed=1)
    call = custom_call(
        "trees",
        (like(x), (like(x),)),
        prefer=path,
        input_layouts=[(1, 0), (1, 0), (), (1, 0)],
        output_layouts=[(1, 0), (1, 0)],
    )
    operand = (x, (y, np.int32(6)))
    assert_equal(jax.jit(call)(operand, y), trees(operand, y))


def test_layouts_of_another_rank_are_refused(path):
    x = random(3, 5)
    for options in [
        {"input_layouts": [(0, 1, 2)]},
        {"input_layouts": []},
        {"output_layouts": (0,)},
    ]:
        with pytest.raises((ValueError, CallbridgeError), match="(?i)layout"):
            jax.jit(copy(path, x, **options))(x)


# ---- Donation and aliasing ----------------------------------------------------------------------


def buffers(path, **options):
    """f32[8] -> itself, and whether the target found the result in the operand's buffer."""
    call = custom_call("buffers", like(random(8), np.int32(0)), prefer=path, **options)
    return lambda x: call(np.int32(8), x)


@needs("donation on CPU")
def test_donated_buffer_is_the_result(path):
    call = jax.jit(buffers(path, input_output_aliases={1: 0}), donate_argnums=0)
    values = random(8)
    x = jnp.array(values)
    address = x.unsafe_buffer_pointer()
    result, is_same = call(x)
    assert_equal(result, values)
    assert is_same == 1 and result.unsafe_buffer_pointer() == address
    assert x.is_deleted()


def test_aliased_operand_that_is_not_donated_stays(path):
    # The call has its result in its operand's buffer, which is a copy.
    call = jax.jit(buffers(path, input_output_aliases={1: 0}))
    values = random(8)
    x = jnp.array(values)
    for _ in range(2):
        result, is_same = call(x)
        assert_equal(result, values)
        assert is_same == 1 and result.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    assert_equal(x, values)


def test_aliased_operand_that_is_read_later_is_copied(path):
    aliased = custom_call("square", like(X), prefer=path, input_output_aliases={1: 0})

    @jax.jit
    def function(x):
        y = x * 2
        return aliased(np.int32(5), y), y

    assert_equal(function(X), (square(2 * X), 2 * X))


def test_donation_without_aliasing(calls):
    values = random(5)
    x = jnp.array(values)
    result = jax.jit(calls.square, donate_argnums=0)(x)
    assert_equal(result, square(values))


def test_aliasing_in_a_tree(calls):
    # Operands and results are counted as the arrays in preorder.
    a, b, c = random(3, 5)
    n = np.int32(5)
    call = jax.jit(
        lambda a, b, c: calls.trees((a, (b, n)), c, input_output_aliases={1: 0, 3: 1}),
        donate_argnums=(1, 2),
    )
    assert_equal(call(a, jnp.array(b), jnp.array(c)), trees((a, (b, n)), c))


def test_aliasing_under_transformations(path):
    call = custom_call(
        "square", like(X), prefer=path, input_output_aliases={1: 0}, vmap_method="sequential"
    )
    n = np.int32(5)
    batch = random(3, 5)
    assert_equal(jax.vmap(call, in_axes=(None, 0))(n, batch), square(batch))
    last, _ = jax.lax.scan(lambda x, _: (call(n, x), None), X, None, 2)
    assert_equal(last, square(square(X)))


@pytest.mark.parametrize("aliases", [{5: 0}, {0: 5}, {-1: 0}, {0: 0}], ids=str)
def test_wrong_aliases_are_refused(calls, aliases):
    # 5 and -1 are nothing, and operand 0, s32[], has not the result's shape.
    with pytest.raises((ValueError, CallbridgeError), match="(?i)alias"):
        jax.jit(lambda x: calls.square(x, input_output_aliases=aliases))(X)
