"""The module in C by itself: what it refuses of the package, and where it takes other memory."""

import ctypes
import gc
import os
import subprocess
import sys
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from callbridge import numpy as face
from callbridge._calls import _bound_calls
from callbridge._core import _c_api
from callbridge.numpy import custom_call

MODULE = _bound_calls.EXTENSION
pytestmark = pytest.mark.skipif(MODULE is None, reason="it cannot be loaded here")
ORIGINAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
NO_CALL = 0


def form(size_bytes=4, **others):
    float32 = {"stored_shape": (), "stored_dtype": np.dtype(np.float32)}
    return SimpleNamespace(
        **{"size_bytes": size_bytes, "pack": None, "unpack": None, **float32, **others}
    )


def bound(operands=1, results=1, aliases=None, tree=None, handle=NO_CALL, **of_forms):
    forms = form(**of_forms)
    aliases = (-1,) * results if aliases is None else aliases
    return MODULE.BoundCall(handle, (forms,) * operands, (forms,) * results, aliases, tree)


def call(operands, bind=lambda key, operands: None, prepare=lambda operands: operands):
    return MODULE.Caller({}, prepare, bind).call(operands)


X = np.ones((), np.float32)


@pytest.fixture(scope="module", autouse=True)
def copy():
    """A target that copies four bytes, once the dtypes are known that are used here."""

    @ORIGINAL
    def copy(out, ins):
        ctypes.memmove(out, ins[0], 4)

    face.register("copy four bytes", copy, abi="original")
    for dtype in (np.float32, np.int32, np.uint8, np.float64):
        custom_call("copy four bytes", "f32[]")(np.zeros(4, dtype))
    return copy


def handle_of(call, *operands):
    """Of the call that is bound for these operands."""
    made, bind = [], _c_api.bind
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_c_api, "bind", lambda *them: made.append(bind(*them)) or made[-1])
        call(*operands)
    return made[0]


@pytest.fixture
def handle(copy):
    """Of a call of that target."""
    return handle_of(custom_call("copy four bytes", "f32[]"), X)


# ---- What is refused ----------------------------------------------------------------------------


def test_forms_of_a_size_that_memory_may_have():
    limit = sys.maxsize // 2
    assert bound(size_bytes=0) and bound(size_bytes=limit)
    with pytest.raises(MemoryError):
        bound(size_bytes=limit + 1)
    with pytest.raises(OverflowError):
        bound(size_bytes=-1)
    with pytest.raises(TypeError):
        bound(size_bytes="4")


@pytest.mark.parametrize("name", ["size_bytes", "stored_shape", "stored_dtype", "pack", "unpack"])
def test_forms_are_whole(name):
    part = form()
    delattr(part, name)
    operands, results = ((form(),), (part,)) if name == "unpack" else ((part,), (form(),))
    with pytest.raises(AttributeError, match=name):
        MODULE.BoundCall(NO_CALL, operands, results, (-1,), None)


def test_aliases_are_of_operands():
    assert bound(operands=2, results=3, aliases=(1, -1, 0))
    assert bound(operands=0, results=1, aliases=(-1,))
    for aliases in [(2, -1, 0), (-1, -1, 2)]:
        with pytest.raises(IndexError, match="an alias of no operand"):
            bound(operands=2, results=3, aliases=aliases)
    with pytest.raises(IndexError, match="an alias of no operand"):
        bound(operands=0, aliases=(0,))
    with pytest.raises(IndexError):
        bound(results=2, aliases=(-1,))
    with pytest.raises(TypeError):
        bound(aliases=("0",))


@pytest.mark.parametrize("i", range(4))
def test_what_is_bound_is_in_tuples(i):
    arguments = [NO_CALL, (form(),), (form(),), (-1,), None]
    arguments[i] = list(arguments[i]) if i else "0"
    with pytest.raises(TypeError):
        MODULE.BoundCall(*arguments)


def test_callers_have_a_dictionary():
    with pytest.raises(TypeError):
        MODULE.Caller([], None, None)


def test_operands_come_in_an_exact_tuple():
    class Tuple(tuple):
        pass

    for operands in ([X], Tuple([X]), X, None):
        with pytest.raises(TypeError, match="expected a plain tuple of operands"):
            call(operands)


