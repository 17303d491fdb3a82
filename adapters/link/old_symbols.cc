#include "callbridge/adapters/link/old_symbols.h"

#include <string>

#include "callbridge/legacy/registry_functions.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/status_returning/custom_call_status.h"

namespace callbridge {
namespace {

// xla::CustomCallTargetRegistry::Global(). Old code hands what this returns to Register and Lookup
// as `this` and never looks inside.
void* Global() { return &TargetRegistry::Global(); }

// xla::CustomCallTargetRegistry::Register(std::string const&, void*, std::string const&); a member
// function's `this` is its first argument.
void Register(void* registry, const std::string& name, void* address, const std::string& platform) {
  static_cast<TargetRegistry*>(registry)->Register({name, platform, address});
}

// xla::CustomCallTargetRegistry::Lookup(std::string const&, std::string const&) const
void* Lookup(const void* registry, const std::string& name, const std::string& platform) {
  return static_cast<const TargetRegistry*>(registry)->Lookup(name, platform);
}

// Names in libstdc++'s new string ABI, read off binaries built against TensorFlow 2.13.1's headers;
// the callbridge_ and status functions are what code recompiled against ours imports.
const OldSymbol kOldSymbols[] = {
    {"_ZN3xla24CustomCallTargetRegistry6GlobalEv", reinterpret_cast<void*>(&Global)},
    {"_ZN3xla24CustomCallTargetRegistry8RegisterERKNSt7__cxx1112basic_stringIcSt11char_"
     "traitsIcESaIcE"
     "EEPvS8_",
     reinterpret_cast<void*>(&Register)},
    {"_ZNK3xla24CustomCallTargetRegistry6LookupERKNSt7__cxx1112basic_stringIcSt11char_"
     "traitsIcESaIcEE"
     "ES8_",
     reinterpret_cast<void*>(&Lookup)},
    {"XlaCustomCallStatusSetSuccess", reinterpret_cast<void*>(&XlaCustomCallStatusSetSuccess)},
    {"XlaCustomCallStatusSetFailure", reinterpret_cast<void*>(&XlaCustomCallStatusSetFailure)},
    {"callbridge_register_target", reinterpret_cast<void*>(&callbridge_register_target)},
    {"callbridge_lookup_target", reinterpret_cast<void*>(&callbridge_lookup_target)},
    {"callbridge_visit_targets", reinterpret_cast<void*>(&callbridge_visit_targets)},
};

}  // namespace

absl::Span<const OldSymbol> OldSymbols() { return kOldSymbols; }

}  // namespace callbridge
