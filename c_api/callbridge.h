// callbridge.h: callbridge's stable C ABI, for other languages and for runtimes of their own.
//
// Rules
// - Structs: one that grows opens with `struct_size`. The caller sets it to sizeof. Later versions
//   only append fields, read no more than struct_size says, and accept the size of the first
//   version forever. Enumerators keep their numbers.
// - Errors: a function that can fail returns a callbridge_error*, null on success. The caller owns
//   it and frees it with callbridge_error_destroy. Out parameters are written on success only.
//   Besides the errors that its comment lists, any function may return INVALID_ARGUMENT for its
//   arguments (next rule), RESOURCE_EXHAUSTED if memory runs out, and INTERNAL if a callback
//   throws. Exceptions, of C++ and of other languages, never leave a function. A thread's end
//   (pthread_cancel, pthread_exit) does, but ends the process, with a message, where Python runs on
//   the thread. A target must not leave by longjmp().
// - Pointers must not be null, except: one whose comment says so; a list or data whose count or
//   size is 0; the `user` of a callback. INVALID_ARGUMENT names the parameter or field. Functions
//   that return no error ignore the call, and return 0 or null.
// - Names, paths, shapes and releases are UTF-8 and end with a NUL. Bytes that may hold NULs (an
//   opaque, the value of a string attribute, a message, a module) have their size beside them.
//   A text that a function returns is valid until the object that it belongs to is destroyed.
// - Ownership: no function takes ownership of an argument. What a function borrows, it borrows
//   until it returns, unless its comment says more.
// - Threads: all functions are thread-safe, on one object too, except those that destroy or close
//   it.
//
// callbridge/callbridge.hpp is the C++17 form: handles that free themselves, and errors as results
// or exceptions. examples/c_runtime/ is a complete program in C.
//
// C99 or C++; standard library alone. Link to libcallbridge.so.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_H_
#define CALLBRIDGE_C_API_CALLBRIDGE_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns "MAJOR.MINOR.PATCH", the version of the library that is loaded.
CALLBRIDGE_EXPORTED const char* callbridge_version(void);

// ---- Errors -------------------------------------------------------------------------------------

// The numbers of absl::StatusCode, which are those of XLA_FFI_Error_Code.
typedef struct callbridge_error {
  size_t struct_size;
  int32_t code;         // a number of absl::StatusCode
  const char* message;  // ends with a NUL, which message_size does not count
  size_t message_size;  // in bytes
} callbridge_error;

// Returns "INVALID_ARGUMENT" and so on; "UNKNOWN" for a number that is no code. Static storage.
CALLBRIDGE_EXPORTED const char* callbridge_error_code_name(int32_t code);

// Returns an error with a copy of `message`, for code that builds on this API and reports errors as
// it does. Never returns null: if memory runs out, returns the error that says so.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_error_create(int32_t code, const char* message,
                                                              size_t message_size);

// Frees `error`; null is ignored.
CALLBRIDGE_EXPORTED void callbridge_error_destroy(callbridge_error* error);

// ---- Targets ------------------------------------------------------------------------------------

// The ABIs of custom calls, by XLA's numbers (xla.CustomCallApiVersion). callbridge_target_abi_at
// describes each of them, and those that a later library adds.
enum {
  CALLBRIDGE_API_VERSION_UNSPECIFIED = 0,  // unknown; callable on GPU only
  // On Host `void(void* out, const void** in)`, on GPU `void(stream, void** buffers, const char*
  // opaque, size_t opaque_size)`.
  CALLBRIDGE_API_VERSION_ORIGINAL = 1,
  // Those of version 1 with an `XlaCustomCallStatus*` as the last parameter.
  CALLBRIDGE_API_VERSION_STATUS_RETURNING = 2,
  // On Host `void(void* out, const void** in, const char* opaque, size_t opaque_size,
  // XlaCustomCallStatus*)`, on GPU as version 2.
  CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED = 3,
  // `XLA_FFI_Error*(XLA_FFI_CallFrame*)`.
  CALLBRIDGE_API_VERSION_TYPED_FFI = 4,
};

