"""callbridge.numpy on CUDA devices, or on the stand-in for their driver."""

import copy
import ctypes
import gc
import math
import os
import pickle
import subprocess
import sys
import textwrap
import threading

import ml_dtypes
import numpy as np
import pytest
from callbridge import numpy as face
from callbridge._calls import _devices
from callbridge._core import _c_api
from callbridge.numpy import CallbridgeError, DeviceArray, custom_call

IS_SYSTEM_DRIVER = os.environ.get("CALLBRIDGE_GPU") == "device"

X = np.arange(8, dtype=np.float32)
Y = np.float32(0.5) * np.arange(8, dtype=np.float32) - 3
ADD = {"opaque": b"8", "device": 0}


@pytest.fixture(scope="module", autouse=True)
def driver(built):
    """ld.so then finds the stand-in under its soname, libcuda.so.1."""
    if not IS_SYSTEM_DRIVER:
        ctypes.CDLL(str(built / "gpu" / "cuda12" / "libcuda.so.1"))
    face.load(built / "targets" / "gpu_targets.so")


class Foreign:
    """An array on the device, as another library has it."""

    def __init__(self, array, device=0, **changed):
        self.memory = _devices.open_device(device).allocate(array.nbytes)
        handle = self.memory.device.handle
        _c_api.device_copy_in(handle, self.memory.address, array.ctypes.data, array.nbytes)
        self.memory.device.synchronize()
        self.shape, self.dtype = array.shape, array.dtype
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (self.memory.address, False),
            "version": 3,
        } | changed


# ---- NumPy's arrays


@pytest.mark.parametrize("sync", [False, True])
def test_numpy_arrays_are_copied(sync):
    call = custom_call("gpu_add", "f32[8]", sync=sync, **ADD)
    for _ in range(3):
        result = call(X, Y)
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, X + Y)


def test_a_typed_handler_gets_its_device():
    for device in range(2):
        attributes = {"bytes": 20, "alignment": 1}
        try:
            call = custom_call("gpu_ordinal", "s32[5]", device=device, attributes=attributes)
        except CallbridgeError as error:
            assert device == 1 and error.code == "UNAVAILABLE"
            pytest.skip("this machine has one CUDA device")
        np.testing.assert_array_equal(call(), [device] * 5)


def test_tuples():
    call = custom_call("gpu_typed_add", "f32[8]", device=np.int64(0))
    np.testing.assert_array_equal(call((X, (Y,))), X + Y)


def test_an_alias_begins_as_a_copy():
    x = X.copy()
    call = custom_call("gpu_double_in_place", "f32[8]", input_output_aliases={0: 0}, **ADD)
    np.testing.assert_array_equal(call(x), X + X)
    np.testing.assert_array_equal(x, X)
    foreign = Foreign(X)
    np.testing.assert_array_equal(call(foreign).numpy(), X + X)
    np.testing.assert_array_equal(call(foreign).numpy(), X + X, "nor is that one written to")


def test_new_shapes_are_bound_anew():
    call = custom_call("gpu_typed_add", "f32[8]", device=0)
    np.testing.assert_array_equal(call(X, Y), X + Y)
    np.testing.assert_array_equal(call(X.reshape(2, 4), Y.reshape(2, 4)), X + Y)


# ---- Arrays on the device


def test_arrays_on_the_device_are_taken_as_they_are():
    call = custom_call("gpu_add", "f32[8]", **ADD)
    result = call(Foreign(X), Foreign(Y))
    assert type(result) is DeviceArray
    assert (result.shape, result.dtype, result.device) == ((8,), np.dtype(np.float32), 0)
    np.testing.assert_array_equal(result.numpy(), X + Y)
    np.testing.assert_array_equal(np.asarray(result), X + Y)
    np.testing.assert_array_equal(np.asarray(result, np.float64), np.float64(X + Y))
    np.testing.assert_array_equal(call(result, result).numpy(), 2 * (X + Y))
    np.testing.assert_array_equal(call(X, result).numpy(), X + (X + Y), "mixed with NumPy's")
    assert repr(result) == "<callbridge.numpy.DeviceArray float32[8] on CUDA device 0>"
    with pytest.raises(ValueError, match="copy"):
        result.__array__(copy=False)


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_copies_have_memory_of_their_own(how):
    for shape, dtype in [((2, 4), np.float32), ((0,), np.float64), ((), np.int8)]:
        array = np.arange(8, dtype=dtype)[: math.prod(shape)].reshape(shape)
        memory = Foreign(array).memory
        copied = how([DeviceArray(shape, np.dtype(dtype), memory)])[0]
        if how is copy.copy:
            copied = copy.copy(copied)
        assert type(copied) is DeviceArray and copied.device == 0
        _c_api.device_copy_in(
            memory.device.handle, memory.address, np.full_like(array, 9).ctypes.data, array.nbytes
        )
        del memory
        gc.collect()
        assert copied.numpy().dtype == dtype
        np.testing.assert_array_equal(copied, array)


