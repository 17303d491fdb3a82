// The tensors of a call, and what distinguishes their forms.
//
// Knows PyTorch by Python attributes and by DLPack alone, so that one file serves all its versions.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_TENSOR_READING_H_
#define CALLBRIDGE_PYTHON_EXTENSION_TENSOR_READING_H_

#include <stdint.h>

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

// What is used of PyTorch. A Python object, of which callbridge._tensor_calls has one.
typedef struct {
  PyObject ob_base;
  PyObject* tensor_type;     // torch.Tensor
  PyObject* parameter_type;  // torch.nn.Parameter
  PyObject* forward_ad;      // the dict of torch.autograd.forward_ad
  PyObject* is_grad_enabled;
  PyObject* is_in_transform;  // whether torch.func transforms what is called
  PyObject* empty;            // of a shape, strides and a dtype: a new tensor on the CPU
  PyObject* exchange_api;     // the capsule of DLPack's C functions, or None
  DlTensorOf* dl_tensor_of;   // null in a torch that has no such functions
  // Of tensors; the first two are functions.
  PyObject *is_contiguous, *data_ptr, *shape_name, *dtype_name, *requires_grad_name;
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

// Returns the address of the memory of a dense tensor on the CPU; kNowhere's if it has no elements.
// Null with an exception set.
void* TensorAddress(const Torch* torch, PyObject* tensor);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_TENSOR_READING_H_
