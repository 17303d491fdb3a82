"""callbridge.numpy: targets on NumPy arrays, bound once."""

import copy
import ctypes
import gc
import pathlib
import pickle
import resource
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
from callbridge import numpy as face
from callbridge._core import _c_api
from callbridge._core._native_functions import make_capsule
from callbridge.numpy import CallbridgeError, custom_call
from refused import refused

ONE = np.float32(1)
ORIGINAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))


@pytest.fixture(scope="module", autouse=True)
def library(built):
    return face.load(built / "python" / "targets.so")


@pytest.fixture(scope="module", autouse=True)
def handlers(built):
    return face.load(built / "targets" / "typed_handlers.so")


def test_needs_no_jax(built):
    program = pathlib.Path(__file__).with_name("without_jax.py")
    subprocess.run([sys.executable, program, built], check=True, timeout=300)


def test_has_the_names_of_callbridge_jax():
    assert set(face.__all__) <= set(callbridge.jax.__all__)


# ---- Registration -------------------------------------------------------------------------------


def test_loads_a_file_once(built, library):
    assert face.load(built / "python" / "targets.so") is library
    with refused("NOT_FOUND", "nowhere"):
        face.load("/nowhere/old.so")


def test_a_null_function():
    with pytest.raises(CallbridgeError, match="the ctypes function is null"):
        face.register("null_function", ORIGINAL(0), abi="original")


def test_names_are_kept(built):
    with refused("ALREADY_EXISTS", "'example'", "other_example.so", "targets.so", "another name"):
        face.load(built / "python" / "other_example.so")
    with refused("NOT_FOUND", "only_in_other_example", "callbridge.numpy.load"):
        custom_call("only_in_other_example", "f32[]")
    with refused("ALREADY_EXISTS", "'example'"):
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
    with refused("INVALID_ARGUMENT", "another name"):
        face.register("wrong", capsule(1, b"another name", None), abi="original")
    with pytest.raises(TypeError):
        face.register("wrong", 3, abi="original")


def test_untyped_functions_are_no_typed_handlers(library):
    untyped = ORIGINAL(library.target("untold_double").address)
    with refused("INVALID_ARGUMENT", "'untyped as typed' on Host", "not a typed FFI handler"):
        face.register("untyped as typed", untyped, abi="typed_ffi")
    with refused("NOT_FOUND", "untyped as typed"):
        custom_call("untyped as typed", "f32[]", abi="typed_ffi")


def test_typed_functions(built):
    symbols = ctypes.CDLL(str(built / "python" / "typed_targets.so"))
    face.register("typed_scale", symbols.typed_scale, abi="typed_ffi")
    call = custom_call("typed_scale", "f32[2]", attributes={"factor": np.float32(3)})
    assert call(np.array([1, 2], np.float32)).tolist() == [3, 6]
    with refused("INVALID_ARGUMENT", "stage 'later'"):
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
    others = [
        ((x,),),
        (x.reshape(2, 4),),
        (x, x),
        ((x, x),),
        ((x,), x),
        ((x,), (x,)),
        (x, ()),
        (((), x),),
    ]
    for _ in range(2):
        for operands in others:
            call(*operands)
    assert len(binds) == 2 + len(others)


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


def test_results_are_whole_arrays():
    call = custom_call("refuse_negative", "(f32[2,1,3],f32[0],f32[])", abi="original")
    result = call(ONE)
    assert [x.shape for x in result] == [(2, 1, 3), (0,), ()]
    for x in result:
        assert x.dtype == np.float32 and x.flags.carray and x.flags.writeable
        assert pickle.loads(pickle.dumps(x)).tobytes() == x.tobytes()


@pytest.fixture(scope="module")
def reverse():
    """Of f32[2] each, as many as the first one says."""

    @ORIGINAL
    def reverse(out, ins):
        results = ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))
        count = int(ctypes.cast(ins[0], ctypes.POINTER(ctypes.c_float))[0])
        for i in range(count):
            ctypes.memmove(results[i], ins[count - 1 - i], 8)

    face.register("reverse", reverse, abi="original")


