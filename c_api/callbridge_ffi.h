// callbridge_ffi.h: XLA's typed FFI without XLA, a part of callbridge's stable C ABI.
//
// It has the API table of this process, adapts handlers to a real XLA that they were not built for,
// and describes what a typed target gets in a call: attributes and runtime services. callbridge.h
// binds and calls typed targets as it does untyped ones, and emulates any released XLA with FFI.
// To call a handler in a unit test, use callbridge/handler_call.h.
//
// The rules are those of callbridge.h. Element types have XLA's numbers (xla.PrimitiveType).
//
// C99 or C++; standard library alone. Link to libcallbridge.so.
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

// Returns the API table of the newest version that callbridge knows, for XLA_FFI_REGISTER_HANDLER
// and the like. Handlers and types that are registered through it are registered with callbridge
// alone. The table lives as long as the process.
CALLBRIDGE_EXPORTED const struct XLA_FFI_Api* callbridge_xla_ffi_api(void);

// Stands for `XLA_FFI_Error*(XLA_FFI_CallFrame*)`, from any header that declares it.
typedef void callbridge_ffi_handler(void);

// What XLA may do with a target besides calling it, by XLA's names and numbers
// (XLA_FFI_HANDLER_TRAITS_*): bits.
enum {
  // XLA:GPU may record a call into a command buffer, a CUDA graph, and replay that instead of
  // calling the target again (callbridge_target.command_buffer_compatible).
  CALLBRIDGE_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1,
};

// The handlers of a target, one for each of XLA's stages, by when XLA calls it; all but `execute`
// may be null.
typedef struct callbridge_ffi_handlers {
  size_t struct_size;
  callbridge_ffi_handler* instantiate;  // once for each call of a program, before its runs
  callbridge_ffi_handler* prepare;      // in each run, first
  callbridge_ffi_handler* initialize;   // in each run, after `prepare`
  callbridge_ffi_handler* execute;      // in each run, the call itself
  callbridge_ffi_handler* record;       // to record commands in place of `execute`
  uint32_t traits;                      // CALLBRIDGE_FFI_HANDLER_TRAITS_*
} callbridge_ffi_handlers;

// Visits one registered handler. The texts and `handlers` are valid until the visitor returns.
// `traits` are those that it was registered with and those that it reports, as in `handlers`.
typedef void callbridge_ffi_handler_visitor(void* user, const char* name, const char* platform,
                                            const callbridge_ffi_handlers* handlers,
                                            uint32_t traits);

// Calls `visit` with each handler that is registered through callbridge_xla_ffi_api(), sorted by
// platform, then name.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_visit_handlers(
    callbridge_ffi_handler_visitor* visit, void* user);

// Writes the handlers that are registered under `name` for `platform` to `*handlers`, whose
// struct_size the caller set. Returns NOT_FOUND if there are none, and lists what is registered.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_find_handlers(
    const char* name, const char* platform, callbridge_ffi_handlers* handlers);

// Registers a type of state or of user data, before the handlers that use it are registered or
// called. `type_id` is the address of the variable that holds the type's XLA_FFI_TypeId, in the
// handlers' library. If it is 0, it gets a new id; otherwise `name` gets that id, which a runtime
// may have assigned. Ids are the same for every release. `deleter` deletes an object of the type;
// its library stays loaded for the rest of the process. Pass null for user data, and if the
// handlers' headers pass the deleter with each state, as they do up to jaxlib 0.7.
//
// Returns ALREADY_EXISTS if the name has another id, or the id another name; INVALID_ARGUMENT if
// the name is empty or `type_id` is not aligned.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_register_type(const char* name,
                                                                   int64_t* type_id,
                                                                   void (*deleter)(void*));

// ---- Handlers that were built for another runtime -----------------------------------------------