// What a call provides to a target: bits.
enum {
  CALLBRIDGE_PROVIDES_STATUS = 1,       // an XlaCustomCallStatus to report a failure with
  CALLBRIDGE_PROVIDES_OPAQUE = 2,       // the site's opaque
  CALLBRIDGE_PROVIDES_STREAM = 4,       // the GPU stream
  CALLBRIDGE_PROVIDES_TUPLES = 8,       // tuples as tables of pointers; without it only the leaves
  CALLBRIDGE_PROVIDES_COUNTS = 16,      // the numbers of operands and results
  CALLBRIDGE_PROVIDES_SHAPES = 32,      // their shapes
  CALLBRIDGE_PROVIDES_ATTRIBUTES = 64,  // the site's attributes
};

// An ABI on one platform. The texts have static storage.
typedef struct callbridge_target_abi {
  size_t struct_size;
  int32_t api_version;  // CALLBRIDGE_API_VERSION_*, or another ABI's number
  // ABIs with equal `called_as` are called alike on that platform: a target may be declared as
  // either. 0: the platform does not have this ABI.
  int32_t called_as;
  uint32_t provides;  // CALLBRIDGE_PROVIDES_*
  // Nonzero: targets of CALLBRIDGE_API_VERSION_UNSPECIFIED are called as this ABI. If it is zero
  // for all ABIs of a platform, a target's ABI must be known there.
  int32_t serves_unspecified;
  const char* name;        // "original"
  const char* enumerator;  // "CALLBRIDGE_API_VERSION_ORIGINAL"; this header may lack it
} callbridge_target_abi;

// Returns the number of ABIs.
CALLBRIDGE_EXPORTED size_t callbridge_target_abi_count(void);

// Writes the ABI at `index` on `platform` (as in callbridge_target) to `*abi`, whose struct_size
// the caller set. ABIs are sorted by number. Returns OUT_OF_RANGE if `index` is not less than the
// count, and INVALID_ARGUMENT if `platform` is unknown.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_target_abi_at(size_t index, const char* platform,
                                                               callbridge_target_abi* abi);

// A custom-call function and what is known of it.
typedef struct callbridge_target {
  size_t struct_size;
  const char* name;               // by which programs call it
  const char* platform;           // "Host" or "cpu", "CUDA", "ROCM", in any case
  int32_t api_version;            // CALLBRIDGE_API_VERSION_*, or another ABI's number
  int32_t api_version_is_proved;  // nonzero: the function's type says so; zero: declared
  void* address;                  // must stay callable while anything made of the target is in use
  const char* evidence;           // output only: how the ABI is known, to show to people
  // The other stages of a typed target, whose execute stage is `address`:
  // `XLA_FFI_Error*(XLA_FFI_CallFrame*)`; null for a stage that it does not have.
  void* instantiate;
  void* prepare;
  void* initialize;
  void* record;
  // Nonzero: XLA:GPU may record calls into command buffers, which are CUDA graphs, and replay those
  // instead of calling the target again. So the target only submits work to its stream, the same
  // for the same buffers: it does not wait for the stream, allocate, copy synchronously, use the
  // default stream or count its calls. On CUDA, a recorded call of an entry point, or of an adapted
  // handler that has a wrapper, returns FAILED_PRECONDITION if it records nothing though it has
  // results, or ends the recording. XLA:CPU ignores it. Entry points report it to XLA
  // (callbridge_entry_points.typed). callbridge_library_target writes whether a typed handler was
  // registered with that trait or reports it, and 0 for untyped targets, of which nothing tells.
  int32_t command_buffer_compatible;
  // Output only: of a target that was made of "PATH:FUNCTION", a text that is another one if the
  // file holds something else (a source with its headers, once they are preprocessed), and the same
  // in each process; of others empty.
  const char* content;
} callbridge_target;

// A shared library that registers custom calls, opened without the XLA that it was built for.
typedef struct callbridge_library callbridge_library;

