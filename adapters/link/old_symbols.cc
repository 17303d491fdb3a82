#include "callbridge/adapters/link/old_symbols.h"

#include <string>

#include "callbridge/abi/exported.h"
#include "callbridge/adapters/link/upstream_names.h"
#include "callbridge/legacy/registry_functions.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "callbridge/status_returning/old_string.h"
#include "callbridge/typed_ffi/host/api_table.h"

namespace callbridge {

// Exported for programs that link old object files with libcallbridge.so. The loader of old
// binaries finds them in the table below.

// xla::CustomCallTargetRegistry::Global(). Old code passes the result to Register and Lookup as
// `this` and never looks inside.
CALLBRIDGE_EXPORTED void* Global() __asm__(CALLBRIDGE_UPSTREAM_GLOBAL);
void* Global() { return &TargetRegistry::Global(); }

// xla::CustomCallTargetRegistry::Register(std::string const&, void*, std::string const&); a member
// function's `this` is its first argument.
CALLBRIDGE_EXPORTED void Register(
    void* registry, const std::string& name, void* address,
    const std::string& platform) __asm__(CALLBRIDGE_UPSTREAM_REGISTER);
void Register(void* registry, const std::string& name, void* address, const std::string& platform) {
  static_cast<TargetRegistry*>(registry)->Register({name, platform, address});
}

// xla::CustomCallTargetRegistry::Lookup(std::string const&, std::string const&) const
CALLBRIDGE_EXPORTED void* Lookup(const void* registry, const std::string& name,
                                 const std::string& platform) __asm__(CALLBRIDGE_UPSTREAM_LOOKUP);
void* Lookup(const void* registry, const std::string& name, const std::string& platform) {
  return static_cast<const TargetRegistry*>(registry)->Lookup(name, platform);
}

// The same member functions for binaries of libstdc++'s old string ABI (_GLIBCXX_USE_CXX11_ABI=0),
// of which a `const std::string&` arrives as the address of such a string.
namespace {

std::string FromOldString(const void* string) {
  return {OldStringData(string), OldStringSize(string)};
}

}  // namespace

CALLBRIDGE_EXPORTED void RegisterByOldStrings(
    void* registry, const void* name, void* address,
    const void* platform) __asm__(CALLBRIDGE_UPSTREAM_REGISTER_OLD_STRINGS);
void RegisterByOldStrings(void* registry, const void* name, void* address, const void* platform) {
  static_cast<TargetRegistry*>(registry)->Register(
      {FromOldString(name), FromOldString(platform), address});
}

CALLBRIDGE_EXPORTED void* LookUpByOldStrings(
    const void* registry, const void* name,
    const void* platform) __asm__(CALLBRIDGE_UPSTREAM_LOOKUP_OLD_STRINGS);
void* LookUpByOldStrings(const void* registry, const void* name, const void* platform) {
  return static_cast<const TargetRegistry*>(registry)->Lookup(FromOldString(name),
                                                              FromOldString(platform));
}

namespace {

// Code recompiled against callbridge's headers imports the callbridge_ and status functions.
const OldSymbol kOldSymbols[] = {
    {CALLBRIDGE_UPSTREAM_GLOBAL, reinterpret_cast<void*>(&Global)},
    {CALLBRIDGE_UPSTREAM_REGISTER, reinterpret_cast<void*>(&Register)},
    {CALLBRIDGE_UPSTREAM_LOOKUP, reinterpret_cast<void*>(&Lookup)},
    {CALLBRIDGE_UPSTREAM_REGISTER_OLD_STRINGS, reinterpret_cast<void*>(&RegisterByOldStrings)},
    {CALLBRIDGE_UPSTREAM_LOOKUP_OLD_STRINGS, reinterpret_cast<void*>(&LookUpByOldStrings)},
    {"XlaCustomCallStatusSetSuccess", reinterpret_cast<void*>(&XlaCustomCallStatusSetSuccess)},
    {"XlaCustomCallStatusSetFailure", reinterpret_cast<void*>(&XlaCustomCallStatusSetFailure)},
    {"callbridge_register_target", reinterpret_cast<void*>(&callbridge_register_target)},
    {"callbridge_lookup_target", reinterpret_cast<void*>(&callbridge_lookup_target)},
    {"callbridge_visit_targets", reinterpret_cast<void*>(&callbridge_visit_targets)},
    {"callbridge_xla_ffi_api", reinterpret_cast<void*>(&callbridge_xla_ffi_api)},
};

}  // namespace

absl::Span<const OldSymbol> OldSymbols() { return kOldSymbols; }

}  // namespace callbridge
