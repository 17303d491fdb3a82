"""How long callbridge.numpy keeps what it has bound."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest
from callbridge import numpy as face
from callbridge._calls import _bound_calls
from callbridge._core import _c_api
from callbridge.numpy import custom_call

CAPACITY = _bound_calls.CAPACITY
ORIGINAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))


@pytest.fixture(scope="module", autouse=True)
def libraries(built):
    face.load(built / "python" / "targets.so")
    face.load(built / "targets" / "typed_handlers.so")


@pytest.fixture
def handles(monkeypatch):
    """(made, ended): the handles of calls that were bound, and destroyed, from now on."""
    made, ended = [], []
    bind, end = _c_api.bind, _c_api.CallHandle.__del__

    def counted_bind(*arguments):
        handle = bind(*arguments)
        made.append(int(handle))
        return handle

    def counted_end(handle):
        if handle in made:
            ended.append(int(handle))
        end(handle)

    monkeypatch.setattr(_c_api, "bind", counted_bind)
    monkeypatch.setattr(_c_api.CallHandle, "__del__", counted_end)
    yield made, ended
    gc.collect()


def test_they_end_with_the_function(handles):
    made, ended = handles
    call = custom_call("refuse_negative", "f32[]")
    call(np.float32(1))
    assert len(made) == 1 and not ended
    del call
    gc.collect()
    assert ended == made


def test_those_called_last_are_kept(handles):
    made, ended = handles
    call = custom_call("count", "s32[]", attributes={"start": np.int32(0)})
    assert call() == 0
    copy = custom_call("copy_bytes", "u8[1]", opaque=(1).to_bytes(8, "little"))
    first, second = np.array([7], np.uint8), np.array([7, 8], np.uint8)
    for operand in (first, second):
        copy(operand)
    made.clear()
    for n in range(3, CAPACITY + 1):
        copy(np.zeros(n, np.uint8))
    assert len(made) == CAPACITY - 2 and not ended
    assert copy(first) == 7  # now the second is the one that was called before all others
    assert copy(np.full(CAPACITY + 1, 9, np.uint8)) == 9
    assert copy(first) == 7
    assert len(made) == CAPACITY - 1
    assert copy(second) == 7
    assert len(made) == CAPACITY
    assert call() == 1  # other functions keep their own


def test_growth_is_bounded(handles):
    made, ended = handles
    copy = custom_call("copy_bytes", "u8[1]", opaque=(1).to_bytes(8, "little"))
    for n in range(1, 4 * CAPACITY):
        copy(np.ones(n, np.uint8))
    assert len(made) - len(ended) <= CAPACITY


def test_state_is_new_after_a_form_was_dropped():
    call = custom_call("count", "s32[]", attributes={"start": np.int32(3)})
    one, two = np.zeros(1, np.uint8), np.zeros(2, np.uint8)
    assert [int(call(one)), int(call(one)), int(call(two))] == [3, 4, 3]
    for n in range(3, CAPACITY + 2):
        call(np.zeros(n, np.uint8))
    assert int(call(two)) == 4
    assert int(call(one)) == 3


def test_a_form_that_is_dropped_stays_until_its_call_returns(handles):
    made, ended = handles
    seen = []

    @ORIGINAL
    def calls_others(out, ins):
        if seen:
            return
        seen.append("outer")
        for n in range(2, CAPACITY + 3):
            call(np.zeros(n, np.uint8))
        seen.append((made[0] in ended, len(ended)))
        ctypes.cast(out, ctypes.POINTER(ctypes.c_uint8))[0] = 5

    face.register("calls others", calls_others, abi="original")
    call = custom_call("calls others", "u8[]")
    assert call(np.zeros(1, np.uint8)) == 5
    assert seen == ["outer", (False, 1)]
    assert made[0] in ended and len(ended) == 2


def test_a_call_within_the_binding_of_a_call(monkeypatch):
    """As signal handlers make them, and handlers that are told of their state."""
    call = custom_call("copy_bytes", "u8[1]", opaque=(1).to_bytes(8, "little"))
    seen, bind = [], _c_api.bind

    def bind_and_call(*arguments):
        if not seen:
            seen.append("outer")
            seen.append(call(np.array([7, 0], np.uint8)).tolist())
        return bind(*arguments)

    monkeypatch.setattr(_c_api, "bind", bind_and_call)
    thread = threading.Thread(
        target=lambda: seen.append(call(np.array([5], np.uint8))), daemon=True
    )
    thread.start()
    thread.join(60)
    assert seen == ["outer", [7], [5]]


def test_threads_that_call_more_forms_than_are_kept():
    copy = custom_call("copy_bytes", "u8[2]", opaque=(2).to_bytes(8, "little"))
    wrong = []

    def work(seed):
        for n in np.random.default_rng(seed).integers(2, CAPACITY + 60, 1500):
            operand = np.full(n, n % 251, np.uint8)
            if copy(operand).tolist() != [n % 251] * 2:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_that_change_later():
    # The target was told the new shape, and wrote that much into the old one's memory.
    model = np.zeros(4, np.float32)
    call = custom_call("scale", model, attributes={"factor": np.float32(2)})
    model.resize(1 << 22, refcheck=False)
    reference = weakref.ref(model)
    np.testing.assert_array_equal(call(np.ones(4, np.float32)), np.full(4, 2, np.float32))
    del model
    assert reference() is None  # of 16 MB