@pytest.mark.parametrize("count", [2, 7, 8, 9, 15, 16, 17, 40])
def test_more_operands_and_results_than_are_usual(reverse, count):
    operands = tuple(np.array([count - i, -i], np.float32) for i in range(count))
    results = custom_call("reverse", tuple(operands))(*operands)
    assert [x.tolist() for x in results] == [x.tolist() for x in reversed(operands)]


@pytest.mark.parametrize("count", [1, 2, 8, 9, 30, 31, 32, 33, 62, 63, 64, 130])
def test_forms_are_told_apart_by_their_last_operand(binds, count):
    call = custom_call("refuse_negative", "f32[]")
    shapes = [(), (1,), (2,), (1, 1)]
    for last in (np.int32(0), *(np.zeros(shape, np.float32) for shape in shapes)):
        for _ in range(2):
            assert call(*(ONE,) * (count - 1), last) == (0 if count == 1 else 1)
    assert len(binds) == 5


def test_trees_without_end():
    tree = ()
    for _ in range(100_000):
        tree = (tree,)
    with pytest.raises(RecursionError):
        custom_call("example", "f32[]")(tree)


def test_messages_in_no_encoding():
    with refused("INTERNAL", r"no \\xff text"):
        custom_call("throw_exception", "f32[]", opaque=b"no \xff text")()


def test_each_operand_and_result_is_aligned():
    seen = []

    @ORIGINAL
    def addresses(out, ins):
        seen.extend([*ins[:4], *ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))[:3]])

    face.register("addresses", addresses, abi="original")
    custom_call("addresses", "(u8[1],u8[],u8[65])")(*(np.ones(n, np.uint8) for n in (1, 3, 65, 7)))
    assert len(set(seen)) == 7 and [address % 64 for address in seen] == [0] * 7


def test_what_a_target_does_not_write_is_zero():
    face.register("writes nothing", ORIGINAL(lambda out, ins: None), abi="original")
    call = custom_call("writes nothing", "u8[300]")
    for _ in range(20):
        result = call()
        assert not result.any()
        result[...] = 255  # which a result in the same memory must not show


def test_results_larger_than_memory():
    call = custom_call("refuse_negative", f"f32[{1 << 60}]")
    for _ in range(2):
        with pytest.raises(MemoryError):
            call(ONE)


def test_failures_are_the_targets():
    call = custom_call("refuse_negative", "f32[]")
    with refused("INTERNAL", "CustomCall failed: negative operand"):
        call(np.float32(-1))
    assert call(ONE) == 1
    with refused("INTERNAL", "what it said"):
        custom_call("throw_exception", "f32[]", opaque=b"what it said")()
    with refused("OUT_OF_RANGE", "too far"):
        custom_call("refuse", "()", attributes={"why": "too far"})()


def test_typed_arguments_are_checked():
    with refused("INVALID_ARGUMENT", "factor"):
        custom_call("scale", "f32[]")(ONE)


def test_dtypes_that_xla_has_not():
    call = custom_call("refuse_negative", "f32[]")
    with refused("INVALID_ARGUMENT", "object"):
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


def test_messages_are_freed():
    call = custom_call("throw_exception", "f32[]", opaque=b"m" * 2**20)
    for _ in range(200):
        with pytest.raises(CallbridgeError):
            call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(200):
        with pytest.raises(CallbridgeError):
            call()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 2**10  # KiB


