"""A call on CUDA's second device, over stub/ and the stand-in for the driver: the target gets the
stream that torch's tensors are computed on, and the tensors' pointers; and scratch memory."""

import ctypes

import callbridge.torch
import torch
from callbridge.torch import _devices

calls = []


@ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t
)
def target(stream, buffers, opaque, opaque_size):
    calls.append((stream, buffers[:2]))


callbridge.torch.register("on_cuda", target, "CUDA", abi="original")
callbridge.torch.register("on_rocm", target, "ROCM", abi="original")
call = callbridge.torch.custom_call("on_cuda", lambda x: x)
x = torch.arange(4.0).to("cuda:1")
y = call(x)
assert y.device == x.device and type(y) is torch.Tensor
# CUDA's legacy default stream, by the number that the driver's functions take for it.
assert calls == [(1, [x.data_ptr(), y.data_ptr()])], calls
# One that the driver does not know is an error.
try:
    with torch.cuda.stream(torch.cuda.Stream("cuda:1")):
        call(x)
    raise SystemExit("no error")
except callbridge.torch.CallbridgeError as error:
    assert "cuStreamGetCtx failed" in error.message, error
# A kernel aligns what it loads: a copy of what is not aligned.
z = call(torch.arange(5.0).to("cuda:0")[1:])
assert calls[-1][1][0] % 16 == 0 and z.shape == (4,)
for tensor, name, message in (
    (x, "on_rocm", "registered for ROCM alone, and this PyTorch is for CUDA"),
    (x.cpu(), "on_cuda", 'registered for CUDA alone; pass its to("cuda"); with platform='),
):
    try:
        callbridge.torch.custom_call(name, lambda x: x)(tensor)
        raise SystemExit("no error")
    except callbridge.torch.CallbridgeError as error:
        assert error.code == "UNIMPLEMENTED" and message in error.message, error

# Scratch memory is torch's, in the order of the stream.
asked = []
torch._C._cuda_cudaCachingAllocator_raw_alloc = lambda *given: asked.append(given) or 4096
torch._C._cuda_cudaCachingAllocator_raw_delete = asked.append
for stream, size, alignment in ((None, 8, 16), (1, 0, 512), (7, 100, 256)):
    assert _devices._allocate(stream, size, alignment) == 4096
assert _devices._allocate(7, 8, 1024) is None  # torch aligns less
_devices._free(7, 4096, 100)
assert asked == [(8, 0), (1, 0), (100, 7), 4096], asked


def fail(*_):
    raise RuntimeError("out of memory")


torch._C._cuda_cudaCachingAllocator_raw_alloc = fail
assert _devices._allocate(7, 8, 16) is None
print("done")
