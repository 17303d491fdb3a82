// callbridge.h: callbridge's stable C ABI, for other languages and for runtimes of their own.
//
// Rules
// - A struct opens with `struct_size`, which the caller sets to sizeof; later versions only append
//   fields, read no more than struct_size says, and accept the size of the first version for ever.
//   Enumerators keep their numbers.
// - A function that can fail returns a callbridge_error*, null on success. The caller owns errors
// and
//   frees them with callbridge_error_destroy. Out parameters are written on success only.
// - A pointer must not be null, unless its comment says that it may be, or it is a list, a text
// with
//   its size beside it or the data of an array, and that size or count is 0, or it is the `user`
//   that a callback gets. Else: INVALID_ARGUMENT, which names the parameter or field; functions
//   that return no error ignore the call, and return 0 or null.
// - Names, paths, shapes and releases are UTF-8 and end with a NUL. Bytes that may hold NULs (an
//   opaque, the value of a string attribute, a message, a module) have their size beside them. A
//   text that a function hands out is valid until the object that it was asked of is destroyed.
// - No function takes ownership of what it is given. All are thread-safe, on one object too, except
//   those that destroy or close it.
// - C++ exceptions do not leave a function. What a callback throws becomes INTERNAL, and memory
// that
//   cannot be had RESOURCE_EXHAUSTED. The cancellation of a thread passes through.
//
// C99 or C++; standard library alone.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_H_
#define CALLBRIDGE_C_API_CALLBRIDGE_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"

#ifdef __cplusplus
extern "C" {
#endif

// "MAJOR.MINOR.PATCH".
CALLBRIDGE_EXPORTED const char* callbridge_version(void);

// ---- Errors -------------------------------------------------------------------------------------

// The numbers of absl::StatusCode, which are those of XLA_FFI_Error_Code.
typedef struct callbridge_error {
  size_t struct_size;
  int32_t code;
  const char* message;  // ends with a NUL, which message_size does not count
  size_t message_size;
} callbridge_error;

// "INVALID_ARGUMENT" and so on; "UNKNOWN" for numbers that are no code. Static storage.
CALLBRIDGE_EXPORTED const char* callbridge_error_code_name(int32_t code);
// For those who build on this API and report errors as it does. `message` is copied. Never returns
// null: where there is no memory for the error, it is the one that says so.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_error_create(int32_t code, const char* message,
                                                              size_t message_size);
// Null is ignored.
CALLBRIDGE_EXPORTED void callbridge_error_destroy(callbridge_error* error);

// ---- Targets ------------------------------------------------------------------------------------

// The ABIs of custom calls: XLA's numbers (xla.CustomCallApiVersion). callbridge_target_abi_at says
// what is known of each, and of those that are not named here.
enum {
  CALLBRIDGE_API_VERSION_UNSPECIFIED = 0,  // not known; enough for GPU targets
  CALLBRIDGE_API_VERSION_ORIGINAL = 1,
  CALLBRIDGE_API_VERSION_STATUS_RETURNING = 2,
  CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED = 3,
  CALLBRIDGE_API_VERSION_TYPED_FFI = 4,
};

// What a call provides to a target: bits.
enum {
  CALLBRIDGE_PROVIDES_STATUS = 1,   // an XlaCustomCallStatus, by which it reports a failure
  CALLBRIDGE_PROVIDES_OPAQUE = 2,   // the site's opaque
  CALLBRIDGE_PROVIDES_STREAM = 4,   // the GPU stream
  CALLBRIDGE_PROVIDES_TUPLES = 8,   // tuples as tables of pointers; without it the leaves alone
  CALLBRIDGE_PROVIDES_COUNTS = 16,  // how many operands and results there are
  CALLBRIDGE_PROVIDES_SHAPES = 32,
  CALLBRIDGE_PROVIDES_ATTRIBUTES = 64,  // the site's attributes
};

// An ABI on one platform. The texts are static.
typedef struct callbridge_target_abi {
  size_t struct_size;
  int32_t api_version;
  // ABIs of equal `called_as` are called alike on that platform, so that a target may be declared
  // to be of either. 0: the platform does not have this ABI.
  int32_t called_as;
  uint32_t provides;  // CALLBRIDGE_PROVIDES_*
  // Nonzero: targets of CALLBRIDGE_API_VERSION_UNSPECIFIED are called as this ABI. Zero for all
  // ABIs of a platform: there a target's ABI must be known.
  int32_t serves_unspecified;
  const char* name;        // "original"
  const char* enumerator;  // "CALLBRIDGE_API_VERSION_ORIGINAL", which this header need not have
} callbridge_target_abi;

CALLBRIDGE_EXPORTED size_t callbridge_target_abi_count(void);
// The ABIs by number; `index` is less than the count. OUT_OF_RANGE where it is not. `platform` is
// as in callbridge_target.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_target_abi_at(size_t index, const char* platform,
                                                               callbridge_target_abi* abi);