def test_arrays_on_the_device_are_not_pickled():
    array = DeviceArray((8,), X.dtype, Foreign(X).memory)
    with pytest.raises(TypeError, match=r"pickle a copy on the host: the array's numpy\(\)"):
        pickle.dumps(array)


def test_a_stream_of_the_producer_is_waited_for():
    call = custom_call("gpu_add", "f32[8]", **ADD)
    own = _devices.open_device(0).stream
    for stream in (1, 2, own, None):
        foreign = Foreign(X, stream=stream)
        np.testing.assert_array_equal(call(foreign, Y).numpy(), X + Y)


def test_strides():
    call = custom_call("gpu_typed_add", "f32[2,4]", device=0)
    square = X.reshape(2, 4)
    same = Foreign(square, strides=(16, 4))
    np.testing.assert_array_equal(call(same, square).numpy(), square + square)
    with pytest.raises(CallbridgeError, match=r"INVALID_ARGUMENT: operands\[0\] is not row-major"):
        call(Foreign(square, strides=(4, 8)), square)


class Capsule:
    """An array on the device that has DLPack's methods alone."""

    def __init__(self, array, device=0, kind=2):
        self.foreign = Foreign(array, device=0)
        self.shape, self.dtype = array.shape, array.dtype
        self.device, self.kind = device, kind
        self.streams = []

    def __dlpack_device__(self):
        return self.kind, self.device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        rank = len(self.shape)

        class Managed(ctypes.Structure):
            _fields_ = [
                ("data", ctypes.c_void_p),
                ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64),
                ("manager", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p),
            ]

        code = {"f": 2, "i": 0, "u": 1, "c": 5, "b": 6, "V": 4}[self.dtype.kind]
        self.managed = Managed(
            data=self.foreign.memory.address - 4,
            device_type=self.kind,
            device_id=self.device,
            ndim=rank,
            code=code,
            bits=8 * self.dtype.itemsize,
            lanes=1,
            shape=(ctypes.c_int64 * rank)(*self.shape),
            byte_offset=4,
        )
        new = ctypes.PyDLL(None).PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)


def test_dlpack():
    call = custom_call("gpu_add", "f32[8]", **ADD)
    x, y = Capsule(X), Capsule(Y, kind=13)
    np.testing.assert_array_equal(call(x, y).numpy(), X + Y)
    assert x.streams == [_devices.open_device(0).stream]
    with pytest.raises(CallbridgeError, match="is on CUDA device 1, and the call on 0"):
        call(Capsule(X, device=1), y)


@pytest.mark.parametrize("dtype", [np.int32, np.bool_, np.complex64, ml_dtypes.bfloat16])
def test_dtypes_of_dlpack(dtype):
    device = _devices.open_device(0)
    view = _devices.prepare(Capsule(np.ones(8, dtype)), device)
    assert (view.dtype, view.shape) == (np.dtype(dtype), (8,))


# ---- Wrong uses


def test_memory_of_the_host_is_refused():
    if IS_SYSTEM_DRIVER:
        pytest.skip("this device may use the host's memory")
    call = custom_call("gpu_add", "f32[8]", **ADD)
    wrong = Foreign(X, data=(X.ctypes.data, False))
    with pytest.raises(
        CallbridgeError,
        match=r"INVALID_ARGUMENT: operands\[1\]: .*expected memory of CUDA device 0",
    ):
        call(X, wrong)


def test_memory_of_another_device_is_refused():
    try:
        other = Foreign(X, device=1)
    except CallbridgeError:
        pytest.skip("this machine has one CUDA device")
    with pytest.raises(CallbridgeError, match="is memory of device 1"):
        custom_call("gpu_add", "f32[8]", **ADD)(other, Y)


@pytest.mark.parametrize(
    "changed, kind, complaint",
    [
        ({"mask": X}, TypeError, "has a mask"),
        ({"typestr": ">f4"}, CallbridgeError, "byte order"),
        ({"typestr": "|V3"}, CallbridgeError, "not an element type"),
    ],
)
def test_interfaces_that_cannot_be_taken(changed, kind, complaint):
    foreign = Foreign(X, **changed)
    foreign.dtype = "?"
    with pytest.raises(kind, match=complaint):
        custom_call("gpu_add", "f32[8]", **ADD)(foreign, Y)


def test_an_interface_that_is_none():
    foreign = Foreign(X)
    foreign.__cuda_array_interface__ = {"shape": (8,)}
    with pytest.raises(TypeError, match="expected a dict with shape, typestr and data"):
        custom_call("gpu_add", "f32[8]", **ADD)(foreign, Y)