// Opens a private copy of the library at `path` and runs its constructors in this process. The
// caller closes `*library`. Returns NOT_FOUND if there is no such file; PERMISSION_DENIED if it
// cannot be read; INVALID_ARGUMENT if it is not a shared library for this machine or is corrupt;
// FAILED_PRECONDITION if a library or symbol that it needs is missing, and names it; INTERNAL if a
// constructor throws.
//
// `path` may also be "PATH:FUNCTION", which names an AOT custom operator of MindSpore, if there is
// no file of that whole name. Its library then has one target, of that whole name on "Host" and on
// "CUDA": a typed one, whose handlers and whose code stay until the process ends. A process has one
// copy of the file, which all of its operators share, however PATH is spelled: the same function
// has the same address each time. A file that was changed is opened anew, and a source that was
// changed, or a header of its, is compiled; what was opened before stays as it was. Also returns
// PERMISSION_DENIED if the file is outside of the folder in MS_CUSTOM_AOT_WHITE_LIST, and NOT_FOUND
// if it exports no such function.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_load(const char* path,
                                                              callbridge_library** library);

// Same as callbridge_library_load, but first loads the file in another process (the helper program
// callbridge-load). Returns INTERNAL also if a constructor crashes or exits, DEADLINE_EXCEEDED if
// one does not return within 60 seconds, and UNAVAILABLE if the other process cannot be started.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_load_isolated(
    const char* path, callbridge_library** library);

// Lists what is registered in this process at the time of the call, as if it were one library: the
// targets that were linked into the program and its libraries, and those of loaded libraries. The
// caller closes `*library`, which closes nothing else.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_of_process(callbridge_library** library);

// Unloads the library and destroys the handle; null is ignored. Returns FAILED_PRECONDITION and
// leaves it open while a callbridge_call or an unfinished run uses it, and forever once
// callbridge_target_entry_points or callbridge_ffi_adapt_handlers was called for one of its
// targets. Threads that the library started must have left its code.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_close(callbridge_library* library);

// Returns the number of targets that the library registered.
CALLBRIDGE_EXPORTED size_t callbridge_library_target_count(const callbridge_library* library);

// Writes the target at `index` to `*target`, whose struct_size the caller set. Targets are sorted
// by name, then platform. `platform` is as registered, and may be one that callbridge cannot call.
// The texts are valid until the library is closed. Returns OUT_OF_RANGE if `index` is not less than
// the count.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_target(const callbridge_library* library,
                                                                size_t index,
                                                                callbridge_target* target);

// Writes the function that the library exports as `symbol`, as linkers know it, to `*target`, whose
// struct_size the caller set: a target of that name on `platform`, whether or not the library
// registers it. `api_version` is the one that the symbol proves, or else
// CALLBRIDGE_API_VERSION_UNSPECIFIED: set it then to the ABI that the function has. A call by
// another ABI may crash. The texts are valid until the library is closed. Thread-safe.
//
// Returns NOT_FOUND if the library exports no such function, and names the one that is most like
// it; INVALID_ARGUMENT if `symbol` is a variable, `platform` is not one that callbridge can call,
// or `library` is an operator's or the process; FAILED_PRECONDITION if this process opened the
// library before and bound it to a genuine XLA.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_function(const callbridge_library* library,
                                                                  const char* symbol,
                                                                  const char* platform,
                                                                  callbridge_target* target);

// ---- Shapes -------------------------------------------------------------------------------------

// Visits one node of a shape. `element_type` is XLA's number (xla.PrimitiveType): 13 is a tuple,
// whose `count` elements follow; 17 is a token; everything else is an array of `size_bytes` bytes
// with `count` dimensions. `dimensions` is valid until the visitor returns.
typedef void callbridge_shape_visitor(void* user, int32_t element_type, const int64_t* dimensions,
                                      size_t count, int64_t size_bytes);

// Calls `visit` with each node of the shape, in preorder. Shapes are written as XLA writes them:
// "f32[8,4]", "(f32[32],(f32[64],f32[128]))", "token[]". Returns INVALID_ARGUMENT if `shape` is not
// a shape.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_shape_visit(const char* shape,
                                                             callbridge_shape_visitor* visit,
                                                             void* user);

// ---- Call sites ---------------------------------------------------------------------------------

// How an untyped target expects tuple operands.
enum {
  CALLBRIDGE_TUPLE_LAYOUT_NESTED = 0,  // tuple operands as nested tables: the documented ABI
  CALLBRIDGE_TUPLE_LAYOUT_FLAT = 1,    // as jaxlib >= 0.4.38 passes them
};