typedef struct callbridge_target {
  size_t struct_size;
  const char* name;
  const char* platform;           // "Host" or "cpu", "CUDA", "ROCM", in any case
  int32_t api_version;            // CALLBRIDGE_API_VERSION_*, or another ABI's number
  int32_t api_version_is_proved;  // nonzero: the function's type says so; zero: declared
  void* address;                  // must stay callable while anything made of the target is in use
  const char* evidence;           // handed out: how the ABI is known, for people; not read
  // Of a typed target, whose handler for the stage execute is at `address`: those for the other
  // stages, `XLA_FFI_Error*(XLA_FFI_CallFrame*)`, null where there is none.
  void* instantiate;
  void* prepare;
  void* initialize;
  void* record;
} callbridge_target;

// A shared library that registers custom calls, opened without the XLA that it was built for. Its
// constructors run in this process.
typedef struct callbridge_library callbridge_library;

CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_load(const char* path,
                                                              callbridge_library** library);
// The same, but a process of its own (the helper program callbridge-load) loads the file first, so
// that a constructor that crashes or exits is INTERNAL, and one that does not return in 60 seconds
// DEADLINE_EXCEEDED.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_load_isolated(
    const char* path, callbridge_library** library);
// What is registered in this process at the time of the call, as if it were one library: the
// targets that were linked into the program and its libraries, and those of libraries that were
// loaded. Closing it closes nothing else.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_of_process(callbridge_library** library);
// Unloads the library. Returns FAILED_PRECONDITION, and leaves it open, while a callbridge_call, a
// callbridge_ffi_call or a run that is not done leads into it, and for good once entry points of
// one of its targets were handed out or handlers of it were adapted. Threads that the library
// started must be done with its code. Null is ignored.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_close(callbridge_library* library);
CALLBRIDGE_EXPORTED size_t callbridge_library_target_count(const callbridge_library* library);
// The targets that it registered, by name, then platform; `index` is less than the count.
// OUT_OF_RANGE where it is not. `platform` is as registered, and may be one that callbridge cannot
// call.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_library_target(const callbridge_library* library,
                                                                size_t index,
                                                                callbridge_target* target);

// ---- Shapes -------------------------------------------------------------------------------------

// Visits a shape's nodes in preorder. `element_type` is XLA's number (xla.PrimitiveType): 13 is a
// tuple, and `count` then the number of its elements, whose nodes follow; 17 is a token; everything
// else an array, of which `dimensions` holds `count`, and `size_bytes` is its size.
typedef void callbridge_shape_visitor(void* user, int32_t element_type, const int64_t* dimensions,
                                      size_t count, int64_t size_bytes);
// Shapes are written as XLA writes them: "f32[8,4]", "(f32[32],(f32[64],f32[128]))", "token[]".
CALLBRIDGE_EXPORTED callbridge_error* callbridge_shape_visit(const char* shape,
                                                             callbridge_shape_visitor* visit,
                                                             void* user);

// ---- Call sites ---------------------------------------------------------------------------------

enum {
  CALLBRIDGE_TUPLE_LAYOUT_NESTED = 0,  // tuple operands as nested tables: the documented ABI
  CALLBRIDGE_TUPLE_LAYOUT_FLAT = 1,    // as jaxlib >= 0.4.38 hands them over
};

// What is known of a call when the program around it is compiled.
typedef struct callbridge_site {
  size_t struct_size;
  int32_t tuple_layout;         // CALLBRIDGE_TUPLE_LAYOUT_*
  const char* const* operands;  // their shapes
  size_t operand_count;
  const char* result;  // its shape
  const char* opaque;  // any bytes; for untyped targets
  size_t opaque_size;
  const struct callbridge_ffi_attributes* attributes;  // for typed targets; null is none
} callbridge_site;

// The bytes by which a call site travels through a runtime to an entry point (below): the attribute
// "callbridge_site" of a typed call, or the opaque of a version-3 call. The attribute may be a
// string, which every XLA with FFI decodes, or a uint8 array, which XLA decodes since jaxlib
// 0.4.38. A site whose `attributes` are not null, though they may be empty, is a typed target's,
// and its bytes are the opaque of a version-3 call; INVALID_ARGUMENT where it has an opaque too.
// Free them with callbridge_bytes_free.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_site_encode(const callbridge_site* site,
                                                             char** bytes, size_t* size);
CALLBRIDGE_EXPORTED void callbridge_bytes_free(char* bytes);

// ---- Calling a target ---------------------------------------------------------------------------

