// Tensors of a device as operands, whose memory the target gets, and as results.

#include "callbridge/python/extension/tensors.h"

#include <stdalign.h>

#include "callbridge/python/extension/bound_call.h"

// What a tensor without elements has instead of memory. Nobody writes to it.
static alignas(kAlignment) char nowhere[kAlignment];

enum { kDlCpu = 1 };

// ---- Torch --------------------------------------------------------------------------------------

typedef struct {
  uint32_t major, minor;
  void* older;
  void* other_functions[3];
  DlTensorOf* dl_tensor_of;
} DlExchangeApi;

static void TorchDealloc(PyObject* self) {
  Torch* torch = (Torch*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject* const owned[] = {
      torch->tensor_type,     torch->parameter_type, torch->forward_ad,   torch->is_grad_enabled,
      torch->is_in_transform, torch->empty,          torch->exchange_api, torch->is_contiguous,
      torch->data_ptr,        torch->shape_name,     torch->dtype_name,   torch->requires_grad_name,
      torch->level_name,      torch->device_name,    torch->device,       torch->current_stream,
      torch->check_stream,
  };
  for (size_t i = 0; i < sizeof(owned) / sizeof(void*); ++i) Py_XDECREF(owned[i]);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int SetExchangeApi(Torch* torch) {
  if (torch->exchange_api == Py_None) return 0;
  const DlExchangeApi* api = PyCapsule_GetPointer(torch->exchange_api, "dlpack_exchange_api");
  if (api == NULL) return -1;
  if (api->major == 1) torch->dl_tensor_of = api->dl_tensor_of;
  return 0;
}

// Reads a callbridge.torch._devices.Gpu.
static int SetGpu(Torch* torch, PyObject* gpu) {
  PyObject *device, *handle, *current_stream, *check_stream, *allocate, *free;
  int dl_device_type;
  Py_ssize_t alignment;
  if (!PyArg_ParseTuple(gpu, "OinOOOOO", &device, &dl_device_type, &alignment, &handle,
                        &current_stream, &check_stream, &allocate, &free)) {
    return -1;
  }
  torch->device = Py_NewRef(device);
  torch->current_stream = Py_NewRef(current_stream);
  torch->check_stream = Py_NewRef(check_stream);
  torch->dl_device_type = dl_device_type;
  torch->alignment = (uintptr_t)alignment;
  torch->device_handle = PyLong_AsVoidPtr(handle);
  torch->scratch.struct_size = sizeof(torch->scratch);
  torch->scratch.allocate = (void* (*)(void*, size_t, size_t))PyLong_AsVoidPtr(allocate);
  torch->scratch.free = (void (*)(void*, void*, size_t))PyLong_AsVoidPtr(free);
  if (PyErr_Occurred()) return -1;
  PyObject* index = PyObject_GetAttrString(device, "index");
  if (index == NULL) return -1;
  torch->dl_device_id = (int32_t)PyLong_AsLong(index);
  Py_DECREF(index);
  return PyErr_Occurred() ? -1 : 0;
}

// Does what callbridge.torch._devices._Torch does.
static PyObject* TorchNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *tensor_type, *parameter_type, *forward_ad, *is_grad_enabled, *is_in_transform, *api,
      *empty, *gpu;
  if (!PyArg_ParseTuple(arguments, "OOO!OOOOO", &tensor_type, &parameter_type, &PyDict_Type,
                        &forward_ad, &is_grad_enabled, &is_in_transform, &api, &empty, &gpu)) {
    return NULL;
  }
  Torch* torch = PyObject_New(Torch, type);
  if (torch == NULL) return NULL;
  memset((char*)torch + sizeof(PyObject), 0, sizeof(*torch) - sizeof(PyObject));
  torch->tensor_type = Py_NewRef(tensor_type);
  torch->parameter_type = Py_NewRef(parameter_type);
  torch->forward_ad = Py_NewRef(forward_ad);
  torch->is_grad_enabled = Py_NewRef(is_grad_enabled);
  torch->is_in_transform = Py_NewRef(is_in_transform);
  torch->empty = Py_NewRef(empty);
  torch->exchange_api = Py_NewRef(api);
  torch->dl_device_type = kDlCpu;
  torch->alignment = kAlignment;
  const int is_whole =
      (torch->is_contiguous = PyObject_GetAttrString(tensor_type, "is_contiguous")) != NULL &&
      (torch->data_ptr = PyObject_GetAttrString(tensor_type, "data_ptr")) != NULL &&
      (torch->shape_name = PyUnicode_InternFromString("shape")) != NULL &&
      (torch->dtype_name = PyUnicode_InternFromString("dtype")) != NULL &&
      (torch->requires_grad_name = PyUnicode_InternFromString("requires_grad")) != NULL &&
      (torch->level_name = PyUnicode_InternFromString("_current_level")) != NULL &&
      (torch->device_name = PyUnicode_InternFromString("device")) != NULL &&
      SetExchangeApi(torch) == 0 && (gpu == Py_None || SetGpu(torch, gpu) == 0);
  if (!is_whole) Py_CLEAR(torch);
  return (PyObject*)torch;
}

static PyType_Slot torch_slots[] = {
    {Py_tp_doc, "What calls on tensors use of PyTorch."},
    {Py_tp_new, TorchNew},
    {Py_tp_dealloc, TorchDealloc},
    {0, NULL},
};
PyType_Spec torch_spec = {
    .name = "callbridge_python.Torch",
    .basicsize = sizeof(Torch),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = torch_slots,
};

Torch* AsTorch(const State* state, PyObject* object) {
  if ((PyObject*)Py_TYPE(object) == state->torch_type) return (Torch*)object;
  PyErr_SetString(PyExc_TypeError, "expected a Torch");
  return NULL;
}

// ---- Reading ------------------------------------------------------------------------------------

static const Torch* TorchOf(const Reading* reading) { return (const Torch*)reading->torch; }

static int AppendForm(Reading* reading, uint64_t type, uint64_t ndim) {
  const uint64_t head[2] = {type, ndim};
  return AppendToKey(reading, head, sizeof(head));
}

// Returns whether the attribute of a tensor is true; -1 with an exception set.
static int IsTrue(PyObject* value) {
  if (value == NULL) return -1;
  const int is_true = value == Py_True ? 1 : value == Py_False ? 0 : PyObject_IsTrue(value);
  Py_DECREF(value);
  return is_true;
}

// Returns the address of the memory of a dense tensor; that of `nowhere` if it has no elements.
// Null with an exception set.
static void* TensorAddress(const Torch* torch, PyObject* tensor) {
  if (torch->dl_tensor_of != NULL) {
    DlTensor read;
    if (torch->dl_tensor_of(tensor, &read) < 0) return NULL;
    return read.data == NULL ? nowhere : (char*)read.data + read.byte_offset;
  }
  PyObject* address = PyObject_CallFunctionObjArgs(torch->data_ptr, tensor, NULL);
  if (address == NULL) return NULL;
  void* pointer = PyLong_AsVoidPtr(address);
  Py_DECREF(address);
  if (pointer != NULL) return pointer;
  return PyErr_Occurred() ? NULL : nowhere;
}

// The three that follow return what ReadTensors returns, for one tensor; `*address` gets the
// memory.

static int IsContiguous(const DlTensor* tensor) {
  int64_t expected = 1;
  for (int32_t i = tensor->ndim; i-- > 0;) {
    if (tensor->shape[i] != 1 && tensor->strides[i] != expected) return 0;
    expected *= tensor->shape[i];
  }
  return 1;
}

static int ReadByDlPack(Reading* reading, PyObject* tensor, void** address) {
  const Torch* torch = TorchOf(reading);
  DlTensor read;
  if (torch->dl_tensor_of(tensor, &read) < 0) {
    PyErr_Clear();  // a kind of tensor that DLPack has not; prepare() says what is wrong with it
    return 0;
  }
  if (read.device_type != torch->dl_device_type || read.device_id != torch->dl_device_id) return 0;
  uint64_t type = 0;
  memcpy(&type, &read.type_code, 4);
  if (AppendForm(reading, type, (uint64_t)read.ndim) < 0) return -1;
  const size_t shape_bytes = (size_t)read.ndim * sizeof(int64_t);
  int is_empty = 0;
  if (shape_bytes != 0) {
    if (AppendToKey(reading, read.shape, shape_bytes) < 0) return -1;
    for (int32_t i = 0; i < read.ndim; ++i) is_empty |= read.shape[i] == 0;
    if (!is_empty && !IsContiguous(&read)) return 0;
  }
  *address = is_empty ? nowhere : (char*)read.data + read.byte_offset;
  return 1;
}

static int ReadByAttributes(Reading* reading, PyObject* tensor, void** address) {
  const Torch* torch = TorchOf(reading);
  PyObject* dtype = PyObject_GetAttr(tensor, torch->dtype_name);
  if (dtype == NULL) return -1;
  const uint64_t type = (uintptr_t)dtype;  // dtypes are never deleted
  Py_DECREF(dtype);
  PyObject* shape = PyObject_GetAttr(tensor, torch->shape_name);
  if (shape == NULL) return -1;
  const Py_ssize_t ndim = PyTuple_Size(shape);
  int done = ndim < 0 || AppendForm(reading, type, (uint64_t)ndim) < 0 ? -1 : 1;
  for (Py_ssize_t i = 0; done == 1 && i < ndim; ++i) {
    const int64_t size = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    const int is_size = size != -1 || !PyErr_Occurred();
    if (!is_size || AppendToKey(reading, &size, sizeof(size)) < 0) done = -1;
  }
  Py_DECREF(shape);
  if (done != 1) return done;
  if (torch->device != NULL) {
    PyObject* device = PyObject_GetAttr(tensor, torch->device_name);
    const int is_here =
        device == NULL ? -1 : PyObject_RichCompareBool(device, torch->device, Py_EQ);
    Py_XDECREF(device);
    if (is_here != 1) return is_here;
  }
  const int is_contiguous =
      IsTrue(PyObject_CallFunctionObjArgs(torch->is_contiguous, tensor, NULL));
  if (is_contiguous != 1) return is_contiguous;
  *address = TensorAddress(torch, tensor);
  if (*address != NULL) return 1;
  PyErr_Clear();  // a tensor without memory; prepare() says what is wrong with it
  return 0;
}

// Returns whether tensors that require grad have a gradient now; -1 with an exception set.
static int GradIsEnabled(const Torch* torch) {
  return IsTrue(PyObject_CallFunctionObjArgs(torch->is_grad_enabled, NULL));
}

// Returns whether forward-mode differentiation is going on; -1 with an exception set.
static int IsDual(const Torch* torch) {
  PyObject* level = PyDict_GetItemWithError(torch->forward_ad, torch->level_name);
  if (level == NULL) return PyErr_Occurred() ? -1 : 0;
  const long number = PyLong_AsLong(level);
  return number == -1 && PyErr_Occurred() ? -1 : number >= 0;
}

static int ReadTensor(Reading* reading, PyObject* tensor, void** address) {
  const Torch* torch = TorchOf(reading);
  if (!IsTensor(torch, tensor)) return 0;
  if (reading->gradients_matter) {
    int has_gradient = IsTrue(PyObject_GetAttr(tensor, torch->requires_grad_name));
    if (has_gradient == 1) has_gradient = GradIsEnabled(torch);
    if (has_gradient != 0) return has_gradient < 0 ? -1 : 0;
  }
  const int done = torch->dl_tensor_of != NULL ? ReadByDlPack(reading, tensor, address)
                                               : ReadByAttributes(reading, tensor, address);
  if (done != 1) return done;
  return (uintptr_t)*address % torch->alignment == 0;
}

static int ReadTensors(Reading* reading, PyObject* operands) {
  if (reading->gradients_matter) {
    const int is_dual = IsDual(TorchOf(reading));
    if (is_dual != 0) return is_dual < 0 ? -1 : 0;
  }
  const Py_ssize_t count = PyTuple_Size(operands);
  int done = 1;
  for (Py_ssize_t i = 0; done == 1 && i < count; ++i) {
    Operand operand = {.object = PyTuple_GetItem(operands, i)};
    done = ReadTensor(reading, operand.object, &operand.data);
    if (done == 1 && AppendOperand(reading, operand) < 0) done = -1;
  }
  return done;
}

// ---- Calling ------------------------------------------------------------------------------------

// `described` is a tuple of a shape, strides and a dtype; nothing is used of operands'.
static int SetTensorForm(Form* form, PyObject* described, int is_result) {
  if (!is_result) return 0;
  if (!PyTuple_CheckExact(described)) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple of arguments");
    return -1;
  }
  form->empty_arguments = Py_NewRef(described);
  return 0;
}