// Writes to `*adapted`, whose struct_size the caller set, the handlers to register with a runtime
// in place of a target's, for the same stages: the handlers themselves if all of them run on that
// runtime unchanged or were written by hand; otherwise wrappers, which live as long as the process
// and work on any runtime. Returns the same wrappers for the same handlers each time. The handlers
// may be built with XLA's headers of jaxlib 0.4.30 to 0.12.0.1 or with callbridge's, and must stay
// callable as long as the process: callbridge_library_close leaves their library open. `platform`
// is "Host" or "cpu", "CUDA", "ROCM", in any case. `release` is the runtime's jaxlib release, such
// as "0.10.2", or null if unknown.
//
// The adapted handlers report handlers->traits to the runtime besides those that the handlers
// report themselves; adapted->traits are both. XLA's GPU plugins up to jaxlib 0.10 take traits from
// that report alone: their functions that register a handler have no such argument. So a handler
// that does not report them gets a wrapper.
//
// Asks each function as callbridge_probe_typed does, and in a fork of this process too where its
// file does not prove it typed: some handlers answer only in the process that made them. Returns
// INVALID_ARGUMENT if a function proves not to be a typed handler, or a handler makes state of a
// type that is not registered; FAILED_PRECONDITION if neither can be proved; UNIMPLEMENTED if a
// handler's headers are newer than callbridge knows.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_adapt_handlers(
    const callbridge_ffi_handlers* handlers, const char* platform, const char* release,
    callbridge_ffi_handlers* adapted);

// Writes to `*explained`, whose struct_size the caller set, handlers that do what `handlers` do,
// for the same stages, and that add "; " and `explanation` to the message of each error that they
// make in a call: for handlers that are given to a runtime as they are because
// callbridge_ffi_adapt_handlers refused them, so that whoever sees their error sees the reason.
// They live as long as the process, and work on any runtime on which `handlers` do, which are not
// asked and must stay callable as long. Returns the same ones for the same handlers and explanation
// each time.
//
// Returns INVALID_ARGUMENT if there is no handler for the stage execute; RESOURCE_EXHAUSTED if the
// system does not allow more functions to be made. Thread-safe.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_explain_errors(
    const callbridge_ffi_handlers* handlers, const char* explanation,
    callbridge_ffi_handlers* explained);

// Registers typed handlers, such as callbridge_ffi_adapt_handlers writes, with the XLA inside the
// file at `path`, as callbridge_register_with_loaded_xla does, by that XLA's GetXlaFfiApi, with
// their traits. They must stay callable until the process ends.
//
// Returns the errors of callbridge_register_with_loaded_xla except ALREADY_EXISTS; UNIMPLEMENTED if
// there is a handler for INSTANTIATE and that XLA has no such stage (jaxlib 0.4.30's); INTERNAL
// with XLA's message if it refuses the handlers, as it does if the name has others.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_register_with_loaded_xla(
    const char* path, const char* name, const char* platform,
    const callbridge_ffi_handlers* handlers);

// Writes to `*json` which XLA FFI the releases of jaxlib have, and whose handlers they register: a
// JSON list on one line, in UTF-8, with an object for each run of releases that are alike, oldest
// first. Their members are `releases`, "jaxlib FIRST" or "jaxlib FIRST to LAST"; `minor`, of the
// XLA FFI's version; `has_metadata`, whether that can ask a handler for its version; and two lists
// of bools with an element for each object of the list, about handlers built with the headers of
// that object's releases: `accepts`, whether these releases register them, and `keeps_state`,
// whether they surely pass them the state that they made. Later versions only add objects and
// members. The caller frees the text with callbridge_bytes_free.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_runtime_versions(char** json);

// ---- Attributes ---------------------------------------------------------------------------------

// A dictionary, for callbridge_site and callbridge_runtime_services.
typedef struct callbridge_ffi_attributes callbridge_ffi_attributes;

// Makes an empty dictionary. The caller destroys `*attributes`.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_create(
    callbridge_ffi_attributes** attributes);

