"""What is taken for an array, as an operand and as an attribute, on all faces."""

import callbridge.jax
import callbridge.library
import callbridge.numpy
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge import CallbridgeError

COPY, ATTRIBUTES = "copy_bytes", "scale"


class Face:
    """One way to call `target` on operands, with a result of shape `result`."""

    def __init__(self, name, built):
        self.name = name
        libraries = [built / "python" / "targets.so", built / "targets" / "typed_handlers.so"]
        if name == "library":
            loaded = list(map(callbridge.library.load, libraries))
            self.library = {t.name: library for library in loaded for t in library.targets}
        else:
            self.module = {"numpy": callbridge.numpy, "jax": callbridge.jax}[name]
            for library in libraries:
                self.module.load(library)

    def call(self, target, operands, result, **keywords):
        if self.name == "library":
            return self.library[target].run(target, list(operands), result, **keywords)
        return self.module.custom_call(target, result, **keywords)(*operands)

    def copied(self, operand, shape=None, dtype=None):
        """What reaches a target, as an array of this shape, or of that of `operand`."""
        shape = np.shape(operand) if shape is None else shape
        result = np.empty(shape, operand.dtype if dtype is None else dtype)
        opaque = result.nbytes.to_bytes(8, "little")
        return np.asarray(self.call(COPY, (operand,), result, opaque=opaque))


@pytest.fixture(scope="module", params=["library", "numpy", "jax"])
def face(request, built):
    return Face(request.param, built)


@pytest.fixture(scope="module", params=["library", "numpy"])
def host_face(request, built):
    return Face(request.param, built)


X = np.arange(12, dtype=np.float32).reshape(3, 4)
MASKED = np.ma.masked_greater(X, 5)


# ---- Masks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operand",
    [MASKED, np.ma.array(X), MASKED[0, 0:0], np.ma.masked, np.ma.array(X[0, 0])],
    ids=["some", "none", "empty", "constant", "scalar"],
)
def test_masked_operands(face, operand):
    with pytest.raises(TypeError, match=r"operands\[0\] is a masked array.*filled\(...\)"):
        face.call("refuse_negative", (operand,), "f32[]")


def test_masked_operands_in_tuples(face):
    with pytest.raises(TypeError, match=r"operands\[0\]\[1\]\[0\] is a masked array"):
        face.call("nested", ((X, (MASKED, X)), X), "(f32[4],f32[4])")


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"inner": x}], ids=["plain", "inner"])
def test_masked_attributes(face, wrap):
    with pytest.raises(TypeError, match=r"attributes\['factor'\].* is a masked array"):
        face.call("scale", (X,), X, attributes={"factor": wrap(MASKED)})


# ---- Ducks --------------------------------------------------------------------------------------


class Duck:
    """Says one thing, and makes an array of another."""

    def __init__(self, shape, dtype, array):
        self.shape, self.dtype, self.array = shape, dtype, array

    def __array__(self, dtype=None, copy=None):
        return self.array


class CrossVersionDtype:
    """Such as torch's."""


@pytest.mark.parametrize(
    "duck",
    [
        Duck((1 << 20,), np.dtype(np.float32), np.ones(2, np.float32)),
        Duck((2,), np.dtype(np.float64), np.ones(2, np.float32)),
        Duck((), np.dtype(np.float32), np.ones(2, np.float32)),
        Duck((1 << 20,), CrossVersionDtype(), np.ones(2, np.float32)),
    ],
    ids=["larger", "wider", "smaller", "foreign"],
)
def test_ducks_that_lie(host_face, duck):
    with pytest.raises(TypeError, match=r"operands\[0\] is a Duck of shape .*numpy.asarray\(\)"):
        host_face.call("refuse_negative", (duck,), "f32[]")


