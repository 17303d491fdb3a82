// The exported C functions behind the source-compatible xla::CustomCallTargetRegistry. Code
// recompiled against callbridge's headers imports these and nothing else. So it works in both
// string ABIs of libstdc++, whether it is linked to libcallbridge.so or bound when TargetLibrary
// loads it.
//
// Frozen: a function here never changes its signature or meaning; a new one gets a new name. Null
// names and visitors are ignored. std::bad_alloc, and what `visit` throws, pass through these
// functions to the C++ code of the headers.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_LEGACY_REGISTRY_FUNCTIONS_H_
#define CALLBRIDGE_LEGACY_REGISTRY_FUNCTIONS_H_

#include <stddef.h>

#include "callbridge/abi/exported.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers `address`, which may be null. Copies the names, which need no terminating NUL.
// `api_version` is the ABI's number, or 0 if the function's type is not known; a number that no ABI
// may have counts as 0. Thread-safe.
CALLBRIDGE_EXPORTED void callbridge_register_target(const char* name, size_t name_size,
                                                    void* address, const char* platform,
                                                    size_t platform_size, int api_version);

// Returns the registered address, or null. Thread-safe.
CALLBRIDGE_EXPORTED void* callbridge_lookup_target(const char* name, size_t name_size,
                                                   const char* platform, size_t platform_size);

// Calls `visit` with each target that is registered at the time of the call, by name, then
// platform. The texts are valid until `visit` returns. `visit` may use the registry.
CALLBRIDGE_EXPORTED void callbridge_visit_targets(
    void (*visit)(void* user, const char* name, size_t name_size, const char* platform,
                  size_t platform_size, void* address, int api_version),
    void* user);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_LEGACY_REGISTRY_FUNCTIONS_H_