// Destroys `attributes`; null is ignored.
CALLBRIDGE_EXPORTED void callbridge_ffi_attributes_destroy(callbridge_ffi_attributes* attributes);

// Sets `name` to a copy of the element at `value`, in place of an earlier value. Returns
// INVALID_ARGUMENT if `element_type` is not that of an array.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_scalar(
    callbridge_ffi_attributes* attributes, const char* name, int32_t element_type,
    const void* value);

// Sets `name` to a copy of the `count` elements at `data`, in place of an earlier value. Returns
// INVALID_ARGUMENT if `element_type` is not that of an array, or memory cannot hold so many
// elements.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_array(
    callbridge_ffi_attributes* attributes, const char* name, int32_t element_type, const void* data,
    size_t count);

// Sets `name` to a string of the `text_size` bytes at `text`, in place of an earlier value. The
// bytes may hold NULs and need not be UTF-8.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_string(
    callbridge_ffi_attributes* attributes, const char* name, const char* text, size_t text_size);

// Sets `name` to a copy of `dictionary`, which may be `attributes` itself, in place of an earlier
// value.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_ffi_attributes_set_dictionary(
    callbridge_ffi_attributes* attributes, const char* name,
    const callbridge_ffi_attributes* dictionary);

// ---- Runtime services ---------------------------------------------------------------------------

// If a function of a thread pool or of scratch memory throws, the handler gets the exception as an
// error; what `free` throws is dropped.

// Threads that run a handler's tasks. Its functions may be called from several threads at once.
typedef struct callbridge_ffi_thread_pool {
  size_t struct_size;
  void* user;  // passed to the functions
  // Runs task(data) once, on any thread.
  void (*schedule)(void* user, void (*task)(void* data), void* data);
  // Returns how many threads run tasks.
  int64_t (*num_threads)(void* user);
} callbridge_ffi_thread_pool;

// Scratch memory of a run. Its functions may be called from several threads at once.
typedef struct callbridge_ffi_scratch {
  size_t struct_size;
  void* user;  // passed to the functions
  // Returns `size` bytes; null if there is no more memory. `alignment` is a power of two.
  void* (*allocate)(void* user, size_t size, size_t alignment);
  // Frees what `allocate` returned for `size`.
  void (*free)(void* user, void* data, size_t size);
} callbridge_ffi_scratch;

// Returns callbridge's own threads. They live as long as the process.
CALLBRIDGE_EXPORTED const callbridge_ffi_thread_pool* callbridge_ffi_process_threads(void);

// Returns memory of the host. It lives as long as the process.
CALLBRIDGE_EXPORTED const callbridge_ffi_scratch* callbridge_ffi_host_memory(void);

// Returns a run id that no other run in this process has. Runs for which the caller provides no run
// id get theirs from the same counter.
CALLBRIDGE_EXPORTED int64_t callbridge_ffi_new_run_id(void);

// What a typed handler may ask the runtime for. A null field is missing: a handler that asks for it
// gets an error. The struct and what it points to directly are copied at once. `user` objects,
// extensions and user data must live until the run is over.
typedef struct callbridge_runtime_services {
  size_t struct_size;
  void* const* stream;            // of a GPU handler: points to the CUstream or hipStream_t
  const int32_t* device_ordinal;  // the number of the device
  const int64_t* run_id;          // the number of the run
  const callbridge_ffi_thread_pool* thread_pool;  // runs the handler's tasks
  const callbridge_ffi_scratch* scratch;          // which the handler may allocate in the run
  const int64_t* user_data_types;  // `user_data_count` ids, each with the object beside it
  void* const* user_data;          // the objects, which the caller owns
  size_t user_data_count;          // of ids and of objects
  const callbridge_ffi_attributes* custom_options;  // the options of the run
  const void* extensions;                           // a chain of XLA_FFI_Extension
} callbridge_runtime_services;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_FFI_H_
