"""callbridge.numpy: targets on NumPy arrays, bound once."""

import ctypes
import gc
import pathlib
import subprocess
import sys
import threading
import weakref

import callbridge
import callbridge.jax
import callbridge.numpy
import ml_dtypes
import numpy as np
import pytest
from callbridge import _c_api
from callbridge import numpy as face
from callbridge._function_address import make_capsule
from callbridge.numpy import CallbridgeError, custom_call

ONE = np.float32(1)
ORIGINAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))


@pytest.fixture(scope="module", autouse=True)
def library(built):
    return face.load(built / "python" / "targets.so")


@pytest.fixture(scope="module", autouse=True)
def handlers(built):
    return face.load(built / "targets" / "typed_handlers.so")


def fails(code, *words):
    return pytest.raises(
        CallbridgeError, match=f"(?s)^{code}: " + "".join(f"(?=.*{word})" for word in words)
    )


def test_needs_no_jax(built):
    program = pathlib.Path(__file__).with_name("without_jax.py")
    subprocess.run([sys.executable, program, built], check=True)


def test_has_the_names_of_callbridge_jax():
    assert set(face.__all__) <= set(callbridge.jax.__all__)


# ---- Registration -------------------------------------------------------------------------------


def test_loads_a_file_once(built, library):
    assert face.load(built / "python" / "targets.so") is library
    with fails("NOT_FOUND", "nowhere"):
        face.load("/nowhere/old.so")


def test_a_null_function():
    with pytest.raises(CallbridgeError, match="the ctypes function is null"):
        face.register("null_function", ORIGINAL(0), abi="original")


def test_names_are_kept(built):
    with fails("ALREADY_EXISTS", "'example'", "other_example.so", "targets.so", "another name"):
        face.load(built / "python" / "other_example.so")
    with fails("NOT_FOUND", "only_in_other_example", "callbridge.numpy.load"):
        custom_call("only_in_other_example", "f32[]")
    with fails("ALREADY_EXISTS", "'example'"):
        face.register("example", ORIGINAL(lambda out, ins: None), abi="original")


@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: make_capsule(f.address)])
def test_registers_functions_and_capsules(wrap):
    @ORIGINAL
    def negate(out, ins):
        operand = ctypes.cast(ins[0], ctypes.POINTER(ctypes.c_float))
        ctypes.cast(out, ctypes.POINTER(ctypes.c_float))[0] = -operand[0]

    negate.address = ctypes.cast(negate, ctypes.c_void_p).value
    name = f"negate {negate.address}"
    face.register(name, wrap(negate), abi="original")
    face.register(name, wrap(negate))  # again
    assert custom_call(name, "f32[]")(ONE) == -1


def test_functions_are_kept():
    @ORIGINAL
    def function(out, ins):
        ctypes.cast(out, ctypes.POINTER(ctypes.c_float))[0] = 3

    face.register("kept", function, abi="original")
    kept = weakref.ref(function)
    del function
    gc.collect()
    assert kept() is not None and custom_call("kept", "f32[]")() == 3


def test_wrong_capsules():
    capsule = ctypes.PyDLL(None).PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    with fails("INVALID_ARGUMENT", "another name"):
        face.register("wrong", capsule(1, b"another name", None), abi="original")
    with pytest.raises(TypeError):
        face.register("wrong", 3, abi="original")


def test_untyped_functions_are_no_typed_handlers(library):
    untyped = ORIGINAL(library.target("untold_double").address)
    with fails("INVALID_ARGUMENT", "'untyped as typed' on Host", "no typed handler"):
        face.register("untyped as typed", untyped, abi="typed_ffi")
    with fails("NOT_FOUND", "untyped as typed"):
        custom_call("untyped as typed", "f32[]", abi="typed_ffi")


def test_typed_functions(built):
    symbols = ctypes.CDLL(str(built / "python" / "typed_targets.so"))
    face.register("typed_scale", symbols.typed_scale, abi="typed_ffi")
    call = custom_call("typed_scale", "f32[2]", attributes={"factor": np.float32(3)})
    assert call(np.array([1, 2], np.float32)).tolist() == [3, 6]
    with fails("INVALID_ARGUMENT", "stage 'later'"):
        face.register("typed", {"later": symbols.typed_scale}, abi="typed_ffi")


def test_gpu_targets_get_host_memory():
    call = custom_call("gpu_add_opaque", "f32[]", opaque=b"\1\2")
    assert call(ONE) == 4


# ---- Calls --------------------------------------------------------------------------------------


@pytest.fixture
def binds(monkeypatch):
    """A list that grows with each binding."""
    made, bind = [], _c_api.call_bind
    monkeypatch.setattr(
        _c_api, "call_bind", lambda *arguments: (made.append(arguments), bind(*arguments))
    )
    return made