// Returns the stream that a target gets; sets an exception if that fails.
static unsigned long long CurrentStream(Torch* torch) {
  PyObject* current = PyObject_CallNoArgs(torch->current_stream);
  if (current == NULL) return 0;
  const unsigned long long number = PyLong_AsUnsignedLongLong(current);
  if (!PyErr_Occurred() && !(torch->is_checked && torch->checked == number)) {
    PyObject* checked = PyObject_CallFunctionObjArgs(torch->check_stream, current, NULL);
    if (checked != NULL) {
      const unsigned long long stream = PyLong_AsUnsignedLongLong(checked);
      Py_DECREF(checked);
      if (!PyErr_Occurred()) {
        torch->stream = stream;
        torch->checked = number;
        torch->is_checked = 1;
      }
    }
  }
  Py_DECREF(current);
  return torch->stream;
}

// Sets what the target gets of its device. Returns -1 with an exception set.
static int SetContext(Torch* torch, int is_typed, Call* call) {
  call->context = (callbridge_execution_context){.struct_size = sizeof(call->context),
                                                 .keeps_floating_point = 1};
  if (torch->device == NULL) {
    call->context.as_xla_cpu = is_typed;
    return 0;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): PyTorch gives a stream as an integer
  call->context.stream = (void*)(uintptr_t)CurrentStream(torch);
  if (PyErr_Occurred()) return -1;
  call->context.device = torch->device_handle;
  if (is_typed) {
    call->scratch = torch->scratch;
    call->scratch.user = call->context.stream;
    call->services = (callbridge_runtime_services){.struct_size = sizeof(call->services),
                                                   .scratch = &call->scratch};
    call->context.services = &call->services;
  }
  return 0;
}

