"""Scratch memory of typed handlers on the CPU: the call gives it, by version 3."""

import ctypes

import callbridge.jax
import jax
import numpy as np
import pytest
from callbridge.jax import custom_call
from callbridge.jax._runtimes import OWN_FFI_CALL, RUNTIME
from refused import refused
from this_jax import fails, has

X = np.arange(40, dtype=np.float32)
F32x40 = jax.ShapeDtypeStruct((40,), np.float32)
BLOCK = 192  # of 160 bytes, in whole units

by_version_three = pytest.mark.skipif(
    RUNTIME.ffi_call != OWN_FFI_CALL, reason="this JAX calls typed handlers by FFI alone"
)


@pytest.fixture(scope="module", autouse=True)
def handlers(modules):
    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    callbridge.jax.register("copy_through", symbols.typed_copy_through, abi="typed_ffi")
    return symbols


def copy(blocks, result=F32x40, **options):
    return custom_call("copy_through", result, attributes={"blocks": blocks}, **options)


def lowered(call, *operands):
    return jax.jit(call).lower(*operands).as_text()


def same(got, expected):
    assert np.asarray(got).tobytes() == np.asarray(expected).tobytes()


# ---- What it is given ---------------------------------------------------------------------------


@by_version_three
@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_the_call_gives_what_is_asked_for(blocks):
    call = copy(blocks, scratch_bytes=blocks * BLOCK)
    for run in (call, jax.jit(call), jax.jit(lambda x: call(call(x)))):
        for operand in (X, -X):
            same(run(operand), operand)


@by_version_three
@pytest.mark.parametrize("result", [(), F32x40, (F32x40,), (F32x40, (F32x40, F32x40))], ids=str)
def test_however_many_results_there_are(result):
    call = copy(2, result, scratch_bytes=2 * BLOCK, has_side_effect=True)
    for run in (call, jax.jit(call)):
        got = run(X)
        assert jax.tree_util.tree_structure(got) == jax.tree_util.tree_structure(result)
        for leaf in jax.tree_util.tree_leaves(got):
            same(leaf, X)


@by_version_three
def test_the_least_that_does():
    same(copy(2, scratch_bytes=BLOCK + X.nbytes)(X), X)


@by_version_three
@pytest.mark.parametrize("given", [1, BLOCK, BLOCK + X.nbytes - 1])
def test_more_than_is_given_is_an_error_with_both_numbers(given):
    call = copy(2, scratch_bytes=given)
    needed = X.nbytes if given < X.nbytes else BLOCK + X.nbytes
    words = f"the handler needs {needed} bytes of scratch memory, and the call gives it {given}:"
    for run in (call, jax.jit(call)):
        with fails("RESOURCE_EXHAUSTED: no scratch memory .*" + words):
            jax.block_until_ready(run(X))
    same(copy(2, scratch_bytes=2 * BLOCK)(X), X)


@by_version_three
@pytest.mark.parametrize("given", [None, 0])
def test_without_it_the_request_is_unimplemented(given):
    call = copy(1, scratch_bytes=given, prefer="version_3")
    with fails("UNIMPLEMENTED: .*No device memory allocator available"):
        jax.block_until_ready(call(X))
    same(copy(0, scratch_bytes=given, prefer="version_3")(X), X)


# ---- In programs --------------------------------------------------------------------------------


@by_version_three
def test_one_call_of_a_batch_has_as_much_for_each():
    batch = np.stack([X, X + 1, X + 2])
    for method in ("sequential", "broadcast_all", "expand_dims"):
        call = jax.vmap(copy(2, scratch_bytes=2 * BLOCK, vmap_method=method))
        for run in (call, jax.jit(call)):
            same(run(batch), batch)
    nested = jax.vmap(jax.vmap(copy(1, scratch_bytes=BLOCK, vmap_method="broadcast_all")))
    same(nested(batch[:, None]), batch[:, None])


@by_version_three
def test_in_a_loop_and_in_place():
    call = copy(3, scratch_bytes=3 * BLOCK, input_output_aliases={0: 0})
    loop = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, y: call(y) + 1, x))
    same(loop(X), X + 5)


@by_version_three
def test_exported_and_called():
    if not has("jax.export"):
        pytest.skip("this JAX exports nothing")
    from jax import export

    call = copy(2, scratch_bytes=2 * BLOCK)
    checks = [export.DisabledSafetyCheck.custom_call("copy_through")]
    exported = export.export(jax.jit(call), disabled_checks=checks)(X)
    again = export.deserialize(exported.serialize())
    same(again.call(X), X)


@by_version_three
def test_a_program_has_one_result_more():
    text = lowered(copy(2, scratch_bytes=2 * BLOCK), X)
    assert f"tensor<{2 * BLOCK}xui8>" in text
    assert r"site\00\03" in text


def test_a_program_without_it_is_as_it_was():
    """Byte for byte; where XLA calls handlers by FFI alone, the option changes nothing."""
    plain = lowered(copy(0), X)
    assert "ui8>" not in plain and r"site\00\03" not in plain
    for same_option in (None, 0):
        assert lowered(copy(0, scratch_bytes=same_option), X) == plain
    if RUNTIME.ffi_call != OWN_FFI_CALL:
        assert lowered(copy(0, scratch_bytes=100), X) == plain
        same(copy(0, scratch_bytes=100)(X), X)


# ---- Wrong arguments ----------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [1.5, "1", b"1", True, [1], np.float32(1)], ids=repr)
def test_what_is_no_size(wrong):
    with pytest.raises(TypeError, match="scratch_bytes: expected an int"):
        copy(1, scratch_bytes=wrong)


@pytest.mark.parametrize("wrong", [-1, 2**63, -(2**70)])
def test_sizes_that_no_array_has(wrong):
    with refused("INVALID_ARGUMENT", "scratch_bytes: expected 0 to 2\\*\\*63 - 1 bytes"):
        copy(1, scratch_bytes=wrong)


def test_numbers_of_numpy_are_sizes():
    assert lowered(copy(0, scratch_bytes=np.int16(64)), X) == lowered(copy(0, scratch_bytes=64), X)


def test_untyped_targets_ask_for_none(library):
    name = next(target.name for target in library.targets if target.abi == "original")
    with refused("INVALID_ARGUMENT", "is untyped \\(original\\), and asks for no scratch memory"):
        custom_call(name, F32x40, scratch_bytes=1)
    custom_call(name, F32x40, scratch_bytes=0)
