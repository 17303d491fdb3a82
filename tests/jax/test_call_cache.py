"""What custom_call() keeps from one call to the next: nothing that the next one can notice."""

import gc
import threading

import callbridge.jax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge._core import _call_site
from callbridge.jax import CallbridgeError, _arrays, _call_cache, custom_call
from calls import assert_equal, like, trees
from this_jax import enable_x64, has, needs
from this_platform import ON_GPU

ONE = np.float32(1)


@pytest.fixture(scope="module", autouse=True)
def targets(modules):
    return callbridge.jax.load(modules / "targets.so")


@pytest.fixture
def checks(monkeypatch):
    """A list that grows when the operands of a call are checked."""
    made, check = [], _arrays.check_types
    monkeypatch.setattr(
        _arrays, "check_types", lambda *arguments: (made.append(arguments), check(*arguments))
    )
    return made


@pytest.fixture
def kept(monkeypatch):
    """By form, what each function that custom_call() makes from now on keeps."""
    found, make = [], _call_cache.CallCache

    def noted(*arguments):
        made = make(*arguments)
        found.append(made._by_form)
        return made

    monkeypatch.setattr(callbridge.jax, "CallCache", noted)
    return found


def copying(size_bytes, result, **keywords):
    return custom_call("copy_bytes", result, opaque=size_bytes.to_bytes(8, "little"), **keywords)


def test_operands_are_checked_once_for_each_form(checks, path):
    call = copying(4, "f32[]", prefer=path)
    x = np.ones(3, np.float32)
    for operand in (x, jnp.asarray(x), x, jnp.asarray(x)):
        assert call(operand) == 1
    assert jax.jit(call)(x) == 1
    assert len(checks) == 1
    assert call(ONE) == 1 and call(jnp.float32(1)) == 1
    assert len(checks) == 2
    for operand in (x.view(np.int32), x.reshape(3, 1), jnp.ones((1, 3))):
        call(operand)
    assert len(checks) == 5
    for operands in (((x,),), (x, x), ((x, x),), ((x,), x), ((), x), (x, ())):
        call(*operands)
        call(*operands)
    assert len(checks) == 11


def test_trees_that_look_alike(calls):
    a, b, c = (np.full(4, i, np.float32) for i in (2, 3, 5))
    n = np.int32(4)
    call = calls.target("trees", (like(c), (like(c),)))
    for _ in range(2):
        assert_equal(call((a, (b, n)), c), trees((a, (b, n)), c))
        with pytest.raises(TypeError):
            call([a, (b, n)], c)
        with pytest.raises(TypeError):
            call((a, (b, 4)), c)


def test_refusals_are_for_every_call(path):
    call = copying(4, "f32[]", prefer=path)
    masked = np.ma.array(np.ones(2, np.float32))
    for _ in range(3):
        assert call(ONE) == 1 and call(np.ones(2, np.float32)) == 1
        with pytest.raises(TypeError, match="masked"):
            call(masked)
        with pytest.raises(TypeError, match="Python number"):
            call(1.0)
        with pytest.raises(CallbridgeError, match="not an element type"):
            call(np.array(["a"]))
        with pytest.raises(CallbridgeError, match="not an element type"):
            call(np.array([None]))


def test_tracers_of_what_is_no_array(path):
    call = copying(4, "f32[]", prefer=path)

    def program(x):
        assert call(x).shape == ()
        call(jax.lax.create_token(x))

    with pytest.raises(TypeError, match=r"operands\[0\] is a token of JAX"):
        jax.make_jaxpr(program)(ONE)


# Of each kind: as NumPy has it, and what JAX makes of it without 64-bit types.
WIDTHS = [
    ("int64", "int32"), ("uint64", "uint32"), ("float64", "float32"), ("complex128", "complex64")
]  # fmt: skip


@pytest.mark.parametrize("wide_type, narrow_type", WIDTHS)
def test_widths_are_those_of_the_call(path, wide_type, narrow_type):
    wide, narrow = np.array([3, 4], wide_type), np.array([3, 4], narrow_type)
    call = copying(narrow.nbytes, jax.ShapeDtypeStruct((2,), narrow_type), prefer=path)
    with enable_x64():
        result = copying(narrow.nbytes, jax.ShapeDtypeStruct((1,), wide_type), prefer=path)
    first_bytes = wide.view(narrow_type)[:2]  # of an array that keeps its width
    for _ in range(2):
        assert_equal(call(wide), narrow)
        with pytest.raises(CallbridgeError, match="jax_enable_x64"):
            result(narrow)
        with enable_x64():
            assert_equal(call(wide), first_bytes)
            assert_equal(call(narrow), narrow)
            assert result(narrow).dtype == wide_type
            kept = jnp.asarray(wide)
        # An array that was made with 64 bits has them.
        assert_equal(call(kept), first_bytes)


