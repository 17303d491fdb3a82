// callbridge_ffi.h: XLA's typed FFI without XLA, a part of callbridge's stable C ABI: the API table
// of this process, calls of typed handlers in the shape of any XLA that was ever released, and what
// a real XLA is given in place of handlers that were built for another one.
// callbridge/handler_call.h is the C++ form of calling, for unit tests.
//
// The rules are those of callbridge.h. Element types have XLA's numbers (xla.PrimitiveType), shapes
// are written as XLA writes them.
//
// C99 or C++; standard library alone.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_FFI_H_
#define CALLBRIDGE_C_API_CALLBRIDGE_FFI_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"
#include "callbridge/c_api/callbridge.h"

#ifdef __cplusplus
extern "C" {
#endif

struct XLA_FFI_Api;

// ---- The process's own API table ----------------------------------------------------------------

// The table of the newest API version known, for XLA_FFI_REGISTER_HANDLER and the like: handlers
// and types that are registered through it are callbridge's. Lives as long as the process.
CALLBRIDGE_EXPORTED const struct XLA_FFI_Api* callbridge_xla_ffi_api(void);

// `XLA_FFI_Error*(XLA_FFI_CallFrame*)`, whoever's header declares these.
typedef void callbridge_ffi_handler(void);

// One for each stage; all but `execute` may be null.
typedef struct callbridge_ffi_handlers {
  size_t struct_size;
  callbridge_ffi_handler* instantiate;
  callbridge_ffi_handler* prepare;
  callbridge_ffi_handler* initialize;
  callbridge_ffi_handler* execute;
  callbridge_ffi_handler* record;
} callbridge_ffi_handlers;

// The texts and `handlers` live as long as the call of the visitor. `traits` has XLA's bits.
typedef void callbridge_ffi_handler_visitor(void* user, const char* name, const char* platform,
                                            const callbridge_ffi_handlers* handlers,
                                            uint32_t traits);
// Visits what is registered through callbridge_xla_ffi_api(), by platform, then name.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_visit_handlers(
    callbridge_ffi_handler_visitor* visit, void* user);
// Fills `handlers`, whose struct_size the caller set. NOT_FOUND names what is registered.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_find_handlers(
    const char* name, const char* platform, callbridge_ffi_handlers* handlers);

// Makes a type of state or of user data known, before the handlers that use it are registered or
// called. `type_id` is the address of the variable that holds the type's XLA_FFI_TypeId, in the
// handlers' library:
// where it is 0 it gets an id, and where it is not, `name` gets that id, which a runtime may have
// given. `deleter` ends an object of the type, and its library stays loaded for good; null where
// the handlers' headers hand it over with each state, up to jaxlib 0.7, and for user data. Ids are
// the same for every release. ALREADY_EXISTS where the name has another id, or the id another name.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_register_type(const char* name,
                                                                   int64_t* type_id,
                                                                   void (*deleter)(void*));

// ---- Handlers that were built for another runtime -----------------------------------------------

// What to register with a runtime in place of a target's handlers, for the same stages. They may be
// built with XLA's headers of any version from jaxlib 0.4.30 to 0.12.0.1, or with callbridge's.
// `adapted`, whose struct_size the caller set, gets the handlers themselves where all run on that
// runtime as they are, and where they were written by hand; else wrappers, which live as long as
// the process and serve any runtime. Asking again gives the same ones. The handlers must stay
// callable as long as the process: callbridge_library_close leaves their library open. `platform`
// is "Host" or "cpu", "CUDA", "ROCM", in any case; `release` is the runtime's, of jaxlib, such as
// "0.10.2", and null where that is not known.
//
// INVALID_ARGUMENT where callbridge_probe_typed proves that one is no typed handler, and where one
// makes state of a type that is not registered; FAILED_PRECONDITION where it cannot be asked;
// UNIMPLEMENTED for headers newer than are known.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_adapt_handlers(
    const callbridge_ffi_handlers* handlers, const char* platform, const char* release,
    callbridge_ffi_handlers* adapted);

// ---- Attributes ---------------------------------------------------------------------------------

// A dictionary. What is set is copied; a name that is set again gets the new value.
typedef struct callbridge_ffi_attributes callbridge_ffi_attributes;

CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_create(
    callbridge_ffi_attributes** attributes);
// Null is ignored.
CALLBRIDGE_EXPORTED void callbridge_ffi_attributes_destroy(callbridge_ffi_attributes* attributes);
// `value` is one element.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_scalar(
    callbridge_ffi_attributes* attributes, const char* name, int32_t element_type,
    const void* value);