def test_what_is_no_array_in_the_end(host_face):
    class Exchanged:
        """Has no __array__, so NumPy makes an array of one object of it."""

        shape, dtype = (2,), np.dtype(np.float32)

        def __dlpack__(self, **_):
            return X.__dlpack__()

    with pytest.raises((TypeError, CallbridgeError)):
        host_face.call("refuse_negative", (Exchanged(),), "f32[]")


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), CrossVersionDtype()])
def test_honest_ducks(host_face, dtype):
    duck = Duck((3, 4), dtype, X)
    assert host_face.copied(duck, X.shape, X.dtype).tolist() == X.tolist()


def test_arrays_of_jax(host_face):
    assert host_face.copied(jnp.asarray(X)).tolist() == X.tolist()


class Lying(np.ndarray):
    """Of NumPy arrays only what NumPy itself knows of them counts."""

    @property
    def shape(self):
        return (1 << 20,)

    dtype = np.dtype(np.float64)


def test_subclasses_that_lie(host_face):
    lying = X.view(Lying)
    assert host_face.copied(lying, X.shape, np.float32).tolist() == X.tolist()


# ---- Arrays of all kinds ------------------------------------------------------------------------


def read_only(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "array",
    [
        X[::-1, ::-2],
        X.T,
        np.asfortranarray(X),
        np.broadcast_to(np.float32(7), (3, 4)),
        X.astype(">f4"),
        X[1, 2],
        np.array(5, np.int16),
        np.array(5, ">i2"),
        np.zeros((3, 0, 2), np.float64),
        np.zeros((0,), np.uint8)[::-1],
        read_only(X.copy()),
        np.frombuffer(b"\0" + X.tobytes(), np.float32, offset=1),
        np.array([(1, 2.5)], [("a", "i1"), ("b", "f4")])["b"],
        X.view(np.matrix),
        np.array([True, False]),
        np.array([1, 2], np.longlong),
        np.array([1, 2], np.dtype("i4", metadata={"unit": "m"})),
        np.ones((1,) * 8, np.complex64),
    ],
    ids=range(18),
)
def test_arrays(face, array):
    if face.name == "jax" and not array.dtype.isnative:
        pytest.skip("JAX refuses arrays of another byte order")
    if face.name == "jax" and array.dtype.itemsize * (array.dtype.kind != "c") == 8:
        array = array.astype(array.dtype.kind + "4")
    assert face.copied(array).tolist() == array.tolist()


@pytest.mark.parametrize(
    "array",
    [
        np.array([None]),
        np.array([(1, 2.5)], [("a", "i4"), ("b", "f4")]),
        np.rec.array([(1, 2.5)], [("a", "i4"), ("b", "f4")]),
        np.array([1, 2], "datetime64[s]"),
        np.array(["a"]),
        np.array([b"a"]),
        np.zeros(2, "V4"),
        np.zeros(2, np.longdouble),
    ],
    ids=["object", "structured", "record", "datetime", "str", "bytes", "void", "longdouble"],
)
def test_no_element_type(face, array):
    with pytest.raises(CallbridgeError, match="^INVALID_ARGUMENT: .*not an element type of XLA's"):
        face.call("refuse_negative", (array,), "f32[]")
    # Not the second time either.
    with pytest.raises(CallbridgeError, match="^INVALID_ARGUMENT: .*not an element type of XLA's"):
        face.call("refuse_negative", (array,), "f32[]")


def test_an_array_that_changes_between_calls(built):
    callbridge.numpy.load(built / "python" / "targets.so")
    call = callbridge.numpy.custom_call(COPY, "u8[12]", opaque=(12).to_bytes(8, "little"))
    array = np.arange(12, dtype=np.uint8)
    expected = array.tobytes()
    assert call(array).tobytes() == expected
    array.shape = (3, 4)
    assert call(array).tobytes() == expected
    array.flags.writeable = False
    assert call(array).tobytes() == array.tobytes()
    words = np.arange(3, dtype="<u4")
    assert call(words).tobytes() == words.tobytes()
    words.dtype = words.dtype.newbyteorder()
    assert call(words).tobytes() == words.astype("<u4").tobytes() != words.tobytes()