// A call as it is known when the program around it is compiled.
typedef struct callbridge_site {
  size_t struct_size;
  int32_t tuple_layout;         // CALLBRIDGE_TUPLE_LAYOUT_*; for untyped targets
  const char* const* operands;  // their shapes
  size_t operand_count;         // of shapes in `operands`
  const char* result;           // its shape; a tuple for several results, "()" for none
  const char* opaque;           // any bytes; for untyped targets
  size_t opaque_size;           // in bytes
  const struct callbridge_ffi_attributes* attributes;  // for typed targets; null for none
  // For typed targets: the jaxlib release whose XLA the call emulates, with its API table, frames
  // and checks: "0.4.30" to "0.12", or "newest". Null or empty: a release that the handler's
  // headers were made for.
  const char* release;
  // What the call is checked against when it is bound (callbridge_operator_info.h); null: nothing.
  const struct callbridge_operator_info* operator_info;
  // For typed targets called by version 3, which provides no scratch memory: how many bytes of it
  // the program gives each call. It does so as one result more, behind the others and not in
  // `result`: an array of so many bytes. 0: none. Where a runtime has scratch memory this is not
  // used; only callbridge_site_encode reads it.
  int64_t scratch_bytes;
} callbridge_site;

// Encodes a call site for an entry point (callbridge_target_entry_points), to pass it through a
// runtime: as the attribute "callbridge_site" of a typed call, or as the opaque of a version-3
// call. The attribute may be a string, which every XLA with FFI decodes, or a uint8 array, which
// XLA decodes since jaxlib 0.4.38. If `attributes` is not null, even if it is empty, the site is a
// typed target's, and its bytes are the opaque of a version-3 call. `release` and `operator_info`
// are not encoded. The caller frees `*bytes` with callbridge_bytes_free. Returns INVALID_ARGUMENT
// if the site has both attributes and an opaque, a text in it is not a shape, or `scratch_bytes` is
// negative or an untyped target's.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_site_encode(const callbridge_site* site,
                                                             char** bytes, size_t* size);

// Frees bytes that a function of this API returned; null is ignored.
CALLBRIDGE_EXPORTED void callbridge_bytes_free(char* bytes);

// ---- What an operator returns -------------------------------------------------------------------

// The dimensions of an array; the caller owns them. -1 is a dimension that is not known, and -2
// alone a rank that is not known. Frozen: it is passed in lists, so it has no struct_size and never
// grows.
typedef struct callbridge_dimensions {
  const int64_t* sizes;  // null only if count is 0
  size_t count;          // the rank
} callbridge_dimensions;

// Visits the dimensions of a result, which are valid until the visitor returns.
typedef void callbridge_dimensions_visitor(void* user, const callbridge_dimensions* dimensions);

// Infers what a call of `target` returns, an AOT operator of MindSpore (callbridge_library_load,
// "PATH:FUNCTION"), by the operator's FInferShape, and calls `visit` with each result in order. It
// does not say the results' types. Calls foreign code, on this thread. `attributes` may be null.
//
// Returns INVALID_ARGUMENT if `target` is no such operator, if an attribute has a type that such
// operators do not take, or if FInferShape returns another number of results than `result_count`,
// or a dimension below -2; FAILED_PRECONDITION if the operator has no FInferShape; INTERNAL if that
// throws. An operator's FInferShape has one of two types, for one result and for several, which its
// symbol does not show: `result_count` must be the operator's own.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_infer_dimensions(
    const callbridge_target* target, const struct callbridge_ffi_attributes* attributes,
    const callbridge_dimensions* operands, size_t operand_count, size_t result_count,
    callbridge_dimensions_visitor* visit, void* user);

// Infers callbridge_site.scratch_bytes for a call of `target`, an AOT operator of MindSpore, on a
// GPU: how much memory the workspaces take that the operator's FInit asks for, for the shapes and
// attributes of `site`; 0 if none. Calls foreign code, on this thread. Returns INVALID_ARGUMENT if
// `target` is no such operator, or if the site has types or attributes that such operators do not
// take; INTERNAL if FInit fails.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_infer_scratch_bytes(
    const callbridge_target* target, const callbridge_site* site, int64_t* bytes);

