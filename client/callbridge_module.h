// callbridge_module.h: the C ABI for whole programs: XLA's HLO modules, read, written, upgraded and
// run without XLA. In libcallbridge_client.so, which stands on libcallbridge.so and protobuf.
//
// The rules are those of callbridge.h.
//
// C99 or C++; standard library alone.
#ifndef CALLBRIDGE_CLIENT_CALLBRIDGE_MODULE_H_
#define CALLBRIDGE_CLIENT_CALLBRIDGE_MODULE_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"
#include "callbridge/c_api/callbridge.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Modules ------------------------------------------------------------------------------------

typedef struct callbridge_module callbridge_module;

// Reads a serialized HloModuleProto or HloProto, or HLO text, and checks it. INVALID_ARGUMENT where
// it is none of these or contradicts itself; UNIMPLEMENTED names an instruction that is not known.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_read(const char* bytes, size_t size,
                                                             callbridge_module** module);
// Null is ignored.
CALLBRIDGE_EXPORTED void callbridge_module_destroy(callbridge_module* module);

enum {
  CALLBRIDGE_MODULE_HLO_PROTO = 0,       // a serialized HloModuleProto
  CALLBRIDGE_MODULE_HLO_TEXT = 1,        // as XLA prints it
  CALLBRIDGE_MODULE_STABLEHLO_TEXT = 2,  // as current JAX and XLA read it
};

// Is given the bytes, which live until it returns.
typedef void callbridge_bytes_sink(void* user, const char* bytes, size_t size);
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_write(const callbridge_module* module,
                                                              int32_t form,
                                                              callbridge_bytes_sink* sink,
                                                              void* user);

// A module like this one in which every untyped custom call is a typed one of the same name: it
// runs where the targets are registered as typed entry points (callbridge_target_entry_points).
CALLBRIDGE_EXPORTED callbridge_error* callbridge_module_upgrade(const callbridge_module* module,
                                                                callbridge_module** upgraded);

// ---- Running them -------------------------------------------------------------------------------

// A module compiled for the embedded runtime, its custom calls bound.
typedef struct callbridge_program callbridge_program;

// Custom calls find the targets of `libraries`, of which a later one goes before an earlier one,
// and then those that are registered in this process. The libraries must outlive the program.
// NOT_FOUND names a target that is not there; UNIMPLEMENTED an instruction that the embedded
// runtime does not have. Calls that do not depend on each other run on up to `threads` threads; 1
// is the caller's alone.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_program_compile(
    const callbridge_module* module, const callbridge_library* const* libraries,
    size_t library_count, int32_t threads, callbridge_program** program);
// Null is ignored.
CALLBRIDGE_EXPORTED void callbridge_program_destroy(callbridge_program* program);

CALLBRIDGE_EXPORTED size_t callbridge_program_parameter_count(const callbridge_program* program);
// Shapes, as XLA writes them; the texts are the program's. Null where `index` is not less than the
// count.
CALLBRIDGE_EXPORTED const char* callbridge_program_parameter(const callbridge_program* program,
                                                             size_t index);
CALLBRIDGE_EXPORTED const char* callbridge_program_result(const callbridge_program* program);

// One array for each leaf of the parameters, and of the result, in preorder, with the bytes that
// its shape needs; parameters are only read. After a failure nothing that depends on the failed
// call was run, and the results are undefined.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_program_execute(const callbridge_program* program,
                                                                 const callbridge_array* parameters,
                                                                 size_t parameter_count,
                                                                 const callbridge_array* results,
                                                                 size_t result_count);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_CLIENT_CALLBRIDGE_MODULE_H_
