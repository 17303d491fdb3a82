"""The same calls by callbridge.numpy and by callbridge.jax, compared bit for bit."""

import callbridge.jax
import callbridge.numpy
import jax
import ml_dtypes
import numpy as np
import pytest

FACES = (callbridge.numpy, callbridge.jax)
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal(4).astype(np.float32)
Y, Z, W = X + 1, X * 3, X - 2
SUBNORMALS = np.full(2048, 3e-39, np.float32)

# Of each ABI: target, result, operands, keywords.
CALLS = {
    "original": ("example", "f32[2048]", (np.tile(X, 32), RANDOM.random(2048, np.float32)), {}),
    "original, strided": (
        "example",
        "f32[2048]",
        (np.tile(X, 64)[::2], RANDOM.random((1024, 2), np.float32).T),
        {},
    ),
    "original, subnormal": ("example", "f32[2048]", (SUBNORMALS[:128], SUBNORMALS), {}),
    "original, tuples": ("nested", "(f32[4],f32[4])", ((X, (Y, Z)), W), {}),
    "original, flat tuple layout": (
        "nested_flat",
        "(f32[4],f32[4])",
        ((X, (Y, Z)), W),
        {"tuple_layout": "flat"},
    ),
    "original, empty tuple": ("empty_and_single", "f32[]", ((), (X[0],)), {}),
    "original, tuple of one": ("single_result", "(f32[])", (X[0],), {}),
    "original, nested result": ("nested_result", "((f32[]),(),(f32[],(f32[])))", (X[0],), {}),
    "declared": ("untold_double", "f32[]", (X[0],), {"abi": "original"}),
    "status_returning": ("refuse_negative", "f32[]", (np.float32(2),), {}),
    "unified": ("digest_opaque", "u64[2]", (), {"opaque": bytes(range(256))}),
    "unified, tuples": (
        "tuples_and_opaque",
        "(f32[],(f32[]))",
        ((X[0], (X[1],)),),
        {"opaque": b"\0a"},
    ),
    "unified, int4": (
        "copy_bytes",
        "s4[3,5]",
        (np.arange(-7, 8).reshape(3, 5).astype(ml_dtypes.int4),),
        {"opaque": (8).to_bytes(8, "little")},
    ),
    "typed_ffi": ("scale", "f32[4]", (X,), {"attributes": {"factor": np.float32(0.3)}}),
    "typed_ffi, alias": (
        "scale",
        "f32[4]",
        (X,),
        {"attributes": {"factor": np.float32(0.3)}, "input_output_aliases": {0: 0}},
    ),
    "typed_ffi, attributes": (
        "attributes",
        "f32[4]",
        (),
        {
            "attributes": {
                "n": 2**20,
                "array": np.arange(3, dtype=np.int32),
                "inner": {"x": 0.25},
                "text": b"\0\xff\0",
            }
        },
    ),
}


@pytest.fixture(scope="module", autouse=True)
def libraries(built):
    for face in FACES:
        face.load(built / "python" / "targets.so")
        face.load(built / "targets" / "typed_handlers.so")


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_jax(name):
    target, result, operands, keywords = CALLS[name]
    with jax.enable_x64(True):
        ours, theirs = (face.custom_call(target, result, **keywords)(*operands) for face in FACES)
    compared = []

    def compare(a, b):
        assert isinstance(a, np.ndarray)
        b = np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes()
        compared.append(a)

    # Forms must agree too: tree_map raises where they do not.
    jax.tree_util.tree_map(compare, ours, theirs)
    assert compared


ONE = np.float32(1)
REFUSED = {
    "unknown": lambda f: f("nobody", "f32[]"),
    "undeclared": lambda f: f("untold_opaque_size", "f32[]"),
    "declared wrongly": lambda f: f("example", "f32[]", abi="status_returning_unified"),
    "no ABI": lambda f: f("example", "f32[]", abi="newest"),
    "tuple_layout": lambda f: f("example", "f32[]", tuple_layout="middle"),
    "attributes": lambda f: f("example", "f32[]", attributes={"n": 1}),
    "attributes, unlike": lambda f: f("scale", "f32[]", attributes={"factor": object()}),
    "opaque": lambda f: f("scale", "f32[]", opaque=b"1"),
    "opaque of text": lambda f: f("digest_opaque", "f32[]", opaque="1"),
    "platform": lambda f: f("example", "f32[]", platform="tpu"),
    "other platform": lambda f: f("example", "f32[]", platform="CUDA"),
    "result": lambda f: f("example", [ONE]),
    "result with a layout": lambda f: f("example", "f32[2]{0}"),
    "operand": lambda f: f("example", "f32[]")([ONE], ONE),
    "number": lambda f: f("example", "f32[]")(1.0, ONE),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_those_of_jax(name):
    told = []
    for face in FACES:
        with pytest.raises((callbridge.CallbridgeError, TypeError)) as raised:
            REFUSED[name](face.custom_call)
        told.append((raised.type, str(raised.value).replace(face.__name__, "callbridge")))
    assert told[0] == told[1]


def test_each_face_has_a_copy_with_static_variables_of_its_own(built):
    libraries = [face.load(built / "python" / "targets.so") for face in FACES]
    counts = [int(library.run("calls_without_result", [], "s32[]")) for library in libraries]
    callbridge.numpy.custom_call("without_result", ())()
    libraries[0].run("without_result", [], ())  # of the same copy
    after = [int(library.run("calls_without_result", [], "s32[]")) for library in libraries]
    assert [after[0] - counts[0], after[1] - counts[1]] == [2, 0]