def test_what_is_called_is_a_bound_call():
    for answer in (None, object(), MODULE.BoundCall):
        with pytest.raises(TypeError, match=r"bind\(\) must return a BoundCall"):
            call((X,), bind=lambda key, operands, answer=answer: answer)
    with pytest.raises(ZeroDivisionError):
        call((X,), bind=lambda key, operands: 1 / 0)


def test_operands_are_prepared_once():
    seen = []

    def prepare(operands):
        seen.append(operands)
        return tuple(np.asarray(each) for each in operands)

    with pytest.raises(TypeError, match="must return"):
        call((1.0, X), prepare=prepare, bind=lambda key, operands: seen.append(operands))
    assert seen[0] == (1.0, X) and seen[1] == (np.asarray(1.0), X) and len(seen) == 2
    seen.clear()
    with pytest.raises(TypeError, match="must return"):
        call((X,), prepare=prepare)
    assert not seen
    for unprepared in [(1.0,), (X, [X]), None, [X], (np.ones((2, 2), np.float32).T,)]:
        with pytest.raises(SystemError, match=r"prepare\(\) left an operand unprepared"):
            call((1.0,), prepare=lambda operands, unprepared=unprepared: unprepared)
    with pytest.raises(ZeroDivisionError):
        call((1.0,), prepare=lambda operands: 1 / 0)


def test_operands_are_of_the_form_that_is_bound():
    for operands, words in [
        ((), "another number of operands"),
        ((X, X), "another number of operands"),
        ((np.ones(2, np.float32),), "an operand has another size than its form"),
        ((np.ones((), np.uint8),), "an operand has another size than its form"),
        ((np.ones(0, np.float32),), "an operand has another size than its form"),
    ]:
        with pytest.raises(SystemError, match=words):
            call(operands, bind=lambda key, operands: bound())
    with pytest.raises(face.CallbridgeError, match="INVALID_ARGUMENT"):
        call((X,), bind=lambda key, operands: bound())  # the null pointer that it is bound to


def test_results_are_of_the_form_that_is_bound(handle):
    def result(**bound_as):
        return call((X,), bind=lambda key, operands: bound(handle=handle, **bound_as))

    assert result() == 1
    assert result(tree=(None, ((),))) == (1, ((),))
    for tree in [(None, None), ((None,), (None,))]:
        with pytest.raises(SystemError, match="a result has more arrays than its form"):
            result(tree=tree)
    # What is used of the forms.
    assert result(stored_shape=(1,)).shape == (1,)
    assert result(stored_dtype=np.dtype(np.int32)) == X.view(np.int32)
    assert result(unpack=lambda array: ("unpacked", array)) == ("unpacked", 1)
    assert result(pack=lambda array: array + 1) == 2
    with pytest.raises(ZeroDivisionError):
        result(unpack=lambda array: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        result(pack=lambda array: 1 / 0)
    with pytest.raises(TypeError):
        result(stored_dtype=None, stored_shape="no shape")
    with pytest.raises(AttributeError):
        result(pack=lambda array: None)


def test_results_are_as_many_as_are_bound():
    """More than lie in CallBound, too."""
    face.register("does nothing", ORIGINAL(lambda out, ins: None), abi="original")
    for count in (1, 7, 8, 9, 20):
        results = f"({','.join(['f32[]'] * count)})"
        of_many = {
            "handle": handle_of(custom_call("does nothing", results)),
            "operands": 0,
            "results": count,
        }

        def result(tree, of_many=of_many):
            return call((), bind=lambda key, operands: bound(**of_many, tree=tree))

        assert result((None,) * count) == (0,) * count
        assert result((None,) * (count - 1)) == (0,) * (count - 1)
        with pytest.raises(SystemError, match="a result has more arrays than its form"):
            result((None,) * (count + 1))


def test_what_was_bound_later_was_used_later():
    first, second = bound(), bound()
    assert 0 < first.last_use < second.last_use


# ---- Keys ---------------------------------------------------------------------------------------


def key(*operands):
    keys = []
    with pytest.raises(TypeError):
        call(operands, bind=lambda key, operands: keys.append(key))
    return keys[0]


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def test_forms_have_keys_of_their_own():
    a, b = zeros(2), zeros(3)
    forms = [
        (),
        ((),),
        ((), ()),
        (((),),),
        (a,),
        ((a,),),
        (a, ()),
        ((), a),
        (a, a),
        ((a, a),),
        ((a,), a),
        (a, (a,)),
        (b,),
        (a, b),
        (b, a),
        (zeros(),),
        (zeros(0),),
        (zeros(2, 3),),
        (zeros(3, 2),),
        (zeros(6),),
        (zeros(1, 2, 3),),
        (zeros(2, dtype=np.int32),),
        (zeros(2, dtype=np.uint8),),
        (zeros(2, dtype=np.float64),),
    ]
    assert len({key(*form) for form in forms}) == len(forms)
    assert key(a, (b,)) == key(np.ones(2, np.float32), (np.ones(3, np.float32),))


def test_a_rank_is_no_beginning_of_another_operand():
    two = key(zeros(2), zeros())
    assert all(key(zeros(2, n)) != two for n in range(64))


# Leaves lie in the Reading up to 8; keys of scalars, of 8 bytes each and 8 more, up to 31.
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 15, 16, 17, 30, 31, 32, 33, 62, 63, 64, 65])
def test_any_number_of_operands_and_results(count):
    @ORIGINAL
    def reverse(out, ins):
        results = ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))
        for i in range(count):
            ctypes.memmove(results[i], ins[count - 1 - i], 4)

    name = f"reverse {count}"
    face.register(name, reverse, abi="original")
    function = custom_call(name, f"({','.join(['f32[]'] * count)})")
    operands = tuple(np.array(i, np.float32) for i in range(count))
    for _ in range(2):
        assert [int(x) for x in function(*operands)] == list(range(count))[::-1]
    # The last one counts, too.
    if count > 0:
        others = [key(*operands[:-1], last) for last in (zeros(), zeros(1), zeros(dtype=np.int32))]
        assert len(set(others)) == 3
        assert others[0] == key(*operands)