// `data` is `count` elements.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_array(
    callbridge_ffi_attributes* attributes, const char* name, int32_t element_type, const void* data,
    size_t count);
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_string(
    callbridge_ffi_attributes* attributes, const char* name, const char* text, size_t text_size);
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_dictionary(
    callbridge_ffi_attributes* attributes, const char* name,
    const callbridge_ffi_attributes* dictionary);

// ---- What is lent to a call ---------------------------------------------------------------------

// What the functions of a thread pool or of scratch memory throw is the error that a handler gets;
// of `free`, it is dropped.

typedef struct callbridge_ffi_thread_pool {
  size_t struct_size;
  void* user;
  // Runs task(data) once, on any thread.
  void (*schedule)(void* user, void (*task)(void* data), void* data);
  int64_t (*num_threads)(void* user);
} callbridge_ffi_thread_pool;

typedef struct callbridge_ffi_scratch {
  size_t struct_size;
  void* user;
  // Bytes; `alignment` is a power of two. Null where there is no more.
  void* (*allocate)(void* user, size_t size, size_t alignment);
  void (*free)(void* user, void* data, size_t size);
} callbridge_ffi_scratch;

// Threads of callbridge's, and memory of the host. They live as long as the process.
CALLBRIDGE_EXPORTED const callbridge_ffi_thread_pool* callbridge_ffi_process_threads(void);
CALLBRIDGE_EXPORTED const callbridge_ffi_scratch* callbridge_ffi_host_memory(void);

// A number that no other run in this process has. Runs that callbridge lends a run id to, because
// the caller lent none, take theirs from here, too.
CALLBRIDGE_EXPORTED int64_t callbridge_ffi_new_run_id(void);

// Null is missing: a handler that asks for it gets an error. The struct and what it points to
// directly are read at once and not kept; `user` objects, extensions and user data must live until
// the handler is done.
typedef struct callbridge_runtime_services {
  size_t struct_size;
  void* const* stream;
  const int32_t* device_ordinal;
  const int64_t* run_id;
  const callbridge_ffi_thread_pool* thread_pool;
  const callbridge_ffi_scratch* scratch;
  const int64_t* user_data_types;  // `user_data_count` ids, each with the object beside it
  void* const* user_data;
  size_t user_data_count;
  const callbridge_ffi_attributes* custom_options;
  const void* extensions;  // a chain of XLA_FFI_Extension
} callbridge_runtime_services;

// ---- Calling a handler --------------------------------------------------------------------------

typedef struct callbridge_ffi_site {
  size_t struct_size;
  // A release of jaxlib whose XLA is imitated, "0.4.30" to "0.12": its API table, frames and
  // checks. Null or empty is the newest one known. A handler must be one that such an XLA can run.
  const char* release;
  const char* const* operands;  // their shapes; the leaves of tuples are arguments of their own
  size_t operand_count;
  const char* const* results;
  size_t result_count;
  const callbridge_ffi_attributes* attributes;  // may be null
} callbridge_ffi_site;

// A handler at one call site, with the state that it keeps there.
typedef struct callbridge_ffi_call callbridge_ffi_call;

// Asks the handlers what they were built for, as that XLA does when they are registered, and calls
// the INSTANTIATE handler. `context` may be null.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_call_create(
    const callbridge_ffi_handlers* handlers, const callbridge_ffi_site* site,
    const callbridge_runtime_services* context, callbridge_ffi_call** call);
// Ends the handler's state, when the last run is done. Null is ignored.
CALLBRIDGE_EXPORTED void callbridge_ffi_call_destroy(callbridge_ffi_call* call);

// Calls PREPARE, INITIALIZE and EXECUTE on the leaves' data pointers, in preorder, and waits for
// the handler's future, if it returns one: DEADLINE_EXCEEDED where that is not completed in
// `timeout_milliseconds`; less than 0 is forever, and so is more than 292 years. Then the handler
// may still be at work, and the buffers must live until it is done. `context` may be null.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_call_execute(
    const callbridge_ffi_call* call, void* const* operands, size_t operand_count,
    void* const* results, size_t result_count, const callbridge_runtime_services* context,
    int64_t timeout_milliseconds);

// `error` is null on success, and else the callee's, who destroys it. What it throws is dropped.
typedef void callbridge_ffi_done(void* user, callbridge_error* error);
// The same without waiting: `done` is called once, before this returns or on the thread that
// completes the future; or this returns an error, and it is not.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_call_start(
    const callbridge_ffi_call* call, void* const* operands, size_t operand_count,
    void* const* results, size_t result_count, const callbridge_runtime_services* context,
    callbridge_ffi_done* done, void* user);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_FFI_H_