def test_calls_leave_nothing_behind(pointers, reverse):
    """Of what ends well and what does not, with operands that are ready and that are not."""
    x, packed = np.ones(1, np.float32), np.arange(-7, 8).reshape(3, 5).astype(ml_dtypes.int4)
    opaque = (8).to_bytes(8, "little")
    cases = [
        (custom_call("refuse_negative", "f32[]"), (x,), None),
        (custom_call("refuse_negative", "f32[]"), (-x,), CallbridgeError),
        (custom_call("refuse_negative", "f32[]"), (ONE,), None),
        (custom_call("refuse_negative", "f32[]"), (np.ones((2, 2), np.float32).T,), None),
        (custom_call("refuse_negative", "f32[]"), ([x],), TypeError),
        (custom_call("nested_result", "((f32[]),(),(f32[],(f32[])))"), (x,), None),
        (custom_call("tuples_and_opaque", "(f32[],(f32[]))", opaque=b"a"), ((x, (x,)),), None),
        (custom_call("copy_bytes", "s4[3,5]", opaque=opaque), (packed,), None),
        (custom_call("increment in place", "f32[1]", input_output_aliases={0: 0}), (x,), None),
        (custom_call("count", "s32[]", attributes={"start": np.int32(3)}), (x,) * 20, None),
        (
            custom_call("reverse", (np.ones(2, np.float32),) * 40),
            (np.full(2, 40, np.float32),) * 40,
            None,
        ),
    ]

    def run():
        for call, operands, error in cases:
            for _ in range(100):
                try:
                    call(*operands)
                except (CallbridgeError, TypeError) as raised:
                    assert type(raised) is error
                else:
                    assert error is None
        gc.collect()

    run()
    counts = [sys.getrefcount(each) for each in (x, packed, x.dtype, packed.dtype)]
    blocks = sys.getallocatedblocks()
    run()
    assert sys.getallocatedblocks() - blocks < 50
    assert [sys.getrefcount(each) for each in (x, packed, x.dtype, packed.dtype)] == counts


def test_cycles_end():
    class Result:
        shape, dtype = (), np.dtype(np.float32)

    result = Result()
    result.call = custom_call("refuse_negative", result)
    assert result.call(ONE) == 1
    ended = weakref.ref(result)
    del result
    gc.collect()
    assert ended() is None


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
        ({0: 0}, r"operand is float32\[\]"),
        ({0: 0, 1: 0}, "result of two operands"),
    ],
)
def test_wrong_aliases(pointers, aliases, words):
    operands = (np.ones(1, np.float32),) * 2 if len(aliases) == 2 else (ONE,)
    with refused("INVALID_ARGUMENT", words):
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


@pytest.mark.parametrize("aliases", [{0.0: 0}, {0: 0.0}, {"0": 0}, {None: 0}], ids=str)
def test_aliases_that_are_no_integers(pointers, aliases):
    with pytest.raises(TypeError, match="input_output_aliases: expected"):
        custom_call("increment in place", "f32[]", input_output_aliases=aliases)(ONE)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_integers_that_are_no_int64(handlers, value):
    words = r"attributes\['factor'\]: -?\d+ is not an int64; .*uint64"
    with pytest.raises(TypeError, match=words):
        custom_call("scale", "f32[1]", attributes={"factor": value})
    with pytest.raises(TypeError, match=words):
        handlers.run("scale", [np.ones(1, "f")], "f32[1]", attributes={"factor": value})


def test_functions_are_of_this_process():
    call = custom_call("refuse_negative", "f32[]")
    assert copy.copy(call) is copy.deepcopy(call) is call
    with pytest.raises(TypeError, match="'refuse_negative'.* cannot be pickled: .*other process"):
        pickle.dumps(call)
    assert repr(call) == "<callbridge.numpy.custom_call('refuse_negative', ...)>"


def test_the_abi_says_which_of_two_targets_of_one_name_is_called(built):
    face.load(built / "python" / "twins.so")
    x = np.float32(2)
    assert custom_call("twin", x, attributes={"scale": np.float32(3)})(x) == 6
    assert custom_call("twin", x, abi="original")(x) == -2
    assert custom_call("twin", x, attributes={"scale": np.float32(3)})(x) == 6
    with refused("INVALID_ARGUMENT", "'original'"):
        custom_call("twin", x, abi="status_returning_unified")
