"""Calls of AOT operators that leave the result out: FInferShape says what comes."""

import ctypes

import callbridge.jax
import callbridge.library
import callbridge.numpy
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge.jax import _registry
from callbridge.library import CallbridgeError

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.array([[10, 20, 30], [40, 50, 60]], np.float32)


def in_library(target, result, **options):
    library = callbridge.library.load(target)
    return lambda *operands: library.run(target, operands, result, **options)


def jitted(*arguments, **options):
    return jax.jit(callbridge.jax.custom_call(*arguments, **options))


FACES = {
    "library": in_library,
    "numpy": callbridge.numpy.custom_call,
    "jax": callbridge.jax.custom_call,
    "jit": jitted,
}


@pytest.fixture(params=FACES, ids=FACES)
def custom_call(request):
    return FACES[request.param]


@pytest.mark.parametrize("result", [None, np.float32, np.dtype("float32"), jnp.float32], ids=str)
@pytest.mark.parametrize("axis, keep_dim", [(0, False), (1, False), (0, True), (1, True)])
def test_a_result_follows_attributes_and_shapes(custom_call, operators, result, axis, keep_dim):
    attributes = {"axis": axis, "keep_dim": keep_dim}
    reduce = custom_call(f"{operators}:AddReduce", result, attributes=attributes)
    for a, b in ((A, B), (B.T, A.T), (A, B)):
        found = np.asarray(reduce(a, b))
        expected = (a + b).sum(axis=axis, keepdims=keep_dim)
        assert found.dtype == np.float32
        assert found.shape == expected.shape
        assert (found == expected).all()


def test_several_results(custom_call, operators):
    dtypes = (np.float32, np.dtype("float32"), np.float32)
    triple = custom_call(f"{operators}:AddMulDiv", dtypes)
    for found, expected in zip(triple(A, B), (A + B, A * B, A / B), strict=True):
        assert (np.asarray(found) == expected).all()


def test_operands_that_are_missing(operators):
    """FInit and FInferShape are not told how many there are, and find those of rank 0."""
    triple = callbridge.numpy.custom_call(f"{operators}:AddMulDiv", (np.float32,) * 3)
    with pytest.raises(CallbridgeError, match=r"function\(AddMulDiv\) is 1\."):
        triple()
    attributes = {"axis": 0, "keep_dim": False}
    reduce = callbridge.numpy.custom_call(f"{operators}:AddReduce", "f32[]", attributes=attributes)
    with pytest.raises(CallbridgeError, match=r"function\(AddReduce\) is 1\."):
        reduce()


@pytest.mark.parametrize("face", ["library", "numpy", "jax"])
def test_errors(face, operators):
    custom_call = FACES[face]
    attributes = {"axis": 0, "keep_dim": False}

    def refused(message, function, result, *operands, **options):
        with pytest.raises(CallbridgeError, match=message) as raised:
            custom_call(f"{operators}:{function}", result, **options)(*operands)
        return raised.value.code

    message = "has no function AddInferShape that would say what it returns"
    assert refused(message, "Add", None, A, B) == "FAILED_PRECONDITION"
    message = "they have f32, s32; pass its dtype"
    assert refused(message, "AddReduce", None, A, np.int32(1)) == "INVALID_ARGUMENT"
    assert refused("they have none", "Counts", None) == "INVALID_ARGUMENT"
    two = (np.float32, np.float32)
    assert refused("returned 3 shapes for 2 outputs", "AddMulDiv", two, A, B) == "INVALID_ARGUMENT"
    message = "the shape of one output, for several outputs"
    refused(message, "AddReduce", two, A, B, attributes=attributes)
    message = "returned 3 lists of numbers, the shapes of several outputs, for one output"
    assert refused(message, "Lists", None, A) == "INVALID_ARGUMENT"
    assert refused("what is no std::vector", "Nothing", None, A) == "INVALID_ARGUMENT"
    assert refused("axis", "AddReduce", None, A, B) == "INTERNAL"  # an attribute is missing
    for shape, message in ([-1, 2], "-1 is not known"), ([-2], "-2 is not known"):
        given = {"shape": np.array(shape), "workspaces": np.array([], np.int64)}
        code = refused(message, "Describe", None, np.uint8(1), attributes=given)
        assert code == "INVALID_ARGUMENT"
    # After all that.
    reduce = custom_call(f"{operators}:AddReduce", None, attributes=attributes)
    assert (np.asarray(reduce(A, B)) == (A + B).sum(axis=0)).all()