def test_options():
    with pytest.raises(CallbridgeError, match="UNAVAILABLE: there is no CUDA device 1000"):
        custom_call("gpu_add", "f32[8]", device=1000)
    with pytest.raises(CallbridgeError, match="UNAVAILABLE: there is no CUDA device -1"):
        custom_call("gpu_add", "f32[8]", device=-1)
    with pytest.raises(CallbridgeError, match="UNAVAILABLE: there is no CUDA device"):
        custom_call("gpu_add", "f32[8]", device=2**80)
    for wrong in ("0", 0.0, True):
        with pytest.raises(TypeError, match="device: expected the number of a CUDA device"):
            custom_call("gpu_add", "f32[8]", device=wrong)
    with pytest.raises(TypeError, match="sync: expected a device"):
        custom_call("gpu_add", "f32[8]", sync=True)
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: device is a CUDA device"):
        custom_call("gpu_add", "f32[8]", device=0, platform="cpu")
    custom_call("gpu_add", "f32[8]", device=0, platform="gpu")


def test_targets_fail_as_they_say():
    call = custom_call("gpu_fail", "f32[8]", opaque=b"out of cheese", device=0)
    for _ in range(2):
        with pytest.raises(CallbridgeError, match="INTERNAL: CustomCall failed: out of cheese"):
            call()


def test_out_of_memory():
    huge = Foreign(X, shape=(2**45,), strides=None)
    huge.shape = (2**45,)
    call = custom_call("gpu_typed_add", "f32[35184372088832]", device=0)
    with pytest.raises(MemoryError, match="RESOURCE_EXHAUSTED: no .* bytes on CUDA device 0"):
        call(huge, huge)


# ---- Memory, threads and processes


def test_memory_is_freed():
    if IS_SYSTEM_DRIVER:
        pytest.skip("only the stand-in counts calls")
    standin = ctypes.CDLL("libcuda.so.1")
    standin.standin_calls.restype = ctypes.c_size_t

    def live():
        gc.collect()
        return standin.standin_calls(b"cuMemAllocAsync", None) - standin.standin_calls(
            b"cuMemFreeAsync", None
        )

    before = live()
    call = custom_call("gpu_add", "f32[8]", **ADD)
    call(X, Y)
    result = call(Foreign(X), Y)
    assert live() == before + 1
    del result
    assert live() == before
    with pytest.raises(CallbridgeError):
        custom_call("gpu_fail", "f32[8]", **ADD)(X, Y)
    assert live() == before


def test_threads_share_a_function():
    call = custom_call("gpu_add", "f32[8]", **ADD)
    wrong = []

    def work(number):
        for i in range(20):
            x = X + np.float32(number)
            y = Y * np.float32(i)
            if not np.array_equal(call(x, y), x + y):
                wrong.append((number, i))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def run(program, **environment):
    """Standard output of a Python program, which finds the stand-in as ld.so does."""
    build = os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
    if not IS_SYSTEM_DRIVER:
        environment.setdefault("LD_LIBRARY_PATH", f"{build}/tests/gpu/cuda12")
    begin = f"""
        import os, numpy as np
        from callbridge import numpy as face
        face.load({f"{build}/tests/targets/gpu_targets.so"!r})
        x = np.arange(8, dtype=np.float32)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(begin) + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done
    return done.stdout


def test_a_fault_reaches_the_call_that_caused_it():
    said = run("""
        fault = face.custom_call("gpu_fault", "f32[8]", device=0, sync=True)
        for _ in range(2):
            try:
                fault()
            except face.CallbridgeError as error:
                print(error)
    """)
    first, second = said.splitlines()
    assert first.startswith(
        "INTERNAL: what this call enqueued on the CUDA stream failed: cuStreamSynchronize failed: "
        "CUDA_ERROR_ILLEGAL_ADDRESS"
    )
    assert "restart the process" in first and "restart the process" in second


def test_a_forked_process_gets_an_error():
    said = run("""
        call = face.custom_call("gpu_add", "f32[8]", opaque=b"8", device=0)
        kept = call(x, x)
        child = os.fork()
        if child == 0:
            try:
                call(x, x)
            except face.CallbridgeError as error:
                print(error.code, "fork" in str(error), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(np.array_equal(call(x, x), x + x))
    """)
    assert said == "FAILED_PRECONDITION True\nTrue\n"


def test_a_process_ends_with_arrays_on_the_device():
    assert (
        run("""
        array = face.custom_call("gpu_ordinal", "s32[2]", device=0,
                                 attributes={"bytes": 8, "alignment": 1})
        from callbridge._calls import _devices
        kept = _devices.open_device(0).allocate(64)
        print(array())
    """)
        == "[0 0]\n"
    )


def test_without_a_driver(tmp_path):
    if IS_SYSTEM_DRIVER:
        pytest.skip("this machine has a CUDA driver")
    said = run(
        """
        for _ in range(2):
            try:
                face.custom_call("gpu_add", "f32[8]", device=0)
            except face.CallbridgeError as error:
                print(error)
    """,
        LD_LIBRARY_PATH=str(tmp_path),
    )
    if "there is no" in said:
        pytest.skip("this machine has a CUDA driver")
    assert said.count("UNAVAILABLE: no CUDA driver: the library libcuda.so.1") == 2
