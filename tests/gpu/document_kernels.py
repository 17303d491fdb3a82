"""Runs a kernel on arrays of f32 by the driver's API alone, over the stand-in or on a device.

  document_kernels.py '{"ptx": FILE, "kernel": NAME, "grid": N, "block": N,
                        "operands": [[...], ...], "results": N, "size": N, "with_size": BOOL}'

Prints JSON: {"error": the driver's number, "results": [[...], ...]}. The kernel's parameters are
the operands, the results of `size` elements each, and with_size that size.
"""

import ctypes
import json
import sys
from ctypes import byref, c_size_t, c_uint64, c_void_p

import numpy as np

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    if error := getattr(cuda, name)(*arguments):
        print(json.dumps({"error": error, "of": name}))
        sys.exit()


def allocate(array):
    address = c_uint64()
    call("cuMemAlloc_v2", byref(address), c_size_t(array.nbytes))
    call("cuMemcpyHtoD_v2", address, array.ctypes.data_as(c_void_p), c_size_t(array.nbytes))
    return address


def main(spec):
    context, module, function = c_void_p(), c_void_p(), c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", byref(context), 0)
    call("cuCtxSetCurrent", context)
    with open(spec["ptx"], "rb") as file:
        call("cuModuleLoadData", byref(module), file.read() + b"\0")
    call("cuModuleGetFunction", byref(function), module, spec["kernel"].encode())
    results = [np.full(spec["size"], np.nan, np.float32) for _ in range(spec["results"])]
    arrays = [np.array(values, np.float32) for values in spec["operands"]] + results
    addresses = [allocate(array) for array in arrays]
    values = [*addresses, *([c_uint64(spec["size"])] if spec["with_size"] else [])]
    parameters = (c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    one = ctypes.c_uint(1)
    call(
        "cuLaunchKernel",
        function,
        *(ctypes.c_uint(spec["grid"]), one, one),
        *(ctypes.c_uint(spec["block"]), one, one),
        *(ctypes.c_uint(0), None, parameters, None),
    )
    call("cuCtxSynchronize")
    for array, address in zip(arrays, addresses, strict=True):
        call("cuMemcpyDtoH_v2", array.ctypes.data_as(c_void_p), address, c_size_t(array.nbytes))
        call("cuMemFree_v2", address)
    call("cuModuleUnload", module)
    call("cuDevicePrimaryCtxRelease_v2", 0)
    print(json.dumps({"error": 0, "results": [array.tolist() for array in results]}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
