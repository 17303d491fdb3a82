// What calls on tensors use of PyTorch.
//
// Knows PyTorch by Python attributes and by DLPack alone, so that one file serves all its versions.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_TENSORS_H_
#define CALLBRIDGE_PYTHON_EXTENSION_TENSORS_H_

#include <stdint.h>

#include "callbridge/c_api/callbridge_device.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/python/extension/module.h"

// A DLTensor of DLPack.
typedef struct {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t type_code, type_bits;
  uint16_t type_lanes;
  int64_t* shape;
  int64_t* strides;  // in elements
  uint64_t byte_offset;
} DlTensor;

// Fills `out`, which borrows from the tensor. Returns -1 with an exception set.
typedef int DlTensorOf(void* tensor, DlTensor* out);

// What is used of PyTorch on one device. A Python object, of which callbridge.torch._devices
// has one for each.
typedef struct {
  PyObject ob_base;
  PyObject* tensor_type;     // torch.Tensor
  PyObject* parameter_type;  // torch.nn.Parameter
  PyObject* forward_ad;      // the dict of torch.autograd.forward_ad
  PyObject* is_grad_enabled;
  PyObject* is_in_transform;  // whether torch.func transforms what is called
  PyObject* exchange_api;     // the capsule of DLPack's C functions, or None
  PyObject* empty;            // of a shape, strides and a dtype: a new tensor on the device
  DlTensorOf* dl_tensor_of;   // null in a torch that has no such functions
  PyObject* device;           // the torch.device of a GPU; null: the CPU
  int32_t dl_device_type, dl_device_id;
  uintptr_t alignment;  // of tensors, in bytes
  // Of a GPU.
  const callbridge_device* device_handle;  // or null
  PyObject *current_stream, *check_stream;
  callbridge_ffi_scratch scratch;      // but for `user`
  unsigned long long checked, stream;  // the last current stream, and what its check returned
  int is_checked;
  // Of tensors; the first two are functions.
  PyObject *is_contiguous, *data_ptr, *shape_name, *dtype_name, *requires_grad_name, *device_name;
  PyObject* level_name;  // in forward_ad
} Torch;

// Returns `object`, borrowed, as a Torch. Returns null with an exception set for another type.
Torch* AsTorch(const State* state, PyObject* object);

// Returns whether `object` is of a type whose memory targets can be given.
static inline int IsTensor(const Torch* torch, PyObject* object) {
  PyObject* type = (PyObject*)Py_TYPE(object);
  return type == torch->tensor_type || type == torch->parameter_type;
}

#endif  // CALLBRIDGE_PYTHON_EXTENSION_TENSORS_H_
