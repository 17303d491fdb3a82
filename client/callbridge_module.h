// callbridge_module.h: the C API for whole programs: reads, writes, upgrades and runs HLO modules
// without XLA. It is in libcallbridge_client.so, which needs libcallbridge.so and protobuf.
//
// The rules of callbridge.h hold here too.
//
// C99 or C++; includes the standard library only.
#ifndef CALLBRIDGE_CLIENT_CALLBRIDGE_MODULE_H_
#define CALLBRIDGE_CLIENT_CALLBRIDGE_MODULE_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_device.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Modules ------------------------------------------------------------------------------------

// An HLO module. It never changes.
typedef struct callbridge_module callbridge_module;

// Reads a serialized HloModuleProto, HloProto, HloModuleProtoWithConfig or HloSnapshot, or HLO
// text, and checks it. Instructions, attributes and shapes that are not known pass through. Returns
// INVALID_ARGUMENT if it is none of these or inconsistent.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_read(const char* bytes, size_t size,
                                                             callbridge_module** module);
// Destroys `module`. Ignores null.
CALLBRIDGE_EXPORTED void callbridge_module_destroy(callbridge_module* module);

// The forms of a module's bytes.
enum {
  CALLBRIDGE_MODULE_HLO_PROTO = 0,       // a serialized HloModuleProto
  CALLBRIDGE_MODULE_HLO_TEXT = 1,        // as XLA prints it
  CALLBRIDGE_MODULE_STABLEHLO_TEXT = 2,  // as current JAX and XLA read it
};

// Gets the bytes, which are valid until it returns.
typedef void callbridge_bytes_sink(void* user, const char* bytes, size_t size);
// Calls `sink` once with the module in `form` (CALLBRIDGE_MODULE_*). Returns INVALID_ARGUMENT if
// `form` is no form, and UNIMPLEMENTED, which names the instruction, if the form cannot express it:
// an attribute that only its text has, for the proto. HLO text names the fields that it has no
// words for in comments.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_write(const callbridge_module* module,
                                                              int32_t form,
                                                              callbridge_bytes_sink* sink,
                                                              void* user);

// Gets a custom call: its target, which is valid until it returns, and the API version that it
// names (0, which none says, to 4).
typedef void callbridge_custom_call_sink(void* user, const char* target, size_t target_size,
                                         int32_t api_version);
// Gives `sink` each custom call of the module, XLA's own ones too, in the order of its
// computations.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_custom_calls(
    const callbridge_module* module, callbridge_custom_call_sink* sink, void* user);

// Returns a copy of the module with every untyped custom call replaced by a typed one of the same
// name. It runs where the targets are registered as typed entry points
// (callbridge_target_entry_points).
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_upgrade(const callbridge_module* module,
                                                                callbridge_module** upgraded);

// Gets an untyped custom call that an upgrade leaves as it is: the instruction's name, its target,
// and why. All three end with NUL and are valid until it returns.
typedef void callbridge_call_left_sink(void* user, const char* instruction, const char* target,
                                       const char* reason);
// Gives `sink` each untyped custom call that callbridge_module_upgrade leaves alone, for instance
// since an operand has a dynamic size. Returns the errors of callbridge_module_upgrade.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_calls_left(const callbridge_module* module,
                                                                   callbridge_call_left_sink* sink,
                                                                   void* user);

// ---- Running modules ----------------------------------------------------------------------------

// A module compiled for the embedded runtime, its custom calls bound.
typedef struct callbridge_program callbridge_program;

// Compiles `module`. Custom calls find the targets of `libraries`, a later one before an earlier
// one, and then those that are registered in this process. The libraries must outlive the program.
// Returns NOT_FOUND, which names the target, if one is missing, and UNIMPLEMENTED, which names the
// instruction, if the embedded runtime does not have it. Independent calls run on up to `threads`
// threads; with 1, all run on the caller's.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_program_compile(
    const callbridge_module* module, const callbridge_library* const* libraries,
    size_t library_count, int32_t threads, callbridge_program** program);
// Same, but custom calls find the targets for "CUDA" and run on `device`, which must outlive the
// program: each gets copies of its operands there, and its results are copied back. All else runs
// on the host. If `synchronizes` is nonzero, as in callbridge_execution_context, an asynchronous
// error comes with the call that caused it.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_program_compile_on_device(
    const callbridge_module* module, const callbridge_library* const* libraries,
    size_t library_count, int32_t threads, const callbridge_device* device, int32_t synchronizes,
    callbridge_program** program);
// Destroys `program`. Ignores null.
CALLBRIDGE_EXPORTED void callbridge_program_destroy(callbridge_program* program);

// Returns the number of the program's parameters.
CALLBRIDGE_EXPORTED size_t callbridge_program_parameter_count(const callbridge_program* program);
// Returns the shape of a parameter, as XLA writes it; the program owns the text. Returns null if
// `index` is not less than the count.
CALLBRIDGE_EXPORTED const char* callbridge_program_parameter(const callbridge_program* program,
                                                             size_t index);
// Returns the shape of the result, as above.
CALLBRIDGE_EXPORTED const char* callbridge_program_result(const callbridge_program* program);

// Runs the program. Takes one array for each leaf of the parameters and of the result, in preorder,
// with the bytes that its shape needs; only reads the parameters. If a call fails, no call that
// depends on it runs, and the results are undefined.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_program_execute(const callbridge_program* program,
                                                                 const callbridge_array* parameters,
                                                                 size_t parameter_count,
                                                                 const callbridge_array* results,
                                                                 size_t result_count);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_CLIENT_CALLBRIDGE_MODULE_H_
