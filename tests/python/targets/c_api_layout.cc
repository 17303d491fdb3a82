// What a C++ compiler makes of the C API's structs, for Python to compare with its own.
#include <cstddef>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"

extern "C" {

// Size of each struct, then the offset of its last field.
CALLBRIDGE_EXPORTED extern const size_t c_api_layout[];
const size_t c_api_layout[] = {
    sizeof(callbridge_error),
    offsetof(callbridge_error, message_size),
    sizeof(callbridge_target),
    offsetof(callbridge_target, content),
    sizeof(callbridge_target_abi),
    offsetof(callbridge_target_abi, enumerator),
    sizeof(callbridge_site),
    offsetof(callbridge_site, scratch_bytes),
    sizeof(callbridge_array),
    offsetof(callbridge_array, size_bytes),
    sizeof(callbridge_execution_context),
    offsetof(callbridge_execution_context, synchronizes),
    sizeof(callbridge_entry_points),
    offsetof(callbridge_entry_points, typed),
    sizeof(callbridge_ffi_handlers),
    offsetof(callbridge_ffi_handlers, traits),
};

}  // extern "C"