// ---- Calling a target ---------------------------------------------------------------------------

// What the caller provides to a target.
typedef struct callbridge_execution_context {
  size_t struct_size;
  void* stream;  // for GPU targets: the CUstream or hipStream_t, null for the default one
  // For typed targets: what a handler may ask for (callbridge_ffi.h). Null provides nothing, unless
  // `as_xla_cpu` is set. On GPU `stream` replaces a missing stream.
  const struct callbridge_runtime_services* services;
  // Nonzero: if `services` is null, provides to a typed target what XLA:CPU provides: a thread
  // pool, a run id of the run's own, device ordinal 0. callbridge_call_execute then also calls in
  // XLA:CPU's floating-point mode, in which subnormals are zero, instead of the caller's.
  int32_t as_xla_cpu;
  // Nonzero: callbridge_call_execute calls in the caller's floating-point mode also if `as_xla_cpu`
  // is set, and tasks on the thread pool that this provides run in the mode of who schedules them.
  // 64 bits, since older callers have padding behind `as_xla_cpu`.
  int64_t keeps_floating_point;
  // For "CUDA" targets: the device of the call (callbridge_device.h), or null. Then `stream` is one
  // of its primary context, null for the device's own; and typed targets get that stream, the
  // device ordinal, a run id of the run's own and the device's memory as scratch memory, each
  // unless `services` has it. Not with `as_xla_cpu`: callbridge_call_bind and callbridge_call_start
  // refuse both, and callbridge_call_execute ignores the device.
  const struct callbridge_device* device;
  // Nonzero, with a device: checks that the stream is the device's and each pointer in its memory,
  // and waits for the stream before and after the call, so that an asynchronous error comes with
  // the call that caused it. 64 bits, likewise.
  int64_t synchronizes;
} callbridge_execution_context;

// The memory of a leaf; the caller owns it. Frozen: it is passed in lists, so it has no struct_size
// and never grows.
typedef struct callbridge_array {
  void* data;         // null only if size_bytes is 0
  size_t size_bytes;  // at `data`
} callbridge_array;

// A target bound to a call site, with the state that a typed handler keeps there. Targets of every
// ABI, untyped and typed, are bound, executed and started by the same functions.
typedef struct callbridge_call callbridge_call;

// Binds `target` to `site`: validates both, plans the pointer tables, and calls the INSTANTIATE
// stage of a typed target with `context`, which may be null. Copies what it needs of its arguments.
// The target's functions must stay callable until the call is destroyed. The caller destroys
// `*call`.
//
// Returns INVALID_ARGUMENT if the target's ABI is unknown and a wrong guess could crash; if an
// untyped target gets attributes or a release, or a typed one an opaque; if `release` is unknown,
// or its XLA cannot run the handler; if the site's operator information does not allow the call
// (callbridge_operator_info_check). Returns UNIMPLEMENTED if that XLA lacks a stage of the
// handler. Returns errors of INSTANTIATE unchanged.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_call_bind(
    const callbridge_target* target, const callbridge_site* site,
    const callbridge_execution_context* context, callbridge_call** call);

// Destroys `call`, and the state of a typed handler once the last run is over; null is ignored.
CALLBRIDGE_EXPORTED void callbridge_call_destroy(callbridge_call* call);

// Calls the target on the leaves' data pointers, in preorder, and waits until it is done. The
// pointers of tokens and of empty arrays may be null. Both lists are undefined afterwards, the
// results' contents after an error. `context` may be null. Allocates nothing on success up to 256
// pointers, and takes no lock.
//
// Returns INVALID_ARGUMENT if the counts are not those of the site's leaves; INTERNAL "CustomCall
// failed: <message>" if an untyped target fails or throws; a typed handler's errors unchanged.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_call_execute(
    const callbridge_call* call, void** operands, size_t operand_count, void** results,
    size_t result_count, const callbridge_execution_context* context);