static int PlaceTensors(const BoundCall* bound, Reading* reading, Call* call) {
  Torch* torch = (Torch*)reading->torch;
  for (size_t i = 0; i < bound->operand_count; ++i) call->operands[i] = reading->operands[i].data;
  const Form* const result_forms = bound->forms + bound->operand_count;
  for (size_t i = 0; i < bound->result_count; ++i) {
    if (bound->aliases[i] >= 0) {
      call->results[i] = call->operands[bound->aliases[i]];
      continue;
    }
    call->made[i] = PyObject_Call(torch->empty, result_forms[i].empty_arguments, NULL);
    if (call->made[i] == NULL) return -1;
    call->results[i] = TensorAddress(torch, call->made[i]);
    if (call->results[i] == NULL) return -1;
    if ((uintptr_t)call->results[i] % torch->alignment != 0) {
      PyErr_SetString(PyExc_SystemError, "torch allocated memory that is not aligned");
      return -1;
    }
  }
  if (SetContext(torch, bound->is_typed, call) < 0) return -1;
  if (torch->device == NULL) return 0;
  // As XLA:GPU has them.
  for (size_t i = 0; i < bound->operand_count; ++i) {
    if (call->operands[i] == nowhere) call->operands[i] = NULL;
  }
  for (size_t i = 0; i < bound->result_count; ++i) {
    if (call->results[i] == nowhere) call->results[i] = NULL;
  }
  return 0;
}

static PyObject* ResultTensor(const State* state, const Form* form, PyObject* made) {
  (void)state;
  (void)form;
  return made;
}

const OperandKind tensor_kind = {
    .set_form = SetTensorForm,
    .read = ReadTensors,
    .place = PlaceTensors,
    .result = ResultTensor,
};
