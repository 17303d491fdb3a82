"""Calls where torch is built for CUDA, and the driver has no device."""

import ctypes

import callbridge.torch
import torch

assert not torch.cuda.is_available()


@ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t
)
def on_gpu(stream, buffers, opaque, opaque_size):
    ctypes.memmove(buffers[1], buffers[0], 16)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
def on_cpu(out, ins):
    ctypes.memmove(out, ins[0], 16)


callbridge.torch.register("both", on_gpu, "CUDA", abi="original")
callbridge.torch.register("both", on_cpu, "cpu", abi="original")
callbridge.torch.register("gpu_alone", on_gpu, "CUDA", abi="original")
x = torch.arange(4.0)
assert callbridge.torch.custom_call("both", lambda x: x)(x).tolist() == x.tolist()
on_host = callbridge.torch.custom_call("gpu_alone", lambda x: x, platform="CUDA")
assert on_host(x).tolist() == x.tolist()
for operands, message in (((x,), 'pass its to("cuda")'), ((), "the call has no operands")):
    try:
        callbridge.torch.custom_call("gpu_alone", "f32[4]")(*operands)
        raise SystemExit("no error")
    except callbridge.torch.CallbridgeError as error:
        assert error.code == "UNIMPLEMENTED" and message in error.message, error
print("done")