@pytest.mark.parametrize("rank", [1, 29, 30, 31, 32, 61, 62, 63, 64])
def test_any_rank(rank):
    """The shape of one array fills the key."""
    shape = (1,) * (rank - 1) + (2,)
    keys = {key(zeros(*shape)), key(zeros(*shape[:-1], 3)), key(zeros(*shape[:-1]))}
    assert len(keys) == 3 and key(np.ones(shape, np.float32)) in keys


# ---- Memory -------------------------------------------------------------------------------------


def test_large_memory_is_freed(handle):
    """Of blocks that Python does not count as its own."""
    many = (X,) * 70
    large = np.zeros(1 << 16, np.float32)

    def fails_to_pack(array):
        raise ValueError

    def run():
        for _ in range(5):
            for operands, answer in [
                (many, None),
                ((*many, [X]), None),
                (many, bound()),
                ((large,), bound(size_bytes=large.nbytes)),
                ((large,), bound(size_bytes=large.nbytes, results=70)),
                ((large,), bound(size_bytes=large.nbytes, pack=fails_to_pack)),
                ((X,), bound(handle=handle, tree=(None, None), results=1)),
                ((X,), bound(handle=handle, unpack=fails_to_pack)),
            ]:
                with pytest.raises((TypeError, SystemError, ValueError, face.CallbridgeError)):
                    call(operands, bind=lambda key, operands, answer=answer: answer)
            with pytest.raises(IndexError):
                bound(operands=70, results=70, aliases=(70,) * 70)
            assert call((X,), bind=lambda key, operands: bound(handle=handle)) == 1
        gc.collect()

    run()
    tracemalloc.start()
    try:
        run()
        run()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(4):
            run()
        assert tracemalloc.get_traced_memory()[0] - before < 8000
    finally:
        tracemalloc.stop()


def test_forms_and_trees_are_freed():
    class Traced:
        ended = 0

        def __del__(self):
            Traced.ended += 1

    for _ in range(10):
        bound(
            operands=0,
            stored_shape=Traced(),
            stored_dtype=Traced(),
            unpack=Traced(),
            tree=Traced(),
        )
    assert Traced.ended == 40
    MODULE.Caller({1: Traced()}, Traced(), Traced())
    assert Traced.ended == 43


def test_nothing_is_written_beyond_its_memory():
    """The other tests, where Python puts marks around all memory and looks at them."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-k",
            "any_number or any_rank or are_bound",
            __file__,
        ],
        env={**os.environ, "PYTHONMALLOC": "debug"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
