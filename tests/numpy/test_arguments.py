"""Arguments that are no names, ABIs, tuple layouts or aliases: the same error from all faces, which
names the argument, what was expected and what came."""

import ctypes

import callbridge.jax
import callbridge.library
import callbridge.numpy
import numpy as np
import pytest
from callbridge import CallbridgeError
from callbridge._core._call_site import Attributes

ONE = np.float32(1)
FACES = {"numpy": callbridge.numpy, "jax": callbridge.jax}


class Odd:
    """Compares by raising, and cannot be hashed."""

    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError("compared")


@pytest.fixture(scope="module")
def library(built):
    for face in FACES.values():
        face.load(built / "python" / "targets.so")
    return callbridge.library.load(built / "python" / "targets.so")


@pytest.fixture(scope="module")
def functions(built):
    return ctypes.CDLL(str(built / "jax" / "untold.so"))


@pytest.fixture(params=["library", *FACES])
def call(request, library):
    """call(target, operands, keywords) by one face."""
    if request.param == "library":
        return lambda target, operands, **keywords: library.run(
            target, operands, "f32[]", **keywords
        )
    custom_call = FACES[request.param].custom_call
    return lambda target, operands, **keywords: custom_call(target, "f32[]", **keywords)(*operands)


@pytest.mark.parametrize("name", [5, None, b"bytes", ("a",), ["a"], Odd()])
def test_names_that_are_no_texts(call, library, functions, name):
    message = f"target: expected a str, got {type(name).__name__}"
    with pytest.raises(TypeError, match=message):
        call(name, [ONE])
    with pytest.raises(TypeError, match=message):
        library.target(name)
    for face in FACES.values():
        for function, abi in [
            (functions.plus_one, None),
            (functions.plus_one, "original"),
            (functions.plus_three, "typed_ffi"),
        ]:
            with pytest.raises(TypeError, match=message):
                face.register(name, function, abi=abi)


@pytest.mark.parametrize("name", ["q\0", "\0", "half a \ud800 pair"])
def test_names_that_are_no_c_strings(call, library, functions, name):
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: target .*expected"):
        call(name, [ONE])
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: target .*expected"):
        library.target(name)
    for face in FACES.values():
        for function, abi in [
            (functions.plus_one, None),
            (functions.plus_one, "original"),
            (functions.plus_three, "typed_ffi"),
        ]:
            with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: target .*expected"):
                face.register(name, function, abi=abi)


def test_names_of_bytes_that_are_no_utf_8(functions):
    name = b"\xff".decode(errors="surrogateescape")
    callbridge.numpy.register(name, functions.plus_one, abi="original")
    assert callbridge.numpy.custom_call(name, "f32[]")(ONE) == 2
    # MLIR's texts are UTF-8. JAX, if it were given the name, would not start any more.
    for abi, function in [("original", functions.plus_one), ("typed_ffi", functions.plus_three)]:
        with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: target .*UTF-8"):
            callbridge.jax.register(name, function, abi=abi)
    callbridge.jax.register(name, functions.plus_one)
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: target .*UTF-8"):
        callbridge.jax.custom_call(name, "f32[]", abi="original")


@pytest.mark.parametrize("value", [5, [], {}, b"original", Odd(), np.zeros(2)])
@pytest.mark.parametrize("argument", ["abi", "tuple_layout"])
def test_no_abis_and_eras(call, library, functions, argument, value):
    message = f"{argument}: expected a str.*, got {type(value).__name__}"
    with pytest.raises(TypeError, match=message):
        call("refuse_negative", [ONE], **{argument: value})
    if argument == "abi":
        with pytest.raises(TypeError, match=message):
            library.target("refuse_negative", abi=value)
        for face in FACES.values():
            with pytest.raises(TypeError, match=message):
                face.register("registered", functions.plus_one, abi=value)


@pytest.mark.parametrize("value", [5, [], Odd()])
def test_no_paths(library, value):
    with pytest.raises(TypeError, match=f"prefer: expected a str.*, got {type(value).__name__}"):
        callbridge.jax.custom_call("refuse_negative", "f32[]", prefer=value)


@pytest.mark.parametrize("value", [5, True, "ab", [(0, 0)], {(0, 0)}, Odd()])
@pytest.mark.parametrize("face", FACES)
def test_no_aliases(library, face, value):
    message = f"input_output_aliases: expected a dict.*, got {type(value).__name__}"
    with pytest.raises(TypeError, match=message):
        FACES[face].custom_call("refuse_negative", "f32[]", input_output_aliases=value)


@pytest.mark.parametrize("layouts", [5, "ab", [5], [["a"]], [[None]], [[0, "a"]]])
def test_no_layouts(library, layouts):
    for keyword in ["input_layouts", "output_layouts"]:
        with pytest.raises((TypeError, CallbridgeError), match=f"{keyword}.*expected"):
            call = callbridge.jax.custom_call("refuse_negative", "f32[1]", **{keyword: layouts})
            call(np.ones(1, np.float32))


@pytest.mark.parametrize(
    "attributes", [{"half a \ud800 pair": 1}, {"x": "half a \ud800 pair"}, {"x": {"\udcff": 1}}]
)
def test_attributes_of_half_characters(built, call, attributes):
    for face in FACES.values():
        face.load(built / "targets" / "typed_handlers.so")
    with pytest.raises(CallbridgeError, match=r"INVALID_ARGUMENT: attributes.*UTF-8"):
        call("refuse_negative", [ONE], attributes=attributes)


@pytest.mark.parametrize("attributes", [{"a\0b": 1}, {"x": {"\0": 1}}])
def test_attributes_whose_names_hold_nuls(attributes):
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: .*expected names without NULs"):
        Attributes(attributes)


@pytest.mark.parametrize("path", ["nul\0", "half \ud800", 5, None, object()])
def test_no_files(path):
    for load in [callbridge.library.load, callbridge.numpy.load, callbridge.jax.load]:
        with pytest.raises((TypeError, CallbridgeError), match="(?i)path"):
            load(path)


@pytest.mark.parametrize("shape", [None, 2, "2", ("a",), (2.5,), (None,), {2: 1}], ids=repr)
def test_results_without_a_shape(library, shape):
    class Result:
        dtype = np.dtype(np.float32)

    result = Result()
    result.shape = shape
    for call in [
        lambda: library.run("refuse_negative", [ONE], result),
        lambda: callbridge.numpy.custom_call("refuse_negative", (result,))(ONE),
    ]:
        with pytest.raises(TypeError, match="shape .*: expected a tuple of sizes"):
            call()