# Registered functions are kept until the process ends.
nothing = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda out, ins: None)


@pytest.mark.parametrize("face", ["numpy", "jax"])
@pytest.mark.parametrize("result", [None, np.float32, (np.float32,)], ids=str)
def test_other_targets_need_a_result(face, result):
    module = getattr(callbridge, face)
    module.register("infers_nothing", nothing, abi="original")
    with pytest.raises(TypeError, match="result is required: target 'infers_nothing'"):
        module.custom_call("infers_nothing", result)


def test_what_is_no_dtype_is_an_error(operators):
    for face in (callbridge.numpy, callbridge.jax):
        for result in (object, (np.float32, dict), np.dtype("O"), np.dtype("U4")):
            with pytest.raises((TypeError, CallbridgeError), match="dtype"):
                face.custom_call(f"{operators}:AddReduce", result)


def test_attributes_are_those_at_the_time_of_custom_call(operators):
    for face in (callbridge.numpy, callbridge.jax):
        attributes = {"axis": 0, "keep_dim": False}
        reduce = face.custom_call(f"{operators}:AddReduce", attributes=attributes)
        attributes["axis"] = 1
        assert reduce(A, B).shape == (3,)


def path_to(target):
    """The path by which a loaded operator is called."""
    return _registry.fastest_path(_registry.registry.find(target, None, None))


def test_a_dimension_that_is_not_known_reaches_the_operator(operators):
    export = pytest.importorskip("jax.export", reason="this jax has no jax.export")
    attributes = {"axis": 1, "keep_dim": False}
    reduce = callbridge.jax.custom_call(f"{operators}:AddReduce", attributes=attributes)
    if path_to(f"{operators}:AddReduce") == "version_3":
        pytest.skip("by version 3 the dimensions must be known when a program is compiled")
    (columns,) = export.symbolic_shape("n")
    form = jax.ShapeDtypeStruct((2, columns), np.float32)
    checks = [export.DisabledSafetyCheck.custom_call(f"{operators}:AddReduce")]
    exported = export.export(jax.jit(reduce), disabled_checks=checks)(form, form)
    assert exported.out_avals[0].shape == (2,)
    assert (np.asarray(exported.call(A, B)) == (A + B).sum(axis=1)).all()
    # That of the rows would be the result's.
    form = jax.ShapeDtypeStruct((columns, 3), np.float32)
    with pytest.raises(CallbridgeError, match=r"returned \[-1\], in which -1 is not known"):
        export.export(jax.jit(reduce), disabled_checks=checks)(form, form)


def test_how_often_init_runs(operators):
    """Once for each program that was loaded into the runtime, and not for each of its runs."""

    def counts(call):
        return tuple(np.asarray(call()).tolist())

    call = callbridge.jax.custom_call(f"{operators}:Counts", "s32[2]")
    path = _registry.fastest_path(_registry.registry.find(f"{operators}:Counts", None, None))
    first = jax.jit(lambda: call())
    inits, runs = counts(first)
    assert [counts(first) for _ in range(3)] == [(inits, runs + n) for n in (1, 2, 3)]
    # By version 3, calls with equal shapes and attributes share one state.
    more = 1 if path == "typed" else 0
    assert counts(jax.jit(lambda: call() + 0)) == (inits + more, runs + 4)
    # Two call sites of one program, which differ in attributes, so that XLA keeps both.
    sites = [
        callbridge.jax.custom_call(f"{operators}:Counts", "s32[2]", attributes={"site": site})
        for site in range(2)
    ]
    both = jax.jit(lambda: [site() for site in sites])
    for run in range(2):
        counted = np.asarray(both())
        assert counted[:, 0].max() == inits + more + 2
        assert sorted(counted[:, 1]) == [runs + 5 + 2 * run, runs + 6 + 2 * run]
