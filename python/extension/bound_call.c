#include "callbridge/python/extension/bound_call.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t uses;  // what BoundCall.last_use counts; changed with the GIL held

// ---- Binding ------------------------------------------------------------------------------------

static void BoundCallDealloc(PyObject* self) {
  BoundCall* bound = (BoundCall*)self;
  PyTypeObject* type = Py_TYPE(self);
  for (size_t i = 0; bound->forms != NULL && i < bound->operand_count + bound->result_count; ++i) {
    Py_XDECREF(bound->forms[i].shape);
    Py_XDECREF(bound->forms[i].dtype);
    Py_XDECREF(bound->forms[i].convert);
    Py_XDECREF(bound->forms[i].empty_arguments);
  }
  PyMem_Free(bound->forms);
  PyMem_Free(bound->aliases);
  Py_XDECREF(bound->tree);
  Py_XDECREF(bound->handle);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int SetForms(BoundCall* bound, PyObject* operands, PyObject* results, PyObject* aliases) {
  bound->forms = PyMem_Calloc(bound->operand_count + bound->result_count + 1, sizeof(Form));
  bound->aliases = PyMem_Calloc(bound->result_count + 1, sizeof(*bound->aliases));
  if (bound->forms == NULL || bound->aliases == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  Form* form = bound->forms;
  for (size_t i = 0; i < bound->operand_count; ++i) {
    PyObject* described = PyTuple_GetItem(operands, (Py_ssize_t)i);
    if (bound->kind->set_form(form++, described, /*is_result=*/0) < 0) return -1;
  }
  for (size_t i = 0; i < bound->result_count; ++i) {
    PyObject* described = PyTuple_GetItem(results, (Py_ssize_t)i);
    if (bound->kind->set_form(form++, described, /*is_result=*/1) < 0) return -1;
    PyObject* alias = PyTuple_GetItem(aliases, (Py_ssize_t)i);
    bound->aliases[i] = alias == NULL ? -1 : PyLong_AsLongLong(alias);
    if (PyErr_Occurred()) return -1;
    if (bound->aliases[i] >= (int64_t)bound->operand_count) {
      PyErr_SetString(PyExc_IndexError, "an alias of no operand");
      return -1;
    }
  }
  return 0;
}

// Does what callbridge._calls._python_calls.BoundCall.__init__ does.
static PyObject* BoundCallNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *handle, *operands, *results, *aliases, *tree;
  PyObject* torch = Py_None;
  int is_typed = 1;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O|Op", &handle, &PyTuple_Type, &operands, &PyTuple_Type,
                        &results, &PyTuple_Type, &aliases, &tree, &torch, &is_typed)) {
    return NULL;
  }
  const callbridge_call* call = PyLong_AsVoidPtr(handle);
  if (PyErr_Occurred()) return NULL;
  BoundCall* bound = PyObject_New(BoundCall, type);
  if (bound == NULL) return NULL;
  bound->handle = Py_NewRef(handle);
  bound->call = call;
  bound->kind = torch == Py_None ? &array_kind : &tensor_kind;
  bound->operand_count = (size_t)PyTuple_Size(operands);
  bound->result_count = (size_t)PyTuple_Size(results);
  bound->tree = Py_NewRef(tree);
  bound->is_typed = is_typed;
  bound->last_use = ++uses;
  if (SetForms(bound, operands, results, aliases) < 0) Py_CLEAR(bound);
  return (PyObject*)bound;
}

static PyObject* BoundCallLastUse(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLongLong(((BoundCall*)self)->last_use);
}

static PyGetSetDef bound_call_attributes[] = {
    {"last_use", BoundCallLastUse, NULL, "Is the greater the later the call was last made.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot bound_call_slots[] = {
    {Py_tp_doc, "A target bound to operands of one form."},
    {Py_tp_new, BoundCallNew},
    {Py_tp_dealloc, BoundCallDealloc},
    {Py_tp_getset, bound_call_attributes},
    {0, NULL},
};
PyType_Spec bound_call_spec = {
    .name = "callbridge_python.BoundCall",
    .basicsize = sizeof(BoundCall),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = bound_call_slots,
};

// ---- Calling ------------------------------------------------------------------------------------

// Raises `error` as an exception, and frees it.
static void Raise(const State* state, callbridge_error* error) {
  // A target's message may have any encoding.
  PyObject* raised = PyObject_CallFunction(
      state->error_class, "sN", callbridge_error_code_name(error->code),
      PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)error->message_size, "backslashreplace"));
  callbridge_error_destroy(error);
  if (raised == NULL) return;
  // Its own class: by its code it may be one of a subclass, and pybind11 refuses an error whose
  // type changes when it is normalized.
  PyErr_SetObject((PyObject*)Py_TYPE(raised), raised);
  Py_DECREF(raised);
}

