// The exported C functions behind the source-compatible xla::CustomCallTargetRegistry. Code that
// was recompiled against callbridge's headers imports these and nothing else, so it works in both
// string ABIs of libstdc++, linked to libcallbridge.so or bound when TargetLibrary loads it.
//
// Frozen: a function here never changes its signature or meaning; a new one gets a new name.
// Null names and visitors are ignored. These take no part in errors: what memory that cannot be had
// throws, and what `visit` throws, passes through them to the C++ code of the headers above.
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_LEGACY_REGISTRY_FUNCTIONS_H_
#define CALLBRIDGE_LEGACY_REGISTRY_FUNCTIONS_H_

#include <stddef.h>

#include "callbridge/abi/exported.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers `address`, which is kept as it is, null too. Names need no terminating NUL and are
// copied. `api_version` is the ABI's number, or 0 where the function's type is not known; a number
// that no ABI can have counts as 0.
// Thread-safe.
CALLBRIDGE_EXPORTED void callbridge_register_target(const char* name, size_t name_size,
                                                    void* address, const char* platform,
                                                    size_t platform_size, int api_version);

// The registered address, or null. Thread-safe.
CALLBRIDGE_EXPORTED void* callbridge_lookup_target(const char* name, size_t name_size,
                                                   const char* platform, size_t platform_size);

// Calls `visit` with each target that is registered at the time of the call, by name, then
// platform. The texts are lent for the call. `visit` may use the registry.
CALLBRIDGE_EXPORTED void callbridge_visit_targets(
    void (*visit)(void* user, const char* name, size_t name_size, const char* platform,
                  size_t platform_size, void* address, int api_version),
    void* user);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_LEGACY_REGISTRY_FUNCTIONS_H_