def test_binds_once_for_each_form_of_the_operands(binds):
    call = custom_call("copy_bytes", "u8[8]", opaque=(8).to_bytes(8, "little"))
    x = np.arange(8, dtype=np.uint8)
    for _ in range(3):
        assert call(x).tolist() == list(range(8))
    assert len(binds) == 1
    assert call(x.view(np.uint64)).tolist() == list(range(8))
    assert len(binds) == 2
    for operands in ((x,),), (x.reshape(2, 4),), (x, x):
        call(*operands)
    assert len(binds) == 5


def test_typed_handlers_keep_state():
    call = custom_call("count", "s32[]", attributes={"start": np.int32(3)})
    first = [int(call()) for _ in range(3)]
    assert first == [3, 4, 5]
    assert custom_call("count", "s32[]", attributes={"start": np.int32(3)})() == 3


def test_results_are_arrays_of_their_own():
    call = custom_call("refuse_negative", "f32[]")
    first = call(ONE)
    second = call(np.float32(2))
    assert (first, second) == (1, 2)
    assert first.flags.writeable


def test_operands_are_only_read():
    x = np.array(1, np.float32)
    assert custom_call("writes_to_operand", "f32[]")(x) == 1
    assert x == 1


def test_buffers_are_aligned_as_by_xla():
    call = custom_call("misalignment", "u64[2]")
    for size in range(1, 40):
        assert call(np.zeros(size, np.uint8)).tolist() == [0, 0]


def test_failures_are_the_targets():
    call = custom_call("refuse_negative", "f32[]")
    with fails("INTERNAL", "CustomCall failed: negative operand"):
        call(np.float32(-1))
    assert call(ONE) == 1
    with fails("INTERNAL", "what it said"):
        custom_call("throw_exception", "f32[]", opaque=b"what it said")()
    with fails("OUT_OF_RANGE", "too far"):
        custom_call("refuse", "()", attributes={"why": "too far"})()


def test_typed_arguments_are_checked():
    with fails("INVALID_ARGUMENT", "factor"):
        custom_call("scale", "f32[]")(ONE)


def test_dtypes_that_xla_has_not():
    call = custom_call("refuse_negative", "f32[]")
    with fails("INVALID_ARGUMENT", "object"):
        call(np.array([None]))


def test_every_dtype_of_ml_dtypes_keeps_its_bits():
    dtypes = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
    for dtype in dtypes:
        x = np.arange(8).astype(dtype)
        call = custom_call("copy_bytes", x, opaque=x.nbytes.to_bytes(8, "little"))
        assert call(x).dtype == dtype and call(x).tobytes() == x.tobytes()


@pytest.mark.parametrize("keyword", ["prefer", "has_side_effect", "vmap_method", "input_layouts"])
def test_keywords_of_jax_are_refused_with_the_reason(keyword):
    with pytest.raises(TypeError, match=f"{keyword}= is for callbridge.jax: .*; leave it out"):
        custom_call("example", "f32[]", **{keyword: None})


def test_unknown_keywords():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        custom_call("example", "f32[]", colour=1)


# ---- Aliases ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pointers():
    """Whether the operand has the result's address; adds one to the result where it is."""

    @ORIGINAL
    def increment(out, ins):
        result = ctypes.cast(out, ctypes.POINTER(ctypes.c_float))
        result[0] = result[0] + 1 if out == ins[0] else -1

    face.register("increment in place", increment, abi="original")


def test_an_alias_begins_as_a_copy_of_its_operand(pointers):
    x = np.array([4], np.float32)
    call = custom_call("increment in place", "f32[1]", input_output_aliases={0: 0})
    assert call(x) == 5
    assert x == 4
    assert custom_call("increment in place", "f32[1]")(x) == -1


@pytest.mark.parametrize(
    "aliases, words",
    [
        ({1: 0}, "no operand 1"),
        ({0: 1}, "no result 1"),
        ({-1: 0}, "no operand -1"),
        ({"x": 0}, "no operand 'x'"),
        ({0: 0}, r"operand is float32\[\]"),
        ({0: 0, 1: 0}, "result of two operands"),
    ],
)
def test_wrong_aliases(pointers, aliases, words):
    operands = (np.ones(1, np.float32),) * 2 if len(aliases) == 2 else (ONE,)
    with fails("INVALID_ARGUMENT", words):
        custom_call("increment in place", "f32[1]", input_output_aliases=aliases)(*operands)


# ---- Threads ------------------------------------------------------------------------------------


def test_threads_share_a_call(binds):
    call = custom_call("refuse_negative", "f32[]")
    start, wrong = threading.Barrier(8), []

    def work(x):
        start.wait()
        for _ in range(200):
            if call(x) != x:
                wrong.append(x)

    threads = [threading.Thread(target=work, args=(np.float32(i),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(binds) == 1


def test_bound_calls_end_with_the_function(monkeypatch):
    ended = []
    destroy = _c_api.call_destroy
    monkeypatch.setattr(
        _c_api, "call_destroy", lambda call: (ended.append(call.value), destroy(call))
    )
    call = custom_call("refuse_negative", "f32[]")
    call(ONE)
    assert not ended
    del call
    gc.collect()
    assert len(ended) == 1