// Like callbridge_call_execute, for a runtime that has checked once what each of its calls gets:
// `call` is not null, both lists have one pointer for each of the site's leaves, and a list of none
// may be null. There is no context. Same errors, but for counts, which are not looked at.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_call_execute_unchecked(const callbridge_call* call,
                                                                        void** operands,
                                                                        void** results);

// A run that callbridge_call_start started.
typedef struct callbridge_run callbridge_run;

// Reports how a run ended. `error` is null on success; otherwise the callback owns it. What the
// callback throws is dropped. It must not wait for the run.
typedef void callbridge_done(void* user, callbridge_error* error);

// Same as callbridge_call_execute, but calls the target in XLA:CPU's floating-point mode and does
// not wait for a typed handler's future. Calls the target on this thread: an untyped target, or a
// handler that returns no future, is done when this function returns. The buffers, the target's
// functions and what `context` points to must live until the run is over; `call` may be destroyed
// before.
//
// If `done` is not null, calls it once with `user`, before this function returns or on the thread
// that completes the future. If `run` is not null, writes a handle to wait with, which the caller
// destroys; `done` may run before that. Errors of the run go to both. If this function returns an
// error, it started nothing and does not call `done`.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_call_start(
    const callbridge_call* call, void** operands, size_t operand_count, void** results,
    size_t result_count, const callbridge_execution_context* context, callbridge_done* done,
    void* user, callbridge_run** run);

// Waits until the run is over and `done` has returned, for at most `timeout_milliseconds`; less
// than 0 waits forever, and so does more than 292 years. Returns how the run ended, in every call:
// a copy of its error, or null. Returns DEADLINE_EXCEEDED if the run is not over; the handler may
// still use the buffers then.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_run_wait(const callbridge_run* run,
                                                          int64_t timeout_milliseconds);

// Destroys the handle; null is ignored. Does not wait: a run that is not over goes on.
CALLBRIDGE_EXPORTED void callbridge_run_destroy(callbridge_run* run);

// Binds a target, executes the call once and destroys it, on arrays in host memory: one for each
// leaf of the operands and of the result, in preorder. Executes with `context`, which may be null,
// as if `as_xla_cpu` were set; binds with none. With a device, copies the operands there and the
// results back, and waits.
//
// Returns INVALID_ARGUMENT if the size of an array is not that of its shape, and the errors of
// callbridge_call_bind and callbridge_call_execute.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_execute(
    const callbridge_target* target, const callbridge_site* site, const callbridge_array* operands,
    size_t operand_count, const callbridge_array* results, size_t result_count,
    const callbridge_execution_context* context);

// ---- Handing a target to a runtime --------------------------------------------------------------

// Functions that call a target, to register with a runtime under any name. They live as long as the
// process.
typedef struct callbridge_entry_points {
  size_t struct_size;
  // Called with api_version 3. On Host `void(void* out, const void** in, const char* opaque,
  // size_t opaque_size, XlaCustomCallStatus*)`, on GPU `void(CUstream, void** buffers, const char*
  // opaque, size_t opaque_size, XlaCustomCallStatus*)`. Operands are arrays; `out` is the result's
  // array if the result is one, and a list of arrays otherwise. Calls of a target with
  // CALLBRIDGE_PROVIDES_COUNTS need the bytes of callbridge_site_encode as their opaque.
  //
  // That of a typed target, for runtimes without FFI, needs the bytes of callbridge_site_encode as
  // the opaque of every call. The first call of a site calls INSTANTIATE; sites with equal bytes
  // share its state. A target keeps the states of 32,768 sites. Beyond that, it deletes states that
  // no call uses and none used lately, and instantiates the site anew in its next call. Waits for
  // futures. Errors are "<CODE>: <message>". Provides the buffers, on GPU the stream, and on CUDA
  // the device ordinal, which it asks the driver for: that of the stream's context, for a default
  // stream that of the current one; and callbridge_site.scratch_bytes of scratch memory, of which
  // more is RESOURCE_EXHAUSTED. A handler gets UNIMPLEMENTED if it asks for the run id, a thread
  // pool (XLA's headers then run the task on the calling thread), scratch memory that the call does
  // not give, user data of the execution context, custom options, extensions, or elsewhere the
  // device ordinal or on Host the stream.
  void* untyped;
  // `XLA_FFI_Error*(XLA_FFI_CallFrame*)`, for the execute stage of the XLA FFI of jaxlib 0.4.30 to
  // 0.12.0.1, on GPU since 0.4.31. Tells XLA that its calls may be recorded into command buffers if
  // the target says so (callbridge_target.command_buffer_compatible); calls of `untyped` are not
  // recorded. Null for a typed target: register what
  // callbridge_ffi_adapt_handlers returns.
  void* typed;
} callbridge_entry_points;