typedef struct callbridge_execution_context {
  size_t struct_size;
  void* stream;  // for GPU targets: the CUstream or hipStream_t, null for the default one
  // For typed targets: what they are lent (callbridge_ffi.h); on GPU `stream` stands in for a
  // missing stream. Null: nothing by callbridge_call_execute, and by callbridge_execute what
  // XLA:CPU lends, which is threads, a run id and device ordinal 0.
  const struct callbridge_runtime_services* services;
  // Nonzero: callbridge_call_execute calls as callbridge_execute always does and XLA:CPU would:
  // with these loans where `lent` is null, and in its floating-point mode, in which subnormals are
  // zero.
  int32_t as_xla_cpu;
} callbridge_execution_context;

// A leaf's memory, the caller's. Frozen: it has no struct_size, since lists of it are passed, and
// never grows.
typedef struct callbridge_array {
  void* data;  // null only where size_bytes is 0
  size_t size_bytes;
} callbridge_array;

// Binds and calls once, on arrays in host memory: one for each leaf of the operands and of the
// result, in preorder. Sizes are checked against the shapes. `context` may be null. A typed target
// gets the leaves as its arguments and results; its future is waited for; its errors are as it made
// them.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_execute(
    const callbridge_target* target, const callbridge_site* site, const callbridge_array* operands,
    size_t operand_count, const callbridge_array* results, size_t result_count,
    const callbridge_execution_context* context);

// A target bound to a call site, with the state that a typed handler keeps there.
typedef struct callbridge_call callbridge_call;

CALLBRIDGE_EXPORTED callbridge_error* callbridge_call_bind(const callbridge_target* target,
                                                           const callbridge_site* site,
                                                           callbridge_call** call);
// Null is ignored.
CALLBRIDGE_EXPORTED void callbridge_call_destroy(callbridge_call* call);
// Calls the target with the leaves' data pointers, in preorder, as they are: those of tokens and of
// empty arrays may be null. Both lists are lent, and undefined afterwards. A typed handler's future
// is waited for. No allocation on success up to 256 pointers, no lock. `context` may be null.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_call_execute(
    const callbridge_call* call, void** operands, size_t operand_count, void** results,
    size_t result_count, const callbridge_execution_context* context);

// ---- Handing a target to a runtime --------------------------------------------------------------

// Functions that lead to a target, to register with a runtime under any name. They live as long as
// the process; asking again for the same target gives the same ones.
typedef struct callbridge_entry_points {
  size_t struct_size;
  // To be called with api_version 3. On Host
  // `void(void* out, const void** in, const char* opaque, size_t opaque_size,
  // XlaCustomCallStatus*)`, on GPU `void(CUstream, void** buffers, const char* opaque, size_t
  // opaque_size, XlaCustomCallStatus*)`. Operands are arrays; `out` is the result's array where
  // that is one, else a list of them. Calls of a target that takes CALLBRIDGE_PROVIDES_COUNTS need
  // the bytes of callbridge_site_encode as their opaque.
  //
  // A typed target's, for runtimes without FFI, needs the bytes of callbridge_site_encode as the
  // opaque of every call. Sites of the same bytes share one INSTANTIATE, which the first call
  // makes, and its state. A target keeps the states of 32,768 sites: beyond that, states that no
  // call uses, and none has used lately, are deleted, and the site's next call makes one anew. A
  // future is waited for. Errors are "<CODE>: <message>". The handler is lent the buffers, and on
  // GPU the stream; UNIMPLEMENTED answers it where it asks for the run id, the device ordinal, a
  // thread pool (XLA's headers then run the task on the calling thread), scratch memory, user data
  // of the execution context, custom options, extensions, and on Host the stream.
  void* untyped;
  // `XLA_FFI_Error*(XLA_FFI_CallFrame*)`, for the execute stage of the XLA FFI of jaxlib 0.4.31 to
  // 0.12.0.1. Null for a typed target: callbridge_ffi_adapt_handlers says what to register of that.
  void* typed;
} callbridge_entry_points;

// INVALID_ARGUMENT where the target's ABI is not known and a wrong guess could crash.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_target_entry_points(
    const callbridge_target* target, callbridge_entry_points* entry_points);

// ---- Asking a function what it is ---------------------------------------------------------------

enum {
  // It could not be asked, since its address belongs to no file that can be opened, or it returned
  // without an answer, which proves nothing.
  CALLBRIDGE_PROBE_UNVERIFIED = 0,
  CALLBRIDGE_PROBE_TYPED = 1,
  CALLBRIDGE_PROBE_NOT_TYPED = 2,  // it crashed, threw, ended the process or did not return
};

// Whether the function at `address`, in this process, is a typed FFI handler. A helper process
// opens its file and calls it there with a query that every typed handler answers; nothing is
// called in this process. `evidence` may be null, or gets a line for people, to be freed with
// callbridge_bytes_free.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_probe_typed(const void* address, int32_t* verdict,
                                                             char** evidence);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_H_
