"""On which stream, and when, targets run on CUDA tensors."""

import ctypes

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402, F401
from at_once import at_once  # noqa: E402
from callbridge._calls import _bound_calls  # noqa: E402
from callbridge.torch import custom_call  # noqa: E402
from recorded_calls import SIZE, count  # noqa: E402

LEGACY_STREAM = 1
A = np.arange(1, SIZE + 1, dtype=np.float32)


def square():
    return custom_call("untyped_gpu_square", lambda x: x, opaque=count())


def test_the_current_stream(recorder):
    call = custom_call("recorder", lambda a, b: a)
    x = torch.from_numpy(A).to("cuda")
    call(x, x)
    assert recorder.last()[0] == LEGACY_STREAM
    streams = [torch.cuda.Stream() for _ in range(3)]
    for stream in (*streams, streams[0]):
        with torch.cuda.stream(stream):
            call(x, x)
            call.operator(x, x)(x, x)
        assert [call[0] for call in recorder.calls[-2:]] == [stream.cuda_stream] * 2
    call(x, x)
    assert recorder.last()[0] == LEGACY_STREAM


def test_the_current_stream_of_the_tensors_device(recorder, two_devices):
    """Not that of the current device."""
    call = custom_call("recorder", lambda a, b: a)
    first, second = (torch.from_numpy(A).to(device) for device in two_devices)
    on_first, on_second = (torch.cuda.Stream(device) for device in two_devices)
    with torch.cuda.stream(on_second):
        call(second, second)
        assert recorder.last()[0] == on_second.cuda_stream
        call(first, first)
        assert recorder.last()[0] == LEGACY_STREAM
        with torch.cuda.stream(on_first):
            call(first, first)
            assert recorder.last()[0] == on_first.cuda_stream
            call(second, second)
            assert recorder.last()[0] == on_second.cuda_stream


def test_a_stream_of_another_device(recorder, two_devices):
    call = custom_call("recorder", lambda a, b: a)
    x = torch.from_numpy(A).to("cuda:0")
    other = torch.cuda.Stream("cuda:1")
    mistaken = torch.cuda.ExternalStream(other.cuda_stream, device="cuda:0")
    own = torch.cuda.Stream("cuda:0")
    calls = len(recorder.calls)
    for _ in range(2):
        with torch.cuda.stream(mistaken):
            with pytest.raises(ValueError, match="expected a stream of CUDA device 0, but the str"):
                call(x, x)
        assert len(recorder.calls) == calls
    with torch.cuda.stream(own):
        call(x, x)
    assert recorder.last()[0] == own.cuda_stream


def test_an_external_stream(recorder):
    call = custom_call("recorder", lambda a, b: a)
    x = torch.from_numpy(A).to("cuda")
    own = torch.cuda.Stream()
    external = torch.cuda.ExternalStream(own.cuda_stream)
    with torch.cuda.stream(external):
        call(x, x)
    assert recorder.last()[0] == own.cuda_stream


def test_what_a_call_asks_of_the_driver(recorder, held_streams):
    """The device's context is made current, and no more."""
    calls_of = held_streams.driver.standin_calls
    calls_of.restype, calls_of.argtypes = ctypes.c_size_t, [ctypes.c_char_p] * 2
    functions = "cuCtxPushCurrent_v2 cuCtxPopCurrent_v2 cuStreamGetCtx cuStreamSynchronize".split()

    def counts():
        return [calls_of(name.encode(), b"libcallbridge.so") for name in functions]

    call = custom_call("recorder", lambda a, b: a)
    x = torch.from_numpy(A).to("cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        call(x, x)
        before = counts()
        for _ in range(10):
            call(x, x)
        if _bound_calls.EXTENSION is not None:  # which checks a stream once
            assert [b - a for a, b in zip(before, counts())] == [10, 10, 0, 0]
        assert counts()[-1] == before[-1]


def test_calls_do_not_wait(held_streams):
    """They return before the stream has done anything, and the results are right later."""
    hold, release = held_streams.hold, held_streams.release
    call = square()
    x = torch.from_numpy(A).to("cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call(x)  # loads the kernel
        stream.synchronize()
        hold()
        try:
            result = call(call(call(x)))
            done = torch.cuda.Event()
            done.record()
            assert not done.query()
        finally:
            release()
        found = result.cpu()
    assert found.numpy().tobytes() == (((A * A) ** 2) ** 2).tobytes()


def test_memory_is_used_again_in_the_order_of_the_stream(held_streams):
    """The results between are freed while the stream has not begun."""
    hold, release = held_streams.hold, held_streams.release
    call = square()
    ones = torch.ones(SIZE).to("cuda")
    twos = torch.full((SIZE,), 2.0).to("cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call(ones)
        stream.synchronize()
        hold()
        try:
            first = call(call(twos))
            second = call(call(ones))
        finally:
            release()
        assert first.cpu().tolist() == [16] * SIZE
        assert second.cpu().tolist() == [1] * SIZE


def test_streams_order_by_events():
    call = square()
    x = torch.from_numpy(A).to("cuda")
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    for stream in (first, second):
        stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(first):
        y = call(x)
    second.wait_stream(first)
    with torch.cuda.stream(second):
        z = call(y)
        found = z.cpu()
    assert found.numpy().tobytes() == ((A * A) ** 2).tobytes()


def test_targets_run_without_the_gil():
    """Four calls that wait for one another."""
    attributes = {"others": np.int32(4)}
    call = custom_call("torch_meet", "s32[]", platform="CUDA", attributes=attributes)
    met = []
    at_once(*[lambda: met.append(int(call().cpu()))] * 4)
    assert met == [1] * 4


def test_many_threads_have_their_own_streams():
    call = custom_call("typed_square", lambda x: x)
    devices = torch.cuda.device_count()

    def work(seed):
        random = np.random.default_rng(seed)
        with torch.cuda.stream(torch.cuda.Stream(seed % devices)):
            for _ in range(20):
                a = random.standard_normal(int(random.integers(1, 40))).astype(np.float32)
                x = torch.from_numpy(a).to("cuda")
                assert x.device.index == seed % devices
                assert call(x).cpu().numpy().tobytes() == (a * a).tobytes()

    at_once(*[lambda seed=seed: work(seed) for seed in range(6)])
