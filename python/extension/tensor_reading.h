// The tensors of a call, and what distinguishes their forms.
//
// Knows PyTorch by Python attributes and by DLPack alone, so that one file serves all its versions.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_TENSOR_READING_H_
#define CALLBRIDGE_PYTHON_EXTENSION_TENSOR_READING_H_

#include <stdint.h>

#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_device.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/python/extension/stable_abi.h"

enum { kInlineTensors = 16, kInlineTensorKeyBytes = 512 };

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

// What is used of PyTorch on one device. A Python object, of which callbridge._calls._tensor_calls
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

extern PyType_Spec torch_spec;

// The tensors of a call, and the bytes that distinguish their form from others.
typedef struct {
  const Torch* torch;
  void** pointers;  // the operands'
  char* key;
  size_t key_size, key_capacity;
  char inline_key[kInlineTensorKeyBytes];
} TensorReading;

void BeginTensorReading(TensorReading* reading, const Torch* torch, void** pointers);
void EndTensorReading(TensorReading* reading);

// Reads a tuple of tensors. `gradients_matter` unless they were checked. Returns 1 on success; 0 if
// the tensors must be prepared first, because a target cannot use the memory of one, or has no rule
// for its gradient; -1 with an exception set.
int ReadTensors(TensorReading* reading, PyObject* tensors, int gradients_matter);

// Returns the address of the memory of a dense tensor; that of `nowhere` if it has no elements.
// Null with an exception set.
void* TensorAddress(const Torch* torch, PyObject* tensor);

// What a call gets of its device.
typedef struct {
  callbridge_execution_context context;
  callbridge_runtime_services services;
  callbridge_ffi_scratch scratch;
} CallContext;

// Makes `*call` that of a call there, of a typed handler or not, on torch's current stream if the
// device is a GPU; then addresses of `nowhere` become null, as XLA:GPU has them. Returns -1 with an
// exception set.
int MakeCallContext(Torch* torch, int is_typed, void** pointers, Py_ssize_t count,
                    CallContext* call);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_TENSOR_READING_H_