// Writes the target's entry points to `*entry_points`, whose struct_size the caller set. Returns
// the same ones for the same target each time. An untyped target has others if it is command buffer
// compatible than if it is not, and XLA takes one of them for each name. Keeps the target's library
// open for the rest of the process. Returns INVALID_ARGUMENT if the target's ABI is unknown and a
// wrong guess could crash.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_target_entry_points(
    const callbridge_target* target, callbridge_entry_points* entry_points);

// Registers a function of version 3, such as callbridge_entry_points.untyped, with the XLA inside
// the file at `path`, a library or program that this process has loaded and that exports no
// function to register with: PyTorch/XLA's extension module. Finds xla::CustomCallTargetRegistry in
// the file's symbol tables. Those, and the functions' types, belong to a release of that XLA, and
// others may change them. The file stays loaded, and XLA knows the function, until the process
// ends. That registry compares `platform` exactly: "Host", "CUDA". Succeeds if it already has the
// function under that name.
//
// Returns NOT_FOUND if the file is not loaded; FAILED_PRECONDITION if it was replaced since, or its
// symbol tables lack a function, which the message names; UNIMPLEMENTED if that XLA is compiled
// with std::string of libstdc++'s old ABI; ALREADY_EXISTS if the name is another function's;
// INVALID_ARGUMENT if the file cannot be parsed.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_register_with_loaded_xla(const char* path,
                                                                          const char* name,
                                                                          const char* platform,
                                                                          void* function);

// ---- Asking a function what it is ---------------------------------------------------------------

// What callbridge_probe_typed finds.
enum {
  // Unknown: the function returned without an answer, which proves nothing, or nobody could call
  // it.
  CALLBRIDGE_PROBE_UNVERIFIED = 0,
  CALLBRIDGE_PROBE_TYPED = 1,      // it answered as every typed handler does
  CALLBRIDGE_PROBE_NOT_TYPED = 2,  // it crashed, threw, ended the process or did not return
};

// Writes to `*verdict` whether the function at `address`, in this process, is a typed FFI handler
// (CALLBRIDGE_PROBE_*). A helper process opens its file and calls it there with a query that every
// typed handler answers. A fork of this process does so where the file cannot be opened alone, or
// no file holds the address; nothing is called in this process itself. If `evidence` is not null,
// writes a line that explains the verdict, which the caller frees with callbridge_bytes_free.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_probe_typed(const void* address, int32_t* verdict,
                                                             char** evidence);

// ---- Inspecting a file --------------------------------------------------------------------------

// Writes to `*json` what the file at `path` is and which custom calls it has: a JSON object on one
// line, in UTF-8, the one that `callbridge inspect --json` has for the file. The caller frees it
// with callbridge_bytes_free. Later versions only add members. Reads the file's tables and, if the
// file is for this machine, asks ld.so for the libraries that it needs, in a process of its own;
// runs no code of the file's. If `probes` is not 0, asks the functions that may be typed FFI
// handlers, as callbridge_probe_typed does, each in a process of its own (the helper program
// callbridge-probe), where the file's constructors run too: they, and a function that is not a
// handler, may do anything there.
//
// `path` may also be "PATH:FUNCTION", an AOT custom operator of MindSpore, if there is no file of
// that whole name; a source file is compiled.
//
// Returns INVALID_ARGUMENT if the file is neither an ELF file for Linux on a machine that
// callbridge knows nor an archive of such, or is cut in its header; NOT_FOUND if there is no such
// file; PERMISSION_DENIED if it cannot be read; FAILED_PRECONDITION or UNAVAILABLE if ld.so or the
// compiler cannot be run.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_inspect(const char* path, int32_t probes,
                                                         char** json);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_H_
