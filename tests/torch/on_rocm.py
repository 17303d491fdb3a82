"""A call on ROCm, by a torch that says it is built for that: the target gets torch's stream and the
tensors' pointers, with their device current."""

import ctypes
import sys

import torch

torch.version.hip = "6.0"
# By which its tensors would be CUDA's. Torch 2.4 has none.
if hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
    del torch.Tensor.__dlpack_c_exchange_api__

import callbridge.torch  # noqa: E402

calls = []


@ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t
)
def target(stream, buffers, opaque, opaque_size):
    calls.append((stream, buffers[:2], torch.cuda.current_device()))


callbridge.torch.register("on_rocm", target, "ROCM", abi="original")
callbridge.torch.register("on_cuda", target, "CUDA", abi="original")
x = torch.arange(4.0).to("cuda:1")
call = callbridge.torch.custom_call("on_rocm", lambda x: x)
stream = torch.cuda.Stream("cuda:1")
with torch.cuda.stream(stream):
    with torch.cuda.device(0):
        y = call(x)
assert calls == [(stream.cuda_stream, [x.data_ptr(), y.data_ptr()], 1)], calls
call(x)
assert calls[1][0] is None, "the default stream is null"
assert torch.cuda.current_device() == 0

for name, message in (
    ("on_cuda", "registered for CUDA alone, and this PyTorch is for ROCM"),
    ("on_rocm", 'registered for ROCM alone; pass its to("cuda")'),
):
    tensor = x if name == "on_cuda" else x.cpu()
    try:
        callbridge.torch.custom_call(name, lambda x: x)(tensor)
        sys.exit("no error")
    except callbridge.torch.CallbridgeError as error:
        assert error.code == "UNIMPLEMENTED" and message in error.message, error
assert len(calls) == 2
print("called on", calls[0][2])