def test_widths_of_one_descriptor(path):
    """It holds the element types of a tuple's arrays."""
    a = np.arange(2, dtype=np.float64)
    call = custom_call("nested", "(f32[4],f32[4])", prefer=path)
    x = np.ones(4, np.float32)
    expected = jax.tree_util.tree_map(np.asarray, call((x, (x, x)), x))
    with enable_x64():
        wide = call((x, (x, x)), x)
    assert_equal(jax.tree_util.tree_map(np.asarray, wide), expected)
    assert a.dtype == np.float64


def test_what_is_kept_is_bounded(kept):
    call = copying(1, "u8[]")
    for n in range(1, _call_cache._CAPACITY + 20):
        jax.eval_shape(call, jax.ShapeDtypeStruct((n,), np.uint8))
        assert len(kept[0]) <= _call_cache._CAPACITY
    assert len(kept[0]) == 19


def test_no_tracer_is_kept(path):
    call = copying(4, "f32[]", prefer=path, vmap_method="sequential")

    def tracers():
        gc.collect()
        return sum(isinstance(x, jax.core.Tracer) for x in gc.get_objects())

    def program(x):
        return jax.vmap(call)(x).sum() + call(x[0]) + custom_call("example", x)(x, x).sum()

    jax.make_jaxpr(program)(np.ones(3, np.float32))
    before = tracers()
    for n in range(4, 9):
        jax.make_jaxpr(program)(np.ones(n, np.float32))
    assert tracers() <= before


def test_options_are_those_at_the_time_of_custom_call(path):
    aliases, layouts, of_result = {0: 0}, [[1, 0]], [1, 0]
    call = copying(24, "f32[2,3]", prefer=path, input_output_aliases=aliases)
    transposed = copying(24, "f32[3,2]", prefer=path, input_layouts=layouts)
    of_columns = copying(24, "f32[3,2]", prefer=path, output_layouts=of_result)
    aliases[0] = 7
    layouts[0][:] = of_result[:] = [0, 1]
    layouts[0] = [0, 1]
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert call(x).tolist() == x.tolist()
    assert transposed(x).tolist() == x.T.tolist()
    assert of_columns(x).tolist() == x.T.tolist()


@needs("jax.export")
def test_symbolic_dimensions_of_several_scopes(path, kept):
    from jax import export

    disabled = [export.DisabledSafetyCheck.custom_call("copy_bytes")]
    call = copying(4, "f32[]", prefer=path)
    for _ in range(2):
        for dimensions in ("n", "m", "n, n", "2*n"):
            shape = export.symbolic_shape(dimensions)
            exported = export.export(jax.jit(call), disabled_checks=disabled)(
                jax.ShapeDtypeStruct(shape, np.float32)
            )
            assert exported.call(np.ones((4,) * len(shape), np.float32)) == 1
    assert list(kept[0]) == []  # they are of a scope


def test_threads(path):
    call = copying(4, "s32[]", prefer=path)
    wrong = []

    def work(seed):
        for n in np.random.default_rng(seed).integers(1, 30, 60):
            if call(np.full(n, n, np.int32)) != n:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not has("jax.ffi"), reason="meshes of the context are newer")
def test_results_that_have_a_mesh_are_made_anew(checks):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    call = copying(4, jax.ShapeDtypeStruct((), np.float32, sharding=sharding))
    assert call(ONE) == 1
    assert call(ONE) == 1
    assert len(checks) == 2


def test_descriptors_are_made_once(monkeypatch):
    made, encode = [], _call_site.descriptor
    monkeypatch.setattr(
        _call_site, "descriptor", lambda *arguments: (made.append(arguments), encode(*arguments))[1]
    )
    call = custom_call("nested", "(f32[4],f32[4])")
    x = np.ones(4, np.float32)
    jax.jit(lambda x: [call((x, (x, x)), x) for _ in range(3)])(x)
    call((x, (x, x)), x)
    # A GPU target gets the arrays alone.
    assert len(made) == (0 if ON_GPU else 1)