// Ends the process where a target ends the thread of a call, whose interpreter does not survive
// that. Runs as a cleanup, for which the file is compiled with -fexceptions.
static void RequireReturn(const bool* returned) {
  if (*returned) return;
  fputs(
      "callbridge: a custom call's function ended its thread (pthread_exit or pthread_cancel), "
      "which Python needs, so the process ends. Return from the function instead.\n",
      stderr);
  abort();
}

// Calls the target. Returns -1 with an exception set.
static int Execute(const BoundCall* bound, const Reading* reading, Call* call) {
  callbridge_error* error;
  Py_BEGIN_ALLOW_THREADS;
  for (size_t i = 0; i < bound->operand_count; ++i) {
    const Operand* operand = &reading->operands[i];
    if (operand->copied_bytes != 0) memcpy(call->operands[i], operand->data, operand->copied_bytes);
  }
  {
    bool returned __attribute__((cleanup(RequireReturn))) = false;
    error = callbridge_call_execute(bound->call, call->operands, bound->operand_count,
                                    call->results, bound->result_count, &call->context);
    // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): RequireReturn reads it
    returned = true;
  }
  Py_END_ALLOW_THREADS;
  if (error == NULL) return 0;
  Raise(reading->state, error);
  return -1;
}

// Returns the results in the form of `tree`. Takes them from `made`; `*next` counts them.
static PyObject* Results(const State* state, const BoundCall* bound, PyObject* tree,
                         PyObject** made, size_t* next) {
  if (!PyTuple_CheckExact(tree)) {
    while (*next < bound->result_count && made[*next] == NULL) ++*next;
    if (*next == bound->result_count) {
      if (tree == bound->tree) return Py_NewRef(Py_None);  // nothing is returned
      PyErr_SetString(PyExc_SystemError, "a result has more arrays than its form");
      return NULL;
    }
    const size_t i = (*next)++;
    PyObject* taken = made[i];
    made[i] = NULL;
    return bound->kind->result(state, &bound->forms[bound->operand_count + i], taken);
  }
  const Py_ssize_t size = PyTuple_Size(tree);
  PyObject* tuple = PyTuple_New(size);
  for (Py_ssize_t i = 0; tuple != NULL && i < size; ++i) {
    PyObject* element = Results(state, bound, PyTuple_GetItem(tree, i), made, next);
    if (element == NULL || PyTuple_SetItem(tuple, i, element) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

PyObject* CallBound(BoundCall* bound, Reading* reading) {
  bound->last_use = ++uses;
  const size_t operand_count = bound->operand_count, result_count = bound->result_count;
  if (reading->operand_count != operand_count) {
    PyErr_SetString(PyExc_SystemError, "a call of a form has another number of operands");
    return NULL;
  }
  void* inline_slots[3 * kInlineOperands];
  void** slots = inline_slots;
  const size_t slot_count = operand_count + 2 * result_count;
  if (slot_count > sizeof(inline_slots) / sizeof(*inline_slots)) {
    slots = PyMem_Malloc(slot_count * sizeof(*slots));
    if (slots == NULL) return PyErr_NoMemory();
  }
  Call call;
  call.operands = slots;
  call.results = call.operands + operand_count;
  call.made = (PyObject**)(call.results + result_count);
  call.block = NULL;
  for (size_t i = 0; i < result_count; ++i) call.made[i] = NULL;
  int done = bound->kind->place(bound, reading, &call);
  if (done == 0) done = Execute(bound, reading, &call);
  if (call.block != NULL) PyMem_Free(call.block);
  PyObject* result = NULL;
  if (done == 0) {
    size_t next = 0;
    result = Results(reading->state, bound, bound->tree, call.made, &next);
  }
  for (size_t i = 0; i < result_count; ++i) Py_XDECREF(call.made[i]);
  if (slots != inline_slots) PyMem_Free(slots);
  return result;
}
