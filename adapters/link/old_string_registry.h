// xla::CustomCallTargetRegistry for binaries of libstdc++'s old string ABI
// (_GLIBCXX_USE_CXX11_ABI=0): its member functions, with `this` as the first argument. A `const
// std::string&` of that ABI arrives as the address of such a string.
#ifndef CALLBRIDGE_ADAPTERS_LINK_OLD_STRING_REGISTRY_H_
#define CALLBRIDGE_ADAPTERS_LINK_OLD_STRING_REGISTRY_H_

#include "callbridge/abi/exported.h"
#include "callbridge/adapters/link/upstream_names.h"

namespace callbridge {

// `registry` is a TargetRegistry; `name` and `platform` are strings of the old ABI. Exported under
// XLA's names.
CALLBRIDGE_EXPORTED void RegisterByOldStrings(
    void* registry, const void* name, void* address,
    const void* platform) __asm__(CALLBRIDGE_UPSTREAM_REGISTER_OLD_STRINGS);
CALLBRIDGE_EXPORTED void* LookUpByOldStrings(
    const void* registry, const void* name,
    const void* platform) __asm__(CALLBRIDGE_UPSTREAM_LOOKUP_OLD_STRINGS);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_LINK_OLD_STRING_REGISTRY_H_
